// Puts the page of a comparison together: bar, search, keys, and the first picture.

const COMPARE_SHORTCUTS = [["/", "Find app, thread, method"], ["1 – 3", "Width of frames: B, A, differences"], ["Esc", "Clear search, then zoom, then selection"], ["↑ ↓ ← →", "Move between frames (in the flame graph)"], ["Enter", "Zoom into a frame"], ["T", "Light or dark"], ["Y", "Copy a link to this view"], ["?", "This list"]];

function compareBar() {
  const run = (letter, of, title) => el("span", { class: "pair", title: [of.name, of.device, of.model && `model ${of.model}`, durationText(of.duration_s), ...of.missing_apps.map((app) => `${app} is not in it`)].filter(Boolean).join(" · ") }, el("span", { class: "letter" }, letter), el("b", null, named(title)));
  byId("crumb").replaceChildren("Compare ", run("A", report.before, titleA), " → ", run("B", report.after, titleB));
  byId("theme").addEventListener("click", switchTheme);
  byId("find-open").addEventListener("click", () => { byId("find-box").classList.toggle("shown"); byId("find").focus(); });
  const find = byId("find");
  find.value = state.q;
  let later = 0;
  find.addEventListener("input", () => { clearTimeout(later); later = setTimeout(() => commit({ q: find.value }, { replace: true }), 80); });
  byId("export").addEventListener("click", () => saveBlob("wattle-comparison.json", new Blob([JSON.stringify(comparedJson(), null, 1)], { type: "application/json" })));
  addEventListener("scroll", () => document.body.classList.toggle("scrolled", scrollY > 110), { passive: true });
}

/** The figures of the selection. */
function comparedJson() {
  const node = chosenNode(), of = figureOf(node);
  const figure = (of) => ({ before: of.before, after: of.after, difference: of.difference, interval: of.low === null ? null : [of.low, of.high], verdict: verdictOf(of) });
  return { before: report.before.name, after: report.after.name, unit: isPower ? "W" : "J", app: state.app === null ? null : label(state.app), thread: state.thread === null ? null : label(state.thread), component: state.component === null ? null : chosenEnergy().name, ...figure(of), components: energies.slice(1).map((energy) => ({ name: energy.name, ...figure(totalOf(node, energy)) })), what_changed: changesBelow(node, chosenEnergy(), state.by).map(({ name, joules }) => ({ name, difference: joules })) };
}

function leave() {
  if (state.q !== "") { byId("find").value = ""; return commit({ q: "" }, { replace: true }); }
  if (DELTA.zoom !== null) { DELTA.zoom = tree.parent[DELTA.zoom] > 0 && tree.parent[DELTA.zoom] !== chosenNode() ? tree.parent[DELTA.zoom] : null; return deltaFlame(); }
  if (isSelected()) clearSelection();
}

function compareKeys() {
  keysDialog(COMPARE_SHORTCUTS);
  onKeys(() => Object.fromEntries(WIDTHS.map(([w], nth) => [String(nth + 1), () => commit({ w })])), leave);
}

compareBar();
compareKeys();
let resizing = 0;
new ResizeObserver(() => { clearTimeout(resizing); resizing = setTimeout(() => guarded(deltaFlame), 60); }).observe(byId("verdict"));
/** For tests and hosts: the figures that the page shows. */
globalThis.wattle = { get state() { return state; }, select: (change) => commit(change), find: (name) => programs.find((at) => label(at) === name) ?? null, threads: (app) => threadsOf(app).map((at) => [at, label(at)]), figures: comparedJson, components: energies.map(({ name }) => name) };
drawAll();
document.fonts.ready.then(drawAll);
document.documentElement.dataset.ready = "yes";
