// The data of a comparison, unpacked: the merged call tree with the energies of both runs, by component.

const report = data.report;
const names = data.names;

const KIND = { root: 0, process: 1, thread: 2, call: 3, account: 4, rest: 5 };
const KIND_NAMES = ["", "process", "thread", "", "", ""];
const CLASS_NAMES = ["", "native", "kernel", "Java", "JIT-compiled", "unknown", "truncated", "without a sample"];
const BEFORE = 1, AFTER = 2;

/** Figures are watts where they are of a second. */
const isPower = report.per.unit === "second";
const amount = (value) => (isPower ? (value === 0 ? `0${THIN}W` : powerText(value)) : energyText(value));
const signed = (value) => (value > 0 ? `+${amount(value)}` : amount(value));
const betweenText = (low, high) => (low < high ? `${signed(low)} to ${signed(high)}` : "");
/** A column's unit, and as many decimals as tell a thousandth of the largest value; watts in place of joules where figures are of a second. */
const columnOf = (most) => {
  const smaller = unitOf(most / 1000), whole = unitOf(most);
  const [name, factor] = most * whole[1] < 10 && whole[0] !== "nJ" ? smaller : whole;
  const decimals = Math.max(0, 4 - Math.max(0, Math.floor(Math.log10(Math.max(most * factor, 1))))), least = 10 ** -decimals;
  const show = (value) => {
    const size = Math.abs(value * factor);
    if (size !== 0 && size < least / 2) return `<${THIN}${least.toFixed(decimals)}`;
    return (value < 0 && size !== 0 ? MINUS : "") + size.toFixed(decimals);
  };
  return { name: isPower ? name.replace("J", "W") : name, show, signed: (value) => (value * factor >= least / 2 ? `+${show(value)}` : show(value)) };
};

const tree = (() => {
  const packed = data.tree;
  return { ...preorder(packed.depth), kind: packed.kind, class: packed.class, name: packed.name, runs: packed.runs };
})();

const isRest = (at) => tree.kind[at] === KIND.rest;

const componentNames = new Set(data.tree.columns.map(({ name }) => name));

/** What a node is called. */
function label(at) {
  if (tree.kind[at] === KIND.root) return scopeName;
  if (isRest(at)) return `${count(Math.max(data.tree.calls_before[at], data.tree.calls_after[at]))} smaller`;
  const name = named(names[tree.name[at]]);
  return tree.kind[at] === KIND.account && tree.parent[at] > 0 && componentNames.has(name) ? styledComponent(name).label : name;
}

/** What a node is called where its group is not beside it. */
const fullLabel = (at) => (tree.kind[at] === KIND.account && tree.parent[at] > 0 ? `${label(at)}, ${label(tree.parent[at])}` : label(at));

/** Energies of each node in both runs, own and with all below it: of all components, then of each. */
const energies = data.tree.columns.map((column) => {
  const values = (of) => spread(tree.size, column.at, of, data.tree.unit);
  const energy = { name: column.name, ...styledComponent(column.name), ownBefore: values(column.before), ownAfter: values(column.after), low: values(column.low), high: values(column.high), ownLow: values(column.own_low), ownHigh: values(column.own_high) };
  energy.before = tree.addUp(energy.ownBefore);
  energy.after = tree.addUp(energy.ownAfter);
  energy.ownSize = energy.ownAfter.map((after, at) => Math.abs(after - energy.ownBefore[at]));
  energy.size = tree.addUp(energy.ownSize);
  return energy;
}).filter((energy, nth) => nth === 0 || energy.before[0] !== 0 || energy.after[0] !== 0);

/** On-CPU time with all below. */
const cpuTime = { before: tree.addUp(data.tree.cpu_us_before.map((value) => value * 1e-6)), after: tree.addUp(data.tree.cpu_us_after.map((value) => value * 1e-6)) };

/** An energy in both runs. */
const compared = (before, after, low, high) => ({ before, after, low, high, difference: after - before });
const totalOf = (at, energy) => compared(energy.before[at], energy.after[at], energy.low[at], energy.high[at]);
const ownOf = (at, energy) => compared(energy.ownBefore[at], energy.ownAfter[at], energy.ownLow[at], energy.ownHigh[at]);
/** One of the report's own rows; figures may be unknown. */
const reported = (row) => ({ before: row.before.joules, after: row.after.joules, low: row.difference_interval_joules?.[0] ?? null, high: row.difference_interval_joules?.[1] ?? null, difference: row.difference_joules, verdict: row.verdict });

/** All that both runs know: a part never goes by the name of the whole. */
const scopeName = (() => {
  const known = report.components.filter(({ difference_joules: joules }) => joules !== null);
  if (known.length === 1 && (known[0].name === "cpu" || report.components.length > 1)) return styledComponent(known[0].name).label;
  return known.length < report.components.length ? `${known.length} components known in both` : "Device";
})();

/** The least difference that matters. */
const thresholdOf = ({ before, after }) => Math.max(report.threshold.share * Math.max(Math.abs(before ?? 0), Math.abs(after ?? 0)), report.threshold.joules);

/** A 95 % interval of a normal distribution is so much wider than its 90 % interval. */
const TESTED = 1.959964 / 1.644854;

/** Whether something speaks against any comparison of these runs, so that a difference says nothing. */
const isRefused = report.objections.some(({ weight }) => weight === "refusal");

/**
 * None of runs that are not comparable. The engine's verdict where it has one. Else it follows from the interval: a difference beyond the threshold that a test at 5 % tells from 0, an
 * interval within the threshold, or neither.
 */
function verdictOf(of) {
  if (of.difference === null || of.low === null || of.high === null) return "unknown";
  if (isRefused) return "refused";
  if (of.verdict) return of.verdict;
  const least = thresholdOf(of), size = Math.abs(of.difference), reach = of.difference > 0 ? of.difference - of.low : of.high - of.difference;
  if (size > least && reach * TESTED < size) return of.difference > 0 ? "higher" : "lower";
  return of.low >= -least && of.high <= least ? "equal" : "inconclusive";
}

const VERDICTS = { higher: ["↑", "Higher"], lower: ["↓", "Lower"], equal: ["≈", "Equal"], inconclusive: ["?", "Inconclusive"], unknown: [DASH, "Not known in both"], refused: ["≠", "Not comparable"] };

function pill(of) {
  const word = verdictOf(of), [sign, text] = VERDICTS[word];
  const title = word === "equal" ? `Within ${amount(thresholdOf(of))}` : word === "inconclusive" ? `Neither beyond ${amount(thresholdOf(of))} for sure, nor within` : null;
  return el("span", { class: `v ${word}`, title }, el("span", { "aria-hidden": "true" }, sign), text);
}

/** Short names of the first and the second run. */
const [titleA, titleB] = data.titles;

/** Nodes right below the root that are apps or other programs, and the threads of one. */
const programs = tree.children[0].filter((at) => tree.kind[at] === KIND.process || tree.kind[at] === KIND.account);
const threadsOf = (app) => tree.children[app].flatMap((at) => (tree.kind[at] === KIND.process ? threadsOf(at) : tree.kind[at] === KIND.thread ? [at] : []));
/** The app that both runs are about: the first that was asked for. */
const askedApp = programs.find((at) => tree.kind[at] === KIND.process && (report.apps.length > 0 ? report.apps : report.before.apps).includes(names[tree.name[at]])) ?? null;
