// Flame graphs: width is energy. Drawn from the top (an icicle), so that it reads like the call tree.

/**
 * Draws the tree into the page's flame section. A view says what there is to see:
 * {energies, width(energy), text(node, energy), fill(node, energy), status(node, energy), describe(node, energy),
 * tip(node, energy), matched(found, energy)}; widths are by node. Returns a function that draws anew.
 */
function flameGraph(view) {
  const canvas = byId("flame-canvas");
  const select = byId("flame-energy");
  const ROW = 20;
  let energy = view.energies[0];
  let widths = view.width(energy);
  let focus = 0, selected = 0, found = null, hovered = -1;
  let width = 0, rows = [];
  view.energies.forEach((each, nth) => select.append(el("option", { value: nth }, each.option)));

  const byWidth = (at) => [...tree.children[at]].sort((a, b) => widths[b] - widths[a] || a - b);

  /** Rectangles of all that is at least half a pixel wide, by row. */
  function layout() {
    rows = [];
    const put = (row, at, from, size) => (rows[row] ||= []).push({ at, from, size });
    const above = [];
    for (let at = tree.parent[focus]; at >= 0; at = tree.parent[at]) above.unshift(at);
    above.forEach((at, row) => put(row, at, 0, width));
    const scale = widths[focus] > 0 ? width / widths[focus] : 0;
    const open = [[focus, above.length, 0]];
    while (open.length > 0) {
      const [at, row, from] = open.pop();
      const size = widths[at] * scale;
      if (size < 0.5) continue;
      put(row, at, from, size);
      let left = from;
      for (const child of byWidth(at)) {
        if (widths[child] * scale < 0.5) break;
        open.push([child, row + 1, left]);
        left += widths[child] * scale;
      }
    }
  }

  function draw() {
    width = byId("flame-scroll").clientWidth;
    if (width === 0) return;
    layout();
    const height = Math.max(6, rows.length) * ROW + 1;
    canvas.style.height = `${height}px`;
    const to = context(canvas, width, height);
    to.clearRect(0, 0, width, height);
    to.font = "11.5px system-ui, sans-serif";
    to.textBaseline = "middle";
    const above = tree.depth[focus];
    rows.forEach((row, nth) => {
      for (const { at, from, size } of row) {
        const matched = found && found[at];
        to.globalAlpha = nth < above ? 0.55 : found && !matched ? 0.35 : 1;
        to.fillStyle = matched ? color("--mark") : view.fill(at, energy);
        const gap = size > 3 ? 1 : 0;
        to.fillRect(from, nth * ROW, size - gap, ROW - 1);
        to.globalAlpha = nth < above ? 0.8 : 1;
        if (size > 26) {
          to.fillStyle = matched ? "#fff" : found ? color("--ink") : color("--flame-text");
          to.fillText(cut(to, view.text(at, energy), size - 8), from + 4, nth * ROW + ROW / 2);
        }
        if (at === selected || at === hovered) {
          to.strokeStyle = color(at === selected ? "--accent" : "--ink");
          to.lineWidth = at === selected ? 2 : 1;
          to.strokeRect(from + 1, nth * ROW + 1, Math.max(1, size - 3), ROW - 3);
        }
      }
    });
    to.globalAlpha = 1;
    byId("flame-status").textContent = view.status(focus, energy);
    canvas.dataset.focus = label(focus);
  }
  const later = perFrame(draw);

  /** As much of the text as fits. */
  function cut(to, text, room) {
    if (to.measureText(text).width <= room) return text;
    let low = 0, high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (to.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
      else high = middle - 1;
    }
    return low === 0 ? "" : `${text.slice(0, low)}…`;
  }

  function at(event) {
    const row = rows[Math.floor(event.offsetY / ROW)] || [];
    const hit = row.find(({ from, size }) => event.offsetX >= from && event.offsetX < from + size);
    return hit ? hit.at : -1;
  }

  function choose(node) {
    if (node < 0) return;
    selected = node;
    byId("flame-selected").textContent = view.describe(node, energy);
    later();
  }

  function zoom(node) {
    if (node < 0) return;
    focus = node;
    choose(node);
  }

  function matched() {
    byId("flame-matched").textContent = found ? view.matched(found, energy) : "";
  }

  canvas.addEventListener("click", (event) => zoom(at(event)));
  canvas.addEventListener("pointermove", (event) => {
    const node = at(event);
    if (node !== hovered) { hovered = node; later(); }
    if (node < 0) return hideTip();
    showTip(event, ...view.tip(node, energy));
  });
  canvas.addEventListener("pointerleave", () => { hovered = -1; hideTip(); later(); });
  canvas.addEventListener("keydown", (event) => {
    const beside = (step) => {
      const list = tree.parent[selected] < 0 ? [selected] : byWidth(tree.parent[selected]);
      choose(list[list.indexOf(selected) + step] ?? selected);
    };
    const keys = {
      ArrowDown: () => choose(byWidth(selected)[0] ?? selected),
      ArrowUp: () => choose(tree.parent[selected]),
      ArrowRight: () => beside(1),
      ArrowLeft: () => beside(-1),
      Enter: () => zoom(selected),
      Escape: () => zoom(Math.max(0, tree.parent[focus])),
      Home: () => zoom(0),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("flame-search").addEventListener("input", (event) => { found = search(event.target.value); matched(); later(); });
  select.addEventListener("change", () => { energy = view.energies[Number(select.value)]; widths = view.width(energy); matched(); choose(selected); later(); });
  byId("flame-up").addEventListener("click", () => zoom(Math.max(0, tree.parent[focus])));
  byId("flame-reset").addEventListener("click", () => zoom(0));
  redrawWith(byId("flame-scroll"), draw);
  return () => { widths = view.width(energy); matched(); choose(selected); later(); };
}

/** Hides the picture where there is nothing to see. */
function noFlame() {
  byId("flame-scroll").hidden = true;
  byId("flame").querySelector(".tools").hidden = true;
  byId("flame-status").textContent = "no data";
}
