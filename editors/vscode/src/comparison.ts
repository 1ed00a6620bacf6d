// Comparing the run that is shown with runs of a branch, or with another run.

import * as vscode from "vscode";

import { diffArguments, runsToCompare, verdictOf } from "./comparisonText";
import { count, energy } from "./energyText";
import type { Project } from "./project";
import type { ReportPages } from "./reportPage";
import { describeRun, type Run } from "./runList";

/** Asks for a branch and compares with its latest runs. */
export async function compareWithBranch(project: Project, pages: ReportPages): Promise<void> {
  const { state } = project;
  if (state.kind !== "ready") return void vscode.window.showInformationMessage("Wattle: there is no run to compare yet.");
  const { runs, run } = state;
  const branches = [...new Set(runs.map((other) => other.branch).filter((branch) => branch !== undefined))];
  const choices = branches.map((branch) => ({ branch, ...runsToCompare(runs, run, branch) })).filter(({ before }) => before.length > 0);
  if (choices.length === 0) {
    const known = branches.length === 0 ? "no run of the history has a branch" : `no branch has runs of another commit with the device and scenario of ${run.name}`;
    return void vscode.window.showInformationMessage(`Wattle: nothing to compare with: ${known}.`);
  }
  const items = choices.map(({ branch, before, after }) => ({
    label: branch,
    description: `${count(before.length, "run")} of ${before[0]!.commit?.slice(0, 8) ?? before[0]!.version ?? before[0]!.name} against ${count(after.length, "run")} of ${run.commit?.slice(0, 8) ?? run.name}`,
    before,
    after,
  }));
  const choice = await vscode.window.showQuickPick(items, { ignoreFocusOut: true, title: `Compare ${run.name} with a Branch`, placeHolder: "Branch of the baseline: the runs of its newest commit" });
  if (choice) await compare(project, pages, choice.before, choice.after);
}

/** Asks for a run and compares with it. */
export async function compareWithRun(project: Project, pages: ReportPages): Promise<void> {
  const { state } = project;
  if (state.kind !== "ready") return void vscode.window.showInformationMessage("Wattle: there is no run to compare yet.");
  const others = state.runs.filter((run) => run !== state.run);
  const items = others.map((run) => ({ label: run.name, description: runFigure(run), detail: describeRun(run, Date.now()), run }));
  if (items.length === 0) return void vscode.window.showInformationMessage("Wattle: the history has no other run of this app.");
  const choice = await vscode.window.showQuickPick(items, { ignoreFocusOut: true, title: `Compare ${state.run.name} with a Run`, matchOnDescription: true, matchOnDetail: true });
  if (choice) await compare(project, pages, [choice.run], [state.run]);
}

/** Compares runs: the verdict as a message, the page for one run each, the tables for several. */
export async function compare(project: Project, pages: ReportPages, before: Run[], after: Run[]): Promise<void> {
  const parameters = diffArguments(before, after, after[0]?.app);
  const names = (runs: Run[]) => runs.map((run) => run.name).join(", ");
  const title = `${names(before)} → ${names(after)}`;
  if (before.length === 1 && after.length === 1) {
    const output = await pages.open(title, `Comparison ${title}`, parameters, {});
    if (output) void vscode.window.showInformationMessage(`Wattle: ${verdictOf(output)} (one run each: how these runs differ, not how the builds do)`);
    return;
  }
  const output = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: `Wattle: comparing ${title}` }, () => project.output(parameters));
  const document = await vscode.workspace.openTextDocument({ language: "plaintext", content: output });
  await vscode.window.showTextDocument(document, { preview: true });
  void vscode.window.showInformationMessage(`Wattle: ${verdictOf(output)}`);
}

/** `19.2 J (14.8 J – 25.1 J)`: the app's energy of a run, else the device's. */
export function runFigure(run: Run): string {
  if (run.appEnergy) return energy(run.appEnergy);
  return run.total ? `device ${energy(run.total)}` : "no energy";
}
