// A marked selection, beside which every other one is compared: two time ranges, two apps, the same app in two ranges.

const SELECTION_KEYS = ["t", "app", "thread", "tid", "comp"];

/** The part of an address that says what is selected. */
function selectionAddress() {
  const all = new URLSearchParams(addressOf(state).replace(/^#/, "")), to = new URLSearchParams();
  for (const key of SELECTION_KEYS) if (all.has(key)) to.set(key, all.get(key));
  return to.toString();
}

/** Marks what is selected; the same once more takes the mark away. */
function markSelection() {
  const now = selectionAddress();
  commit({ mark: state.mark === now ? null : now });
  byId("said").textContent = state.mark === null ? "No selection is marked" : "Marked for comparison; select something else";
}

function selectionText(of) {
  const parts = [of.app !== null ? shortName(apps[of.app].name) : null, of.thread !== null ? label(of.thread) : null, of.component !== null ? components[of.component].label : null, of.t ? stretchText(of.t) : null].filter(Boolean);
  return parts.length === 0 ? "whole recording" : parts.join(" · ");
}

const isNothing = ({ t, app, thread, component }) => !t && app === null && thread === null && component === null;

/**
 * The difference of the selection from the marked one. Its interval is the widest that both intervals allow: errors that both share would
 * make it narrower.
 */
function markedDifference() {
  if (state.mark === null || !hasEnergy) return null;
  const marked = readAddress(`#${state.mark}`);
  // What is marked and not in this recording is no mark.
  if (marked.missing.length > 0 || (state.mark !== "" && isNothing(marked))) return null;
  const [before, now] = [query({ t: marked.t, app: marked.app, thread: marked.thread, component: marked.component }), answer()];
  const [a, b] = [before.own, now.own];
  return { marked, before: a, after: b, difference: b.joules - a.joules, interval: [b.interval[0] - a.interval[1], b.interval[1] - a.interval[0]], seconds: [before.seconds, now.seconds] };
}

function markedRow() {
  const row = byId("marked"), of = markedDifference();
  row.hidden = of === null;
  if (of === null) return;
  const isSame = ["app", "thread", "component"].every((key) => of.marked[key] === state[key]) && String(of.marked.t) === String(state.t);
  const signed = (value) => `${value > 0 ? "+" : ""}${energyText(value)}`;
  const watts = ({ joules }, seconds) => powerText(joules / Math.max(seconds, 1e-12));
  const figures = isSame ? [el("span", { class: "soft" }, "is selected now; select something else to compare")]
    : [el("span", null, `${energyText(of.before.joules)} → ${energyText(of.after.joules)}`), el("b", { id: "marked-difference" }, signed(of.difference)), el("span", { class: "soft" }, `${signed(of.interval[0])} to ${signed(of.interval[1])} at most`), el("span", { class: "soft" }, `mean ${watts(of.before, of.seconds[0])} → ${watts(of.after, of.seconds[1])}`)];
  row.replaceChildren(el("span", { class: "soft" }, "Marked"), el("button", { type: "button", class: "pick", title: "Select it", onclick: () => { const { t, app, thread, component } = of.marked; commit({ t, app, thread, component }); } }, selectionText(of.marked)), ...figures, el("span", { class: "space" }), action("Remove mark", () => commit({ mark: null })));
}

shows(markedRow, { live: true });
