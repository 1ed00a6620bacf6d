// The delta flame graph: width is the energy of one run or the size of the changes, colour is the direction of the change.

const DELTA = { row: 22, boxes: [], zoom: null, focus: null };
/** A change of this share has the full colour. */
const FULL = 0.3;

const widthsOf = (energy) => ({ a: energy.before, b: energy.after, d: energy.size })[state.w];

/** Boxes {at, x, depth, w} of all that is half a pixel wide. */
function deltaBoxes(width) {
  const energy = chosenEnergy(), widths = widthsOf(energy), root = DELTA.zoom ?? chosenNode(), boxes = [];
  const above = [];
  for (let up = tree.parent[root]; up >= 0; up = tree.parent[up]) above.unshift(up);
  above.forEach((at, depth) => boxes.push({ at, x: 0, depth, w: width, isAbove: true }));
  if (!(widths[root] > 0)) return boxes;
  const scale = width / widths[root], open = [[root, 0, above.length]];
  while (open.length > 0) {
    const [at, x, depth] = open.pop(), w = widths[at] * scale;
    if (w < 0.5) continue;
    boxes.push({ at, x, depth, w });
    let left = x;
    for (const child of [...tree.children[at]].sort((a, b) => widths[b] - widths[a] || a - b)) {
      if (widths[child] * scale < 0.5) break;
      open.push([child, left, depth + 1]);
      left += widths[child] * scale;
    }
  }
  return boxes;
}

/** The change in a few signs: nobody has to know it by colour alone. */
function changeSign(at) {
  const of = totalOf(at, chosenEnergy());
  if (of.before === 0 && of.after === 0) return "";
  if (!(tree.runs[at] & BEFORE) || of.before === 0) return "new";
  if (!(tree.runs[at] & AFTER)) return "gone";
  const word = verdictOf(of);
  return word === "equal" ? "≈" : word === "inconclusive" ? "?" : word === "refused" ? DASH : signedShare(of.difference / of.before);
}

function deltaFill({ at, isAbove }) {
  if (isAbove || at === 0) return color("--sunken");
  const of = totalOf(at, chosenEnergy()), word = verdictOf(of);
  if (word !== "higher" && word !== "lower") return color("--line");
  const strength = Math.min(1, Math.abs(of.difference) / (FULL * Math.max(of.before, 1e-12)));
  return blended(color(word === "higher" ? "--d-up" : "--d-dn"), 24 + 46 * strength);
}

const isHit = (at) => wantedText() !== "" && at > 0 && !isRest(at) && label(at).toLowerCase().includes(wantedText());

function paintDelta() {
  const canvas = byId("flame-canvas"), to = canvas.getContext("2d");
  to.clearRect(0, 0, canvas.width, canvas.height);
  to.font = '500 12px "Wattle Sans", system-ui, sans-serif';
  to.textBaseline = "middle";
  const searching = wantedText() !== "";
  for (const box of DELTA.boxes) {
    const { at, x, depth, w } = box, y = depth * DELTA.row, hit = isHit(at);
    to.globalAlpha = searching && !hit && at > 0 ? 0.35 : 1;
    to.fillStyle = hit ? color("--warn-line") : deltaFill(box);
    to.fillRect(x, y, Math.max(0.5, w - 1), DELTA.row - 1);
    if (isRest(at) && w > 3) {
      to.fillStyle = hatching(to, color("--hatch"));
      to.globalAlpha *= 0.5;
      to.fillRect(x, y, w - 1, DELTA.row - 1);
      to.globalAlpha *= 2;
    }
    if (w > 34) {
      to.fillStyle = color("--text");
      const name = shortName(label(at)), sign = changeSign(at);
      const whole = at === 0 ? `${name}: ${amount(chosenEnergy().before[0])} → ${amount(chosenEnergy().after[0])}` : `${name} ${sign}`.trim();
      to.fillText(fittedLabel(to, to.measureText(whole).width > w - 10 ? name : whole, w - 8), x + 5, y + DELTA.row / 2);
    }
    if (DELTA.focus === at) {
      to.globalAlpha = 1;
      to.strokeStyle = color("--text");
      to.lineWidth = 1.5;
      to.strokeRect(x + 0.75, y + 0.75, Math.max(1, w - 2.5), DELTA.row - 2.5);
    }
  }
  to.globalAlpha = 1;
}

const chainText = (at) => pathTo(at).map((of) => shortName(label(of))).join(" › ") || label(0);

/** A figure of both runs in words. */
function changeText(of) {
  const share = of.before > 0 ? `, ${signedShare(of.difference / of.before)}` : "", bounds = betweenText(of.low, of.high);
  return `${amount(of.before)} → ${amount(of.after)}, ${signed(of.difference)}${share}${bounds ? ` (${bounds})` : ""}, ${VERDICTS[verdictOf(of)][1].toLowerCase()}`;
}

function sayDelta(at) {
  const where = at === null ? "" : ["in neither run", "only in A", "only in B", ""][tree.runs[at]];
  byId("flame-selected").textContent = at === null ? "" : `${chainText(at)}: ${[where, changeText(totalOf(at, chosenEnergy()))].filter(Boolean).join(", ")}; self ${changeText(ownOf(at, chosenEnergy()))}`;
}

function deltaFlame() {
  const canvas = byId("flame-canvas"), width = Math.floor(canvas.parentElement.clientWidth);
  segments(byId("flame-width"), WIDTHS, state.w, (w) => { DELTA.zoom = null; commit({ w }); });
  byId("flame-key").textContent = state.w === "d" ? "width: size of the changes" : `width: energy of ${state.w === "a" ? `A, ${titleA}` : `B, ${titleB}`}`;
  DELTA.boxes = tree.size < 2 ? [] : deltaBoxes(width);
  const deepest = Math.max(0, ...DELTA.boxes.map(({ depth }) => depth)), isEmpty = !DELTA.boxes.some(({ isAbove, at }) => !isAbove && at > 0);
  canvas.style.height = `${isEmpty ? 0 : (deepest + 1) * DELTA.row + 2}px`;
  context(canvas, width, isEmpty ? 1 : (deepest + 1) * DELTA.row + 2);
  paintDelta();
  canvas.dataset.zoom = label(DELTA.zoom ?? chosenNode());
  canvas.setAttribute("aria-label", `Delta flame graph: ${changeText(totalOf(DELTA.zoom ?? chosenNode(), chosenEnergy()))}. Arrows move between frames, Enter zooms, Escape zooms out. The table of methods has the same.`);
  if (isEmpty) byId("flame-selected").textContent = tree.size < 2 ? "Neither run has energy that is attributed to code." : "Nothing in this selection.";
  const swatch = (fill, words) => el("span", null, el("i", { class: "sw", style: `--c:${fill}` }), words);
  byId("flame-legend").replaceChildren(swatch(blended(color("--d-up"), 70), `higher, +${FULL * 100}${THIN}% or more`), swatch(blended(color("--d-dn"), 70), "lower"), swatch(color("--line"), "equal or inconclusive"));
  const found = foundIn();
  byId("flame-matches").textContent = found === null ? "" : found.number === 0 ? `No match for “${state.q}”` : `${count(found.number)} ${found.number === 1 ? "match" : "matches"}: ${amount(found.before)} → ${amount(found.after)}, ${signed(found.after - found.before)}`;
  const left = data.tree.left_out;
  byId("flame-note").hidden = left === 0;
  byId("flame-note").textContent = left === 0 ? "" : `${count(left)} call paths${data.tree.left_out_below === null ? "" : `, none above ${amount(data.tree.left_out_below)},`} are merged as “smaller” into their caller to keep this file small.`;
}

/** What the search finds in the selection, the outermost once. */
function foundIn() {
  if (wantedText() === "") return null;
  const energy = chosenEnergy(), node = chosenNode(), of = { number: 0, before: 0, after: 0 };
  for (let at = Math.max(node, 1); at < tree.end[node];) {
    if (isHit(at)) {
      of.number += energy.before[at] !== 0 || energy.after[at] !== 0;
      of.before += energy.before[at];
      of.after += energy.after[at];
      at = tree.end[at];
    } else at++;
  }
  return of;
}

function zoomDelta(at) {
  if (at === null || isRest(at)) return;
  DELTA.zoom = at === 0 || at === chosenNode() ? null : at;
  DELTA.focus = at;
  deltaFlame();
  sayDelta(at);
}

function deltaTip(event, at) {
  const row = (name, text) => el("div", { class: "row" }, el("span", null, name), el("span", null, text));
  const of = totalOf(at, chosenEnergy()), own = ownOf(at, chosenEnergy()), bounds = betweenText(of.low, of.high);
  const both = (before, after, show) => `${tree.runs[at] & BEFORE ? show(before[at]) : DASH} → ${tree.runs[at] & AFTER ? show(after[at]) : DASH}`;
  const facts = [];
  if (!isRest(at) && data.tree.calls_before[at] + data.tree.calls_after[at] > 0) facts.push(row("calls", both(data.tree.calls_before, data.tree.calls_after, count)));
  if (data.tree.samples_before[at] + data.tree.samples_after[at] > 0) facts.push(row("samples", both(data.tree.samples_before, data.tree.samples_after, count)));
  if (cpuTime.before[at] + cpuTime.after[at] > 0) facts.push(row("CPU time", both(cpuTime.before, cpuTime.after, durationText)));
  const parts = energies.slice(1).filter((each) => each.before[at] !== 0 || each.after[at] !== 0).map((each) => el("div", { class: "row" }, swatchOf(each), el("span", null, each.label), el("span", null, `${amount(each.before[at])} → ${amount(each.after[at])}`)));
  const kind = [["", "only in A", "only in B", ""][tree.runs[at]], KIND_NAMES[tree.kind[at]], CLASS_NAMES[tree.class[at]]].filter(Boolean).join(", ");
  showTip(event, el("b", null, label(at)), kind ? el("div", { class: "soft" }, kind) : "", row("A → B", `${amount(of.before)} → ${amount(of.after)}`), row("difference", `${signed(of.difference)}, ${VERDICTS[verdictOf(of)][1].toLowerCase()}`), bounds ? row("90 % interval", bounds) : "", row("self", `${amount(own.before)} → ${amount(own.after)}`), ...parts, ...facts);
}

function deltaPointer() {
  const canvas = byId("flame-canvas");
  const boxAt = (event) => {
    const frame = canvas.getBoundingClientRect(), x = event.clientX - frame.left, depth = Math.floor((event.clientY - frame.top) / DELTA.row);
    return DELTA.boxes.find((box) => box.depth === depth && x >= box.x && x < box.x + box.w);
  };
  canvas.addEventListener("click", (event) => {
    const box = boxAt(event);
    if (!box) return;
    if (event.detail === 2 && programs.includes(box.at)) return commit({ app: box.at });
    zoomDelta(box.at);
  });
  canvas.addEventListener("pointermove", (event) => { const box = boxAt(event); if (box) deltaTip(event, box.at); else hideTip(); });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key === "Enter") { event.preventDefault(); return zoomDelta(DELTA.focus); }
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const now = DELTA.boxes.find(({ at }) => at === DELTA.focus);
    const first = now || DELTA.boxes.find(({ isAbove }) => !isAbove);
    if (!first) return;
    const row = DELTA.boxes.filter(({ depth }) => depth === first.depth + move[0]).sort((a, b) => a.x - b.x);
    const next = !now ? first : move[0] > 0 ? row.find(({ at }) => tree.parent[at] === first.at) : move[0] < 0 ? row.find(({ at }) => at === tree.parent[first.at]) : row[row.indexOf(first) + move[1]];
    if (!next) return;
    DELTA.focus = next.at;
    paintDelta();
    sayDelta(next.at);
  });
  byId("flame-tools").append(action("PNG", () => saveCanvas("delta-flame.png", canvas), { title: "Save this picture as PNG" }), action("SVG", () => savePicture("delta-flame.svg", deltaSvg()), { title: "Save this picture as SVG" }));
}

function deltaSvg() {
  const canvas = byId("flame-canvas"), width = canvas.clientWidth, height = canvas.clientHeight;
  const picture = svg("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "system-ui, sans-serif", "font-size": 12 });
  for (const box of DELTA.boxes) {
    const name = `${shortName(label(box.at))} ${changeSign(box.at)}`.trim(), room = Math.floor((box.w - 8) / 6.6);
    const title = svg("title", {});
    title.textContent = `${label(box.at)}: ${changeText(totalOf(box.at, chosenEnergy()))}`;
    const group = svg("g", {}, svg("rect", { x: box.x.toFixed(1), y: box.depth * DELTA.row, width: Math.max(0.5, box.w - 1).toFixed(1), height: DELTA.row - 1, fill: deltaFill(box) }), title);
    if (room > 2) {
      const text = svg("text", { x: (box.x + 5).toFixed(1), y: box.depth * DELTA.row + 15, fill: color("--text") });
      text.textContent = name.length > room ? `${name.slice(0, room - 1)}…` : name;
      group.append(text);
    }
    picture.append(group);
  }
  return new XMLSerializer().serializeToString(picture);
}

deltaPointer();
shows(deltaFlame);
