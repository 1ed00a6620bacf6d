// Energies as text, as the program writes them: three digits, never without the interval.

/** An energy with its 90 % interval. */
export interface Energy {
  joules: number;
  interval: [number, number];
  provenance: string;
}

const PREFIXES: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

/** `12.3 mJ`; `–` for what is not known. */
export function joules(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0 J";
  const [scale, prefix] = scaleOf(value);
  const scaled = value / scale;
  const decimals = Math.abs(scaled) >= 99.95 ? 0 : Math.abs(scaled) >= 9.995 ? 1 : 2;
  return `${scaled.toFixed(decimals).replace("-", "−")} ${prefix}J`;
}

/** `12.3 mJ (10.1–15.0 mJ)`: the interval in the unit of the energy, because lists are narrow. */
export function energy({ joules: value, interval: [low, high] }: Energy): string {
  const [scale, prefix] = scaleOf(value === 0 ? Math.max(Math.abs(low), Math.abs(high)) : value);
  const largest = Math.max(Math.abs(low), Math.abs(high)) / scale;
  const decimals = largest >= 99.95 ? 0 : largest >= 9.995 ? 1 : 2;
  const end = (joules: number) => (joules === 0 ? "0" : (joules / scale).toFixed(decimals).replace("-", "−"));
  return `${joules(value)} (${end(low)}–${end(high)} ${prefix}J)`;
}

function scaleOf(value: number): [number, string] {
  if (value === 0) return [1, ""];
  const size = Math.abs(value) * 1.0005;
  return PREFIXES.find(([scale]) => size >= scale) ?? PREFIXES[PREFIXES.length - 1]!;
}

/** `+1.2 mJ`, `−1.2 mJ`. */
export function signed(value: number): string {
  return value > 0 ? `+${joules(value)}` : joules(value);
}

/** `3.2 %`; nothing where the whole is not known. */
export function share(part: number | null | undefined): string | undefined {
  if (part === null || part === undefined || !Number.isFinite(part)) return undefined;
  return part > 0 && part < 0.0005 ? "< 0.1 %" : `${(part * 100).toFixed(1)} %`;
}

/** The energy of a row of a report: `joules`, `interval_joules`, `provenance`, with a word before them; nothing where it is not known. */
export function energyOf(row: Record<string, unknown> | null | undefined, word = ""): Energy | undefined {
  if (!row) return undefined;
  const [value, interval, provenance] = [row[`${word}joules`], row[`${word}interval_joules`], row[`${word}provenance`]];
  if (typeof value !== "number" || !Array.isArray(interval)) return undefined;
  const [low, high] = interval;
  if (typeof low !== "number" || typeof high !== "number") return undefined;
  return { joules: value, interval: [low, high], provenance: typeof provenance === "string" ? provenance : "" };
}

/** `5 min ago`, from the age in milliseconds. */
export function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

/** `1 run`, `2 runs`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
