// Rows of a report: `wattle report run:N --json`.

import { energyOf, type Energy } from "./energyText";
import { parseAnswer } from "./runList";

type Row = Record<string, unknown>;

/** A method, or a slice of which only the name is known, on its threads. */
export interface MethodRow {
  name: string;
  /** The thread of a slice; methods are of all their threads. */
  thread: string | undefined;
  self: Energy | undefined;
  total: Energy;
  calls: number | undefined;
}

/** A thread of a process. */
export interface ThreadRow {
  name: string;
  tid: number | undefined;
  energy: Energy;
  cpuSeconds: number | undefined;
}

/** A process with its threads. */
export interface ProcessRow {
  name: string;
  pid: number | undefined;
  energy: Energy;
  share: number | undefined;
  threads: ThreadRow[];
}

/** The energy that went through a component. */
export interface ComponentRow {
  name: string;
  energy: Energy;
  share: number | undefined;
}

/** One run of a test. */
export interface TestRow {
  name: string;
  iteration: number;
  outcome: string;
  seconds: number | undefined;
  /** What the app spent in its time. */
  app: Energy | undefined;
  /** What everything spent in its time. */
  whole: Energy | undefined;
}

/** What the views show of a report. */
export interface Report {
  /** The device's energy, or why there is none. */
  total: Energy | undefined;
  noEnergyReason: string | undefined;
  /** The app's energy. */
  app: Energy | undefined;
  /** What the total covers, in words. */
  coverage: string | undefined;
  methods: MethodRow[];
  processes: ProcessRow[];
  /** Of the app, else of the device. */
  components: ComponentRow[];
  /** Components that were not estimated; that is not 0 J. */
  missing: string[];
  tests: TestRow[];
  /** Quality of the input: `info`, `warning`, `error`. */
  worstNote: string | undefined;
  lostEvents: number;
}

const rows = (value: unknown): Row[] => (Array.isArray(value) ? (value as Row[]) : []);
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const most = (a: Energy | undefined, b: Energy | undefined) => (b?.joules ?? -1) - (a?.joules ?? -1);

/** Reads a report; an error if it is of another version. */
export function parseReport(json: string): Report {
  const report = parseAnswer(json) as Row;
  if (report.schema !== "wattle-report/1") {
    throw new Error(`expected a report (wattle-report/1), found ${String(report.schema)}: the extension and the program are of different versions`);
  }
  const app = (report.app ?? undefined) as Row | undefined;
  const coverage = (report.energy_coverage ?? {}) as Row;
  const quality = (report.quality ?? {}) as Row;
  const appEnergy = energyOf(app);
  return {
    total: energyOf(report.total as Row | null),
    noEnergyReason: text(report.no_energy_reason),
    app: appEnergy,
    coverage: text(coverage.text),
    methods: methodRows(report, app),
    processes: processRows(ofApp(rows(report.processes))),
    components: componentRows(rows((app && rows(app.components).length > 0 ? app : report).components)),
    missing: (Array.isArray(coverage.missing) ? coverage.missing : []).map(missingName).filter((name) => name !== undefined),
    tests: rows(report.tests).map((row) => ({
      name: text(row.name) ?? "",
      iteration: number(row.iteration) ?? 0,
      outcome: text(row.outcome) ?? "unknown",
      seconds: number(row.duration_s),
      app: energyOf(row, "app_"),
      whole: energyOf(row),
    })),
    worstNote: text(quality.worst),
    lostEvents: number(quality.lost_events) ?? 0,
  };
}

const missingName = (value: unknown): string | undefined => {
  const name = text(value) ?? text((value as Row | null)?.name);
  return name === undefined ? undefined : componentName(name);
};

/** The processes of the app that was asked for, else all. */
function ofApp(list: Row[]): Row[] {
  const own = list.filter((row) => row.in_app === true);
  return own.length > 0 ? own : list;
}

/** Methods where places in the code are known, else slices of the app's processes. */
function methodRows(report: Row, app: Row | undefined): MethodRow[] {
  const pids = new Set(rows(app?.processes).map((row) => row.pid));
  const found: MethodRow[] = [];
  for (const row of rows(report.methods)) {
    const total = energyOf(row, "total_");
    if (total) found.push({ name: text(row.name) ?? "", thread: undefined, self: energyOf(row, "self_"), total, calls: number(row.calls) });
  }
  if (found.length === 0) {
    for (const row of rows(report.slices)) {
      const total = energyOf(row, "total_");
      if (!total || (pids.size > 0 && !pids.has(row.pid))) continue;
      // Of samples there are no calls.
      const calls = row.samples === undefined ? number(row.calls) : undefined;
      found.push({ name: text(row.name) ?? "", thread: text(row.thread), self: energyOf(row, "self_"), total, calls });
    }
  }
  return found.sort((a, b) => most(a.self, b.self));
}

function processRows(list: Row[]): ProcessRow[] {
  const found: ProcessRow[] = [];
  for (const row of list) {
    const energy = energyOf(row);
    if (!energy) continue;
    const threads: ThreadRow[] = [];
    for (const thread of rows(row.threads)) {
      const energy = energyOf(thread);
      if (energy) threads.push({ name: text(thread.name) ?? "", tid: number(thread.tid), energy, cpuSeconds: number(thread.cpu_s) });
    }
    threads.sort((a, b) => most(a.energy, b.energy));
    found.push({ name: text(row.name) ?? "", pid: number(row.pid), energy, share: number(row.share), threads });
  }
  return found.sort((a, b) => most(a.energy, b.energy));
}

function componentRows(list: Row[]): ComponentRow[] {
  const found: ComponentRow[] = [];
  for (const row of list) {
    const energy = energyOf(row);
    if (energy) found.push({ name: componentName(text(row.name) ?? ""), energy, share: number(row.share) });
  }
  return found.sort((a, b) => most(a.energy, b.energy));
}

const COMPONENTS: Record<string, string> = {
  cpu: "CPU", gpu: "GPU", tpu: "TPU", wifi: "Wi-Fi", bluetooth: "Bluetooth", gnss: "GNSS", battery: "rest of the device",
};

/** The name of a component as reports write it. */
export function componentName(name: string): string {
  return COMPONENTS[name] ?? name;
}

/** Class and name of a method, without package: `FeedSync.refresh`. */
export function shortName(name: string): string {
  const open = name.indexOf("(");
  const path = open < 0 ? name : name.slice(0, open);
  const parts = path.split(".");
  const isMethod = parts.length > 2 && /^[\w.$<>-]+$/.test(path);
  return (isMethod ? parts.slice(-2).join(".") : path) + (open < 0 ? "" : name.slice(open));
}
