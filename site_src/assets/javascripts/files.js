// Opened from a file, where no server turns a folder into its index.html: links do so themselves.
(() => {
  "use strict";

  if (location.protocol !== "file:") return;

  function complete(event) {
    const link = event.target.closest && event.target.closest("a[href]");
    if (!link || link.protocol !== "file:" || !link.pathname.endsWith("/")) return;
    link.pathname += "index.html";
  }

  // Before the click, so that a new tab gets the whole address too.
  for (const name of ["pointerdown", "focusin", "click"]) document.addEventListener(name, complete, true);
})();
