// The interval of a figure, by the same rules as the engine (`wattle-power`, error_model.rs): errors of a group add linearly, those of
// single sources in quadrature; what a meter fixes can be wrong only in its share; Student's t, log-normal bounds.

const NORMAL = 1.6448536269514722;
const PROVENANCES = ["measured", "modelled", "assumed"];

/** Student's t for two-sided 90 % (Hill, CACM algorithm 396). */
function studentQuantile(freedom) {
  if (Number.isNaN(freedom) || freedom > 1e7) return NORMAL;
  const n = Math.max(freedom, 1), outside = 0.1;
  if (n <= 2) {
    const one = 1 / Math.tan((outside * Math.PI) / 2), two = Math.sqrt(2 / (outside * (2 - outside)) - 2);
    return two * (one / two) ** (2 / n - 1);
  }
  const a = 1 / (n - 0.5), b = 48 / (a * a);
  let c = (((20700 * a) / b - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * n;
  let y = (d * outside) ** (2 / n);
  if (y > 0.05 + a) {
    const x = -NORMAL;
    y = x * x;
    if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = Math.expm1(a * y * y);
  } else {
    y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * ((n + 1) / (n + 2)) + 1 / y;
  }
  return Math.sqrt(n * y);
}

/** What meters fix, by meter, of everything in a stretch of time: its sum, and the parts of its groups. */
function meterTotals(errors, totals) {
  const meters = errors.meter_error.map(() => ({ sum: 0, groups: new Map() }));
  totals.forEach((energy, source) => {
    const of = meters[errors.meter[source]];
    if (!of || energy === 0) return;
    of.sum += energy;
    const group = of.groups.get(errors.group[source]) || [0, 0];
    group[0] += energy;
    group[1] += (errors.own[source] * energy) ** 2;
    of.groups.set(errors.group[source], group);
  });
  return meters;
}

/** Bounds, log-normal for a positive energy. */
function bounds(energy, deviation, freedom) {
  if (deviation === 0) return [energy, energy];
  const reach = studentQuantile(freedom) * deviation;
  if (energy > 0) {
    const factor = Math.exp(Math.min(reach / energy, 15));
    return [energy / factor, energy * factor];
  }
  return [energy - reach, energy + reach];
}

/**
 * The sum of energies by source with interval and provenance. `figure` is [[source, joules], …], each source once; `totals` the energies of
 * all sources in the same stretch of time, `meters` what `meterTotals` makes of them.
 */
function estimateOf(errors, figure, totals, meters) {
  const sums = new Float64Array(meters.length);
  let energy = 0, isPart = true;
  for (const [source, joules] of figure) {
    energy += joules;
    const meter = errors.meter[source];
    if (meter >= 0) sums[meter] += joules;
    isPart &&= joules >= 0 && meter >= 0;
  }
  const share = (meter) => (meters[meter].sum === 0 ? 0 : sums[meter] / meters[meter].sum);
  const linear = new Float64Array(errors.shared.length), own = new Float64Array(errors.shared.length);
  for (const [source, joules] of figure) {
    const meter = errors.meter[source], group = errors.group[source];
    const part = meter >= 0 ? share(meter) : 0;
    linear[group] += joules;
    own[group] += errors.own[source] ** 2 * joules * (joules - 2 * part * totals[source]);
  }
  let variance = 0, most = 0;
  meters.forEach((of, meter) => {
    const part = share(meter);
    if (part !== 0) {
      for (const [group, [total, owns]] of of.groups) {
        linear[group] -= part * total;
        own[group] += part ** 2 * owns;
      }
    }
  });
  meters.forEach((of, meter) => {
    variance += (errors.meter_error[meter] * sums[meter]) ** 2;
    const group = errors.meter_group[meter];
    if (group >= 0) linear[group] += sums[meter];
    if (sums[meter] > 0) most += of.sum * Math.exp(NORMAL * Math.hypot(errors.meter_error[meter], group >= 0 ? errors.shared[group] : 0));
  });
  // Groups of the same size and freedom learnt them from the same residuals.
  const learnt = new Map();
  errors.shared.forEach((shared, group) => {
    const part = Math.max(0, (shared * linear[group]) ** 2 + own[group]);
    variance += part;
    const freedom = errors.freedom[group];
    if (freedom !== null && part > 0) {
      const key = `${shared}/${freedom}`;
      const known = learnt.get(key) || [freedom, 0];
      known[1] += part;
      learnt.set(key, known);
    }
  });
  let spread = 0;
  for (const [freedom, part] of learnt.values()) spread += (part * part) / Math.max(freedom, 1);
  const interval = bounds(energy, Math.sqrt(Math.max(variance, 0)), spread > 0 ? (variance * variance) / spread : Infinity);
  if (isPart) interval[1] = Math.min(interval[1], most);

  const whole = figure.reduce((sum, [, joules]) => sum + Math.abs(joules), 0);
  let weakest = -1;
  for (const [source, joules] of figure) {
    if (Math.abs(joules) < whole * 0.01) continue;
    const meter = errors.meter[source];
    const isWhole = meter >= 0 && Math.abs(sums[meter] - meters[meter].sum) <= Math.abs(meters[meter].sum) * 1e-6;
    const of = meter < 0 ? errors.provenance[source] : isWhole ? 0 : Math.max(errors.provenance[source], 1);
    weakest = Math.max(weakest, of);
  }
  return { joules: energy, interval, provenance: PROVENANCES[weakest < 0 ? 1 : weakest] };
}
