// Numbers of the first screen: three digits, one unit a column, narrow spaces.

const THIN = "\u202f", MINUS = "\u2212", DASH = "\u2013";
const ENERGY_UNITS = [["kJ", 1e-3, 1000], ["J", 1, 1], ["mJ", 1e3, 1e-3], ["µJ", 1e6, 1e-6], ["nJ", 1e9, 1e-9]];

/** The unit in which an energy has one to three integer digits. */
function unitOf(value) {
  const size = Math.abs(value) * 1.0005;
  return ENERGY_UNITS.find(([, , least]) => size >= least) || (size > 0 ? ENERGY_UNITS[4] : ENERGY_UNITS[1]);
}

/** Three significant digits. */
function digits(value, count = 3) {
  if (value === null || !Number.isFinite(value)) return DASH;
  if (value === 0) return "0";
  const size = Math.abs(value);
  const places = (of) => Math.max(0, count - 1 - Math.floor(Math.log10(of) + 1e-12));
  let text = size.toFixed(places(size));
  text = size.toFixed(places(Number(text) || size));
  return (value < 0 ? MINUS : "") + text;
}

/** An energy in prose. */
function energyText(value, [name, factor] = unitOf(value)) {
  return value === null || !Number.isFinite(value) ? DASH : `${digits(value * factor)}${THIN}${name}`;
}

/** An interval with its unit once. */
function intervalText([low, high]) {
  const [name, factor] = unitOf(high);
  return `${digits(low * factor)}${DASH}${digits(high * factor)}${THIN}${name}`;
}

const powerText = (watts) => {
  const size = Math.abs(watts);
  if (!Number.isFinite(watts)) return DASH;
  return size >= 1 ? `${digits(watts)}${THIN}W` : size >= 1e-3 ? `${digits(watts * 1e3)}${THIN}mW` : `${digits(watts * 1e6)}${THIN}µW`;
};

/** A length of time; hours and minutes from one hour on. */
function durationText(value) {
  if (!Number.isFinite(value)) return DASH;
  const size = Math.abs(value);
  const seconds = Math.round(size), minutes = Math.round(size / 60);
  if (seconds >= 3600) return `${Math.floor(minutes / 60)}${THIN}h ${minutes % 60}${THIN}min`;
  if (seconds >= 60) return `${Math.floor(seconds / 60)}${THIN}min ${seconds % 60}${THIN}s`;
  if (size === 0) return `0${THIN}s`;
  return size >= 0.9995 ? `${digits(value)}${THIN}s` : size >= 0.9995e-3 ? `${digits(value * 1e3)}${THIN}ms` : `${digits(value * 1e6)}${THIN}µs`;
}

/** A share with one decimal; what is below resolution says so. */
function shareText(part) {
  if (!Number.isFinite(part)) return DASH;
  const value = part * 100;
  if (value !== 0 && Math.abs(value) < 0.05) return `<${THIN}0.1${THIN}%`;
  return `${(Math.abs(value) >= 99.95 ? Math.round(value) : value.toFixed(1))}${THIN}%`;
}

/** A share with its sign; one below resolution has none. */
function signedShare(value) {
  if (!Number.isFinite(value)) return "";
  const text = shareText(Math.abs(value));
  return `${text.startsWith("<") ? "" : value > 0 ? "+" : value < 0 ? MINUS : ""}${text}`;
}

/** One unit and a fixed number of decimals for a column of energies: its name and how to show a value. */
function columnUnit(most) {
  let unit = unitOf(most);
  if (Math.abs(most) * unit[1] < 10 && unit[0] !== "nJ" && unit[0] !== "kJ") unit = unitOf(most / 1000);
  const [name, factor] = unit;
  const decimals = Math.abs(most) * factor >= 1000 ? 0 : 1;
  const least = 10 ** -decimals;
  const show = (value) => {
    if (value === null || !Number.isFinite(value)) return DASH;
    const scaled = value * factor;
    if (scaled !== 0 && Math.abs(scaled) < least / 2) return `<${THIN}${least.toFixed(decimals)}`;
    return (scaled < 0 ? MINUS : "") + Math.abs(scaled).toFixed(decimals);
  };
  return { name, show, between: ([low, high]) => `${show(low)}${DASH}${show(high)}` };
}

/** Both ends of a stretch of time with as many digits as its length needs. */
function stretchText([from, to]) {
  const places = Math.min(9, Math.max(1, Math.ceil(1.95 - Math.log10(Math.max(to - from, 1e-9)))));
  return `${from.toFixed(places)}${DASH}${to.toFixed(places)}${THIN}s`;
}

/** The multiples of a step in a range. */
function ticksBy(step, from, to) {
  const ticks = [];
  for (let nth = Math.ceil(from / step - 1e-9); nth * step <= to + step * 1e-6; nth++) ticks.push(nth * step);
  return { ticks, step };
}

/** Round instants for an axis, about so many, and the distance between them. */
function roundTicks(from, to, about) {
  const rough = Math.max((to - from) / about, 1e-12), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999) || 10 * power;
  return ticksBy(step, from, to);
}

/** Steps of a time axis from a minute on, in seconds. */
const CLOCK_STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** Round instants of a time axis: from a minute on those of a clock. */
function timeTicks(from, to, about) {
  const rough = (to - from) / about, step = rough > 30 ? CLOCK_STEPS.find((size) => size >= rough * 0.999) : undefined;
  if (step === undefined) return roundTicks(from, to, about);
  return ticksBy(step, from, to);
}

/** Hours and minutes of an instant of a clock's axis. */
function clockText(value) {
  const minutes = Math.round(value / 60), hours = Math.floor(minutes / 60);
  return [hours > 0 ? `${hours}${THIN}h` : null, minutes % 60 > 0 || hours === 0 ? `${minutes % 60}${THIN}min` : null].filter(Boolean).join(" ");
}

const tickText = (value, step) => (step >= 60 && value !== 0 ? clockText(value) : step >= 1 ? `${value.toFixed(0)}${THIN}s` : step >= 0.1 ? `${value.toFixed(1)}${THIN}s` : step >= 1e-3 ? `${(value * 1e3).toFixed(0)}${THIN}ms` : `${(value * 1e6).toFixed(0)}${THIN}µs`);

/** A long name in two parts: what may be cut, and what says most. */
function nameParts(name) {
  if (name.startsWith("/")) {
    const slash = name.split(" ")[0].lastIndexOf("/");
    return [name.slice(0, slash + 1), name.slice(slash + 1)];
  }
  const parts = name.split(".");
  if (parts.length > 2 && !name.includes(" ") && name.length > 24) {
    const keep = /^[A-Z]/.test(parts[parts.length - 2]) || name.length > 34 ? 2 : 1;
    return [`${parts.slice(0, -keep).join(".")}.`, parts.slice(-keep).join(".")];
  }
  return ["", name];
}
const shortName = (name) => nameParts(name)[1];
