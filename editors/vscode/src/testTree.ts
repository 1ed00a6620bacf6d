// The tests of the project in the editor's Test Explorer, with the energy that the app spent in each.

import * as vscode from "vscode";

import { energy } from "./energyText";
import { measurements, run } from "./measure";
import type { Measurement } from "./measurement";
import type { Project } from "./project";
import { firstProblem } from "./program";
import { shortName } from "./reportRows";
import { describeRun, type Run } from "./runList";
import { testFigure, testRuns, type TestEnergy } from "./testEnergies";
import { declaredTests } from "./testSources";

const SOURCES = "**/src/androidTest/**/*.{kt,java}";

/** Shows the tests as long as the extension lives. */
export function showTests(project: Project): vscode.Disposable {
  const controller = vscode.tests.createTestController("wattle", "Energy of tests (Wattle)");
  const tree = new TestTree(controller, project);
  controller.createRunProfile("Measure energy", vscode.TestRunProfileKind.Run, (request, token) => tree.measure(request, token), true);
  controller.refreshHandler = () => tree.update();
  const watcher = vscode.workspace.createFileSystemWatcher(SOURCES);
  const later = () => void tree.update();
  later();
  return vscode.Disposable.from(controller, watcher, watcher.onDidChange(later), watcher.onDidCreate(later), watcher.onDidDelete(later), project.onChange(later));
}

class TestTree {
  private updates = 0;

  constructor(private readonly controller: vscode.TestController, private readonly project: Project) {}

  /** Tests of the sources, and of the newest run that has any. */
  async update(): Promise<void> {
    const update = ++this.updates;
    const places = await declaredPlaces();
    if (update !== this.updates) return;
    const { state } = this.project;
    const known = state.kind === "ready" ? state.tests : undefined;
    const figures = known ? testRuns(known.report.tests) : new Map<string, TestEnergy>();
    const classes = new Map<string, vscode.TestItem>();
    for (const name of [...new Set([...figures.keys(), ...places.keys()])].sort()) {
      const [className, method] = name.split("#") as [string, string | undefined];
      const place = places.get(name);
      let parent = classes.get(className);
      if (!parent) {
        parent = this.controller.createTestItem(className, shortClass(className), place?.uri);
        parent.description = className;
        classes.set(className, parent);
      }
      const item = this.controller.createTestItem(name, method ?? className, place?.uri);
      if (place) item.range = place.range;
      const figure = figures.get(name);
      if (state.kind !== "loading") item.description = figure && known && state.kind === "ready" ? describe(figure, known.run, state.run) : "no energy measured yet";
      item.sortText = figure?.app ? String(1e12 - Math.round(figure.app.joules * 1e6)).padStart(14, "0") : `~${name}`;
      parent.children.add(item);
    }
    this.controller.items.replace([...classes.values()]);
  }

  /** Runs the tests of a request on a device, and shows their joules. */
  async measure(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const items = this.leaves(request);
    const base = await this.choose();
    if (!base) return;
    const testRun = this.controller.createTestRun(request, "Energy of tests");
    items.forEach((item) => testRun.started(item));
    const names = request.include ? byClass(items.map((item) => item.id)) : base.tests;
    const measurement: Measurement = { ...base, ...(names ? { tests: names } : {}) };
    const before = this.newest();
    try {
      const ended = await run(this.project, measurement, token);
      const { state } = this.project;
      const kept = state.kind === "ready" && state.run.name !== before && state.tests?.run.name === state.run.name ? state.tests : undefined;
      const rows = kept ? testRuns(kept.report.tests) : new Map<string, TestEnergy>();
      for (const item of items) {
        const figure = rows.get(item.id);
        if (figure) finish(testRun, item, figure, kept!.run);
        else if (!ended) testRun.skipped(item);
        else testRun.errored(item, new vscode.TestMessage(ended.code === 0 ? "the run does not contain this test" : firstProblem(ended)));
      }
    } finally {
      testRun.end();
    }
  }

  private newest(): string | undefined {
    return this.project.state.kind === "ready" ? this.project.state.run.name : undefined;
  }

  private leaves(request: vscode.TestRunRequest): vscode.TestItem[] {
    const excluded = new Set(request.exclude?.map((item) => item.id));
    const all: vscode.TestItem[] = [];
    const add = (item: vscode.TestItem) => {
      if (excluded.has(item.id)) return;
      if (item.children.size === 0) all.push(item);
      else item.children.forEach(add);
    };
    if (request.include) request.include.forEach(add);
    else this.controller.items.forEach(add);
    return all;
  }

  /** The entry of `wattle.configurations` by which tests are run. */
  private async choose(): Promise<Measurement | undefined> {
    const withTests = measurements(this.project).filter(({ measures, testApk }) => measures === "app" && testApk);
    if (withTests.length === 0) {
      const action = await vscode.window.showInformationMessage("Wattle: say once which app and which tests are measured.", "Measure Energy…");
      if (action) await vscode.commands.executeCommand("wattle.measure");
      return undefined;
    }
    if (withTests.length === 1) return withTests[0];
    const items = withTests.map((measurement) => ({ label: measurement.name, description: measurement.testApk ?? "", measurement }));
    return (await vscode.window.showQuickPick(items, { ignoreFocusOut: true, title: "Measure the energy of tests by which configuration?" }))?.measurement;
  }
}

function describe(figure: TestEnergy, of: Run, shown: Run): string {
  const run = of === shown ? of.name : describeRun(of, Date.now());
  return `${testFigure(figure)} · ${run}`;
}

function finish(testRun: vscode.TestRun, item: vscode.TestItem, figure: TestEnergy, run: Run): void {
  const duration = figure.seconds === undefined ? undefined : figure.seconds * 1000;
  const whole = figure.whole ? `, everything in its time ${energy(figure.whole)}` : "";
  testRun.appendOutput(`${item.id}: ${testFigure(figure)}${whole} (${run.name})\r\n`, undefined, item);
  switch (figure.outcome) {
    case "passed":
      return testRun.passed(item, duration);
    case "skipped":
    case "not executed":
      return testRun.skipped(item);
    default:
      return testRun.failed(item, new vscode.TestMessage(`${figure.outcome} on the device`), duration);
  }
}

/** `Class#one,two` of the names of tests. */
function byClass(names: string[]): string[] {
  const classes = new Map<string, string[]>();
  for (const name of names) {
    const [className, method] = name.split("#") as [string, string | undefined];
    const methods = classes.get(className) ?? [];
    if (method !== undefined) methods.push(method);
    classes.set(className, methods);
  }
  return [...classes].map(([className, methods]) => (methods.length > 0 ? `${className}#${methods.join(",")}` : className));
}

const shortClass = (name: string) => name.split(".").pop() ?? shortName(name);

async function declaredPlaces(): Promise<Map<string, vscode.Location>> {
  const places = new Map<string, vscode.Location>();
  for (const file of await vscode.workspace.findFiles(SOURCES, "**/build/**", 2000)) {
    const bytes = await vscode.workspace.fs.readFile(file).then((bytes) => bytes, () => new Uint8Array());
    for (const test of declaredTests(new TextDecoder().decode(bytes))) {
      places.set(`${test.className}#${test.method}`, new vscode.Location(file, new vscode.Range(test.line, 0, test.line, 0)));
    }
  }
  return places;
}

