// What is selected, kept in the address: `#app=NAME&thread=NAME&comp=cpu&w=a|b|d&by=…&e=total&q=…&theme=…`. Unknown keys are kept.

const WIDTHS = [["b", "B"], ["a", "A"], ["d", "Differences"]];
const GROUPS = [["method", "Method"], ["thread", "Thread"], ["component", "Component"]];
const ENERGIES = [["self", "Self"], ["total", "Total"]];
const COMPARE_KEYS = ["app", "thread", "comp", "w", "by", "e", "q", "theme"];

function readCompareAddress(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const choice = (key, options) => (options.some(([id]) => id === given.get(key)) ? given.get(key) : options[0][0]);
  const app = programs.find((at) => label(at) === given.get("app")) ?? null;
  const thread = app === null ? null : threadsOf(app).find((at) => label(at) === given.get("thread")) ?? null;
  const component = energies.findIndex(({ name }, nth) => nth > 0 && name === given.get("comp"));
  return { app, thread, component: component > 0 ? component : null, w: choice("w", WIDTHS), by: choice("by", GROUPS), e: choice("e", ENERGIES), q: given.get("q") || "", theme: ["light", "dark"].includes(given.get("theme")) ? given.get("theme") : null, others: [...given].filter(([key]) => !COMPARE_KEYS.includes(key)) };
}

function compareAddress(state) {
  const to = new URLSearchParams();
  if (state.app !== null) to.set("app", label(state.app));
  if (state.thread !== null) to.set("thread", label(state.thread));
  if (state.component !== null) to.set("comp", energies[state.component].name);
  for (const [key, [[first]]] of [["w", WIDTHS], ["by", GROUPS], ["e", ENERGIES]]) if (state[key] !== first) to.set(key, state[key]);
  if (state.q !== "") to.set("q", state.q);
  if (state.theme) to.set("theme", state.theme);
  for (const [key, value] of state.others) to.append(key, value);
  const text = to.toString().replace(/%2F/g, "/").replace(/%3A/g, ":");
  return text === "" ? "" : `#${text}`;
}

let state = readCompareAddress(location.hash);
const drawers = [];
const shows = (draw) => drawers.push(draw);

/** The node that all panels are about, and the energy. */
const chosenNode = () => state.thread ?? state.app ?? 0;
const chosenEnergy = () => energies[state.component ?? 0];
const isSelected = () => state.app !== null || state.component !== null;
/** Search, in lower case. */
const wantedText = () => state.q.trim().toLowerCase();

function drawAll() {
  document.documentElement.dataset.theme = shownTheme();
  drawers.forEach(guarded);
}

/** Changes the state, notes it in the address (as a new entry of the history, unless `replace`), and draws. */
function commit(change, { replace = false } = {}) {
  const was = chosenNode();
  state = { ...state, ...change };
  if (change.app !== undefined && change.thread === undefined) state.thread = null;
  if (chosenNode() !== was) DELTA.zoom = null;
  noteAddress(compareAddress(state), replace);
  drawAll();
}

addEventListener("popstate", () => { state = readCompareAddress(location.hash); DELTA.zoom = null; byId("find").value = state.q; drawAll(); });
dark.addEventListener("change", drawAll);

const clearSelection = () => commit({ app: null, thread: null, component: null });
