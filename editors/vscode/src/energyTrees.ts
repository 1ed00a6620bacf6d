// The views: methods, threads and components of the run that is shown, most energy first.

import * as vscode from "vscode";

import { count, energy, joules, share, type Energy } from "./energyText";
import type { Project, ProjectState } from "./project";
import { shortName, type MethodRow } from "./reportRows";
import { describeRun } from "./runList";

/** The most methods that are listed; the others have less energy. */
const MOST_METHODS = 1000;

/** A line of a view. */
export interface Node {
  label: string;
  description: string;
  tooltip?: string;
  icon?: string;
  method?: string;
  /** What a click does, where it does not lead to a method's code. */
  command?: string;
  children?: Node[];
}

type Ready = Extract<ProjectState, { kind: "ready" }>;

/** Order of the methods. */
export type Sort = "self" | "total";

class EnergyTree implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly project: Project, private readonly rows: (state: Ready) => Node[], private readonly otherwise: (state: ProjectState) => Node[] = () => []) {}

  refresh(): void {
    this.changed.fire();
  }

  getChildren(node?: Node): Node[] {
    if (node) return node.children ?? [];
    return this.project.state.kind === "ready" ? this.rows(this.project.state) : this.otherwise(this.project.state);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, node.children?.length ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None);
    item.description = node.description;
    item.tooltip = node.tooltip ?? `${node.label}\n${node.description}`;
    if (node.icon) item.iconPath = new vscode.ThemeIcon(node.icon);
    if (node.method) {
      item.contextValue = "wattle.method";
      item.command = { command: "wattle.goToCode", title: "Go to Code", arguments: [node] };
    } else if (node.command) {
      item.command = { command: node.command, title: node.label };
    }
    return item;
  }
}

/** Shows the views as long as the extension lives. */
export function showTrees(project: Project): vscode.Disposable {
  let sort: Sort = "self";
  const trees = {
    "wattle.methods": new EnergyTree(project, (state) => methodNodes(state, sort), waysOut),
    "wattle.threads": new EnergyTree(project, threadNodes),
    "wattle.components": new EnergyTree(project, componentNodes),
  };
  const views = Object.entries(trees).map(([id, tree]) => ({ id, tree, view: vscode.window.createTreeView(id, { treeDataProvider: tree, showCollapseAll: false }) }));
  const update = () => {
    void vscode.commands.executeCommand("setContext", "wattle.sort", sort);
    for (const { id, tree, view } of views) {
      const { message, description } = heading(id, project.state);
      // `undefined` takes a message away; the type does not say so.
      (view as { message: string | undefined }).message = message;
      (view as { description: string | undefined }).description = id === "wattle.methods" && description ? `${description}, by ${sort} energy` : description;
      tree.refresh();
    }
  };
  const by = (order: Sort) => () => {
    sort = order;
    update();
  };
  update();
  return vscode.Disposable.from(
    ...views.map(({ view }) => view),
    project.onChange(update),
    vscode.commands.registerCommand("wattle.sortByTotal", by("total")),
    vscode.commands.registerCommand("wattle.sortBySelf", by("self")),
  );
}

/** What stands above the rows: which run, its energy, what it covers, and whether the code is the code that ran. */
function heading(view: string, state: ProjectState): { message: string | undefined; description: string | undefined } {
  if (state.kind === "failed" && view === "wattle.methods") return { message: `The runs cannot be read: ${state.problem}`, description: undefined };
  if (state.kind === "otherApp" && view === "wattle.methods") {
    return { message: `No run of ${state.app}, the project's app, has been kept. The history has runs of: ${state.others.slice(0, 5).join(", ")}${state.others.length > 5 ? " …" : ""}.`, description: undefined };
  }
  if (state.kind !== "ready") return { message: undefined, description: undefined };
  const { run, report, code, app } = state;
  const stale = code.mark === "" ? "" : ` ${code.mark[0]!.toUpperCase()}${code.mark.slice(1)}: ${code.explanation}.`;
  const quality = report.lostEvents > 0 ? ` ${count(report.lostEvents, "lost event")}.` : "";
  switch (view) {
    case "wattle.methods": {
      const figure = report.app ?? report.total;
      const whose = report.app ? app ?? "app" : "device";
      const answer = figure ? `${whose}: ${energy(figure)}, ${figure.provenance}.` : `No energy: ${report.noEnergyReason ?? "the run has no figures"}.`;
      const none = figure && report.methods.length === 0 ? " No methods are known: the app had no probes, and no stacks were sampled." : "";
      return { message: `${answer}${stale}${quality}${none} ${describeRun(run, Date.now())}.`, description: run.name };
    }
    case "wattle.components": {
      const missing = report.missing.length > 0 ? ` Not estimated, which is not 0 J: ${report.missing.join(", ")}.` : "";
      const whose = report.app ? "Of the app. " : "Of the device. ";
      return { message: report.coverage ? `${whose}The total ${report.coverage.split("; not estimated:")[0]}.${missing}` : undefined, description: run.name };
    }
    default:
      return { message: undefined, description: run.name };
  }
}

/** What to do where there are no rows; a view with a message shows no welcome. */
function waysOut({ kind }: ProjectState): Node[] {
  const way = (label: string, command: string, icon: string): Node => ({ label, description: "", command, icon });
  switch (kind) {
    case "failed":
      return [way("Show Output", "wattle.showLog", "output"), way("Read Runs Again", "wattle.reload", "refresh")];
    case "otherApp":
      return [way("Choose App…", "wattle.chooseApp", "package"), way("Measure Energy…", "wattle.measure", "play")];
    default:
      return [];
  }
}

const figure = (value: Energy, part: number | undefined) => [energy(value), share(part), value.provenance].filter((text) => text).join(" · ");

function methodNodes({ report }: Ready, sort: Sort): Node[] {
  const { methods } = report;
  const whole = (report.app ?? report.total)?.joules;
  const part = (value: Energy) => (whole !== undefined && whole > 0 ? share(value.joules / whole) : undefined);
  const key = (row: MethodRow) => (sort === "total" ? row.total.joules : row.self?.joules ?? -1);
  const sorted = [...methods].sort((a, b) => key(b) - key(a));
  const nodes = sorted.slice(0, MOST_METHODS).map((row): Node => {
    const first = sort === "total" ? row.total : row.self;
    const self = row.self ? energy(row.self) : "–";
    const description = [
      first ? energy(first) : "–",
      first && part(first),
      first?.provenance,
      row.thread,
    ].filter((text) => text).join(" · ");
    const calls = row.calls === undefined || row.calls === 0 ? "calls not counted (known from samples)" : `${count(row.calls, "call")}, ${joules(row.total.joules / row.calls)} each`;
    const tooltip = `${row.name}\nself ${self}\ntotal ${energy(row.total)}, ${row.total.provenance}${part(row.total) === undefined ? "" : `, ${part(row.total)} of the ${report.app ? "app" : "device"}`}\n${calls}${row.thread ? `\nthread ${row.thread}` : ""}`;
    return { label: shortName(row.name), description, tooltip, icon: "symbol-method", method: row.name };
  });
  const left = sorted.length - nodes.length;
  if (left > 0) nodes.push({ label: `${count(left, "further method")} with less energy`, description: "in the report", icon: "ellipsis" });
  return nodes;
}

function threadNodes({ report }: Ready): Node[] {
  return report.processes.map((process) => ({
    label: process.name,
    description: figure(process.energy, process.share),
    icon: "server-process",
    tooltip: `${process.name}${process.pid === undefined ? "" : `, pid ${process.pid}`}\n${figure(process.energy, process.share)}`,
    children: process.threads.map((thread) => ({
      label: thread.name,
      description: figure(thread.energy, undefined),
      icon: "list-tree",
      tooltip: `${thread.name}${thread.tid === undefined ? "" : `, tid ${thread.tid}`}\n${figure(thread.energy, undefined)}\nCPU time ${thread.cpuSeconds === undefined ? "not recorded" : `${thread.cpuSeconds.toFixed(3)} s`}`,
    })),
  }));
}

function componentNodes({ report }: Ready): Node[] {
  return report.components.map((row) => ({ label: row.name, description: figure(row.energy, row.share), icon: "circuit-board" }));
}
