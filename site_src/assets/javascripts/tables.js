// Tables that sort and filter and keep their state in the address. Without this script they are plain tables.
(() => {
  "use strict";

  // Values that have an order of their own. A cell belongs to a scale by its first word; a range such as S-M stands between its ends.
  const SCALES = [["XS", "S", "M", "L", "XL"], ["none", "low", "medium", "high", "very high"], ["error", "warning", "info"]];
  const MANY = 10;   // so many rows need a search field
  const SHORT = 12;  // on a phone, values of so many letters share their line with others
  const EMPTY = "\u2014";

  const state = () => new URLSearchParams(location.search);

  function remember(name, value) {
    const now = state();
    if (value) now.set(name, value); else now.delete(name);
    const query = now.toString();
    history.replaceState(history.state, "", location.pathname + (query ? "?" + query : "") + location.hash);
  }

  const text = (cell) => (cell ? cell.textContent.trim() : "");

  // The values of a cell: what its badges say, else its links, else its text at commas. A sentence that has links in it is one value.
  function values(cell) {
    const found = (kind) => [...cell.querySelectorAll(":scope > " + kind)].map((part) => part.textContent.trim());
    const badges = found(".kv-badge"), links = found("a");
    if (badges.length) return badges;
    if (links.length) return links.join(", ") === text(cell) ? links : [text(cell)];
    return text(cell).split(", ").filter((part) => part && part !== EMPTY);
  }

  function scaleOf(cells) {
    return SCALES.find((scale) => cells.every((cell) => cell === EMPTY || cell.split("-").every((end) => scale.includes(end)) || scale.includes(cell)));
  }

  function keyOf(cells) {
    const scale = scaleOf(cells);
    if (scale) {
      return (cell) => {
        if (cell === EMPTY) return Infinity;
        const ends = scale.includes(cell) ? [cell] : cell.split("-");
        return ends.reduce((sum, end) => sum + scale.indexOf(end), 0) / ends.length;
      };
    }
    const number = (cell) => parseFloat(cell.replace(/,/g, "").replace(/\u2212/g, "-"));
    if (cells.every((cell) => cell === EMPTY || !Number.isNaN(number(cell)))) return (cell) => (cell === EMPTY ? Infinity : number(cell));
    return null;
  }

  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  class SortableTable {
    constructor(box) {
      this.box = box;
      this.name = box.dataset.table;
      this.table = box.querySelector("table");
      this.headings = [...this.table.tHead.rows[0].cells];
      this.titles = this.headings.map(text);
      this.body = this.table.tBodies[0];
      this.rows = [...this.body.rows];
      this.outer = new Map();
      this.choices = (box.dataset.choices || "").split(" ").filter(Boolean).map(Number);
      this.selects = new Map();
      if (this.rows.length > 1) this.headings.forEach((heading, column) => this.makeSortable(heading, column));
      this.makeTools();
      this.restore();
    }

    makeSortable(heading, column) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "kv-sort";
      button.textContent = text(heading);
      button.addEventListener("click", () => {
        this.choose((heading.getAttribute("aria-sort") === "ascending" ? "-" : "") + this.titles[column]);
      });
      heading.replaceChildren(button);
    }

    // An order as the address has it: a heading, with a minus when the greatest comes first.
    choose(order) {
      this.sort(...this.orderOf(order));
      remember(this.name + ".sort", order);
    }

    orderOf(words) { return [this.titles.indexOf(words.replace(/^-/, "")), words.startsWith("-")]; }

    // What stands in for the headings where rows are cards.
    makeOrders() {
      this.orders = document.createElement("select");
      this.orders.append(new Option("as listed", ""), ...this.titles.flatMap((title) => [new Option(title, title), new Option(title + ", reversed", "-" + title)]));
      this.orders.addEventListener("change", () => this.choose(this.orders.value));
      const box = label("Order", this.orders);
      box.className = "kv-orders";
      return box;
    }

    makeTools() {
      const tools = document.createElement("div");
      if (this.rows.length >= MANY || this.choices.length) {
        this.search = document.createElement("input");
        this.search.type = "search";
        this.search.placeholder = "any text";
        this.search.addEventListener("input", () => { this.filter(); remember(this.name + ".text", this.search.value); });
        tools.append(label("Filter", this.search));
      }
      for (const column of this.choices) {
        const select = makeSelect([...new Set(this.rows.flatMap((row) => values(row.cells[column])))]);
        select.addEventListener("change", () => { this.filter(); remember(this.name + "." + this.titles[column], select.value); });
        this.selects.set(column, select);
        tools.append(label(this.titles[column], select));
      }
      this.count = document.createElement("output");
      if (tools.childElementCount) tools.append(this.count);
      tools.className = tools.childElementCount ? "kv-filters" : "kv-filters kv-empty";
      if (this.rows.length > 1) tools.prepend(this.makeOrders());
      this.box.prepend(tools);
    }

    restore() {
      const now = state();
      if (this.search) this.search.value = now.get(this.name + ".text") || "";
      for (const [column, select] of this.selects) select.value = now.get(this.name + "." + this.titles[column]) || "";
      const sort = now.get(this.name + ".sort");
      if (sort) this.sort(...this.orderOf(sort));
      this.filter();
    }

    // Without a column the rows stand as they did.
    sort(column, down) {
      if (this.orders) this.orders.value = column < 0 ? "" : (down ? "-" : "") + this.titles[column];
      const cells = this.rows.map((row) => text(row.cells[column]));
      const key = keyOf(cells);
      const compare = key ? (a, b) => key(a) - key(b) : (a, b) => (a === EMPTY) - (b === EMPTY) || collator.compare(a, b);
      const order = this.rows.map((row, index) => [row, cells[index], index]);
      order.sort((a, b) => {
        const one = a[1] === EMPTY, two = b[1] === EMPTY;
        // What is empty comes last in both directions.
        if (one || two) return one - two || a[2] - b[2];
        return (down ? -compare(a[1], b[1]) : compare(a[1], b[1])) || a[2] - b[2];
      });
      this.body.append(...order.map(([row]) => row));
      this.headings.forEach((heading, index) => {
        if (index === column) heading.setAttribute("aria-sort", down ? "descending" : "ascending"); else heading.removeAttribute("aria-sort");
      });
    }

    columnOf(title) { return this.titles.indexOf(title); }

    filter() {
      const words = (this.search ? this.search.value : "").toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of this.rows) {
        const all = row.textContent.toLowerCase();
        const chosen = [...this.selects].every(([column, select]) => !select.value || values(row.cells[column]).includes(select.value));
        const outer = [...this.outer].every(([column, value]) => !value || values(row.cells[column]).includes(value));
        row.hidden = !(chosen && outer && words.every((word) => all.includes(word)));
        shown += !row.hidden;
      }
      this.count.textContent = shown === this.rows.length ? `${shown} rows` : `${shown} of ${this.rows.length} rows`;
    }
  }

  function label(title, control) {
    const box = document.createElement("label");
    box.append(title, control);
    return box;
  }

  function makeSelect(options) {
    const select = document.createElement("select");
    select.append(new Option("all", ""), ...options.sort(collator.compare).map((value) => new Option(value, value)));
    return select;
  }

  // One choice for all tables of a page that have a column of that heading.
  function makeChoice(place, tables) {
    const heading = place.dataset.heading;
    const concerned = tables.map((table) => [table, table.columnOf(heading)]).filter(([, column]) => column >= 0);
    const options = new Set(concerned.flatMap(([table, column]) => table.rows.flatMap((row) => values(row.cells[column]))));
    if (options.size < 2) return;
    const select = makeSelect([...options]);
    const apply = () => concerned.forEach(([table, column]) => { table.outer.set(column, select.value); table.filter(); });
    select.value = state().get(heading) || "";
    select.addEventListener("change", () => { apply(); remember(heading, select.value); });
    place.classList.add("kv-filters");
    place.append(label(heading, select));
    apply();
  }

  // On a phone a table that is wider than its box becomes cards, as the style sheet lays them out. The roles stay what the display would take away.
  function stack() {
    const narrow = matchMedia("(max-width: 44.9844em)").matches;
    for (const table of document.querySelectorAll(".md-typeset table:not([class])")) {
      delete table.dataset.stacked;
      if (!narrow || !table.tHead || boxOf(table).scrollWidth <= boxOf(table).clientWidth) continue;
      name(table);
      table.dataset.stacked = "";
    }
  }

  function name(table) {
    if (table.hasAttribute("role")) return;
    const titles = [...table.tHead.rows[0].cells].map(text);
    const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TH: "columnheader", TD: "cell" };
    for (const part of [table, ...table.querySelectorAll("thead, tbody, tr, th, td")]) part.setAttribute("role", roles[part.tagName]);
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, column) => {
        cell.dataset.heading = titles[column];
        if (text(cell) === EMPTY) cell.dataset.empty = "";
        else if (text(cell).length <= SHORT) cell.dataset.short = "";
      });
    }
  }

  const boxOf = (table) => table.closest(".md-typeset__scrollwrap") || table;

  // A table that is wider than its box can be scrolled with the keyboard.
  function makeReachable() {
    for (const table of document.querySelectorAll(".md-typeset table")) {
      const box = [table.closest(".md-typeset__scrollwrap"), table].find((part) => part && part.scrollWidth > part.clientWidth);
      if (!box || box.hasAttribute("tabindex")) continue;
      const heading = [...document.querySelectorAll(".md-typeset h1, .md-typeset h2")].filter((h) => h.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING).pop();
      box.tabIndex = 0;
      if (box !== table) {
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", "Table: " + (heading ? heading.firstChild.textContent.trim() || heading.textContent.trim() : document.title));
      }
    }
  }

  function start() {
    const tables = [...document.querySelectorAll(".kv-table[data-table]")].filter((box) => box.querySelector("table")?.tHead).map((box) => new SortableTable(box));
    document.querySelectorAll(".kv-choice[data-heading]").forEach((place) => makeChoice(place, tables));
    const fit = () => { stack(); makeReachable(); };
    requestAnimationFrame(fit);
    addEventListener("resize", fit);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
