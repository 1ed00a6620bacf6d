// Puts the history page together: bar, search, keys, and the first picture.

const HISTORY_SHORTCUTS = [["/", "Find a version"], ["1 – 3", "Energy, components, methods"], ["← →", "Move between versions (in the chart)"], ["Enter", "Pick a version: two are compared"], ["Esc", "Clear search, then what is picked"], ["T", "Light or dark"], ["Y", "Copy a link to this view"], ["?", "This list"]];

function historyBar() {
  const versions = allSeries.reduce((sum, { commits, omitted }) => sum + commits.length + omitted, 0);
  byId("crumb").replaceChildren(el("b", null, appName), ` · ${several(versions, "version")}${allSeries.length > 1 ? ` in ${count(allSeries.length)} series` : ""}`);
  const find = byId("find");
  find.placeholder = "Find version";
  find.setAttribute("aria-label", "Find version");
  find.value = state.q;
  let later = 0;
  find.addEventListener("input", () => { clearTimeout(later); later = setTimeout(() => commit({ q: find.value }, { replace: true }), 80); });
  byId("find-open").addEventListener("click", () => { byId("find-box").classList.toggle("shown"); find.focus(); });
  byId("theme").addEventListener("click", switchTheme);
  byId("export").title = "Save the data of this page as JSON";
  byId("export").addEventListener("click", () => saveBlob("wattle-history.json", new Blob([JSON.stringify(data, null, 1)], { type: "application/json" })));
  addEventListener("scroll", () => document.body.classList.toggle("scrolled", scrollY > 110), { passive: true });
}

function footNote() {
  const parts = ["Runs of other devices, device models, scenarios or branches are series of their own: their energies are not comparable."];
  if (data.left_out > 0) parts.push(`${several(data.left_out, "run")} did not pass or had no such energy.`);
  if (data.omitted_series > 0) parts.push(`${count(data.omitted_series)} series with older runs or fewer versions are not in this page.`);
  if (!byId("data").href) parts.push("This page holds all of its data and loads nothing.");
  byId("foot").textContent = parts.join(" ");
}

function leaveHistory() {
  if (state.q !== "") { byId("find").value = ""; return commit({ q: "" }, { replace: true }); }
  if (state.picked.length > 0) commit({ picked: [] });
}

historyBar();
footNote();
keysDialog(HISTORY_SHORTCUTS);
onKeys(() => Object.fromEntries(HISTORY_VIEWS.map(([view], nth) => [String(nth + 1), () => commit({ view })])), leaveHistory);
let resizing = 0, drawnWidth = 0;
new ResizeObserver(() => {
  if (byId("chart-box").clientWidth === drawnWidth) return;
  drawnWidth = byId("chart-box").clientWidth;
  clearTimeout(resizing);
  resizing = setTimeout(() => guarded(drawChart), 60);
}).observe(byId("chart-box"));
/** For tests and hosts: the data that the page shows, and its state. */
globalThis.wattle = { data, get state() { return { ...state, series: allSeries.indexOf(state.series) }; }, select: ({ series, ...change }) => commit(series === undefined ? change : { ...change, series: allSeries[series] }), pick: pickVersion };
drawAll();
document.fonts.ready.then(drawAll);
document.documentElement.dataset.ready = "yes";
