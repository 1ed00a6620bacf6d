// Flame graph: width is energy, hue the component, tint the mean power while running. Apps first, the recorder last, and what has no cause
// beside it, never inside.

const FLAME = { row: 22, boxes: [], root: null, zoom: [], focus: null, merge: false };
/** What a frame of a sampled stack is of, by number of its class. */
const FRAMES_OF = [null, ["native", "--c-display"], ["kernel", "--c-wifi"], ["Java", "--c-cpu"], ["JIT-compiled", "--c-memory"], ["unknown", "--c-other"], ["truncated", "--c-fabric"], ["without a sample", "--idle"]];
FLAME.byClass = false;
const classOf = (of) => (tree.class !== null && of.row > 0 && of.kind === "slice" ? FRAMES_OF[tree.class[of.row]] : null);

/** Energy by what frames are of, as a legend. */
function classLegend() {
  const place = byId("flame-legend");
  if (!place) return;
  const own = answer().rows;
  const parts = FRAMES_OF.map((of, nth) => [of, own.reduce((sum, joules, row) => (tree.class[row] === nth ? sum + joules : sum), 0)]).filter(([of, joules]) => of && joules > 0);
  place.replaceChildren(...(FLAME.byClass ? parts.map(([[name, fill], joules]) => el("span", null, el("i", { class: "sw", style: `--c:var(${fill})` }), `${name} ${energyText(joules)}`)) : []));
}

const canvasOfFlame = () => byId("flame-canvas");

/** A node of a merged tree. */
const node = (name, kind, parent, row) => ({ name, kind, parent, row, total: 0, self: 0, cpu: 0, parts: null, children: new Map() });

function childOf(parent, key, name, kind, row) {
  let child = parent.children.get(key);
  if (!child) parent.children.set(key, (child = node(name, kind, parent, row)));
  return child;
}

/** The selection as a merged tree: apps, threads (by name), paths. Only what is attributed to code. */
function flameTree() {
  const own = answer().rows;
  const root = node("Attributed to code", "root", null, 0);
  root.ofRow = new Map();
  const at = new Array(tree.size).fill(null), whole = new Set();
  // Rows that have energy in or below them.
  const total = tree.addUp(own.map(Math.abs));
  for (let row = 1; row < tree.size; row++) {
    if (total[row] === 0) { row = tree.end[row] - 1; continue; }
    if (rowCategory[row] >= CATEGORY.idle) { row = tree.end[row] - 1; continue; }
    const parent = tree.parent[row], kind = tree.kind[row];
    if (parent === 0 && kind === KIND.account) {
      // A group of accounts: its rows are nodes of apps or of their own.
      at[row] = null;
      continue;
    }
    if (kind === KIND.process || parent === 0) {
      const app = rowApp[row];
      at[row] = app >= 0 ? childOf(root, `a${app}`, apps[app].name, apps[app].recorder ? "recorder" : "app", row) : childOf(root, `r${label(row)}`, isRest(row) ? label(row) : label(row), isRest(row) ? "rest" : rowCategory[row] === CATEGORY.recorder ? "recorder" : "app", row);
      if (app >= 0) at[row].app = app;
    } else if (FLAME.merge && kind === KIND.thread) at[row] = at[parent];
    else if (kind === KIND.account && rowApp[row] >= 0 && (parent === 0 || rowApp[parent] !== rowApp[row])) {
      // An app of which only the uid is known: hardware that it used as a whole, added by component below.
      at[row] = childOf(root, `a${rowApp[row]}`, apps[rowApp[row]].name, apps[rowApp[row]].recorder ? "recorder" : "app", row);
      at[row].app = rowApp[row];
      at[row].total += 0;
      whole.add(row);
      continue;
    } else at[row] = childOf(at[parent] || root, `${kind}${label(row)}`, label(row), isRest(row) ? "rest" : kind === KIND.thread ? "thread" : "slice", row);
    const to = at[row];
    to.self += own[row];
    to.cpu += tree.ownCpu[row];
    for (let up = to; up; up = up.parent) up.total += own[row];
  }
  // Component of most energy, by node.
  const { joules } = inStretch(selection().t), keep = lineFilter(selection());
  for (let line = 0; line < lines.count; line++) {
    let to = at[lines.row[line]];
    if (!to || joules[line] === 0 || !keep(line)) continue;
    if (whole.has(lines.row[line])) {
      const { id, label: name } = components[lines.component[line]];
      to = childOf(to, `c${id}`, `${name}, whole app`, "hardware", 0);
      to.self += joules[line];
      for (let up = to; up; up = up.parent) up.total += joules[line];
    }
    for (let up = to; up; up = up.parent) {
      up.parts ||= new Float64Array(components.length);
      up.parts[lines.component[line]] += joules[line];
    }
  }
  addCpu(root);
  return root;
}

function addCpu(of) {
  of.allCpu = of.cpu;
  for (const child of of.children.values()) of.allCpu += addCpu(child);
  return of.allCpu;
}

const mainComponent = (of) => (of.parts ? of.parts.reduce((best, joules, id) => (joules > of.parts[best] ? id : best), 0) : 0);

/** Children in the order of the flame graph: most energy first, the recorder last. */
const inOrder = (of) => [...of.children.values()].filter((child) => child.total > 0).sort((a, b) => (a.kind === "recorder") - (b.kind === "recorder") || (a.kind === "rest") - (b.kind === "rest") || b.total - a.total);

/** Boxes of a tree: {x, y, w, node}, with what is under two pixels as one. */
function leftHeavy(root, width) {
  const boxes = [], zoomed = FLAME.zoom.reduce((of, key) => of?.children.get(key), root) || root;
  const ancestors = [];
  for (let up = zoomed.parent; up; up = up.parent) ancestors.unshift(up);
  ancestors.forEach((of, depth) => boxes.push({ x: 0, depth, w: width, node: of, isAbove: true }));
  const put = (of, x, w, depth) => {
    boxes.push({ x, depth, w, node: of });
    let at = x, small = 0, hidden = 0;
    for (const child of inOrder(of)) {
      const wide = (child.total / of.total) * w;
      if (wide >= 2 || (small === 0 && of !== root)) {
        if (wide >= 0.5) put(child, at, wide, depth + 1);
        at += wide;
      } else { small += child.total; hidden += 1; }
    }
    if (small > 0) {
      const wide = (small / of.total) * w;
      if (wide >= 1) boxes.push({ x: at, depth: depth + 1, w: wide, node: { name: `${hidden} more`, kind: "rest", total: small, parts: null, children: new Map(), parent: of } });
    }
  };
  if (zoomed.total > 0) put(zoomed, 0, width, ancestors.length);
  return boxes;
}

/** In order of time, bin by bin: what is the same in neighbouring bins is one box. */
function timeOrder(width) {
  const chosen = selection(), [from, to] = chosen.t || [0, duration];
  const keep = lineFilter(chosen), cells = [];
  // Steps of several bins, so that each is wide enough to be read.
  const join = Math.max(1, Math.ceil((to - from) / time.width / Math.max(12, width / 28)));
  FLAME.step = join * time.width;
  for (let line = 0; line < lines.count; line++) {
    const row = lines.row[line];
    if (!keep(line) || rowCategory[row] >= CATEGORY.idle) continue;
    for (let at = time.first[line]; at < time.first[line + 1]; at++) {
      const start = time.start + time.bin[at] * time.width;
      if (start + time.width > from && start < to && time.joules[at] > 0) cells.push([Math.floor(time.bin[at] / join), row, time.joules[at], lines.component[line]]);
    }
  }
  cells.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const sum = cells.reduce((all, [, , joules]) => all + joules, 0);
  const boxes = [], open = [];
  const root = node("Attributed to code, in order of time", "root", null, 0);
  root.total = sum;
  boxes.push({ x: 0, depth: 0, w: width, node: root });
  let done = 0;
  const close = (depth) => { while (open.length > depth) { const box = open.pop(); box.w = (done / sum) * width - box.x; box.node.total = done - box.begin; if (box.w >= 0.5) boxes.push(box); } };
  for (const [, row, joules, component] of cells) {
    const chain = [];
    for (let up = row; up > 0; up = tree.parent[up]) chain.unshift(up);
    let same = 0;
    while (same < open.length && same < chain.length && open[same].row === chain[same]) same++;
    close(same);
    for (const up of chain.slice(same)) {
      const of = node(tree.kind[up] === KIND.process && rowApp[up] >= 0 ? apps[rowApp[up]].name : label(up), rowCategory[up] === CATEGORY.recorder && tree.kind[up] === KIND.process ? "recorder" : "slice", root, up);
      of.parts = new Float64Array(components.length);
      open.push({ x: (done / sum) * width, depth: open.length + 1, w: 0, node: of, row: up, begin: done });
    }
    for (const box of open) box.node.parts[component] += joules;
    done += joules;
  }
  close(0);
  return boxes;
}

/** Names of slices by their own energy, for the choice of the middle of callers and callees. */
function namesByEnergy() {
  const own = answer().rows, sums = new Map();
  for (let row = 1; row < tree.size; row++) {
    if (own[row] > 0 && rowCategory[row] < CATEGORY.idle && (tree.kind[row] === KIND.slice || tree.kind[row] === KIND.thread)) sums.set(label(row), (sums.get(label(row)) || 0) + own[row]);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/** Callers above and callees below all calls of one name. */
function sandwich(width, name) {
  const total = tree.addUp(answer().rows);
  const middle = node(name, "slice", null, 0), callers = node(name, "slice", null, 0);
  for (let row = 1; row < tree.size;) {
    if (label(row) !== name || (tree.kind[row] !== KIND.slice && tree.kind[row] !== KIND.thread)) { row++; continue; }
    if (total[row] > 0) {
      middle.total += total[row];
      callers.total += total[row];
      let of = callers;
      for (let up = tree.parent[row]; up > 0; up = tree.parent[up]) {
        of = childOf(of, label(up), rowApp[up] >= 0 && tree.kind[up] === KIND.process ? apps[rowApp[up]].name : label(up), "caller", up);
        of.total += total[row];
      }
      const merge = (from, to) => {
        for (const child of tree.children[from]) {
          if (!(total[child] > 0)) continue;
          const of = childOf(to, label(child), label(child), isRest(child) ? "rest" : "slice", child);
          of.total += total[child];
          merge(child, of);
        }
      };
      merge(row, middle);
    }
    row = tree.end[row];
  }
  const boxes = [], place = (of, x, w, depth, direction) => {
    let at = x;
    for (const child of inOrder(of)) {
      const wide = (child.total / middle.total) * width;
      if (wide >= 1 && Math.abs(depth) < 60) { boxes.push({ x: at, depth: depth + direction, w: wide, node: child }); place(child, at, wide, depth + direction, direction); }
      at += wide;
    }
  };
  if (middle.total > 0) {
    place(callers, 0, width, 0, -1);
    boxes.push({ x: 0, depth: 0, w: width, node: middle, isMiddle: true });
    place(middle, 0, width, 0, 1);
  }
  const up = Math.max(0, ...boxes.map(({ depth }) => -depth));
  boxes.forEach((box) => { box.depth += up; });
  return boxes;
}

/** Names that the search is for. */
const wantedText = () => state.q.trim().toLowerCase();

/** Joules of all that the search finds, each joule once. */
function matches() {
  const wanted = wantedText();
  if (wanted === "") return null;
  const own = answer().rows, total = tree.addUp(own);
  const isHit = (row) => !isRest(row) && ((rowApp[row] >= 0 && tree.kind[row] === KIND.process && apps[rowApp[row]].name.toLowerCase().includes(wanted)) || label(row).toLowerCase().includes(wanted));
  let joules = 0, number = 0;
  for (let row = 1; row < tree.size;) {
    if (isHit(row)) {
      if (total[row] !== 0) number += 1;
      joules += total[row];
      row = tree.end[row];
    } else row++;
  }
  return { joules, number };
}

function flamePanel() {
  const place = byId("pane");
  const bar = el("div", { class: "pane-bar" });
  const modes = MODES.filter(([id]) => id !== "time" || time);
  bar.append(el("div", { class: "seg", role: "group", "aria-label": "Order" }, ...modes.map(([id, text]) => el("button", { type: "button", "aria-pressed": String(state.mode === id), onclick: () => { FLAME.zoom = []; commit({ mode: id }); } }, text))));
  if (state.mode === "left") bar.append(el("label", { class: "check" }, el("input", { type: "checkbox", ...(FLAME.merge ? { checked: true } : {}), onchange: (event) => { FLAME.merge = event.target.checked; FLAME.zoom = []; drawPane(); } }), "Merge threads"));
  if (tree.class !== null) {
    bar.append(el("label", { class: "check", id: "flame-colours" }, "Colour ", el("select", { id: "flame-colour", onchange: (event) => { FLAME.byClass = event.target.value === "class"; classLegend(); repaintFlame(); } }, el("option", { value: "class", ...(FLAME.byClass ? { selected: true } : {}) }, "what a frame is of"), el("option", { value: "component", ...(FLAME.byClass ? {} : { selected: true }) }, "component"))));
  }
  if (state.mode === "sandwich") {
    const list = namesByEnergy().slice(0, 200);
    const chosen = state.frame && list.some(([name]) => name === state.frame) ? state.frame : list[0] && list[0][0];
    bar.append(el("label", { class: "check" }, "Of ", el("select", { id: "frame-choice", onchange: (event) => commit({ frame: event.target.value }) }, ...list.map(([name, joules]) => el("option", { value: name, ...(name === chosen ? { selected: true } : {}) }, `${name.slice(0, 80)} · ${energyText(joules)} self`)))));
    FLAME.middle = chosen || null;
  }
  bar.append(el("span", { class: "soft s", id: "flame-key" }), el("span", { class: "space" }), el("output", { class: "soft s", id: "flame-matches" }), action("SVG", () => savePicture("flame.svg", flameSvg()), { title: "Save this picture as SVG" }), action("PNG", () => saveCanvas("flame.png", canvasOfFlame()), { title: "Save this picture as PNG" }));
  const canvas = el("canvas", { id: "flame-canvas", tabindex: 0, role: "img" });
  const rest = el("div", { class: "rest", id: "rest" });
  place.replaceChildren(bar, el("div", { class: "flame-grid" }, el("div", { class: "flame-box" }, canvas, el("p", { class: "soft s", id: "flame-selected", "aria-live": "polite" })), rest));
  if (tree.class !== null) place.append(el("p", { class: "leg pad", id: "flame-legend" }));
  flamePointer(canvas);
  drawFlame();
  classLegend();
  restStrip();
  const cut = tree.leftOut > 0 ? `${count(tree.leftOut)} call paths${tree.leftOutBelow === null ? "" : `, none above ${energyText(tree.leftOutBelow)},`} are merged as “smaller” into their caller to keep this file small.` : "";
  if (cut) place.append(el("p", { class: "soft s pad" }, cut));
}

function drawFlame() {
  const canvas = canvasOfFlame();
  if (!canvas) return;
  const width = Math.floor(canvas.parentElement.clientWidth);
  FLAME.root = flameTree();
  FLAME.boxes = !hasEnergy ? [] : state.mode === "time" && time ? timeOrder(width) : state.mode === "sandwich" ? (FLAME.middle ? sandwich(width, FLAME.middle) : []) : leftHeavy(FLAME.root, width);
  const deepest = Math.max(0, ...FLAME.boxes.map(({ depth }) => depth));
  const height = Math.max(FLAME.boxes.length > 0 && FLAME.root.total > 0 ? 230 : 0, (deepest + 1) * FLAME.row + 2);
  canvas.style.height = `${height}px`;
  const to = context(canvas, width, height);
  to.clearRect(0, 0, width, height);
  to.font = '500 12px "Wattle Sans", system-ui, sans-serif';
  to.textBaseline = "middle";
  if (FLAME.boxes.length === 0 || FLAME.root.total === 0) return emptyFlame(canvas);
  paintFlame(to);
  const found = matches(), of = answer();
  byId("flame-matches").textContent = found ? (found.number === 0 ? `No match for “${state.q}”` : `${count(found.number)} ${found.number === 1 ? "match" : "matches"}, ${energyText(found.joules)} (${shareText(found.joules / of.own.joules)})`) : "";
  byId("flame-key").textContent = state.mode === "time" ? `In order of time, steps of ${durationText(FLAME.step || time.width)}` : "Width: energy. Hue: component. Tint: mean CPU power while running";
  canvas.setAttribute("aria-label", `Flame graph: ${energyText(FLAME.root.total)} attributed to code. Arrows move between frames, Enter zooms, Escape zooms out. The call tree has the same as a table.`);
}

function emptyFlame(canvas) {
  const of = answer(), { component } = selection();
  const text = !hasEnergy ? ["Energy cannot be estimated", report.no_energy_reason || ""]
    : component !== null && of.device.joules > 0 ? [`${components[component].label} energy is not attributed to code here`, "The recording has no events that say which code caused it; the strip beside shows it."]
    : isSelected() ? ["Nothing in this selection", "No code has energy here."]
    : ["No code has energy", "The recording does not tell which code used the device."];
  canvas.replaceWith(el("div", { class: "empty", id: "flame-empty" }, el("b", null, text[0]), text[1], " ", isSelected() ? action("Clear the selection", clearSelection) : null));
}

const CPU_ID = components.findIndex(({ name }) => name === "cpu");

/** Mean CPU power of a node while it ran; null where that is not known. */
const powerWhileRunning = (of) => (!state.t && of.allCpu > 0 && of.parts && CPU_ID >= 0 && of.parts[CPU_ID] > 0 ? of.parts[CPU_ID] / of.allCpu : null);

/** How much of the component's colour a box has: by mean power while it ran. */
function tint(of) {
  const watts = powerWhileRunning(of);
  if (watts === null) return 46;
  const [low, high] = [0.03, 1.5];
  return 26 + 40 * Math.min(1, Math.max(0, Math.log(watts / low) / Math.log(high / low)));
}

const mixed = (() => {
  const known = new Map();
  return (front, percent) => {
    const key = `${front}/${Math.round(percent / 4)}/${document.documentElement.dataset.theme}`;
    if (!known.has(key)) known.set(key, blended(front, percent));
    return known.get(key);
  };
})();

function fillOf({ node: of, isAbove }) {
  if (of.kind === "root" || isAbove) return color("--sunken");
  if (of.kind === "recorder") return color("--recorder-fill");
  if (of.kind === "rest") return color("--sunken");
  const frame = FLAME.byClass ? classOf(of) : null;
  if (frame) return mixed(color(frame[1]), 50);
  const component = components[mainComponent(of)];
  return mixed(color(`--c-${component ? component.key : "cpu"}`), tint(of));
}

function paintFlame(to) {
  const wanted = wantedText();
  const text = color("--text"), hit = color("--warn-line");
  for (const box of FLAME.boxes) {
    const { x, depth, w, node: of } = box, y = depth * FLAME.row;
    const isHit = wanted !== "" && of.kind !== "root" && of.name.toLowerCase().includes(wanted);
    to.globalAlpha = wanted !== "" && !isHit && of.kind !== "root" ? 0.35 : 1;
    to.fillStyle = isHit ? hit : fillOf(box);
    to.fillRect(x, y, Math.max(0.5, w - 1), FLAME.row - 1);
    if (of.kind === "rest" && w > 3) {
      to.fillStyle = hatching(to, color("--hatch"));
      to.globalAlpha *= 0.5;
      to.fillRect(x, y, w - 1, FLAME.row - 1);
      to.globalAlpha *= 2;
    }
    if (w > 34) {
      to.fillStyle = text;
      const name = of.kind === "root" ? of.name : shortName(of.name), value = energyText(of.total);
      const whole = `${name} ${value}`;
      to.fillText(fittedLabel(to, to.measureText(whole).width > w - 10 ? name : whole, w - 8), x + 5, y + FLAME.row / 2);
    }
    if (FLAME.focus === of) {
      to.globalAlpha = 1;
      to.strokeStyle = color("--text");
      to.lineWidth = 1.5;
      to.strokeRect(x + 0.75, y + 0.75, Math.max(1, w - 2.5), FLAME.row - 2.5);
    }
  }
  to.globalAlpha = 1;
}

function repaintFlame() {
  const canvas = canvasOfFlame();
  if (!canvas) return;
  const to = canvas.getContext("2d");
  to.clearRect(0, 0, canvas.width, canvas.height);
  to.font = '500 12px "Wattle Sans", system-ui, sans-serif';
  to.textBaseline = "middle";
  paintFlame(to);
}

const keysTo = (of) => {
  const keys = [];
  for (let at = of; at.parent; at = at.parent) {
    for (const [key, child] of at.parent.children) if (child === at) keys.unshift(key);
  }
  return keys;
};

/** Zooms into a node; the merged tree is built anew each time, so that a zoom is a way of keys. */
function zoomFlame(of) {
  if (!of || of.kind === "rest" && of.children.size === 0) return;
  if (state.mode === "sandwich") return commit({ frame: of.name });
  if (state.mode !== "left") return;
  FLAME.zoom = of.parent || of === FLAME.root ? keysTo(of) : FLAME.zoom;
  FLAME.focus = null;
  drawFlame();
  say(of);
}

const chainText = (of) => {
  const names = [];
  for (let at = of; at && at.kind !== "root"; at = at.parent) names.unshift(shortName(at.name));
  return names.join(" › ");
};

function say(of) {
  const place = byId("flame-selected"), own = answer().own.joules;
  if (place) place.textContent = of ? `${of.kind === "root" ? of.name : chainText(of)}: ${energyText(of.total)} (${shareText(of.total / own)})${classOf(of) ? `, ${classOf(of)[0]}` : ""}` : "";
}

function flamePointer(canvas) {
  const boxAt = (event) => {
    const frame = canvas.getBoundingClientRect(), x = event.clientX - frame.left, depth = Math.floor((event.clientY - frame.top) / FLAME.row);
    return FLAME.boxes.find((box) => box.depth === depth && x >= box.x && x < box.x + box.w);
  };
  canvas.addEventListener("click", (event) => {
    const box = boxAt(event);
    if (!box) return;
    const { node: of } = box;
    if (of.app !== undefined && FLAME.zoom.length === 0 && event.detail === 2) return commit({ app: of.app, thread: null });
    zoomFlame(of);
  });
  canvas.addEventListener("mousemove", (event) => {
    const box = boxAt(event);
    if (!box) return hideTip();
    const { node: of } = box, all = answer().own.joules;
    const watts = powerWhileRunning(of);
    const power = watts === null ? "" : `${durationText(of.allCpu)} on a CPU, CPU power ${powerText(watts)} while running`;
    const parts = of.parts ? components.filter(({ id }) => of.parts[id] > 0).sort((a, b) => of.parts[b.id] - of.parts[a.id]).slice(0, 5) : [];
    showTip(event, el("b", null, of.name), el("div", { class: "row" }, el("span", null, "total"), el("span", null, `${energyText(of.total)} (${shareText(of.total / all)})`)),
      of.self > 0 ? el("div", { class: "row" }, el("span", null, "self"), el("span", null, energyText(of.self))) : null,
      ...parts.map((component) => el("div", { class: "row" }, swatchOf(component), el("span", null, component.label), el("span", null, energyText(of.parts[component.id])))), classOf(of) ? el("div", { class: "soft" }, `${classOf(of)[0]} frame`) : null, power ? el("div", { class: "soft" }, power) : null);
  });
  canvas.addEventListener("mouseleave", hideTip);
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key === "Enter") { event.preventDefault(); return zoomFlame(FLAME.focus); }
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const now = FLAME.boxes.find((box) => box.node === FLAME.focus) || FLAME.boxes[0];
    const row = FLAME.boxes.filter((box) => box.depth === now.depth + move[0]).sort((a, b) => a.x - b.x);
    const middle = now.x + (move[0] > 0 ? 0.5 : now.w / 2);
    const next = !FLAME.focus ? now : move[0] !== 0 ? row.find((box) => middle >= box.x && middle < box.x + box.w) || row.find((box) => box.x >= now.x && box.x < now.x + now.w) : row[row.indexOf(now) + move[1]];
    if (next) { FLAME.focus = next.node; repaintFlame(); say(next.node); }
  });
}

/** What is not attributed, by component, hatched and to the side. */
function restStrip() {
  const of = answer(), place = byId("rest");
  const chosen = selection();
  const sum = of.rest.reduce((all, joules) => all + joules, 0) + (of.categories[2] || 0);
  if (sum <= 0 || !hasEnergy) {
    place.hidden = true;
    place.parentElement.classList.add("alone");
    return;
  }
  const parts = stacked.filter(({ id }) => of.rest[id] > 0).sort((a, b) => of.rest[b.id] - of.rest[a.id]).map((component) => ({ name: component.label, joules: of.rest[component.id], style: component.name === "battery" ? "" : `--c:var(--c-${component.key});` }));
  if (of.categories[2] > 0) parts.push({ name: "Idle, interrupts", joules: of.categories[2], style: "--c:var(--idle);" });
  const note = chosen.app !== null ? " (all consumers)" : "";
  place.replaceChildren(el("p", { class: "s" }, el("b", null, energyText(sum)), el("span", { class: "soft" }, ` not attributed to code${note}`)), ...parts.map(({ name, joules, style }) => el("div", { class: "r hatch", style: `${style}flex:${Math.max(0.001, joules / sum).toFixed(4)} 1 0`, title: `${name}: ${energyText(joules)}` }, el("span", null, name), el("span", { class: "soft" }, energyText(joules)))));
}

/** The boxes as an SVG text. */
function flameSvg() {
  const canvas = canvasOfFlame();
  const width = canvas ? canvas.clientWidth : 0, height = canvas ? canvas.clientHeight : 0;
  const picture = svg("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "system-ui, sans-serif", "font-size": 12 });
  for (const box of FLAME.boxes) {
    const name = shortName(box.node.name), room = Math.floor((box.w - 8) / 6.6);
    const group = svg("g", {}, svg("rect", { x: box.x.toFixed(1), y: box.depth * FLAME.row, width: Math.max(0.5, box.w - 1).toFixed(1), height: FLAME.row - 1, fill: fillOf(box) }));
    const title = document.createElementNS(SVG, "title");
    title.textContent = `${box.node.name}: ${energyText(box.node.total)}`;
    group.append(title);
    if (room > 2) {
      const text = svg("text", { x: (box.x + 5).toFixed(1), y: box.depth * FLAME.row + 15, fill: color("--text") });
      text.textContent = name.length > room ? `${name.slice(0, room - 1)}…` : name;
      group.append(text);
    }
    picture.append(group);
  }
  return new XMLSerializer().serializeToString(picture);
}
