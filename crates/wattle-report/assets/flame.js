// The energy flame graph: width is energy. Drawn from the top (an icicle), so that it reads like the call tree.

function flame() {
  const canvas = byId("flame-canvas");
  const select = byId("flame-energy");
  const note = byId("flame-note");
  if (!hasEnergy || tree.size < 2) {
    byId("flame-scroll").hidden = true;
    byId("flame").querySelector(".tools").hidden = true;
    byId("flame-status").textContent = "no data";
    return;
  }
  const ROW = 20;
  let energy = energies[0];
  let focus = 0, selected = 0, found = null, hovered = -1;
  let width = 0, rows = [];
  energies.forEach((each, nth) => select.append(el("option", { value: nth }, `${each.label} (${joules(each.total[0])})`)));
  note.textContent = leftOut("drawn as");

  const byEnergy = (at) => [...tree.children[at]].sort((a, b) => energy.total[b] - energy.total[a]);

  /** Rectangles of all that is at least half a pixel wide, by row. */
  function layout() {
    rows = [];
    const put = (row, at, from, size) => (rows[row] ||= []).push({ at, from, size });
    const above = [];
    for (let at = tree.parent[focus]; at >= 0; at = tree.parent[at]) above.unshift(at);
    above.forEach((at, row) => put(row, at, 0, width));
    const scale = energy.total[focus] > 0 ? width / energy.total[focus] : 0;
    const open = [[focus, above.length, 0]];
    while (open.length > 0) {
      const [at, row, from] = open.pop();
      const size = energy.total[at] * scale;
      if (size < 0.5) continue;
      put(row, at, from, size);
      let left = from;
      for (const child of byEnergy(at)) {
        if (energy.total[child] * scale < 0.5) break;
        open.push([child, row + 1, left]);
        left += energy.total[child] * scale;
      }
    }
  }

  function fill(at) {
    const isDark = dark.matches;
    const kind = tree.kind[at];
    if (kind === KIND.root) return isDark ? "hsl(220 10% 55%)" : "hsl(220 14% 80%)";
    if (kind === KIND.rest) return isDark ? "hsl(220 6% 45%)" : "hsl(220 8% 86%)";
    if (kind === KIND.account) return isDark ? "hsl(220 9% 60%)" : "hsl(220 12% 75%)";
    if (kind === KIND.process) return isDark ? "hsl(212 55% 64%)" : "hsl(212 75% 76%)";
    if (kind === KIND.thread) return isDark ? "hsl(168 38% 55%)" : "hsl(168 48% 70%)";
    // The same name has the same colour.
    let hash = 7;
    const name = names[tree.name[at]];
    for (let nth = 0; nth < name.length; nth++) hash = (hash * 31 + name.charCodeAt(nth)) >>> 0;
    return `hsl(${22 + (hash % 30)} ${isDark ? 68 : 88}% ${(isDark ? 58 : 66) + ((hash >>> 8) % 10)}%)`;
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
        to.fillStyle = matched ? color("--mark") : fill(at);
        const gap = size > 3 ? 1 : 0;
        to.fillRect(from, nth * ROW, size - gap, ROW - 1);
        to.globalAlpha = nth < above ? 0.8 : 1;
        if (size > 26) {
          to.fillStyle = matched ? "#fff" : found ? color("--ink") : color("--flame-text");
          to.fillText(cut(to, label(at), size - 8), from + 4, nth * ROW + ROW / 2);
        }
        if (at === selected || at === hovered) {
          to.strokeStyle = color(at === selected ? "--accent" : "--ink");
          to.lineWidth = at === selected ? 2 : 1;
          to.strokeRect(from + 1, nth * ROW + 1, Math.max(1, size - 3), ROW - 3);
        }
      }
    });
    to.globalAlpha = 1;
    const share = energy.total[0] > 0 ? ` (${percent(energy.total[focus] / energy.total[0])})` : "";
    byId("flame-status").textContent = `${label(focus)}: ${joules(energy.total[focus])} of ${energy.label}${share}.`;
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

  /** In words, for the line below and for those who cannot see the picture. */
  function describe(node) {
    const path = pathTo(node).map(label).join(" › ") || label(0);
    return `${path}: ${joules(energy.total[node])} (${percent(energy.total[node] / energy.total[0])}), own ${joules(energy.own[node])}`;
  }

  function choose(node) {
    if (node < 0) return;
    selected = node;
    byId("flame-selected").textContent = describe(node);
    later();
  }

  function zoom(node) {
    if (node < 0) return;
    focus = node;
    choose(node);
  }

  function matched() {
    const output = byId("flame-matched");
    if (!found) output.textContent = "";
    else {
      const { sum, matches } = together(found, energy.total);
      output.textContent = `Search: ${count(matches)} found, together ${joules(sum)} (${percent(sum / energy.total[0])}).`;
    }
  }

  canvas.addEventListener("click", (event) => zoom(at(event)));
  canvas.addEventListener("pointermove", (event) => {
    const node = at(event);
    if (node !== hovered) { hovered = node; later(); }
    if (node < 0) return hideTip();
    const parts = tree.columns
      .filter((column) => column.total[node] > 0)
      .map((column) => el("div", { class: "row" }, el("span", { class: "swatch", style: `background:${componentColor(column.component)}` }), el("span", null, `${column.component} ${column.charge.replace("-", " ")}`), el("span", null, joules(column.total[node]))));
    const facts = [`own ${joules(energy.own[node])}`];
    if (report.has_scheduler && tree.cpu[node] > 0) facts.push(`${seconds(tree.cpu[node])} on a CPU`);
    if (tree.kind[node] === KIND.slice) facts.push(`${count(tree.calls[node])} calls`);
    showTip(event, el("b", null, label(node)), el("div", null, `${joules(energy.total[node])}, ${percent(energy.total[node] / energy.total[0])} of all`), ...parts, el("div", null, facts.join(", ")));
  });
  canvas.addEventListener("pointerleave", () => { hovered = -1; hideTip(); later(); });
  canvas.addEventListener("keydown", (event) => {
    const beside = (step) => {
      const list = tree.parent[selected] < 0 ? [selected] : byEnergy(tree.parent[selected]);
      choose(list[list.indexOf(selected) + step] ?? selected);
    };
    const keys = {
      ArrowDown: () => choose(byEnergy(selected)[0] ?? selected),
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
  select.addEventListener("change", () => { energy = energies[Number(select.value)]; matched(); choose(selected); later(); });
  byId("flame-up").addEventListener("click", () => zoom(Math.max(0, tree.parent[focus])));
  byId("flame-reset").addEventListener("click", () => zoom(0));
  redrawWith(byId("flame-scroll"), draw);
}
