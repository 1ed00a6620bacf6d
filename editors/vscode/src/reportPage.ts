// The report's page in a panel: flame graph, timeline, tables, and comparisons.

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";

import { pageWith, type PageSelection } from "./pageHtml";
import type { Project } from "./project";

/** The most bytes of a page. The program keeps them below 2 MB. */
const MOST_PAGE = 32 << 20;

/** The panels of pages, one a run or comparison. */
export class ReportPages implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  private numbers = 0;
  /** The method that is selected in the page in front. */
  method: string | undefined;

  constructor(private readonly project: Project) {}

  dispose(): void {
    for (const panel of this.panels.values()) panel.dispose();
  }

  /** Opens the page of a run at a selection. */
  async openRun(run: string, app: string | undefined, selection: PageSelection): Promise<void> {
    const parameters = ["report", run, ...(app ? [`--app=${app}`] : []), "--quiet"];
    await this.open(`${run}`, `Energy of ${run}`, parameters, selection);
  }

  /** Opens the page that a command of the program writes with `--html`; its output. */
  async open(key: string, title: string, parameters: string[], selection: PageSelection): Promise<string> {
    const known = this.panels.get(key);
    if (known) {
      known.reveal();
      await known.webview.postMessage({ select: selection });
      return "";
    }
    const progress = { location: vscode.ProgressLocation.Window, title: `Wattle: ${title}` };
    const file = join(await this.project.pages(), `page-${process.pid}-${++this.numbers}.html`);
    const { html, output } = await vscode.window.withProgress(progress, async () => {
      try {
        const output = await this.project.output([...parameters, `--html=${file}`]);
        const html = await readFile(file, "utf8");
        if (html.length > MOST_PAGE) throw new Error(`the page has ${html.length >> 20} MB; open it in a browser: wattle ${parameters.join(" ")} --open`);
        return { html, output };
      } finally {
        await rm(file, { force: true });
      }
    });
    const panel = vscode.window.createWebviewPanel("wattle.page", title, vscode.ViewColumn.Active, { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] });
    this.panels.set(key, panel);
    panel.onDidDispose(() => {
      this.panels.delete(key);
      this.selected(undefined);
    });
    panel.onDidChangeViewState(({ webviewPanel }) => webviewPanel.active || this.selected(undefined));
    panel.webview.onDidReceiveMessage((message: unknown) => {
      const method = (message as { method?: unknown } | null)?.method;
      this.selected(typeof method === "string" ? method : undefined);
    });
    panel.webview.html = pageWith(html, selection);
    return output;
  }

  private selected(method: string | undefined): void {
    this.method = method;
    void vscode.commands.executeCommand("setContext", "wattle.pageMethod", method !== undefined);
  }
}
