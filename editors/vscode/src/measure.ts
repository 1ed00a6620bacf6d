// Measuring: what to measure is asked step by step and kept as a setting; progress can be cancelled.

import * as vscode from "vscode";

import { argumentsOf, describeMeasurement, mappingOf, packageOf, type Measurement } from "./measurement";
import type { Project } from "./project";
import { firstProblem, type Ended } from "./program";
import { declaredTests } from "./testSources";

const SIMULATED = "pixel";

/** The measurement that was run last. */
let last: Measurement | undefined;

/** The entries of `wattle.configurations`. */
export function measurements(project: Project): Measurement[] {
  const entries = project.setting<unknown>("configurations", []);
  return Array.isArray(entries) ? entries.filter((entry): entry is Measurement => typeof (entry as Measurement | null)?.name === "string") : [];
}

/** Asks what to measure, and measures it. */
export async function measure(project: Project): Promise<void> {
  const known = measurements(project).map((measurement) => ({ label: `$(play) ${measurement.name}`, description: describeMeasurement(measurement), measurement, make: undefined }));
  const ways = [
    { label: "$(device-mobile) App on a device…", description: "APK, tests, device, model", measurement: undefined, make: askApp },
    { label: "$(file) Recorded trace…", description: "a trace or recording that you have", measurement: undefined, make: askRecording },
    { label: "$(beaker) Demo", description: "a simulated phone with a wasteful app", measurement: undefined, make: async () => ({ name: "Demo", measures: "demo" }) as Measurement },
  ];
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator, description: "", measurement: undefined, make: undefined };
  const choice = await vscode.window.showQuickPick([...known, ...(known.length > 0 ? [separator] : []), ...ways], { ignoreFocusOut: true, title: "Measure Energy", placeHolder: "What is measured" });
  const made = choice?.make ? await choice.make(project) : choice?.measurement;
  if (!made) return;
  if (choice?.make && made.measures !== "demo") await keep(project, made);
  await run(project, made);
}

/** Measures the same again. */
export async function measureAgain(project: Project): Promise<void> {
  await (last ? run(project, last) : measure(project));
}

/** Writes a measurement into the settings of the folder. */
async function keep(project: Project, measurement: Measurement): Promise<void> {
  const others = measurements(project).filter((other) => other.name !== measurement.name);
  const configuration = vscode.workspace.getConfiguration("wattle", project.folder ?? null);
  await configuration.update("configurations", [...others, measurement], vscode.ConfigurationTarget.Workspace);
}

/** Runs a measurement with progress that can be cancelled; how it ended, and undefined if it was cancelled or did not start. */
export async function run(project: Project, measurement: Measurement, outside?: vscode.CancellationToken): Promise<Ended | undefined> {
  let parameters: string[];
  try {
    parameters = argumentsOf(measurement);
  } catch (error) {
    void vscode.window.showErrorMessage(`Wattle: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  last = measurement;
  const progress = { location: vscode.ProgressLocation.Notification, title: `Wattle: ${measurement.name}`, cancellable: true };
  const ended = await vscode.window.withProgress(progress, async (report, token) => {
    try {
      return await project.command(parameters, {
        onLine: (line) => report.report({ message: line.trim().slice(0, 200) }),
        onStart: (interrupt) => {
          token.onCancellationRequested(interrupt);
          outside?.onCancellationRequested(interrupt);
        },
      });
    } catch (error) {
      return { code: undefined, output: "", messages: error instanceof Error ? error.message : String(error) };
    }
  });
  project.log.append(ended.output.length > 20_000 ? `${ended.output.slice(0, 20_000)}\n…\n` : ended.output);
  await project.show(undefined);
  say(project, measurement, ended);
  return ended.code === 130 ? undefined : ended;
}

function say(project: Project, { name }: Measurement, ended: Ended): void {
  const kept = /^kept as (run:\d+): (.*?)(?: \(wattle history.*)?$/m.exec(`${ended.output}\n${ended.messages}`) ?? /^already kept as (run:\d+)(.*)$/m.exec(`${ended.output}\n${ended.messages}`);
  const show = (text: string, warns: boolean, actions: string[]) => {
    const shown = warns ? vscode.window.showWarningMessage(text, ...actions) : vscode.window.showInformationMessage(text, ...actions);
    void shown.then((action) => {
      if (action === "Flame Graph") void vscode.commands.executeCommand("wattle.openFlameGraph");
      if (action === "Show Output") project.log.show(true);
    });
  };
  if (ended.code === 0) show(`Wattle: ${name} is done${kept ? `: ${kept[0]}` : ""}`, false, ["Flame Graph", "Show Output"]);
  else if (ended.code === 130) show(`Wattle: ${name} was cancelled; the device has been restored`, false, []);
  else if (ended.code === 1 && kept) show(`Wattle: ${name} failed, and was kept as ${kept[1]}: ${firstProblem(ended)}`, true, ["Flame Graph", "Show Output"]);
  else show(`Wattle: ${name}: ${firstProblem(ended)}`, true, ["Show Output"]);
}

const relative = (uri: vscode.Uri) => vscode.workspace.asRelativePath(uri, false);

async function askApp(project: Project): Promise<Measurement | undefined> {
  const built = await vscode.workspace.findFiles("**/build/outputs/apk/**/*.apk", "**/node_modules/**", 200);
  const packages = built.map(relative).map((path) => ({ path, facts: packageOf(path) }));
  const apps = packages.filter(({ facts }) => facts && !facts.isTest);
  const choose = { label: "$(folder-opened) Choose a file…", description: "", path: undefined as string | undefined };
  const module = await vscode.window.showQuickPick(
    [...apps.map(({ path, facts }) => ({ label: `${facts!.module} · ${facts!.variant}`, description: path, path: path as string | undefined })), choose],
    { ignoreFocusOut: true, title: "Measure Energy (1/4): Module", placeHolder: apps.length > 0 ? "The app's package" : "No package was built yet (gradle assembleDebug); choose one" },
  );
  if (!module) return undefined;
  const apk = module.path ?? (await askFiles("Choose the App's Package", { "Android packages": ["apk", "apks", "xapk", "apkm"] }, false))?.[0];
  if (!apk) return undefined;
  const ofModule = packageOf(apk);
  const testApk = packages.find(({ facts }) => facts?.isTest && facts.module === ofModule?.module && facts.variant === ofModule?.variant)?.path;
  const tests = await askTests(testApk);
  if (!tests) return undefined;
  const device = await askDevice(project);
  if (!device) return undefined;
  const model = await askModel();
  if (!model) return undefined;
  const mapping = mappingOf(apk);
  const hasMapping = mapping !== undefined && project.folder !== undefined && (await exists(vscode.Uri.joinPath(project.folder, mapping)));
  const name = `${ofModule && ofModule.module !== "." ? ofModule.module : apk.split("/").pop()!.replace(/\.apk$/, "")}${tests.testApk ? " tests" : ""}${device.simulate ? " (simulated)" : ""}`;
  return { name, measures: "app", apk, ...tests, ...device, ...model, ...(hasMapping ? { mapping } : {}) };
}

async function exists(file: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(file).then(() => true, () => false);
}

async function askTests(testApk: string | undefined): Promise<Pick<Measurement, "testApk" | "tests" | "duration"> | undefined> {
  const all = { label: "All tests", description: testApk ?? "", way: "all" };
  const some = { label: "Some tests…", description: testApk ?? "", way: "some" };
  const other = { label: "Tests of another package…", description: "", way: "other" };
  const none = { label: "No tests: start the app", description: "and record 10 s", way: "none" };
  const choice = await vscode.window.showQuickPick(testApk ? [all, some, none, other] : [none, other], { ignoreFocusOut: true, title: "Measure Energy (2/4): Tests", placeHolder: "What runs while energy is recorded" });
  switch (choice?.way) {
    case "all":
      return { testApk: testApk! };
    case "none":
      return { duration: 10 };
    case "other": {
      const file = (await askFiles("Choose the Package of the Tests", { "Android packages": ["apk"] }, false))?.[0];
      return file ? { testApk: file } : undefined;
    }
    case "some": {
      const files = await vscode.workspace.findFiles("**/src/androidTest/**/*.{kt,java}", "**/build/**", 2000);
      const found: string[] = [];
      for (const file of files) {
        const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
        found.push(...declaredTests(text).map((test) => `${test.className}#${test.method}`));
      }
      const tests = await vscode.window.showQuickPick(found.sort().map((label) => ({ label })), { ignoreFocusOut: true, title: "Measure Energy (2/4): Tests", canPickMany: true, placeHolder: found.length > 0 ? "Tests to run" : "No @Test was found below src/androidTest" });
      return tests && tests.length > 0 ? { testApk: testApk!, tests: tests.map(({ label }) => label) } : undefined;
    }
    default:
      return undefined;
  }
}

async function askDevice(project: Project): Promise<Pick<Measurement, "device" | "simulate"> | undefined> {
  let attached: Record<string, unknown>[] = [];
  let problem = "";
  try {
    const list = JSON.parse(await project.output(["devices", "--json=-", "--quiet"])) as { devices?: Record<string, unknown>[] };
    attached = list.devices ?? [];
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const items = attached.map((device) => ({ label: `$(device-mobile) ${String(device.model ?? device.serial)}`, description: String(device.serial ?? ""), value: { device: String(device.serial ?? "") } as Pick<Measurement, "device" | "simulate"> }));
  const simulated = { label: "$(beaker) Simulated phone", description: "its figures are of no real device", value: { simulate: SIMULATED } };
  const first = { label: "$(plug) The device that is attached then", description: problem || (attached.length === 0 ? "none is attached now" : ""), value: {} };
  return (await vscode.window.showQuickPick([...items, first, simulated], { ignoreFocusOut: true, title: "Measure Energy (3/4): Device", placeHolder: "Where the app runs" }))?.value;
}

async function askModel(): Promise<Pick<Measurement, "model" | "deviceModel"> | undefined> {
  const model = (label: string, description: string, name: string | undefined) => ({ label, description, value: (name ? { model: name } : {}) as Pick<Measurement, "model" | "deviceModel">, asks: false });
  const items = [
    model("Automatic", "power rails where the device has them, else the best model", undefined),
    model("Power rails", "measured rails only", "rails"),
    model("Curves", "state curves of the SoC", "curves"),
    model("Power profile", "the device's power_profile.xml", "profile"),
    { label: "A file…", description: "a device model (TOML) or power_profile.xml", value: {}, asks: true },
  ];
  const choice = await vscode.window.showQuickPick(items, { ignoreFocusOut: true, title: "Measure Energy (4/4): Power Model", placeHolder: "Source of power figures" });
  if (!choice?.asks) return choice?.value;
  const file = (await askFiles("Choose a Device Model", { "Device models": ["toml", "xml", "apk"] }, false))?.[0];
  return file ? { deviceModel: file } : undefined;
}

async function askRecording(project: Project): Promise<Measurement | undefined> {
  const found = await vscode.workspace.findFiles("**/*.{pftrace,perfetto-trace,perfetto-trace.gz,pftrace.gz}", "**/node_modules/**", 100);
  const choose = { label: "$(folder-opened) Choose files…", description: "", path: undefined as string | undefined };
  const picked = await vscode.window.showQuickPick([...found.map(relative).sort().map((path) => ({ label: `$(file) ${path}`, description: "", path: path as string | undefined })), choose], { ignoreFocusOut: true, title: "Measure Energy (1/3): Recording", placeHolder: "A trace, or all files of one recording" });
  if (!picked) return undefined;
  const files = picked.path ? [picked.path] : await askFiles("Choose the Files of One Recording", {}, true);
  if (!files || files.length === 0) return undefined;
  const { asked, built } = await project.appOfProject();
  const app = await vscode.window.showInputBox({ ignoreFocusOut: true, title: "Measure Energy (2/3): App", prompt: "Package name of the app in the recording; empty for the whole device", value: asked ?? built[0] ?? "" });
  if (app === undefined) return undefined;
  const model = await askModel();
  if (!model) return undefined;
  return { name: files[0]!.split("/").pop()!, measures: "recording", files, ...(app ? { app } : {}), ...model };
}

async function askFiles(title: string, filters: Record<string, string[]>, many: boolean): Promise<string[] | undefined> {
  const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showOpenDialog({ title, canSelectMany: many, filters: { ...filters, "All files": ["*"] }, ...(defaultUri ? { defaultUri } : {}) });
  return chosen?.map(relative);
}

/** The measurements as tasks. */
export function provideTasks(project: Project): vscode.Disposable {
  const task = (definition: vscode.TaskDefinition, measurement: Measurement): vscode.Task | undefined => {
    const [program, folder] = [project.program, project.folder];
    if (!program || !folder) return undefined;
    let parameters: string[];
    try {
      parameters = argumentsOf(measurement);
    } catch {
      return undefined;
    }
    const execution = new vscode.ProcessExecution(program, parameters, { cwd: folder.fsPath, env: project.environment });
    return new vscode.Task(definition, vscode.workspace.workspaceFolders![0]!, measurement.name, "wattle", execution, []);
  };
  const isTask = (found: vscode.Task | undefined): found is vscode.Task => found !== undefined;
  return vscode.Disposable.from(
    vscode.tasks.registerTaskProvider("wattle", {
      provideTasks: () => measurements(project).map((measurement) => task({ type: "wattle", configuration: measurement.name }, measurement)).filter(isTask),
      resolveTask: (given) => {
        const measurement = measurements(project).find(({ name }) => name === given.definition.configuration);
        return measurement && task(given.definition, measurement);
      },
    }),
    vscode.tasks.onDidEndTaskProcess(({ execution }) => {
      if (execution.task.definition.type === "wattle") void project.show(undefined);
    }),
  );
}

