// Bars behind lines, as long as the line's share of the app's energy. They move no code.

import * as vscode from "vscode";

import type { LanguageServer } from "./languageServer";
import { barWidth, type LineEnergy } from "./lineEnergy";
import type { Project } from "./project";

/** The longest wait behind a change. */
const PAUSE = 300;

/** Draws the bars as long as the extension lives. */
export function showLineBars(project: Project, server: LanguageServer): vscode.Disposable {
  const bar = vscode.window.createTextEditorDecorationType({ rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed });
  const ruler = vscode.window.createTextEditorDecorationType({
    overviewRulerColor: new vscode.ThemeColor("charts.orange"),
    overviewRulerLane: vscode.OverviewRulerLane.Right,
  });
  let timer: NodeJS.Timeout | undefined;
  const draw = async (editor: vscode.TextEditor) => {
    const { document } = editor;
    const version = document.version;
    const isWanted = project.setting("lineBars", true) && document.uri.scheme === "file";
    const uri = document.uri.toString();
    const rows = isWanted ? await server.request<LineEnergy[]>("wattle/lines", { textDocument: { uri } }).catch(() => undefined) : undefined;
    // What was asked of an older text would be on wrong lines.
    if (document.version !== version) return;
    const least = project.setting("minimumShare", 0);
    const shown = (rows ?? []).filter((row) => row.line < document.lineCount && (row.share ?? 0) >= least && barWidth(row.share) !== undefined);
    editor.setDecorations(bar, shown.map((row) => barOf(document, row)));
    editor.setDecorations(ruler, shown.filter((row) => (row.share ?? 0) >= 0.1).map((row) => document.lineAt(row.line).range));
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => vscode.window.visibleTextEditors.forEach((editor) => void draw(editor)), PAUSE);
  };
  later();
  return vscode.Disposable.from(
    bar,
    ruler,
    { dispose: () => clearTimeout(timer) },
    server.onFigures(later),
    vscode.window.onDidChangeVisibleTextEditors(later),
    vscode.workspace.onDidChangeTextDocument(later),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("wattle") && later()),
  );
}

function barOf(document: vscode.TextDocument, row: LineEnergy): vscode.DecorationOptions {
  const start = document.lineAt(row.line).range.start;
  // What is not the code that ran is paler and dashed.
  const isOld = row.mark === "stale" || row.mark === "unverified";
  const style = `none; position: absolute; left: 0; top: 0; height: 100%; z-index: -1; pointer-events: none; opacity: ${isOld ? 0.16 : 0.3}; border-right: 2px ${isOld ? "dashed" : "solid"} currentColor; color: var(--vscode-charts-orange)`;
  return {
    range: new vscode.Range(start, start),
    renderOptions: {
      before: { contentText: "", width: barWidth(row.share) ?? "0", backgroundColor: new vscode.ThemeColor("charts.orange"), textDecoration: style },
    },
  };
}
