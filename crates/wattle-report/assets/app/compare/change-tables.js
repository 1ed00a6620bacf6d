// Tables of a comparison: components and methods, each difference on one scale with its interval and threshold.

const METHODS_SHOWN = 60;
let allMethods = false;

/** The difference as a dot with its interval, the threshold as a band, on a scale of ±`reach`. */
function changeDot(of, reach) {
  const box = el("span", { class: "dot", "aria-hidden": "true" });
  if (of.difference === null) return box;
  const x = (value) => Math.max(0, Math.min(100, 50 + (value / (reach || 1)) * 50)), least = thresholdOf(of);
  box.append(el("i", { class: "band", style: `left:${x(-least).toFixed(1)}%;width:${(x(least) - x(-least)).toFixed(1)}%` }), el("i", { class: "zero" }));
  if (of.low !== null && of.high > of.low) box.append(el("i", { class: `line ${verdictOf(of)}`, style: `left:${x(of.low).toFixed(1)}%;width:${Math.max(0.5, x(of.high) - x(of.low)).toFixed(1)}%` }));
  box.append(el("i", { class: `point ${verdictOf(of)}`, style: `left:${x(of.difference).toFixed(1)}%` }));
  return box;
}

/** The widest that a scale has to be; one that knows nothing must not flatten the others. */
function reachOf(rows) {
  const known = rows.filter(({ of }) => of.difference !== null);
  const most = Math.max(...known.map(({ of }) => Math.abs(of.difference)), 1e-12);
  return Math.max(most * 1.1, Math.min(Math.max(...known.map(({ of }) => Math.max(Math.abs(of.low ?? 0), Math.abs(of.high ?? 0))), 1e-12), most * 3));
}

function changeTable(place, { id, head, rows, extra = null, key }) {
  const unit = columnOf(Math.max(...rows.map(({ of }) => Math.max(of.before ?? 0, of.after ?? 0)), 1e-12)), reach = reachOf(rows);
  const show = (value) => (value === null ? DASH : unit.show(value));
  const heads = [[head, ""], [`A, ${unit.name}`, "num wide"], [`B, ${unit.name}`, "num wide"], [`B ${MINUS} A, ${unit.name}`, "num"], [reach > 1e-9 ? `${MINUS}${amount(reach)} to +${amount(reach)}` : "", "dots wide"], ["Change", "num"], ...(extra ? [[extra, "num wide"]] : []), ["Verdict", ""]];
  const line = ({ cell, of, more, isOn, open }) => el("tr", { class: isOn ? "on" : null, onclick: open || null }, el("td", { class: "nm" }, cell), el("td", { class: "num wide" }, show(of.before)), el("td", { class: "num wide" }, show(of.after)), el("td", { class: "num b", title: of.difference === null ? null : `90 % interval ${betweenText(of.low, of.high)}` }, of.difference === null ? DASH : unit.signed(of.difference)),
    el("td", { class: "dots wide" }, changeDot(of, reach)), el("td", { class: "num soft" }, of.difference === null ? "" : of.before > 0 ? signedShare(of.difference / of.before) : of.after > 0 ? "new" : ""), ...(extra ? [el("td", { class: "num soft wide" }, more)] : []), el("td", null, pill(of)));
  place.replaceChildren(el("div", { class: "scroll" }, el("table", { class: "t changes", id, "aria-labelledby": key }, el("thead", null, el("tr", null, ...heads.map(([text, style]) => el("th", { scope: "col", class: style }, text === "" ? el("span", { class: "hidden-text" }, "Difference on a scale") : text)))), el("tbody", null, ...rows.map(line)))));
}

function changedComponents() {
  const node = headlineNode();
  byId("components-of").textContent = shortName(label(node));
  const rows = energies.slice(1).map((energy) => ({ energy, of: totalOf(node, energy) })).filter(({ of }) => of.before !== 0 || of.after !== 0).sort((a, b) => Math.max(b.of.before, b.of.after) - Math.max(a.of.before, a.of.after)).map(({ energy, of }) => {
    const nth = energies.indexOf(energy), isOn = state.component === nth;
    const select = () => commit({ component: isOn ? null : nth });
    return { of, isOn, open: select, cell: el("span", { class: "in" }, swatchOf(energy), el("button", { type: "button", class: "pick", "aria-pressed": String(isOn), onclick: (event) => { event.stopPropagation(); select(); } }, energy.label)) };
  });
  if (node === 0) {
    for (const row of report.components.filter(({ difference_joules: known }) => known === null)) rows.push({ of: reported(row), cell: el("span", { class: "in soft" }, swatchOf({ name: row.name, ...styledComponent(row.name) }), `${styledComponent(row.name).label}, in one run only`) });
  }
  if (rows.length > 1) rows.push({ of: node === 0 ? reported(report.total) : totalOf(node, energies[0]), cell: el("b", null, "Total") });
  changeTable(byId("components"), { id: "components-list", head: "Component", rows, key: "h-components" });
}

/** Words of the engine's verdicts, in the order of their numbers. */
const VERDICT_WORDS = ["higher", "lower", "equal", "inconclusive"];

/** The engine's rows of methods, of all programs or of one. */
function reportedMethods() {
  const of = data.methods, energy = state.e === "total" ? of.total : of.own;
  const app = state.app === null ? null : names[tree.name[state.app]];
  return of.name.map((name, at) => ({ name: names[name], process: names[of.process[at]], calls: [of.calls_before[at], of.calls_after[at]], samples: [of.samples_before[at], of.samples_after[at]], of: { before: energy.before[at], after: energy.after[at], low: energy.low[at], high: energy.high[at], difference: energy.difference[at], verdict: VERDICT_WORDS[energy.verdict[at]] } })).filter(({ process }) => app === null || process === app);
}

/**
 * Methods of a thread or through one component, from the tree. Intervals of a method's call paths are added up as if all were wrong in the same way,
 * which is the widest that they can be together.
 */
function selectedMethods() {
  const energy = chosenEnergy(), node = chosenNode(), groups = new Map();
  for (let at = Math.max(node, 1); at < tree.end[node]; at++) {
    if (tree.kind[at] !== KIND.call) continue;
    const program = topOf(at), key = `${label(program)}\u001f${label(at)}`;
    let isInside = false;
    for (let up = tree.parent[at]; state.e === "total" && up > 0 && !isInside; up = tree.parent[up]) isInside = tree.kind[up] === KIND.call && tree.name[up] === tree.name[at];
    const part = isInside ? null : state.e === "total" ? totalOf(at, energy) : ownOf(at, energy);
    const group = groups.get(key) || { name: label(at), process: label(program), calls: [0, 0], samples: [0, 0], of: compared(0, 0, 0, 0) };
    if (part) {
      const [before, after] = [group.of.before + part.before, group.of.after + part.after];
      group.of = compared(before, after, group.of.low + part.low, group.of.high + part.high);
    }
    [["calls_before", "calls", 0], ["calls_after", "calls", 1], ["samples_before", "samples", 0], ["samples_after", "samples", 1]].forEach(([column, key, run]) => { group[key][run] += data.tree[column][at]; });
    groups.set(key, group);
  }
  return [...groups.values()].filter(({ of }) => of.before !== 0 || of.after !== 0);
}

function changedMethods() {
  const place = byId("methods"), wanted = wantedText();
  segments(byId("methods-energy"), ENERGIES, state.e, (e) => commit({ e }));
  const isFromTree = state.thread !== null || state.component !== null;
  const size = ({ of }) => Math.abs(of.difference ?? 0);
  const all = (isFromTree ? selectedMethods() : reportedMethods()).sort((a, b) => size(b) - size(a));
  const found = wanted === "" ? all : all.filter(({ name, process }) => name.toLowerCase().includes(wanted) || process.toLowerCase().includes(wanted));
  byId("methods-of").textContent = `${count(found.length)}${wanted === "" ? "" : ` of ${count(all.length)}`}, largest change first${scopeText() ? ` · ${scopeText()}` : ""}`;
  byId("methods-tools").replaceChildren(...exportButtons("methods", () => [["method", "process", "before", "after", "difference", "low", "high", "verdict", "calls_before", "calls_after"], ...found.map(({ name, process, of, calls }) => [name, process, of.before, of.after, of.difference, of.low, of.high, verdictOf(of), ...calls])]));
  if (found.length === 0) return place.replaceChildren(el("div", { class: "empty" }, el("b", null, all.length > 0 ? "No match" : isSelected() ? "Nothing in this selection" : "No call path in either run"), all.length === 0 ? (isSelected() ? "No method, slice or sample has energy here." : "Neither run recorded methods, slices or samples.") : `No method is called “${state.q}”.`));
  const shown = found.slice(0, allMethods ? 1500 : METHODS_SHOWN);
  const counted = (of) => [...of].some((value) => value > 0), both = ([a, b]) => `${a === null ? DASH : count(a)} → ${b === null ? DASH : count(b)}`;
  const unit = found.some(({ calls }) => counted(calls)) ? "calls" : found.some(({ samples }) => counted(samples)) ? "samples" : null;
  const several = new Set(found.map(({ process }) => process)).size > 1;
  const rows = shown.map((row) => ({ of: row.of, more: unit ? both(row[unit]) : "", cell: el("span", { class: "in" }, nameOf(row.name), several ? el("span", { class: "soft s cut" }, shortName(row.process)) : null) }));
  changeTable(place, { id: "methods-list", head: "Method", rows, extra: unit ? `${unit === "calls" ? "Calls" : "Samples"} A → B` : null, key: "h-methods" });
  const notes = [isFromTree ? "Intervals of this selection are the widest that the call paths allow together." : null, data.methods.left_out > 0 && !isFromTree ? `The ${count(data.methods.left_out)} methods that changed least are not in this file.` : null].filter(Boolean).join(" ");
  if (found.length > shown.length || allMethods) place.append(el("p", { class: "after" }, action(allMethods ? "Show fewer" : `${count(found.length - shown.length)} more`, () => { allMethods = !allMethods; changedMethods(); }, { id: "more-methods" })));
  if (notes) place.append(el("p", { class: "soft s pad" }, notes));
}

shows(changedComponents);
shows(changedMethods);
