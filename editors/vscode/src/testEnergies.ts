// The energy of each test of a run.

import { count, energy, joules, type Energy } from "./energyText";
import type { TestRow } from "./reportRows";

/** A test with its energy; of several iterations the last one. */
export interface TestEnergy {
  outcome: string;
  app: Energy | undefined;
  whole: Energy | undefined;
  seconds: number | undefined;
  iterations: number;
  /** The least and the largest energy of the app, of several iterations. */
  range: [number, number] | undefined;
}

/** The tests of a run by name. One that failed in any iteration has failed. */
export function testRuns(rows: TestRow[]): Map<string, TestEnergy> {
  const groups = new Map<string, TestRow[]>();
  for (const row of rows) groups.set(row.name, [...(groups.get(row.name) ?? []), row]);
  const found = new Map<string, TestEnergy>();
  for (const [name, iterations] of groups) {
    const last = iterations.reduce((a, b) => (b.iteration >= a.iteration ? b : a));
    const worst = iterations.find((row) => row.outcome !== "passed") ?? last;
    const joules = iterations.map((row) => row.app?.joules).filter((value) => value !== undefined);
    const range: [number, number] | undefined = joules.length > 1 ? [Math.min(...joules), Math.max(...joules)] : undefined;
    found.set(name, { outcome: worst.outcome, app: last.app, whole: last.whole, seconds: last.seconds, iterations: iterations.length, range });
  }
  return found;
}

/** `12.3 mJ (10.1–15.0 mJ) · modelled`, behind an outcome that is not a success; of several iterations the last one, which is said. */
export function testFigure({ app, outcome, iterations, range }: TestEnergy): string {
  const parts = [app ? `${energy(app)} · ${app.provenance}` : "no energy known"];
  if (iterations > 1) parts.push(`last of ${count(iterations, "iteration")}${range ? ` of ${joules(range[0])} to ${joules(range[1])}` : ""}`);
  if (outcome !== "passed") parts.unshift(outcome);
  return parts.join(" · ");
}
