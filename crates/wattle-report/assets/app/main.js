// Puts the page together: bar, search, tabs, and the first picture.

function topBar() {
  const device = report.device;
  const version = { 29: "10", 30: "11", 31: "12", 32: "12L", 33: "13", 34: "14", 35: "15", 36: "16" }[device.sdk];
  const facts = [data.device, version ? `Android ${version}` : device.sdk ? `API ${device.sdk}` : null].filter(Boolean).join(" · ");
  const files = report.artifacts.map(({ name }) => name).join(", ");
  byId("crumb").replaceChildren(el("b", null, facts), files ? ` · ${files}` : "");
  byId("crumb").title = `${facts} · ${files}`;
  byId("theme").addEventListener("click", switchTheme);
  byId("find-open").addEventListener("click", () => { byId("find-box").classList.toggle("shown"); byId("find").focus(); });
  const find = byId("find");
  find.value = state.q;
  let later = 0;
  find.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(() => commit({ q: find.value }, { replace: true }), 80);
  });
  byId("export").addEventListener("click", () => saveBlob("wattle-lines.json", new Blob([JSON.stringify(selectionJson(), null, 1)], { type: "application/json" })));
  addEventListener("scroll", () => {
    const is = scrollY > 110;
    if (is === document.body.classList.contains("scrolled")) return;
    document.body.classList.toggle("scrolled", is);
    miniChart();
  }, { passive: true });
}

/** The selection as data: what every panel shows of it. */
function selectionJson() {
  const of = answer();
  const figure = (each) => each && { joules: each.joules, interval_joules: each.interval, provenance: each.provenance };
  return {
    from_s: state.t ? state.t[0] : 0, to_s: state.t ? state.t[1] : duration, app: state.app === null ? null : apps[state.app].name, thread: state.thread === null ? null : label(state.thread), component: state.component === null ? null : components[state.component].name,
    device: figure(of.device), selected: figure(of.own), components: components.map(({ id, name }) => ({ name, ...figure(of.components.estimate(id)) })).filter(({ joules }) => joules !== undefined),
    apps: apps.map(({ id, name }) => ({ name, ...figure(of.apps.estimate(id)) })).filter(({ joules }) => joules !== undefined),
  };
}

function tabBar() {
  const tabs = VIEWS.map(([id, text], nth) => el("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "pane", "aria-selected": String(state.view === id), tabindex: state.view === id ? 0 : -1, title: `${text} (${nth + 1})`, onclick: () => commit({ view: id }) }, text));
  const had = document.activeElement && document.activeElement.getAttribute("role") === "tab";
  byId("tabs").replaceChildren(...tabs, el("span", { class: "space" }));
  byId("scope").textContent = selectedText();
  if (had) byId(`tab-${state.view}`).focus();
  byId("pane").setAttribute("aria-labelledby", `tab-${state.view}`);
}

function tabKeys() {
  byId("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const now = VIEWS.findIndex(([id]) => id === state.view);
    commit({ view: VIEWS[(now + step + VIEWS.length) % VIEWS.length][0] });
  });
}

const PANELS = { flame: flamePanel, tree: callTreePanel, tracks: tracksPanel, tables: tablesPanel, quality: qualityPanel };

function drawPane() {
  hideSections();
  byId("pane").className = `pane-${state.view}`;
  PANELS[state.view]();
}

/** Flame graph and tracks follow a drag, too, at most every 50 ms. */
const followDrag = (() => {
  let last = 0, asked = 0;
  return () => {
    if (!dragged || (state.view !== "flame" && state.view !== "tracks")) return;
    const wait = Math.max(0, 50 - (performance.now() - last));
    clearTimeout(asked);
    asked = setTimeout(() => { last = performance.now(); guarded(() => (state.view === "tracks" ? paintTracks() : canvasOfFlame() ? (drawFlame(), restStrip()) : drawPane())); }, wait);
  };
})();

function noTimeNote() {
  const note = byId("no-time");
  note.hidden = Boolean(time) || !hasEnergy;
  note.textContent = note.hidden ? "" : "This ledger does not have its energy over time (it was saved by an earlier version of Wattle, or without it), so a time range cannot be selected. Apps, threads and components can.";
}

topBar();
tabKeys();
keyboard();
noTimeNote();
if (report.assumption) { byId("assumption").hidden = false; byId("assumption").textContent = report.assumption; }
shows(tabBar);
shows(drawPane);
views.push({ draw: followDrag, live: true });
// While the visible time changes, tracks are painted anew, not made anew.
views.push({ draw: () => state.view === "tracks" && paintTracks(), pans: true, isPartial: true });
let resizing = 0;
new ResizeObserver(() => { clearTimeout(resizing); resizing = setTimeout(drawAll, 60); }).observe(byId("chart-box"));
/** Shows a stretch of time in chart and tracks, at once if asked. */
function look(view, now = false) {
  CHART.view = view;
  CHART.follows = false;
  if (now) for (const { draw, pans } of views) { if (pans) draw(); } else drawView();
}
/** For tests and hosts: the same answers that the page shows. */
globalThis.wattle = { query, lookUp: (name) => apps.find((app) => app.name === name), components, tracks: timeTracks, detail: DETAIL, cpuOf, look, get state() { return state; }, bins: time && { start: time.start, width: time.width, count: time.count }, select: (change) => commit(change), answer };
drawAll();
document.fonts.ready.then(drawAll);
if (timeTracks) timeTracks.start();
document.documentElement.dataset.readyMs = String(Math.round(performance.now()));
document.documentElement.dataset.ready = "yes";
