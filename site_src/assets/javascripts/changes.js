/* What changed since a day: hides the rows of older changes, and the parts in which none is left. The address keeps the day.
 * Without this script the page shows every change, the newest first.
 */
(() => {
  "use strict";

  const DAY = /^\d{4}-\d{2}-\d{2}$/;

  function start() {
    const place = document.querySelector(".kv-since");
    if (!place) return;
    const input = document.createElement("input");
    input.type = "date";
    const label = document.createElement("label");
    label.append("since ", input);
    const count = document.createElement("span");
    count.className = "kv-count";
    count.setAttribute("role", "status");
    place.className = "kv-since kv-tools";
    place.append(label, count);

    const state = () => new URLSearchParams(location.search);
    const rows = [...document.querySelectorAll("[data-table] tbody tr")];

    function show() {
      const day = DAY.test(input.value) ? input.value : "";
      let shown = 0;
      for (const row of rows) {
        const when = row.cells[0].textContent.trim();
        const old = Boolean(day) && DAY.test(when) && when < day;
        row.classList.toggle("kv-old", old);
        if (!old) shown += 1;
      }
      for (const box of document.querySelectorAll("[data-table]")) {
        const empty = ![...box.querySelectorAll("tbody tr")].some((row) => !row.classList.contains("kv-old"));
        box.classList.toggle("kv-old", empty);
      }
      count.textContent = day ? `${shown} of ${rows.length} changes` : `${rows.length} changes`;
    }

    input.addEventListener("change", () => {
      const now = state();
      if (DAY.test(input.value)) now.set("since", input.value);
      else now.delete("since");
      const query = now.toString();
      history.replaceState(history.state, "", location.pathname + (query ? `?${query}` : "") + location.hash);
      show();
    });
    input.value = state().get("since") || "";
    show();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
