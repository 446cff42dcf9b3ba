/* The dependency picture, alive: zoom and pan, details on hover, filters, a view that the address keeps, and the keyboard.
 *
 * Works on the drawing that is in the page already; without this script that drawing stays as it is, with its links.
 * It asks no server for anything and needs no library; `graph-drawing.js` comes first.
 */
(() => {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
  const SEPARATOR = " · ";
  const CLOSEST = 2.5;
  const READABLE = 0.85;
  const FAR = 0.5;
  const VERY_FAR = 0.2;

  const { make, pack, read } = window.kvdocsGraph;

  class Picture {
    constructor(svg) {
      this.svg = svg;
      this.natural = { width: svg.getAttribute("width"), height: svg.getAttribute("height"), viewBox: svg.getAttribute("viewBox") };
      Object.assign(this, read(svg));
      this.margin = Number(svg.dataset.margin);
      this.filter = { owner: "", states: new Set(), find: "" };
      this.at = "";
      this.moved = false;
      this.pointers = new Map();
      this.build();
      this.listen();
      this.restore();
    }

    /* ---- the frame around the drawing ---- */

    build() {
      this.scene = document.createElementNS(SVG, "g");
      this.scene.setAttribute("class", "kv-scene");
      this.scene.append(...this.parts.map((part) => part.g));
      this.svg.append(this.scene);
      this.frame = make("div", { class: "kv-viewport", tabindex: "0", role: "region", "aria-label": "The picture. Drag or use the arrow keys to move, plus and minus to zoom, 0 to see all. Tab enters it; the arrow keys then go from record to record." });
      this.svg.replaceWith(this.frame);
      this.frame.append(this.svg);
      this.card = make("div", { class: "kv-hover", "aria-hidden": "true", hidden: "" });
      this.count = make("span", { class: "kv-count", role: "status" });
      this.frame.before(this.tools());
      this.frame.append(this.card);
      const height = Number(this.natural.height);
      this.frame.style.height = `min(${Math.ceil(height)}px, 78vh)`;
      this.setTabStop([...this.boxes.values()][0]);
    }

    tools() {
      const owners = [...new Set([...this.boxes.values()].flatMap((box) => box.owners))].sort();
      this.owner = make("select", { "aria-label": "Owner" }, new Option("every owner", ""), ...owners.map((name) => new Option(name, name)));
      this.find = make("input", { type: "search", placeholder: "find a record", "aria-label": "Find a record by id or title" });
      const counts = new Map();
      for (const box of this.boxes.values()) counts.set(box.state, (counts.get(box.state) || 0) + 1);
      this.chips = new Map([...counts].map(([state, n]) => {
        const tone = [...[...this.boxes.values()].find((box) => box.state === state).a.classList].find((name) => name.startsWith("kv-tone-"));
        return [state, make("button", { type: "button", class: `kv-chip ${tone}`, "aria-pressed": "false" }, `${state} ${n}`)];
      }));
      const button = (text, label, action) => {
        const made = make("button", { type: "button", "aria-label": label, title: label }, text);
        made.addEventListener("click", action);
        return made;
      };
      return make("div", { class: "kv-tools", role: "group", "aria-label": "What the picture shows" },
        this.find, this.owner, make("span", { class: "kv-chips", role: "group", "aria-label": "States" }, ...this.chips.values()),
        make("span", { class: "kv-zoom" }, button("−", "Zoom out", () => this.zoomBy(1 / 1.4)), button("+", "Zoom in", () => this.zoomBy(1.4)), button("⤢", "See all", () => this.fit(true))),
        this.count);
    }

    listen() {
      const { frame, svg } = this;
      this.owner.addEventListener("change", () => this.choose({ owner: this.owner.value }));
      this.find.addEventListener("input", () => this.choose({ find: this.find.value }));
      for (const [state, chip] of this.chips) {
        chip.addEventListener("click", () => {
          const states = new Set(this.filter.states);
          if (!states.delete(state)) states.add(state);
          this.choose({ states });
        });
      }
      frame.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls the page
        event.preventDefault();
        this.zoomAt(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
      }, { passive: false });
      frame.addEventListener("pointerdown", (event) => this.press(event));
      frame.addEventListener("pointermove", (event) => this.drag(event));
      for (const name of ["pointerup", "pointercancel"]) frame.addEventListener(name, (event) => this.release(event));
      frame.addEventListener("click", (event) => { if (this.dragged) { event.preventDefault(); event.stopPropagation(); } }, true);
      frame.addEventListener("dragstart", (event) => event.preventDefault());
      frame.addEventListener("keydown", (event) => this.key(event));
      svg.addEventListener("pointerover", (event) => this.hover(this.boxOf(event.target)));
      svg.addEventListener("pointerleave", () => this.hover(null));
      // On the frame: a browser gives a drawing that listens for the focus a tab stop of its own.
      frame.addEventListener("focusin", (event) => { const box = this.boxOf(event.target); if (box) this.select(box); });
      frame.addEventListener("focusout", () => this.hover(null));
      frame.addEventListener("scroll", () => frame.scrollTo(0, 0)); // the browser scrolls to what has the focus; the view moves instead
      window.addEventListener("hashchange", () => this.restore());
      window.addEventListener("beforeprint", () => this.still());
      window.addEventListener("afterprint", () => this.draw());
      new ResizeObserver(() => { if (!this.moved) this.fit(false); }).observe(frame);
    }

    boxOf(target) {
      const a = target.closest && target.closest(".kv-node");
      return a ? this.boxes.get(a.dataset.id) : null;
    }

    /* ---- zoom and pan ---- */

    /** All shown parts in the frame when that is readable, else their start at a readable size. */
    fit(all) {
      const { clientWidth: width, clientHeight: height } = this.frame;
      const scale = Math.min(1, width / this.extent.width, height / this.extent.height);
      const k = all || scale > 0.7 ? scale : READABLE;
      this.moved = all && scale <= 0.7; // who asked to see all of a large picture keeps it so
      this.view = { k, x: Math.max(0, (width - this.extent.width * k) / 2), y: 0 };
      this.draw();
      this.keep();
    }

    zoomBy(factor) {
      const r = this.frame.getBoundingClientRect();
      this.zoomAt(factor, r.left + r.width / 2, r.top + r.height / 2);
    }

    zoomAt(factor, clientX, clientY) {
      const r = this.frame.getBoundingClientRect();
      const smallest = Math.min(0.5, r.width / this.extent.width, r.height / this.extent.height) / 2;
      const k = Math.min(CLOSEST, Math.max(smallest, this.view.k * factor));
      const [px, py] = [clientX - r.left, clientY - r.top];
      this.move({ k, x: px - (px - this.view.x) * (k / this.view.k), y: py - (py - this.view.y) * (k / this.view.k) });
    }

    panBy(dx, dy) {
      this.move({ ...this.view, x: this.view.x + dx, y: this.view.y + dy });
    }

    /** A view of the user's choice; something of the picture always stays in the frame. */
    move(view) {
      const { clientWidth: width, clientHeight: height } = this.frame;
      const edge = 60;
      view.x = Math.min(width - edge, Math.max(edge - this.extent.width * view.k, view.x));
      view.y = Math.min(height - edge, Math.max(edge - this.extent.height * view.k, view.y));
      this.view = view;
      this.moved = true;
      this.draw();
      this.keep();
    }

    draw() {
      const { k, x, y } = this.view;
      this.svg.removeAttribute("viewBox");
      this.svg.setAttribute("width", "100%");
      this.svg.setAttribute("height", "100%");
      this.scene.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${k.toFixed(4)})`);
      this.svg.classList.toggle("kv-far", k < FAR);
      this.svg.classList.toggle("kv-very-far", k < VERY_FAR);
    }

    /** As the page had it without a script: for paper. */
    still() {
      for (const [name, value] of Object.entries(this.natural)) this.svg.setAttribute(name, value);
      this.scene.removeAttribute("transform");
      this.svg.classList.remove("kv-far", "kv-very-far");
    }

    press(event) {
      if (event.button) return;
      this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
      this.dragged = false;
      this.start = [event.clientX, event.clientY];
    }

    drag(event) {
      const last = this.pointers.get(event.pointerId);
      if (!last) return;
      const now = [event.clientX, event.clientY];
      if (this.pointers.size === 2) {
        const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
        const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
        this.dragged = true;
        this.zoomAt(apart(now) / Math.max(1, apart(last)), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
      } else if (this.dragged || Math.hypot(now[0] - this.start[0], now[1] - this.start[1]) > 4) {
        if (!this.dragged) this.frame.setPointerCapture(event.pointerId);
        this.dragged = true;
        this.hover(null);
        this.panBy(now[0] - last[0], now[1] - last[1]);
      }
      this.pointers.set(event.pointerId, now);
    }

    release(event) {
      this.pointers.delete(event.pointerId);
    }

    /* ---- keyboard ---- */

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const box = this.boxOf(event.target);
      if (event.key === "+" || event.key === "=") this.zoomBy(1.4);
      else if (event.key === "-") this.zoomBy(1 / 1.4);
      else if (event.key === "0") this.fit(true);
      else if (event.key === "Escape") this.hover(null);
      else if (arrows[event.key] && box) this.step(box, ...arrows[event.key]);
      else if (arrows[event.key]) this.panBy(-60 * arrows[event.key][0], -60 * arrows[event.key][1]);
      else return;
      event.preventDefault();
    }

    /** The next box in a direction: along an arrow to the left or right where there is one, else the nearest. */
    step(box, dx, dy) {
      const linked = dx > 0 ? box.after.map((a) => a.to) : dx < 0 ? box.before.map((a) => a.from) : [];
      const [x, y] = this.middle(box);
      const ahead = (linked.length ? linked : [...this.boxes.values()].filter((b) => b.part.shown && b !== box)).map((b) => {
        const [bx, by] = this.middle(b);
        const along = (bx - x) * dx + (by - y) * dy;
        return { b, along, cost: along + 3 * Math.abs((bx - x) * dy + (by - y) * dx) };
      }).filter((c) => linked.length || c.along > 4).sort((a, b) => a.cost - b.cost);
      if (ahead.length) ahead[0].b.a.focus({ preventScroll: true });
    }

    middle(box) {
      return [box.part.x + box.x + box.width / 2, box.part.y + box.y + box.height / 2];
    }

    /** One box takes the tab key, so that a large picture is one stop and not two thousand. */
    setTabStop(box) {
      for (const other of this.boxes.values()) other.a.setAttribute("tabindex", other === box ? "0" : "-1");
    }

    /** A box that has the focus: in the frame, with its card and its way, and in the address. */
    select(box) {
      this.at = box.id;
      this.setTabStop(box);
      this.show(box);
      this.hover(box);
    }

    /** Moves the view until a box is in the frame: just so far when a part of it is, else to its middle. */
    show(box) {
      const { clientWidth: width, clientHeight: height } = this.frame;
      const [mx, my] = this.middle(box);
      const { k, x, y } = this.view;
      const [left, top] = [x + mx * k - (box.width * k) / 2, y + my * k - (box.height * k) / 2];
      const [right, bottom] = [left + box.width * k, top + box.height * k];
      if (right < 0 || bottom < 0 || left > width || top > height || k < FAR) {
        const readable = Math.max(k, READABLE);
        this.move({ k: readable, x: width / 2 - mx * readable, y: height / 2 - my * readable });
        return;
      }
      const shift = (low, high, size) => (low < 4 ? 4 - low : high > size - 4 ? size - 4 - high : 0);
      const [dx, dy] = [shift(left, right, width), shift(top, bottom, height)];
      if (dx || dy) this.panBy(dx, dy);
      else this.keep();
    }

    /* ---- details ---- */

    hover(box) {
      if (box === this.hovered) return;
      this.hovered = box;
      for (const lit of this.svg.querySelectorAll(".kv-lit")) lit.classList.remove("kv-lit");
      this.svg.classList.toggle("kv-tracing", Boolean(box));
      this.card.hidden = !box;
      if (!box) return;
      this.trace(box, "before", "from");
      this.trace(box, "after", "to");
      const [name, ...rest] = box.words.split(SEPARATOR);
      this.card.replaceChildren(make("strong", {}, name), ...rest.map((line) => make("div", {}, line)));
      this.place(box);
    }

    /** Lights everything that a box waits for, or that waits for it. */
    trace(box, side, end) {
      const seen = new Set([box]);
      const todo = [box];
      box.a.classList.add("kv-lit");
      while (todo.length) {
        for (const arrow of todo.pop()[side]) {
          arrow.path.classList.add("kv-lit");
          if (!seen.has(arrow[end])) {
            seen.add(arrow[end]);
            arrow[end].a.classList.add("kv-lit");
            todo.push(arrow[end]);
          }
        }
      }
    }

    /** Puts the card below the box, or above it where there is no room; always inside the frame. */
    place(box) {
      const frame = this.frame.getBoundingClientRect();
      const r = box.a.getBoundingClientRect();
      const { offsetWidth: w, offsetHeight: h } = this.card;
      const below = r.bottom - frame.top + 8;
      this.card.style.left = `${Math.max(4, Math.min(frame.width - w - 6, r.left - frame.left))}px`;
      this.card.style.top = `${Math.max(4, below + h > frame.height ? r.top - frame.top - h - 8 : below)}px`;
    }

    /* ---- filters ---- */

    choose(change) {
      Object.assign(this.filter, change);
      this.at = "";
      this.hover(null);
      this.apply();
      this.fit(false);
      const first = [...this.boxes.values()].find((box) => box.part.shown && this.matches(box));
      if (first) { this.setTabStop(first); this.show(first); }
    }

    matches(box) {
      const { owner, states, find } = this.filter;
      return (!owner || box.owners.includes(owner)) && (!states.size || states.has(box.state)) && (!find || box.words.toLowerCase().includes(find.toLowerCase()));
    }

    /** Fades what does not match, and takes away the parts in which nothing does. */
    apply() {
      const { owner, states, find } = this.filter;
      this.owner.value = owner;
      if (this.find.value !== find) this.find.value = find;
      for (const [state, chip] of this.chips) chip.setAttribute("aria-pressed", String(states.has(state)));
      let n = 0;
      for (const part of this.parts) {
        part.shown = false;
        for (const box of part.boxes) {
          const match = this.matches(box);
          box.a.classList.toggle("kv-faded", !match);
          if (match) { n += 1; part.shown = true; }
        }
        part.g.style.display = part.shown ? "" : "none";
      }
      this.count.textContent = n === this.boxes.size ? `${n} records` : `${n} of ${this.boxes.size} records`;
      this.arrange();
    }

    /** Packs the shown parts. */
    arrange() {
      const shown = this.parts.filter((part) => part.shown);
      const gap = Number(this.svg.dataset.gap);
      const area = shown.reduce((sum, part) => sum + (part.width + gap) * (part.height + gap), 0);
      const width = Math.max(Number(this.svg.dataset.readingWidth), Number(this.svg.dataset.growth) * Math.sqrt(area), ...shown.map((part) => part.width));
      const places = pack(shown.map((part) => [part.width, part.height]), width, gap);
      this.extent = { width: 2 * this.margin, height: 2 * this.margin };
      shown.forEach((part, n) => {
        [part.x, part.y] = places[n].map((value) => value + this.margin);
        part.g.setAttribute("transform", `translate(${+part.x.toFixed(1)} ${+part.y.toFixed(1)})`);
        this.extent.width = Math.max(this.extent.width, part.x + part.width + this.margin);
        this.extent.height = Math.max(this.extent.height, part.y + part.height + this.margin);
      });
    }

    /* ---- the view in the address ---- */

    keep() {
      const words = new URLSearchParams();
      if (this.filter.owner) words.set("owner", this.filter.owner);
      if (this.filter.states.size) words.set("state", [...this.filter.states].join(","));
      if (this.filter.find) words.set("find", this.filter.find);
      if (this.at) words.set("at", this.at);
      if (this.moved) words.set("view", [this.view.x, this.view.y].map(Math.round).concat(this.view.k.toFixed(3)).join(","));
      const address = String(words).replaceAll("%2C", ",");
      if (address === this.written) return;
      this.written = address;
      clearTimeout(this.writing); // browsers allow so many changes of the address in a second
      this.writing = setTimeout(() => history.replaceState(history.state, "", address ? `#${address}` : location.pathname + location.search), 150);
    }

    restore() {
      const words = new URLSearchParams(location.hash.slice(1));
      this.filter = { owner: words.get("owner") || "", states: new Set((words.get("state") || "").split(",").filter(Boolean)), find: words.get("find") || "" };
      const box = this.boxes.get(words.get("at"));
      this.at = box ? box.id : "";
      this.apply();
      this.fit(false);
      const view = (words.get("view") || "").split(",").map(Number);
      if (view.length === 3 && view.every(Number.isFinite) && view[2] > 0) this.move({ x: view[0], y: view[1], k: Math.min(CLOSEST, view[2]) });
      else if (box) this.show(box);
      if (box) { this.setTabStop(box); this.hover(box); }
    }
  }

  const start = () => { for (const svg of document.querySelectorAll("svg[data-kv-graph]")) new Picture(svg); };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
