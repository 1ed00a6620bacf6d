// What a selection contains: energies by line in a stretch of time, and sums of them with the interval of the engine. All that the page
// shows of a selection comes from here.

const errors = data.energies.errors;

/** Energies of the lines in a stretch of time, what they sum up to by source, and what is of no known time. */
const inStretch = (() => {
  let last = null;
  return (t) => {
    const key = t ? t.join("-") : "";
    if (last && last.key === key) return last;
    const joules = t ? new Float64Array(lines.count) : lines.joules;
    let timeless = 0;
    if (t && time) {
      const from = (t[0] - time.start) / time.width, to = (t[1] - time.start) / time.width;
      // The last bin may end with the recording.
      const size = (bin) => Math.min(bin + 1, (time.end - time.start) / time.width) - bin;
      const weight = new Float64Array(time.count);
      for (let bin = 0; bin < time.count; bin++) {
        const length = size(bin);
        const part = length > 0 ? (Math.min(to, bin + length) - Math.max(from, bin)) / length : 0;
        weight[bin] = part > 1 - 1e-6 ? 1 : part < 1e-6 ? 0 : part;
      }
      for (let line = 0; line < lines.count; line++) {
        let sum = 0;
        if (time.first[line] === time.first[line + 1]) timeless += lines.joules[line];
        for (let at = time.first[line]; at < time.first[line + 1]; at++) sum += weight[time.bin[at]] * time.joules[at];
        joules[line] = sum;
      }
    }
    const totals = new Float64Array(errors.group.length);
    for (let line = 0; line < lines.count; line++) totals[lines.source[line]] += joules[line];
    last = { key, joules, totals, meters: meterTotals(errors, totals), timeless };
    return last;
  };
})();

/** Figures of groups of lines: `groupOf(line)` is a number, negative for none. Only `wanted` groups have intervals, if given. */
function figuresBy(stretch, count, groupOf) {
  const sums = new Float64Array(count), parts = Array.from({ length: count }, () => null);
  for (let line = 0; line < lines.count; line++) {
    const joules = stretch.joules[line];
    if (joules === 0) continue;
    const group = groupOf(line);
    if (group < 0) continue;
    sums[group] += joules;
    const of = parts[group] || (parts[group] = new Map());
    of.set(lines.source[line], (of.get(lines.source[line]) || 0) + joules);
  }
  const estimate = (group) => (parts[group] ? estimateOf(errors, [...parts[group]], stretch.totals, stretch.meters) : null);
  return { sums, estimate };
}

/** Whether a line is of a selected app, thread and component; `null` selects all. */
function lineFilter({ app = null, thread = null, component = null }) {
  return (line) => {
    const row = lines.row[line];
    return (component === null || lines.component[line] === component) && (app === null || rowApp[row] === app) && (thread === null || rowThread[row] === thread);
  };
}

/**
 * The answer for a selection: `t` is [from, to] in seconds or null, `app`, `thread` (a row) and `component` are numbers or null.
 *
 * `device` is all consumers (of the component), `own` the whole selection; `components`, `apps`, `categories` are sums with `estimate(id)`;
 * `rows` is the energy of each row of the tree itself.
 */
function query(selection) {
  const stretch = inStretch(selection.t || null);
  const keep = lineFilter(selection), keepComponent = lineFilter({ component: selection.component }), keepConsumer = lineFilter({ ...selection, component: null });
  const one = (filter) => {
    const { sums, estimate } = figuresBy(stretch, 1, (line) => (filter(line) ? 0 : -1));
    return estimate(0) || { joules: sums[0], interval: [0, 0], provenance: null, isEmpty: true };
  };
  const rows = new Float64Array(tree.size);
  for (let line = 0; line < lines.count; line++) if (stretch.joules[line] !== 0 && keep(line)) rows[lines.row[line]] += stretch.joules[line];
  return {
    seconds: selection.t ? selection.t[1] - selection.t[0] : duration,
    timeless: stretch.timeless,
    device: one(keepComponent),
    own: one(keep),
    ownOf: (of) => one(lineFilter({ ...selection, ...of })),
    components: figuresBy(stretch, components.length, (line) => (keepConsumer(line) ? lines.component[line] : -1)),
    deviceComponents: figuresBy(stretch, components.length, (line) => (keepComponent(line) ? lines.component[line] : -1)),
    apps: figuresBy(stretch, apps.length, (line) => (keepComponent(line) ? rowApp[lines.row[line]] : -1)),
    threads: figuresBy(stretch, tree.size, (line) => (keep(line) ? rowThread[lines.row[line]] : -1)),
    categories: figuresBy(stretch, 5, (line) => (keepComponent(line) ? rowCategory[lines.row[line]] : -1)).sums,
    rest: figuresBy(stretch, components.length, (line) => (keepComponent(line) && rowCategory[lines.row[line]] >= CATEGORY.unknown ? lines.component[line] : -1)).sums,
    rows,
  };
}
