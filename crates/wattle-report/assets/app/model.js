// The data of the page, unpacked: the tree of consumers, the lines of the ledger and their energies over time.

const report = data.report;
const names = data.names;
const hasEnergy = report.total_joules !== null;

// Lines of charts that are no components: told apart by people with any colour vision (after Okabe and Ito), then by hue.
const PALETTE = ["#3f7fe0", "#e69f00", "#12a37f", "#cc79a7", "#d55e00", "#56b4e9", "#b8a800", "#8c6bd8", "#7f8c9b", "#a0603a"];

const KIND = { root: 0, process: 1, thread: 2, slice: 3, account: 4, rest: 5 };

const components = data.energies.components.map(({ name, provenance }, id) => {
  return { id, name, provenance, ...styledComponent(name) };
});
const stacked = [...components].sort((a, b) => a.rank - b.rank || a.id - b.id);
const componentStyle = (name) => {
  const found = components.find((component) => component.name === name);
  return `var(--c-${found ? found.key : "other"})`;
};
/** A component's colour as a canvas needs it. */
const componentColor = (name) => color(componentStyle(name).slice(4, -1));

/** The tree in preorder: arrays by row. */
const tree = (() => {
  const packed = data.tree;
  const nested = preorder(packed.depth);
  const cpu = nested.addUp(Float64Array.from(packed.cpu_us, (value) => value * 1e-6));
  return { ...nested, cpu, ownCpu: Float64Array.from(packed.cpu_us, (value) => value * 1e-6), kind: packed.kind, number: packed.number, calls: packed.calls, name: packed.name, class: packed.class || null, leftOut: packed.left_out, leftOutBelow: packed.left_out_below };
})();

const isRest = (row) => tree.kind[row] === KIND.rest;

/** The name of a row. */
function label(row) {
  if (tree.kind[row] === KIND.root) return "everything";
  if (isRest(row)) return `${count(tree.calls[row])} smaller`;
  return named(names[tree.name[row]]);
}

/** Apps and other programs; all rows below one of `rows` are of it. */
const apps = data.energies.apps.name.map((name, id) => ({ id, name, asked: data.energies.apps.asked[id], recorder: data.energies.apps.recorder[id], rows: [] }));
data.energies.apps.row.forEach((row, nth) => {
  const app = apps[data.energies.apps.of_row[nth]];
  if (!isRest(row)) app.rows.push(row);
});

/** Categories of rows: who has the energy. */
const CATEGORY = { app: 0, recorder: 1, idle: 2, unknown: 3, unmetered: 4 };

/** By row: its app, its thread, its category; −1 for none. */
const { rowApp, rowThread, rowCategory } = (() => {
  const rowApp = new Int32Array(tree.size).fill(-1), rowThread = new Int32Array(tree.size).fill(-1), rowCategory = new Uint8Array(tree.size);
  for (const app of apps) for (const row of app.rows) rowApp[row] = app.id;
  const groups = { "idle floor": CATEGORY.idle, interrupts: CATEGORY.idle, "profiling overhead": CATEGORY.recorder, unmetered: CATEGORY.unmetered, unattributed: CATEGORY.unknown };
  for (let row = 1; row < tree.size; row++) {
    const parent = tree.parent[row];
    if (rowApp[row] < 0 && parent > 0) rowApp[row] = rowApp[parent];
    rowThread[row] = tree.kind[row] === KIND.thread ? row : parent > 0 ? rowThread[parent] : -1;
    if (parent > 0) rowCategory[row] = rowCategory[parent];
    else if (tree.kind[row] === KIND.account) rowCategory[row] = groups[names[tree.name[row]]] ?? CATEGORY.app;
    if (rowApp[row] >= 0 && apps[rowApp[row]].recorder) rowCategory[row] = CATEGORY.recorder;
  }
  return { rowApp, rowThread, rowCategory };
})();

/** The lines of the ledger, as columns; in order of rows. */
const lines = (() => {
  const packed = data.energies.lines, unit = data.energies.unit;
  const count = packed.row.length;
  const row = new Int32Array(count), joules = new Float64Array(count);
  let last = 0;
  packed.row.forEach((step, at) => { row[at] = last += step; });
  packed.units.forEach((units, at) => { joules[at] = units * unit; });
  return { count, row, joules, component: Uint16Array.from(packed.component), source: Uint16Array.from(packed.source), charge: Uint8Array.from(packed.charge) };
})();

/** Their energies over time; null where the ledger does not have them. */
const time = (() => {
  const packed = data.energies.bins;
  if (!packed || packed.steps.length === 0) return null;
  const first = new Int32Array(lines.count + 1);
  const bin = new Uint16Array(packed.steps.length), joules = new Float64Array(packed.steps.length);
  const { units: lineUnits } = data.energies.lines;
  let at = 0, unit = 0;
  for (let line = 0; line < lines.count; line++) {
    let place = 0, rest = lineUnits[line];
    first[line] = at;
    for (let left = packed.cells[line]; left > 0; left--, at++) {
      place += packed.steps[at];
      const units = left > 1 ? packed.units[unit++] : rest;
      rest -= units;
      bin[at] = place;
      joules[at] = units * data.energies.unit;
    }
  }
  first[lines.count] = at;
  const end = Math.max(report.duration_s, 0);
  return { first, bin, joules, start: packed.start_s, width: packed.width_s, count: packed.count, end, recorded: packed.recorded };
})();

const duration = report.duration_s;

/** On-CPU time of rows over time; null where the ledger does not have it. */
const cpuTime = (() => {
  const packed = data.cpu_time;
  if (!packed) return null;
  const cells = packed.steps.length, first = new Int32Array(packed.rows.length + 1), bin = new Uint16Array(cells), seconds = new Float64Array(cells), row = new Int32Array(packed.rows.length);
  let at = 0, last = 0;
  packed.rows.forEach((step, nth) => {
    row[nth] = last += step;
    let place = 0;
    for (let left = packed.cells[nth]; left > 0; left--, at++) {
      bin[at] = place += packed.steps[at];
      seconds[at] = packed.micros[at] * 1e-6;
    }
    first[nth + 1] = at;
  });
  return { row, first, bin, seconds, start: packed.start_s, width: packed.width_s, count: packed.count };
})();

/** On-CPU time of each row itself in a stretch of time, or in the whole recording; null where it is not known. */
const cpuInside = (() => {
  let key = null, known = null;
  return (t) => {
    if (!t) return tree.ownCpu;
    if (!cpuTime) return null;
    if (key === t.join()) return known;
    const own = new Float64Array(tree.size), { start, width, count } = cpuTime;
    // Inside a bin time is taken as even; the last bin ends with the recording.
    const share = Float64Array.from({ length: count }, (_, nth) => {
      const from = start + nth * width, end = Math.min(duration, from + width);
      return end > from ? Math.max(0, Math.min(end, t[1]) - Math.max(from, t[0])) / (end - from) : 0;
    });
    cpuTime.row.forEach((row, nth) => {
      let sum = 0;
      for (let at = cpuTime.first[nth]; at < cpuTime.first[nth + 1]; at++) sum += cpuTime.seconds[at] * share[cpuTime.bin[at]];
      own[row] = sum;
    });
    [key, known] = [t.join(), own];
    return own;
  };
})();

/** On-CPU time of an app, or of one thread, in the selected time; null where it is not known. */
function cpuOf({ t, app, thread = null }) {
  const own = cpuInside(t);
  if (!own) return null;
  let sum = 0;
  for (const top of thread !== null ? [thread] : apps[app].rows) for (let row = top; row < tree.end[top]; row++) sum += own[row];
  return sum;
}

/** Power of each component over time for the chart: {from, to, watts by component} by bin. */
const powerBins = (() => {
  if (time) {
    const bins = Array.from({ length: time.count }, (_, nth) => [time.start + nth * time.width, Math.min(time.end, time.start + (nth + 1) * time.width)]);
    const watts = components.map(() => new Float64Array(time.count));
    for (let line = 0; line < lines.count; line++) {
      const of = watts[lines.component[line]];
      for (let at = time.first[line]; at < time.first[line + 1]; at++) of[time.bin[at]] += time.joules[at];
    }
    for (const of of watts) of.forEach((energy, nth) => { of[nth] = energy / Math.max(bins[nth][1] - bins[nth][0], 1e-12); });
    return { bins, watts };
  }
  const series = data.series;
  if (!series) return { bins: [], watts: components.map(() => new Float64Array(0)) };
  const bins = Array.from({ length: series.count }, (_, nth) => [series.start_s + nth * series.bin_s, Math.min(series.end_s, series.start_s + (nth + 1) * series.bin_s)]);
  const watts = components.map(({ name }) => {
    const at = series.components.indexOf(name);
    return Float64Array.from({ length: series.count }, (_, nth) => (at < 0 ? 0 : series.milliwatts[at][nth] * 1e-3));
  });
  return { bins, watts };
})();
