/* Still pictures: in one that is wider than its frame, the record that the page is about comes into sight. */
(() => {
  "use strict";

  function centre(figure) {
    const box = figure.querySelector(".kv-centre");
    if (!box || figure.scrollWidth <= figure.clientWidth) return;
    const r = box.getBoundingClientRect();
    figure.scrollLeft += r.left + r.width / 2 - figure.getBoundingClientRect().left - figure.clientWidth / 2;
  }

  const start = () => { for (const figure of document.querySelectorAll(".kv-picture")) centre(figure); };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
