// The status bar: the latest run's energy with its interval, and whether the code changed since.

import * as vscode from "vscode";

import { energy } from "./energyText";
import type { Project, ProjectState } from "./project";
import { describeRun } from "./runList";

/** Shows the item as long as the extension lives. */
export function showStatus(project: Project): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("wattle.energy", vscode.StatusBarAlignment.Left, 10);
  item.name = "Wattle: energy of the latest run";
  item.command = "wattle.statusMenu";
  const update = () => {
    const { text, tooltip, warns } = statusText(project.state);
    item.text = text;
    item.tooltip = tooltip;
    item.backgroundColor = warns ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (project.state.kind === "noFolder") item.hide();
    else item.show();
  };
  update();
  return vscode.Disposable.from(item, project.onChange(update));
}

function statusText(state: ProjectState): { text: string; tooltip: string; warns: boolean } {
  switch (state.kind) {
    case "ready": {
      const figure = state.report.app ?? state.report.total;
      const mark = state.code.mark === "" ? "" : ` · ${state.code.mark}`;
      const energyText = figure ? energy(figure) : "no energy";
      const lines = [
        `${state.app ?? "app"}: ${figure ? `${energy(figure)} (90 % interval), ${figure.provenance}` : state.report.noEnergyReason ?? "no figures"}`,
        describeRun(state.run, Date.now()),
        state.code.explanation,
        state.report.coverage ? `The device's total ${state.report.coverage}.` : "",
      ];
      return { text: `$(flame) ${energyText}${mark}`, tooltip: lines.filter((line) => line).join("\n"), warns: false };
    }
    case "noProgram":
      return { text: "$(flame) wattle not found", tooltip: "The program wattle was not found on the PATH. Click to choose it.", warns: true };
    case "noRuns":
      return { text: "$(flame) no runs yet", tooltip: "No run has been kept yet. Click to measure.", warns: false };
    case "otherApp":
      return { text: "$(flame) no runs of this app", tooltip: `No run of ${state.app} has been kept. The history has runs of ${state.others.join(", ")}.`, warns: false };
    case "failed":
      return { text: "$(flame) runs unreadable", tooltip: state.problem, warns: true };
    default:
      return { text: "$(loading~spin) Wattle", tooltip: "Reading the latest run", warns: false };
  }
}
