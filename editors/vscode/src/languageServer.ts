// The client of `wattle lsp`: hints, lenses, hovers, findings, symbols, call hierarchy.

import * as vscode from "vscode";
import { LanguageClient, State, type ExecuteCommandSignature } from "vscode-languageclient/node";

import type { Project } from "./project";

/** The files that the server knows. */
export const SOURCES = "**/*.{kt,kts,java,c,cc,cpp,cxx,h,hh,hpp,hxx,rs}";
/** Settings that the server knows. */
const SETTINGS = ["hints", "lineHints", "lenses", "minimumShare", "device", "scenario", "findings"] as const;

/** A page that the server wants opened. */
export interface PageRequest {
  run: string;
  method: string | undefined;
}

/** The client, started anew when the program, the history or the app is another one. */
export class LanguageServer implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private started = "";
  private steps: Promise<void> = Promise.resolve();
  private readonly asked = new vscode.EventEmitter<void>();
  /** Fires when the editor asks for figures again. */
  readonly onFigures = this.asked.event;

  constructor(private readonly project: Project, private readonly openPage: (request: PageRequest) => Promise<unknown>) {}

  dispose(): void {
    this.asked.dispose();
    void this.client?.dispose().catch(() => undefined);
  }

  /** Starts the server if it is not the one that is wanted. */
  update(): Promise<void> {
    this.steps = this.steps.then(() => this.change()).catch((error: unknown) => this.project.log.appendLine(`language server: ${String(error)}`));
    return this.steps;
  }

  /** Sends a request of the server's own; undefined while there is no server. */
  async request<T>(method: string, parameters: unknown): Promise<T | undefined> {
    if (this.client?.state !== State.Running) return undefined;
    return this.client.sendRequest<T>(method, parameters);
  }

  /** Hands the settings on. */
  async configure(): Promise<void> {
    await this.steps;
    if (this.client?.state === State.Running) await this.client.sendNotification("workspace/didChangeConfiguration", { settings: { wattle: this.settings() } });
  }

  private settings(): Record<string, unknown> {
    const values = SETTINGS.map((name) => [name, this.project.setting<unknown>(name, undefined)] as const);
    // An empty text is no choice.
    return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== ""));
  }

  private async change(): Promise<void> {
    const [program, folder] = [this.project.program, this.project.folder];
    const { state } = this.project;
    // With runs of another app alone there is nothing to show, and theirs are not to be shown.
    const app = state.kind === "ready" || state.kind === "otherApp" ? state.app : undefined;
    const wanted = program && folder ? JSON.stringify([program, folder.fsPath, app, this.project.environment]) : "";
    if (wanted === this.started) return;
    const old = this.client;
    this.client = undefined;
    this.started = wanted;
    await old?.dispose().catch(() => undefined);
    if (!program || !folder || wanted === "") return;
    const client = new LanguageClient(
      "wattle",
      "Wattle",
      { command: program, args: ["lsp", ...(app ? ["--app", app] : [])], options: { cwd: folder.fsPath, env: { ...process.env, ...this.project.environment } } },
      {
        documentSelector: [{ scheme: "file", pattern: SOURCES }],
        initializationOptions: this.settings(),
        outputChannel: this.project.log,
        workspaceFolder: vscode.workspace.workspaceFolders?.[0] as vscode.WorkspaceFolder,
        middleware: {
          executeCommand: (command, parameters, next) => this.execute(command, parameters, next),
          provideInlayHints: (document, range, token, next) => {
            this.asked.fire();
            return next(document, range, token);
          },
        },
      },
    );
    // The views say what is missing; a message at each start would say it once more.
    client.onNotification("window/showMessage", ({ type, message }: { type: number; message: string }) => {
      this.project.log.appendLine(message);
      if (type >= 3) void vscode.window.showInformationMessage(message);
    });
    this.client = client;
    await client.start();
    this.asked.fire();
  }

  /** Pages open here, not in a browser. */
  private execute(command: string, parameters: unknown[], next: ExecuteCommandSignature): vscode.ProviderResult<unknown> {
    const { run, method } = (parameters[0] ?? {}) as { run?: unknown; method?: unknown };
    if (command === "wattle.openPage" && typeof run === "number") return this.openPage({ run: `run:${run}`, method: typeof method === "string" ? method : undefined });
    if (command === "wattle.compare" && Array.isArray((parameters[0] as { arguments?: unknown } | undefined)?.arguments)) {
      const [before, after] = (parameters[0] as { arguments: string[] }).arguments;
      return vscode.commands.executeCommand("wattle.compareRuns", before, after);
    }
    return next(command, parameters);
  }
}
