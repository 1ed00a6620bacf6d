// What is shown, kept in the address: `#scenario=…&device=…&branch=…&view=components&a=…&b=…&q=…&theme=…`. Unknown keys are kept.

const HISTORY_VIEWS = [["energy", "Energy"], ["components", "By component"], ["methods", "Methods"]];
const HISTORY_KEYS = ["device", "scenario", "branch", "view", "a", "b", "q", "theme"];

/** A version's name in addresses: its commit or name, with its run where that is not the only one. */
function versionKey(series, at) {
  const name = versionName(series.commits[at]);
  return series.commits.some((other, nth) => nth !== at && versionName(other) === name) ? `${name}@${series.commits[at].run}` : name;
}

/** The first series whose facets are these, as far as they are given. */
const seriesWith = (wanted) => allSeries.find((series) => FACETS.every(([key, , of]) => wanted[key] === undefined || of(series) === wanted[key]));

function readHistoryAddress(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const wanted = Object.fromEntries(FACETS.filter(([key]) => given.has(key)).map(([key]) => [key, given.get(key)]));
  const series = seriesWith(wanted) ?? allSeries[0] ?? null;
  const versionOf = (key) => (series && given.has(key) ? series.commits.findIndex((_, at) => versionKey(series, at) === given.get(key)) : -1);
  const view = HISTORY_VIEWS.some(([id]) => id === given.get("view")) ? given.get("view") : "energy";
  return { series, view, picked: ["a", "b"].map(versionOf).filter((at) => at >= 0), q: given.get("q") || "", theme: ["light", "dark"].includes(given.get("theme")) ? given.get("theme") : null, others: [...given].filter(([key]) => !HISTORY_KEYS.includes(key)) };
}

/** The address of a state: facets only where the first series has another one, or more than one series would do. */
function historyAddress(state) {
  const to = new URLSearchParams();
  if (state.series && state.series !== allSeries[0]) FACETS.forEach(([key, , of], nth) => { if (facetValues[nth].length > 1) to.set(key, of(state.series)); });
  if (state.view !== "energy") to.set("view", state.view);
  state.picked.forEach((at, nth) => to.set("ab"[nth], versionKey(state.series, at)));
  if (state.q !== "") to.set("q", state.q);
  if (state.theme) to.set("theme", state.theme);
  for (const [key, value] of state.others) to.append(key, value);
  const text = to.toString().replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%40/g, "@");
  return text === "" ? "" : `#${text}`;
}

let state = readHistoryAddress(location.hash);
const drawers = [];
const shows = (draw) => drawers.push(draw);
const wantedText = () => state.q.trim().toLowerCase();

function drawAll() {
  document.documentElement.dataset.theme = shownTheme();
  drawers.forEach(guarded);
}

/** Changes the state, notes it in the address (as a new entry of the history, unless `replace`), and draws. */
function commit(change, { replace = false } = {}) {
  const was = state.series;
  state = { ...state, ...change };
  if (state.series !== was && change.picked === undefined) state.picked = [];
  noteAddress(historyAddress(state), replace);
  drawAll();
}

addEventListener("popstate", () => { state = readHistoryAddress(location.hash); byId("find").value = state.q; drawAll(); });
dark.addEventListener("change", drawAll);

/** Picks a version: the first, then the second of a pair; a third begins anew, and picking one again drops it. */
function pickVersion(at) {
  const { picked } = state;
  if (picked.includes(at)) return commit({ picked: picked.filter((other) => other !== at) });
  commit({ picked: picked.length === 1 ? [picked[0], at].sort((a, b) => a - b) : [at] });
}
const pickPair = (a, b) => commit({ picked: a === b ? [a] : [Math.min(a, b), Math.max(a, b)] });
