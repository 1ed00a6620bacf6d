// The data of the page of a difference, unpacked.

const data = JSON.parse(byId("data").textContent);
const report = data.report;
const names = data.names;

const chip = (word) => el("span", { class: `chip ${word}` }, word);
const KIND = { root: 0, process: 1, thread: 2, call: 3, account: 4, rest: 5 };
const KIND_NAMES = ["", "process", "thread", "", "account", ""];
const CLASS_NAMES = ["", "native", "kernel", "java", "jit", "unknown", "truncated", "unsampled"];
const BEFORE = 1, AFTER = 2;

/** Figures are watts where they are of a second. */
const amount = (value) => si(value, report.per.unit === "second" ? "W" : "J");
const signed = (value) => (value > 0 ? `+${amount(value)}` : amount(value));
const interval = (low, high) => (low < high ? `${signed(low)} … ${signed(high)}` : "");

/** What an interval of a difference says. */
function verdict(low, high) {
  if (low === null || high === null) return "not known in both";
  return low > 0 ? "more" : high < 0 ? "less" : "inconclusive";
}

/** Intervals of a picture are rounded to its unit: one that is half a unit wide has none. */
const verdictAt = (energy, at) => verdict(energy.low[at], energy.high[at]);

const tree = (() => {
  const packed = data.tree;
  return { ...preorder(packed.depth), kind: packed.kind, class: packed.class, name: packed.name, runs: packed.runs };
})();

const isRest = (at) => tree.kind[at] === KIND.rest;

/** Energies to choose from: all, a component. Of each node before and after, own and with all below it. */
const energies = data.tree.columns.map((column) => {
  const values = (of) => spread(tree.size, column.at, of, data.tree.unit);
  const energy = { label: column.name, ownBefore: values(column.before), ownAfter: values(column.after), low: values(column.low), high: values(column.high), ownLow: values(column.own_low), ownHigh: values(column.own_high) };
  energy.before = tree.addUp(energy.ownBefore);
  energy.after = tree.addUp(energy.ownAfter);
  energy.option = `${energy.label} (${signed(energy.after[0] - energy.before[0])})`;
  return energy;
}).filter((energy, nth) => nth === 0 || energy.before[0] !== 0 || energy.after[0] !== 0);

/** Counts with all below: on-CPU time. */
const cpuTime = { before: tree.addUp(data.tree.cpu_us_before.map((value) => value * 1e-6)), after: tree.addUp(data.tree.cpu_us_after.map((value) => value * 1e-6)) };

/** What a node is called. */
function label(at) {
  if (tree.kind[at] === KIND.root) return "everything";
  if (isRest(at)) return `${count(Math.max(data.tree.calls_before[at], data.tree.calls_after[at]))} smaller ones`;
  return named(names[tree.name[at]]);
}
