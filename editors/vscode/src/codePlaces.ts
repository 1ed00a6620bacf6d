// From a method's name to its place in the code.

import * as vscode from "vscode";

import type { LanguageServer } from "./languageServer";
import { shortName } from "./reportRows";
import { declarationLine } from "./testSources";

interface Symbol {
  name: string;
  containerName?: string;
  location: { uri: string; range: { start: { line: number; character: number } } };
}

/** Opens a method's declaration; says so where it is not found. */
export async function goToCode(server: LanguageServer, method: string): Promise<void> {
  const place = (await ofServer(server, method)) ?? (await ofSearch(method));
  if (!place) {
    void vscode.window.showInformationMessage(`Wattle: the code of ${shortName(method)} is not in this folder.`);
    return;
  }
  const range = new vscode.Range(place.range.start, place.range.start);
  await vscode.window.showTextDocument(place.uri, { selection: range, preview: true });
}

/** The server follows methods that moved since the run. */
async function ofServer(server: LanguageServer, method: string): Promise<vscode.Location | undefined> {
  const symbols = await server.request<Symbol[]>("workspace/symbol", { query: method }).catch(() => undefined);
  const name = shortName(method.split("(")[0] ?? method);
  const found = symbols?.filter((symbol) => symbol.name.startsWith(`${name.replaceAll("$", ".")} `)) ?? [];
  const symbol = found.length === 1 ? found[0] : symbols?.length === 1 ? symbols[0] : undefined;
  if (!symbol) return undefined;
  const { line, character } = symbol.location.range.start;
  return new vscode.Location(vscode.Uri.parse(symbol.location.uri), new vscode.Position(line, character));
}

/** The only file of the class, at the only function of that name, else at its beginning. */
async function ofSearch(method: string): Promise<vscode.Location | undefined> {
  const parts = (method.split("(")[0] ?? "").split(".");
  const [className, name] = [parts.at(-2)?.split("$")[0], parts.at(-1)];
  if (!className || !name || !/^\w+$/.test(className)) return undefined;
  const files = await vscode.workspace.findFiles(`**/{${className},${className.replace(/Kt$/, "")}}.{kt,java}`, "**/build/**", 20);
  const folder = parts.slice(0, -2).join("/");
  const exact = files.filter((file) => file.path.includes(`/${folder}/`));
  const file = exact.length === 1 ? exact[0] : files.length === 1 ? files[0] : undefined;
  if (!file) return undefined;
  const text = (await vscode.workspace.openTextDocument(file)).getText();
  return new vscode.Location(file, new vscode.Position(declarationLine(text, name) ?? 0, 0));
}
