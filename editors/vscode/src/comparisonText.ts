// Comparisons of kept runs: which runs, the command line, and the verdict.

import type { Run } from "./runList";

/** The verdict of what `wattle diff` prints: its first paragraph, in one line. */
export function verdictOf(output: string): string {
  const lines = output.trimStart().split("\n");
  const end = lines.findIndex((line) => line.trim() === "");
  return lines.slice(0, end < 0 ? 3 : Math.min(end, 3)).map((line) => line.trim().replace(/ {2,}/g, "  ")).join("  ");
}

/** The runs to compare: those of the baseline's newest commit, and those of the commit of the run that is shown; same device and scenario. */
export function runsToCompare(runs: Run[], shown: Run, branch: string): { before: Run[]; after: Run[] } {
  const isAlike = (run: Run) => run.app === shown.app && run.deviceKey === shown.deviceKey && run.scenario === shown.scenario && run.outcome !== "failed";
  const build = (run: Run) => run.commit ?? run.version ?? run.name;
  const alike = runs.filter(isAlike);
  const baseline = alike.find((run) => run.branch === branch && build(run) !== build(shown));
  const before = baseline ? alike.filter((run) => run.branch === branch && build(run) === build(baseline)) : [];
  const after = alike.filter((run) => build(run) === build(shown) && run.branch === shown.branch);
  return { before, after: after.length > 0 ? after : [shown] };
}

/** The arguments of `wattle diff`. */
export function diffArguments(before: Run[], after: Run[], app: string | undefined): string[] {
  const names = (list: Run[]) => list.map((run) => run.name);
  const runs = before.length === 1 && after.length === 1 ? [...names(before), ...names(after)] : ["--before", ...names(before), "--after", ...names(after)];
  return ["diff", ...runs, ...(app ? [`--app=${app}`] : [])];
}
