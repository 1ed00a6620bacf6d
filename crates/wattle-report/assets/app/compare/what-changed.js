// What explains the difference: methods, threads or components, as steps from A to B that add up to it.

const STEPS = 8;

/** Differences of self energy below a node, in groups that add up to the node's own difference. */
function changesBelow(node, energy, by) {
  if (by === "component") {
    const of = state.component === null ? energies.slice(1) : [energy];
    return of.map((each) => ({ name: each.label, joules: each.after[node] - each.before[node], component: energies.indexOf(each) })).filter(({ joules }) => joules !== 0);
  }
  const groups = new Map();
  let thread = null;
  for (let at = node; at < tree.end[node]; at++) {
    if (tree.kind[at] === KIND.thread) thread = at;
    else if (thread !== null && at >= tree.end[thread]) thread = null;
    const joules = energy.ownAfter[at] - energy.ownBefore[at];
    if (joules === 0) continue;
    const isCall = tree.kind[at] === KIND.call, ofThread = thread !== null && at < tree.end[thread] ? label(thread) : null;
    const name = by === "thread" ? ofThread ?? label(topOf(at)) : isCall ? label(at) : isRest(at) ? "smaller call paths" : tree.kind[at] === KIND.account ? fullLabel(at) : `${label(at)}, outside methods`;
    const group = groups.get(name) || { name, joules: 0, find: isCall || ofThread !== null };
    group.joules += joules;
    groups.set(name, group);
  }
  return [...groups.values()];
}

/** The program or account that a node is in. */
function topOf(at) {
  while (at > 0 && tree.parent[at] > 0) at = tree.parent[at];
  return at;
}

function whatChanged() {
  const node = headlineNode(), energy = chosenEnergy(), place = byId("changed");
  segments(byId("changed-by"), GROUPS, state.by, (by) => commit({ by }));
  byId("changed-of").textContent = `${state.by === "component" ? "energy" : "self energy"} of ${node === 0 && scopeName === "Device" ? "the device" : shortName(label(node))}`;
  const [before, after] = [energy.before[node], energy.after[node]];
  const changes = changesBelow(node, energy, state.by).sort((a, b) => Math.abs(b.joules) - Math.abs(a.joules));
  if (changes.length === 0) return place.replaceChildren(el("div", { class: "empty" }, el("b", null, "Nothing changed"), `${amount(before)} in both runs.`));
  const shown = changes.slice(0, STEPS), rest = changes.slice(STEPS);
  const steps = shown.map(({ name, joules, find, component }) => ({ name, joules, find, component }));
  if (rest.length > 0) steps.push({ name: `${count(rest.length)} more`, joules: rest.reduce((sum, { joules }) => sum + joules, 0), rest: true });
  // Start and end of each step; the axis leaves out what all steps have in common.
  let level = before;
  const spans = steps.map((step) => { const from = level; level += step.joules; return [from, level]; });
  const all = [before, after, ...spans.flat()], lowest = Math.min(...all), highest = Math.max(...all), room = (highest - lowest) * 0.08 || highest * 0.01 || 1;
  const start = lowest - room < room * 4 ? 0 : lowest - room, end = highest + (start === 0 ? 0 : room * 0.2);
  const x = (value) => ((value - start) / (end - start || 1)) * 100;
  const bar = (from, to, style) => el("i", { style: `left:${Math.min(x(from), x(to)).toFixed(2)}%;width:${Math.max(0.3, Math.abs(x(to) - x(from))).toFixed(2)}%`, class: style });
  const run = (name, value, title) => el("div", { class: "step run" }, el("span", { class: "nm b", title }, name), el("span", { class: "track", "aria-hidden": "true" }, bar(start, value, start > 0 ? "run cut" : "run")), el("span", { class: "num b" }, amount(value)));
  const step = ({ name, joules, rest, find, component }, nth) => {
    const open = component !== undefined ? () => commit({ component: state.component === component ? null : component }) : find ? () => { byId("find").value = name; commit({ q: name }); } : null;
    const text = rest || name === "smaller call paths" ? name : shortName(name);
    return el("div", { class: "step" }, open ? el("button", { type: "button", class: "nm pick", title: name, onclick: open }, text) : el("span", { class: "nm soft", title: name }, text), el("span", { class: "track", "aria-hidden": "true" }, bar(spans[nth][0], spans[nth][1], rest ? "more" : joules > 0 ? "up" : "down")), el("span", { class: rest ? "num soft" : "num" }, signed(joules)));
  };
  place.replaceChildren(run(`A, ${titleA}`, before, report.before.name), ...steps.map(step), run(`B, ${titleB}`, after, report.after.name), ...(start > 0 ? [el("p", { class: "soft s" }, `Axis starts at ${amount(start)}`)] : []));
}

shows(whatChanged);
