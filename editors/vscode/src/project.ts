// The open project: its program, the runs of its app, and the report of the run that is shown.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";

import { findProgram, firstProblem, runProgram, type Ended, type RunOptions } from "./program";
import { parseReport, type Report } from "./reportRows";
import { applicationIds, appOfConfiguration, chooseApp, codeState, parseRuns, storeFolder, type CodeState, type Run } from "./runList";
import { StoreWatch } from "./storeWatch";

/** The most runs that are listed. */
const MOST_RUNS = 500;
/** Runs that are looked at for tests, newest first. */
const MOST_LOOKED_AT = 8;
/** Reports that are kept in memory. */
const MOST_REPORTS = 4;

/** What is known of the project. */
export type ProjectState =
  | { kind: "noFolder" | "loading" | "noProgram" | "noRuns" }
  | { kind: "failed"; problem: string }
  | { kind: "otherApp"; app: string; others: string[] }
  | { kind: "ready"; app: string | undefined; runs: Run[]; run: Run; report: Report; code: CodeState; tests: TestsOfRun | undefined };

/** The newest run with tests, which may be older than the one that is shown. */
export interface TestsOfRun {
  run: Run;
  report: Report;
}

/** The open project. */
export class Project implements vscode.Disposable {
  state: ProjectState = { kind: "loading" };
  readonly log = vscode.window.createOutputChannel("Wattle");
  private readonly changed = new vscode.EventEmitter<ProjectState>();
  readonly onChange = this.changed.event;
  private readonly reports = new Map<string, Report>();
  /** Runs of which it is known that no test ran in them. */
  private readonly withoutTests = new Set<string>();
  private chosen: string | undefined;
  private chosenApp: string | undefined;
  private loads = 0;
  private latest: Promise<void> = Promise.resolve();
  /** Runs are kept by commands in terminals, too. */
  private readonly watch = new StoreWatch(() => void this.load());

  constructor(private readonly context: vscode.ExtensionContext) {}

  dispose(): void {
    this.watch.dispose();
    this.changed.dispose();
    this.log.dispose();
  }

  get folder(): vscode.Uri | undefined {
    return vscode.workspace.workspaceFolders?.[0]?.uri;
  }

  setting<T>(name: string, otherwise: T): T {
    return vscode.workspace.getConfiguration("wattle", this.folder ?? null).get<T>(name) ?? otherwise;
  }

  get program(): string | undefined {
    return findProgram(this.setting("program", ""), process.env.PATH ?? "", this.folder?.fsPath);
  }

  /** Variables of commands: the history, where a setting names one. */
  get environment(): Record<string, string> {
    const store = this.setting("store", "");
    return store === "" ? {} : { WATTLE_STORE: store };
  }

  /** Where pages are written. */
  async pages(): Promise<string> {
    const folder = vscode.Uri.joinPath(this.context.storageUri ?? this.context.globalStorageUri, "pages");
    await vscode.workspace.fs.createDirectory(folder);
    return folder.fsPath;
  }

  /** Runs a command of the program in the project's folder. */
  async command(parameters: string[], options: Omit<RunOptions, "folder" | "environment"> = {}): Promise<Ended> {
    const [program, folder] = [this.program, this.folder];
    if (!program) throw new Error("the program wattle was not found (setting wattle.program, else the PATH)");
    if (!folder) throw new Error("no folder is open");
    this.log.appendLine(`$ wattle ${parameters.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word))).join(" ")}`);
    const started = Date.now();
    const ended = await runProgram(program, parameters, {
      folder: folder.fsPath,
      environment: this.environment,
      ...options,
      onLine: (line) => {
        this.log.appendLine(line);
        options.onLine?.(line);
      },
    });
    this.log.appendLine(`  ended with ${ended.code ?? "a signal"} after ${((Date.now() - started) / 1000).toFixed(1)} s`);
    return ended;
  }

  /** The output of a command that has to succeed. */
  async output(parameters: string[]): Promise<string> {
    const ended = await this.command(parameters);
    if (ended.code !== 0) throw new Error(firstProblem(ended));
    return ended.output;
  }

  /** Shows another run; the newest one without a name. */
  async show(run: string | undefined): Promise<void> {
    this.chosen = run;
    await this.load();
  }

  async showApp(app: string | undefined): Promise<void> {
    this.chosenApp = app;
    this.chosen = undefined;
    await this.load();
  }

  /** Reads the runs and the report again. What waits for it finds the state as it is then, also if another load began meanwhile. */
  load(): Promise<void> {
    this.latest = this.loadOnce(++this.loads);
    return this.latest;
  }

  private async loadOnce(load: number): Promise<void> {
    if (this.state.kind !== "ready") this.become({ kind: "loading" });
    let state: ProjectState;
    try {
      state = await this.read();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.log.appendLine(`error: ${problem}`);
      state = { kind: "failed", problem };
    }
    // A later load knows more.
    if (load === this.loads) this.become(state);
    else await this.latest;
  }

  private become(state: ProjectState): void {
    this.state = state;
    void vscode.commands.executeCommand("setContext", "wattle.state", state.kind);
    this.changed.fire(state);
  }

  /** The app whose runs are asked for, by what the project says. */
  async appOfProject(): Promise<{ asked: string | undefined; built: string[] }> {
    const folder = this.folder;
    const setting = this.chosenApp ?? this.setting("app", "");
    if (setting !== "") return { asked: setting, built: [] };
    const toml = folder && (await readFile(join(folder.fsPath, "wattle.toml"), "utf8").catch(() => ""));
    const ofFile = toml ? appOfConfiguration(toml) : undefined;
    if (ofFile) return { asked: ofFile, built: [] };
    const builds = await vscode.workspace.findFiles("**/build.{gradle,gradle.kts}", "**/{node_modules,build}/**", 100);
    const texts = await Promise.all(builds.map((file) => readFile(file.fsPath, "utf8").catch(() => "")));
    return { asked: undefined, built: texts.flatMap(applicationIds) };
  }

  private async read(): Promise<ProjectState> {
    if (!this.folder) return { kind: "noFolder" };
    if (!this.program) return { kind: "noProgram" };
    const { asked, built } = await this.appOfProject();
    const list = await this.output(["runs", `--last=${MOST_RUNS}`, "--json=-"]);
    let all = parseRuns(list);
    this.watch.follow(storeFolder(list));
    if (all.length === 0) return { kind: "noRuns" };
    const { app, has } = chooseApp(all, asked, built);
    if (!has && app !== undefined) {
      // It may be older than the latest runs of all apps.
      const older = parseRuns(await this.output(["runs", app, `--last=${MOST_RUNS}`, "--json=-"]));
      if (older.length === 0) {
        const others = [...new Set(all.map((run) => run.app ?? "unknown app"))];
        return { kind: "otherApp", app, others };
      }
      all = older;
    }
    const part = (setting: string, text: string | undefined) => {
      const wanted = this.setting(setting, "").toLowerCase();
      return wanted === "" || (text ?? "").toLowerCase().includes(wanted);
    };
    const ofApp = all.filter((run) => run.app === app);
    const runs = ofApp.filter((run) => part("device", run.device) && part("scenario", run.scenario));
    const run = runs.find((run) => run.name === this.chosen) ?? runs.find((run) => run.outcome !== "failed") ?? runs[0];
    if (!run) throw new Error(`none of the ${ofApp.length} runs of ${app} fits the settings wattle.device and wattle.scenario`);
    const report = await this.report(run);
    return { kind: "ready", app, runs, run, report, code: codeState(run, await this.changedFiles(run)), tests: await this.tests(runs, run, report) };
  }

  private async tests(runs: Run[], run: Run, report: Report): Promise<TestsOfRun | undefined> {
    if (report.tests.length > 0) return { run, report };
    // Any scenario of this app: the newest run may be another one than the tests'.
    for (const other of runs.filter((other) => other !== run).slice(0, MOST_LOOKED_AT)) {
      if (this.withoutTests.has(this.keyOf(other))) continue;
      const report = await this.report(other).catch(() => undefined);
      if (report && report.tests.length > 0) return { run: other, report };
      this.withoutTests.add(this.keyOf(other));
      this.reports.delete(this.keyOf(other));
    }
    return undefined;
  }

  private keyOf(run: Run): string {
    return `${this.environment.WATTLE_STORE ?? ""} ${run.name} ${run.time}`;
  }

  /** The report of a run. A run does not change once it is kept. */
  async report(run: Run): Promise<Report> {
    const key = this.keyOf(run);
    const known = this.reports.get(key);
    if (known) return known;
    const app = run.app === undefined ? [] : [`--app=${run.app}`];
    const report = parseReport(await this.output(["report", run.name, ...app, "--json=-", "--quiet"]));
    this.reports.set(key, report);
    for (const old of [...this.reports.keys()].slice(0, -MOST_REPORTS)) this.reports.delete(old);
    return report;
  }

  /** How many files differ from the run's commit now; undefined where git does not have it. */
  private changedFiles(run: Run): Promise<number | undefined> {
    const folder = this.folder;
    const commit = run.commit;
    if (!folder || commit === undefined || !/^[0-9a-f]{4,64}$/i.test(commit)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      execFile("git", ["-C", folder.fsPath, "diff", "--name-only", "-z", commit, "--", "."], { maxBuffer: 64 << 20 }, (error, output) => {
        resolve(error ? undefined : output.split("\0").filter((name) => name !== "").length);
      });
    });
  }
}
