/* The dependency picture as data: its boxes, arrows and parts, and places for the parts that a filter leaves. `graph.js` builds on it.
 *
 * A script of its own and no module, since modules do not load from files.
 */
(() => {
  "use strict";

  /** Places for rectangles as `kvdocs/pictures/packing.py` finds them: the highest free place, of these the leftmost. */
  function pack(sizes, width, gap) {
    let skyline = [[0, 0, width]];
    return sizes.map(([w, h]) => {
      let best = null;
      for (const [x] of skyline) {
        if (x && x + w > width) continue;
        const y = Math.max(...skyline.filter(([start, , end]) => start < x + w + gap && end > x).map((s) => s[1]));
        if (!best || y < best[1] || (y === best[1] && x < best[0])) best = [x, y];
      }
      const [x, y] = best || [0, Math.max(...skyline.map((s) => s[1]))];
      const right = x + w + gap;
      const raised = [[x, y + h + gap, Math.max(right, x)]];
      for (const [start, top, end] of skyline) {
        if (start < x) raised.push([start, top, Math.min(end, x)]);
        if (end > right) raised.push([Math.max(start, right), top, end]);
      }
      skyline = raised.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
      return [x, y];
    });
  }

  function make(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  /** What the drawing holds: its boxes, its arrows, and the connected parts. */
  function read(svg) {
    const boxes = new Map();
    const parts = [...svg.querySelectorAll(".kv-part")].map((g) => {
      const [, x, y] = g.getAttribute("transform").match(/translate\(([-\d.]+) ([-\d.]+)\)/).map(Number);
      return { g, x, y, width: Number(g.dataset.width), height: Number(g.dataset.height), boxes: [], shown: true };
    });
    for (const part of parts) {
      for (const a of part.g.querySelectorAll(".kv-node")) {
        const [, x, y] = a.getAttribute("transform").match(/translate\(([-\d.]+) ([-\d.]+)\)/).map(Number);
        const title = a.querySelector("title");
        const shape = a.querySelector(".kv-shape").getBBox();
        const box = { a, part, x, y, width: shape.width, height: shape.height, id: a.dataset.id, state: a.dataset.state, owners: a.dataset.owners.split("|").filter(Boolean), words: title.textContent, before: [], after: [] };
        a.setAttribute("aria-label", box.words);
        title.remove(); // the browser's own tooltip would cover the card
        if (location.protocol === "file:" && a.href && a.href.baseVal.endsWith("/")) a.setAttribute("href", a.href.baseVal + "index.html");
        boxes.set(box.id, box);
        part.boxes.push(box);
      }
    }
    const arrows = [...svg.querySelectorAll(".kv-arrow")].map((path) => ({ path, from: boxes.get(path.dataset.from), to: boxes.get(path.dataset.to) }));
    for (const arrow of arrows) {
      arrow.from.after.push(arrow);
      arrow.to.before.push(arrow);
    }
    return { boxes, parts, arrows };
  }

  window.kvdocsGraph = { make, pack, read };
})();
