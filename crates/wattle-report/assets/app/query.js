// What a selection contains: energies by line in a stretch of time, and sums of them with the interval of the engine. All that the page
// shows of a selection comes from here.

/**
 * The error model, and behind its sources the same ones again for energy of a part of the interval between two readings of their meter:
 * there the meter fixes nothing. What a model shares out has the model's error, the meter's own power that of a guess.
 */
const errors = (() => {
  const of = data.energies.errors, groups = of.shared.length;
  const inPart = of.group.map((group, source) => (of.meter[source] >= 0 && of.meter_own[of.meter[source]] === group ? groups + of.meter[source] : group));
  return {
    ...of,
    group: [...of.group, ...inPart],
    own: [...of.own, ...of.own],
    meter: [...of.meter, ...of.meter.map(() => -1)],
    provenance: [...of.provenance, ...of.provenance.map((word, source) => (of.meter[source] >= 0 && of.meter_own[of.meter[source]] === of.group[source] ? Math.max(word, 1) : word))],
    shared: [...of.shared, ...of.meter_error.map(() => of.part_error)],
    freedom: [...of.freedom, ...of.meter_error.map(() => null)],
  };
})();
const SOURCES = data.energies.errors.group.length;

/** By meter: the intervals between its readings, in seconds. */
const meterIntervals = data.energies.errors.meter_times.map((times) => {
  const ends = [];
  let last = 0;
  for (const step of times) ends.push(last += step * 1e-3);
  return Array.from({ length: ends.length / 2 }, (_, nth) => [ends[2 * nth], ends[2 * nth + 1]]);
});

/** The parts of a stretch of time that lie in an interval of a meter of which it has not all. */
function cutParts(intervals, [from, to]) {
  const slack = 2e-9;
  const holding = (instant) => {
    let low = 0, high = intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (intervals[middle][1] <= instant + slack) low = middle + 1;
      else high = middle;
    }
    const found = intervals[low];
    return found && found[0] < instant - slack ? found : null;
  };
  const first = holding(from), last = holding(to);
  const parts = [];
  if (first) parts.push([from, Math.min(first[1], to)]);
  if (last && last !== first) parts.push([Math.max(last[0], from), to]);
  return parts;
}

/** How much of each bin lies in a stretch of time: [first bin, weights]. */
function binWeights([from, to]) {
  const end = (time.end - time.start) / time.width;
  const start = (from - time.start) / time.width, until = Math.min((to - time.start) / time.width, end);
  const first = Math.max(0, Math.floor(start)), last = Math.min(time.count - 1, Math.ceil(until) - 1);
  const weights = new Float64Array(Math.max(0, last - first + 1));
  for (let bin = first; bin <= last; bin++) {
    // The last bin may end with the recording.
    const length = Math.min(bin + 1, end) - bin;
    const part = length > 0 ? (Math.min(until, bin + length) - Math.max(start, bin)) / length : 0;
    weights[bin - first] = part > 1 - 1e-6 ? 1 : part < 1e-6 ? 0 : part;
  }
  return [first, weights];
}

/** Energies of the lines in a stretch of time, what they sum up to by source, and what is of no known time. */
const inStretch = (() => {
  let last = null;
  return (t) => {
    const key = t ? t.join("-") : "";
    if (last && last.key === key) return last;
    const joules = t ? new Float64Array(lines.count) : lines.joules;
    const cut = t && time ? new Float64Array(lines.count) : null;
    let timeless = 0;
    if (cut) {
      const [first, weights] = binWeights(t);
      const parts = meterIntervals.map((intervals) => cutParts(intervals, t).map(binWeights));
      for (let line = 0; line < lines.count; line++) {
        const begin = time.first[line], end = time.first[line + 1];
        if (begin === end) timeless += lines.joules[line];
        let sum = 0, inPart = 0;
        const ofMeter = errors.meter[lines.source[line]] >= 0 ? parts[errors.meter[lines.source[line]]] : [];
        for (let at = begin; at < end; at++) {
          const weight = weights[time.bin[at] - first];
          if (!weight) continue;
          sum += weight * time.joules[at];
          for (const [from, of] of ofMeter) inPart += (of[time.bin[at] - from] || 0) * time.joules[at];
        }
        joules[line] = sum;
        cut[line] = inPart;
      }
    }
    const totals = new Float64Array(2 * SOURCES);
    for (let line = 0; line < lines.count; line++) {
      const inPart = cut ? cut[line] : 0;
      totals[lines.source[line]] += joules[line] - inPart;
      totals[SOURCES + lines.source[line]] += inPart;
    }
    last = { key, joules, cut, totals, meters: meterTotals(errors, totals), timeless };
    return last;
  };
})();

/** Energy of lines of which no time is known; 0 where no line has a time, because then there is no chart. */
const timelessEnergy = (() => {
  let sum = 0;
  if (time) for (let line = 0; line < lines.count; line++) if (time.first[line] === time.first[line + 1]) sum += lines.joules[line];
  return sum;
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
    const source = lines.source[line], inPart = stretch.cut ? stretch.cut[line] : 0;
    if (joules !== inPart) of.set(source, (of.get(source) || 0) + joules - inPart);
    if (inPart !== 0) of.set(SOURCES + source, (of.get(SOURCES + source) || 0) + inPart);
  }
  const estimate = (group) => (parts[group] ? estimateOf(errors, [...parts[group]], stretch.totals, stretch.meters) : null);
  return { sums, estimate };
}

/** How much of some lines was measured, modelled, assumed: what a meter fixed counts as measured, however a model divides it. */
function provenanceShares(stretch, keep) {
  const bySource = new Float64Array(2 * SOURCES), sums = { measured: 0, modelled: 0, assumed: 0 };
  for (let line = 0; line < lines.count; line++) {
    if (stretch.joules[line] === 0 || !keep(line)) continue;
    const inPart = stretch.cut ? stretch.cut[line] : 0;
    bySource[lines.source[line]] += stretch.joules[line] - inPart;
    bySource[SOURCES + lines.source[line]] += inPart;
  }
  bySource.forEach((joules, source) => { sums[errors.meter[source] >= 0 ? "measured" : PROVENANCES[errors.provenance[source]]] += Math.abs(joules); });
  return sums;
}

/** An object whose parts are computed when they are first asked for. */
function lazily(parts) {
  const of = {};
  for (const [key, make] of Object.entries(parts)) {
    let known;
    Object.defineProperty(of, key, { get: () => (known === undefined ? (known = make()) : known) });
  }
  return of;
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
  const byRow = () => {
    const rows = new Float64Array(tree.size);
    for (let line = 0; line < lines.count; line++) if (stretch.joules[line] !== 0 && keep(line)) rows[lines.row[line]] += stretch.joules[line];
    return rows;
  };
  const ofLine = (filter, group) => (line) => (filter(line) ? group(line) : -1);
  const component = (line) => lines.component[line];
  // While a range is dragged only some of it is shown, so that only that is computed.
  return lazily({
    seconds: () => (selection.t ? selection.t[1] - selection.t[0] : duration),
    timeless: () => stretch.timeless,
    device: () => one(keepComponent),
    own: () => one(keep),
    ownOf: () => (of) => one(lineFilter({ ...selection, ...of })),
    components: () => figuresBy(stretch, components.length, ofLine(keepConsumer, component)),
    deviceComponents: () => figuresBy(stretch, components.length, ofLine(keepComponent, component)),
    apps: () => figuresBy(stretch, apps.length, ofLine(keepComponent, (line) => rowApp[lines.row[line]])),
    threads: () => figuresBy(stretch, tree.size, ofLine(keep, (line) => rowThread[lines.row[line]])),
    categories: () => figuresBy(stretch, 5, ofLine(keepComponent, (line) => rowCategory[lines.row[line]])).sums,
    rest: () => figuresBy(stretch, components.length, ofLine((line) => keepComponent(line) && rowCategory[lines.row[line]] >= CATEGORY.unknown, component)).sums,
    provenance: () => provenanceShares(stretch, keepComponent),
    rows: byRow,
  });
}
