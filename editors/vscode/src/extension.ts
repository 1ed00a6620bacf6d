// The extension: what it shows, and its commands.

import * as vscode from "vscode";

import { goToCode } from "./codePlaces";
import { compare, compareWithBranch, compareWithRun, runFigure } from "./comparison";
import { showTrees, type Node } from "./energyTrees";
import { LanguageServer } from "./languageServer";
import { showLineBars } from "./lineBars";
import { measure, measureAgain, provideTasks, run } from "./measure";
import type { PageSelection } from "./pageHtml";
import { Project } from "./project";
import { ReportPages } from "./reportPage";
import { describeRun } from "./runList";
import { showStatus } from "./statusBar";
import { showTests } from "./testTree";

/** Called by the editor when a project of the kind is opened. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const project = new Project(context);
  const pages = new ReportPages(project);
  const server = new LanguageServer(project, ({ run, method }) => openPage(project, pages, run, method ? { mode: "sandwich", frame: method } : {}));
  context.subscriptions.push(project, pages, server, showTrees(project), showStatus(project), showTests(project), showLineBars(project, server), provideTasks(project));
  const command = (name: string, action: (...parameters: never[]) => unknown) => {
    context.subscriptions.push(
      vscode.commands.registerCommand(`wattle.${name}`, async (...parameters: never[]) => {
        try {
          await action(...parameters);
        } catch (error) {
          const action = await vscode.window.showErrorMessage(`Wattle: ${error instanceof Error ? error.message : String(error)}`, "Show Output");
          if (action) project.log.show(true);
        }
      }),
    );
  };
  command("measure", () => measure(project));
  command("measureAgain", () => measureAgain(project));
  command("demo", () => run(project, { name: "Demo", measures: "demo" }));
  command("openFlameGraph", () => openShown(project, pages, { view: "flame" }));
  command("openTimeline", () => openShown(project, pages, { view: "tracks" }));
  command("openMethodInReport", (node: Node) => openShown(project, pages, node.method ? { view: "flame", mode: "sandwich", frame: node.method } : {}));
  command("compareWithBranch", () => compareWithBranch(project, pages));
  command("compareWithRun", () => compareWithRun(project, pages));
  command("compareRuns", (before: string, after: string) => {
    const runs = project.state.kind === "ready" ? project.state.runs : [];
    const both = [before, after].map((name) => runs.filter((run) => run.name === name));
    if (both.some((found) => found.length === 0)) throw new Error(`${before} and ${after} are not both among the runs that are listed`);
    return compare(project, pages, both[0]!, both[1]!);
  });
  command("chooseRun", () => chooseRun(project));
  command("chooseApp", () => chooseApp(project));
  command("chooseProgram", () => chooseProgram(project));
  command("reload", () => project.load());
  command("goToCode", (node: Node) => (node.method ? goToCode(server, node.method) : undefined));
  command("goToCodeOfPage", () => (pages.method ? goToCode(server, pages.method) : undefined));
  command("showLog", () => project.log.show(true));
  command("statusMenu", () => statusMenu(project));
  context.subscriptions.push(
    project.onChange((state) => state.kind === "loading" || void server.update()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration("wattle")) return;
      void server.configure();
      if (["program", "app", "store", "device", "scenario"].some((name) => event.affectsConfiguration(`wattle.${name}`))) void project.load();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void project.load()),
    // Commits, branches and edits change whether the run's code is this code.
    vscode.workspace.onDidSaveTextDocument(() => reloadLater(project)),
    vscode.window.onDidChangeWindowState(({ focused }) => focused && reloadLater(project)),
  );
  await project.load();
}

let timer: NodeJS.Timeout | undefined;

function reloadLater(project: Project): void {
  clearTimeout(timer);
  timer = setTimeout(() => void project.load(), 1000);
}

export function deactivate(): void {
  clearTimeout(timer);
}

async function openShown(project: Project, pages: ReportPages, selection: PageSelection): Promise<void> {
  const { state } = project;
  if (state.kind !== "ready") {
    void vscode.window.showInformationMessage("Wattle: there is no run to show yet.");
    return;
  }
  await pages.openRun(state.run.name, state.app, selection);
}

async function openPage(project: Project, pages: ReportPages, name: string, selection: PageSelection): Promise<void> {
  const app = project.state.kind === "ready" ? project.state.app : undefined;
  await pages.openRun(name, app, selection).catch((error: unknown) => vscode.window.showErrorMessage(`Wattle: ${error instanceof Error ? error.message : String(error)}`));
}

async function chooseRun(project: Project): Promise<void> {
  const { state } = project;
  if (state.kind !== "ready") return;
  const items = state.runs.map((run, at) => ({
    label: run === state.run ? `$(check) ${run.name}` : run.name,
    description: runFigure(run),
    detail: [describeRun(run, Date.now()), run.branch, run.commit?.slice(0, 8)].filter((text) => text).join(" · "),
    // Newer runs are shown when they come, unless an older one was chosen.
    name: at === 0 ? undefined : run.name,
  }));
  const choice = await vscode.window.showQuickPick(items, { ignoreFocusOut: true, title: "Choose the Run that Is Shown", matchOnDescription: true, matchOnDetail: true });
  if (choice) await project.show(choice.name);
}

async function chooseApp(project: Project): Promise<void> {
  const { state } = project;
  const others = state.kind === "otherApp" ? state.others : state.kind === "ready" && state.app ? [state.app] : [];
  const choice = await vscode.window.showQuickPick([{ label: "As the project says", app: undefined as string | undefined }, ...others.map((label) => ({ label, app: label as string | undefined }))], { ignoreFocusOut: true, title: "Choose the App whose Runs Are Shown" });
  if (choice) await project.showApp(choice.app);
}

async function chooseProgram(project: Project): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({ title: "Choose the Program wattle", canSelectMany: false });
  const file = chosen?.[0]?.fsPath;
  if (!file) return;
  await vscode.workspace.getConfiguration("wattle").update("program", file, vscode.ConfigurationTarget.Global);
  if (!project.program) throw new Error(`${file} is not a program`);
}

async function statusMenu(project: Project): Promise<void> {
  switch (project.state.kind) {
    case "noProgram":
      return void (await vscode.commands.executeCommand("wattle.chooseProgram"));
    case "noRuns":
      return void (await vscode.commands.executeCommand("wattle.measure"));
    case "ready":
      return void (await vscode.commands.executeCommand("wattle.openFlameGraph"));
    default:
      return void (await vscode.commands.executeCommand("wattle.methods.focus"));
  }
}
