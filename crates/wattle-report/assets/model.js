// The data of the page, unpacked.

const data = JSON.parse(byId("data").textContent);
const report = data.report;
const names = data.names;
const hasEnergy = report.total_joules !== null;

const KIND = { root: 0, process: 1, thread: 2, slice: 3, account: 4, rest: 5 };
const KIND_NAMES = ["", "process", "thread", "", "account", ""];

// Told apart by people with any colour vision (after Okabe and Ito), then by hue.
const PALETTE = ["#3f7fe0", "#e69f00", "#12a37f", "#cc79a7", "#d55e00", "#56b4e9", "#b8a800", "#8c6bd8", "#7f8c9b", "#a0603a"];

// One colour for a component everywhere.
const componentColor = (() => {
  const order = new Map(report.components.map((component, at) => [component.name, at]));
  return (name) => PALETTE[(order.has(name) ? order.get(name) : order.size) % PALETTE.length];
})();

/** The tree in preorder: arrays by node. */
const tree = (() => {
  const packed = data.tree;
  const nested = preorder(packed.depth);
  const { size, addUp } = nested;
  const columns = packed.columns.map((column) => {
    const own = spread(size, column.at, column.units, packed.unit);
    return { component: column.component, charge: column.charge, own, total: addUp(own) };
  });
  // Components as in the report, most energy first; charges as in the accounts.
  const charges = ["core", "shared", "wake-transition", "device", "tail"];
  const rank = (column) => report.components.findIndex((each) => each.name === column.component) * charges.length + charges.indexOf(column.charge);
  columns.sort((a, b) => rank(a) - rank(b));
  const cpu = addUp(Float64Array.from(packed.cpu_us, (value) => value * 1e-6));

  return { ...nested, columns, cpu, kind: packed.kind, number: packed.number, calls: packed.calls, name: packed.name, class: packed.class || null, leftOut: packed.left_out, leftOutBelow: packed.left_out_below };
})();

const isRest = (at) => tree.kind[at] === KIND.rest;

/** What a node is called. */
function label(at) {
  const kind = tree.kind[at];
  if (kind === KIND.root) return "everything";
  if (kind === KIND.rest) return `${count(tree.calls[at])} smaller ones`;
  const name = named(names[tree.name[at]]);
  const number = tree.number[at];
  return (kind === KIND.process || kind === KIND.thread) && number >= 0 ? `${name} (${number})` : name;
}

/** What was left out to keep the file small; empty when nothing was. */
function leftOut(how) {
  if (tree.leftOut === 0) return "";
  const size = tree.leftOutBelow === null ? "" : `, none above ${joules(tree.leftOutBelow)},`;
  return `${count(tree.leftOut)} call paths${size} are ${how} “smaller ones” of their caller to keep this file small.`;
}

/** Energies to choose from: all, a component, a component's charge. */
const energies = (() => {
  const all = tree.columns.map((_, nth) => nth);
  const list = [{ label: "all components", columns: all }];
  for (const component of new Set(tree.columns.map((column) => column.component))) {
    const of = all.filter((nth) => tree.columns[nth].component === component);
    list.push({ label: component, columns: of });
    if (of.length > 1) {
      for (const nth of of) list.push({ label: `${component} · ${tree.columns[nth].charge.replace("-", " ")}`, columns: [nth] });
    }
  }
  for (const energy of list) {
    const sum = (key) => {
      const values = new Float64Array(tree.size);
      for (const nth of energy.columns) tree.columns[nth][key].forEach((value, at) => { values[at] += value; });
      return values;
    };
    let total, own;
    Object.defineProperty(energy, "total", { get: () => (total ||= sum("total")) });
    Object.defineProperty(energy, "own", { get: () => (own ||= sum("own")) });
  }
  return list;
})();
