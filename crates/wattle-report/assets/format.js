// Numbers as people read them: as in the terminal, three significant digits with an SI prefix.

const NONE = "–";
const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

function si(value, unit) {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  if (value === 0) return `0 ${unit}`;
  const rounded = Math.abs(value) * 1.0005;
  const [scale, prefix] = PREFIXES.find(([size]) => rounded >= size) || PREFIXES[PREFIXES.length - 1];
  const scaled = value / scale;
  const size = Math.abs(scaled);
  return `${scaled.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2)} ${prefix}${unit}`;
}

const joules = (value) => si(value, "J");
const milliwatts = (value) => si(value === null || value === undefined ? null : value * 1e-3, "W");
const seconds = (value) => (Math.abs(value) >= 999.5 ? `${value.toFixed(0)} s` : si(value, "s"));
const percent = (value) => (Number.isFinite(value) && value !== null ? `${(value * 100).toFixed(1)} %` : NONE);
const signedPercent = (value) => (value > 0 ? `+${percent(value)}` : percent(value));
const range = (low, high) => (low !== null && Number.isFinite(low) && low < high ? `${joules(low)} – ${joules(high)}` : "");
const count = (value) => value.toLocaleString("en");
const named = (text) => (text === "" ? "(no name)" : text);

/** An instant with as many digits as the visible stretch needs. */
function instant(value, visible) {
  const digits = Math.min(6, Math.max(0, Math.ceil(2 - Math.log10(Math.max(visible, 1e-6)))));
  return `${value.toFixed(digits)} s`;
}
