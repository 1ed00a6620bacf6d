// Energies by line, as the server's request `wattle/lines` answers.

/** The energy of a line: a declaration's method, or what the line calls. */
export interface LineEnergy {
  line: number;
  kind: "method" | "calls";
  joules: number;
  interval_joules: [number, number];
  provenance: string;
  /** Of the app, 0 to 1; null where the app's energy is not known. */
  share: number | null;
  text: string;
  mark: string | null;
  method?: string;
}

/** The length of the bar of the whole app, in widths of a letter: the same in all files, so that bars can be compared. */
const WHOLE = 60;

/** The length of a bar as CSS; undefined where the share is not known or too small to see. */
export function barWidth(share: number | null): string | undefined {
  if (share === null || !Number.isFinite(share) || share < 0.002) return undefined;
  return `${(Math.min(share, 1) * WHOLE).toFixed(1)}ch`;
}
