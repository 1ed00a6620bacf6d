// The runs of the history: `wattle runs --json`.

import { ago, energyOf, type Energy } from "./energyText";

/** A run that was kept. */
export interface Run {
  /** `run:12`. */
  name: string;
  number: number;
  /** When it began, else when it was kept; milliseconds since 1970. */
  time: number;
  app: string | undefined;
  version: string | undefined;
  commit: string | undefined;
  branch: string | undefined;
  /** Whether files were changed and not committed; undefined where that is not known. */
  dirty: boolean | undefined;
  device: string;
  deviceKey: string;
  scenario: string | undefined;
  outcome: string | undefined;
  total: Energy | undefined;
  appEnergy: Energy | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** The runs of a list, newest first. */
export function parseRuns(json: string): Run[] {
  const list = parseAnswer(json) as { schema?: unknown; runs?: unknown };
  if (list.schema !== "wattle-runs/1" || !Array.isArray(list.runs)) {
    throw new Error(`expected a list of runs (wattle-runs/1), found ${String(list.schema)}: the extension and the program are of different versions`);
  }
  const runs = (list.runs as Record<string, unknown>[]).map((row): Run => {
    const device = (row.device ?? {}) as Record<string, unknown>;
    const name = text(row.run) ?? "run:?";
    return {
      name,
      number: Number(name.replace("run:", "")),
      time: Date.parse(text(row.started) ?? text(row.kept) ?? ""),
      app: text(row.app),
      version: text(row.version_name),
      commit: text(row.commit),
      branch: text(row.branch),
      dirty: typeof row.dirty === "boolean" ? row.dirty : undefined,
      device: text(device.title) ?? text(device.model) ?? "unknown device",
      deviceKey: text(device.key) ?? "",
      scenario: text(row.scenario),
      outcome: text(row.outcome),
      total: energyOf(row.total as Record<string, unknown> | null),
      appEnergy: energyOf(row.app_energy as Record<string, unknown> | null),
    };
  });
  return runs.sort((a, b) => (b.time || 0) - (a.time || 0) || b.number - a.number);
}

/** What the program wrote; an error in words if it is no JSON: another program may have the name. */
export function parseAnswer(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    const start = json.trim().slice(0, 60);
    throw new Error(`the program wrote ${start === "" ? "nothing" : `“${start}”`} where JSON is expected: is it wattle? (setting wattle.program)`);
  }
}

/** The folder of the history that a list is of; undefined for a database, or where there is none yet. */
export function storeFolder(json: string): string | undefined {
  const store = (parseAnswer(json) as { store?: unknown }).store;
  return typeof store === "string" && !store.includes("://") ? store : undefined;
}

/** The app whose runs are shown, and whether it has any. `asked` is that of a setting or of wattle.toml, `built` those of build.gradle. */
export function chooseApp(runs: Run[], asked: string | undefined, built: string[]): { app: string | undefined; has: boolean } {
  const apps = new Set(runs.map((run) => run.app).filter((app) => app !== undefined));
  if (asked) return { app: asked, has: apps.has(asked) };
  // A build type may add a suffix: com.example.news.debug.
  const isOf = (app: string) => built.some((id) => app === id || app.startsWith(`${id}.`));
  const ofProject = runs.find((run) => run.app !== undefined && isOf(run.app))?.app;
  if (ofProject) return { app: ofProject, has: true };
  if (built.length > 0) return { app: built[0], has: false };
  const newest = runs.find((run) => run.app !== undefined)?.app;
  return { app: newest, has: runs.length > 0 };
}

/** `applicationId` of a build.gradle or build.gradle.kts. */
export function applicationIds(gradle: string): string[] {
  return [...gradle.matchAll(/^\s*applicationId\s*(?:=|\s)\s*["']([\w.]+)["']/gm)].map((match) => match[1]!);
}

/** `app` of wattle.toml, at the top. */
export function appOfConfiguration(toml: string): string | undefined {
  const top = toml.split(/^\s*\[/m)[0] ?? "";
  return /^\s*app\s*=\s*["']([\w.]+)["']/m.exec(top)?.[1] ?? /^\s*app\s*=\s*\[\s*["']([\w.]+)["']/m.exec(top)?.[1];
}

/** What happened to the code since a run. */
export interface CodeState {
  /** "" if the code is the code that ran. */
  mark: "" | "stale" | "unverified";
  explanation: string;
}

/** The state of the code: `changed` are files that differ from the run's commit, undefined where git does not have it. */
export function codeState(run: Run, changed: number | undefined): CodeState {
  if (run.commit === undefined) return { mark: "unverified", explanation: "the run has no commit, so the code that ran is unknown" };
  const commit = run.commit.slice(0, 8);
  if (run.dirty) return { mark: "unverified", explanation: `files were changed and not committed when ${commit} ran` };
  if (changed === undefined) return { mark: "unverified", explanation: `commit ${commit} of the run is not in this repository` };
  if (changed === 0) return { mark: "", explanation: `the code is that of the run, commit ${commit}` };
  return { mark: "stale", explanation: `${changed} ${changed === 1 ? "file" : "files"} changed since the run, commit ${commit}` };
}

/** `run:12 · Pixel 6a · 5 min ago`. */
export function describeRun(run: Run, now: number): string {
  const parts = [run.name, run.version, run.device, run.scenario, Number.isNaN(run.time) ? undefined : ago(now - run.time)];
  if (run.outcome !== undefined && run.outcome !== "passed") parts.push(run.outcome);
  return parts.filter((part) => part !== undefined).join(" · ");
}
