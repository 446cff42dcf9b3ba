// Records before pages: what is typed in the search is looked for as a whole in ids, titles and texts of records.
// The engine's own results stay below. Without this script, or in another engine, they are all there is.
(() => {
  "use strict";

  const MOST = 10;
  const FROM_FILE = location.protocol === "file:";
  const here = document.currentScript.src;
  let records = null;

  async function read() {
    if (!FROM_FILE) return (await fetch(new URL("../../api/search.json", here))).json();
    // From a file nothing can be fetched, but a script can be loaded.
    const script = document.createElement("script");
    script.src = new URL("../../search/search_index.js", here);
    await new Promise((done, failed) => { Object.assign(script, { onload: done, onerror: failed }); document.head.append(script); });
    return window.kvdocsSearch;
  }

  async function load() {
    if (records) return records;
    const rows = (await read()).records;
    records = rows.map(([id, kind, title, text], place) => ({ id, kind, title, text, place, low: { id: id.toLowerCase(), title: title.toLowerCase() } }));
    return records;
  }

  // How well a record fits: its id, then the whole phrase in its title or its text, then all words anywhere.
  function score(record, phrase, words) {
    const { id, title } = record.low;
    if (id === phrase) return 1000;
    const all = `${id} ${title} ${record.text}`;
    return (id.startsWith(phrase) && phrase.length > 2 ? 300 : 0) + (title.includes(phrase) ? 200 : 0) + (record.text.includes(phrase) ? 100 : 0)
      || (words.length > 1 && words.every((word) => all.includes(word)) ? 10 : 0);
  }

  function find(query) {
    const phrase = query.toLowerCase().replace(/["`]/g, "").split(/\s+/).filter(Boolean).join(" ");
    if (phrase.length < 2) return [];
    const words = phrase.split(" ");
    return records
      .map((record) => [score(record, phrase, words), record])
      .filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0] || a[1].place - b[1].place)
      .slice(0, MOST)
      .map(([, record]) => [record, phrase]);
  }

  function excerpt(record, phrase) {
    const at = record.text.indexOf(phrase);
    if (at < 0) return "";
    const start = Math.max(0, at - 40);
    return (start ? "\u2026 " : "") + record.text.slice(start, at + phrase.length + 60) + " \u2026";
  }

  function make(name, className, text, ...children) {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text) node.textContent = text;
    node.append(...children);
    return node;
  }

  function item([record, phrase]) {
    const article = make("article", "md-search-result__article md-typeset", "", make("h1", "", `${record.id} \u00b7 ${record.title}`), make("p", "kv-hit", `${record.kind}${excerpt(record, phrase) ? ": " + excerpt(record, phrase) : ""}`));
    const link = make("a", "md-search-result__link", "", article);
    link.href = new URL(`../../records/${encodeURIComponent(record.id)}/${FROM_FILE ? "index.html" : ""}`, here);
    return make("li", "md-search-result__item", "", link);
  }

  // Opened from a file the engine's search cannot start, and hides its field. Records are found all the same.
  function standIn(field, results) {
    field.closest(".md-search").classList.add("kv-alone");
    results.querySelector(".md-search-result__meta").textContent = "Records are searched; other pages only where a server has the site.";
    const toggle = document.getElementById("__search");
    const open = (now) => { toggle.checked = now; if (now) field.focus(); else field.blur(); };
    field.addEventListener("focus", () => { toggle.checked = true; });
    toggle.addEventListener("change", () => { if (toggle.checked) field.focus(); });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") open(false);
      else if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { open(true); event.preventDefault(); }
    });
  }

  function start() {
    const field = document.querySelector("input.md-search__input");
    const results = document.querySelector(".md-search-result");
    document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
    if (!field || !results) return;
    if (FROM_FILE) standIn(field, results);
    const list = make("ol", "md-search-result__list kv-hits");
    list.setAttribute("aria-label", "Records");
    results.before(list);
    const show = async () => {
      await load();
      list.replaceChildren(...find(field.value).map(item));
    };
    const links = () => [...list.querySelectorAll("a"), ...results.querySelectorAll("a.md-search-result__link")];
    // Enter opens the first record; the arrow keys go through the records and then the engine's results.
    document.addEventListener("keydown", (event) => {
      const all = links();
      const at = all.indexOf(document.activeElement);
      const ours = list.childElementCount;
      if (!ours || (document.activeElement !== field && at < 0)) return;
      if (event.key === "Enter" && document.activeElement === field) location.assign(all[0].href);
      else if (event.key === "ArrowDown" && at < ours) all[Math.min(at + 1, all.length - 1)].focus();
      else if (event.key === "ArrowUp" && at >= 0 && at <= ours) (all[at - 1] || field).focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    }, true);
    field.addEventListener("focus", () => load().then(() => field.value && show()), { once: true });
    field.addEventListener("input", show);
    if (field.value) show();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
