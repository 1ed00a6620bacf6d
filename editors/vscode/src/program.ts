// The program `wattle`: where it is, and running it.

import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

/** The most bytes of output that are kept: a report of the largest ledgers is smaller. */
const MOST_OUTPUT = 256 << 20;
/** The last characters of messages that are kept. */
const MOST_MESSAGES = 64 << 10;

/** Finds the program: the setting, else the PATH, else cargo's folder. */
export function findProgram(setting: string, path: string, root: string | undefined): string | undefined {
  const windows = process.platform === "win32";
  if (setting !== "") {
    const home = setting.startsWith("~/") ? join(homedir(), setting.slice(2)) : setting;
    if (isAbsolute(home)) return isProgram(home) ? home : undefined;
    if (/[\\/]/.test(home)) return root !== undefined && isProgram(join(root, home)) ? join(root, home) : undefined;
  }
  const name = setting !== "" ? setting : windows ? "wattle.exe" : "wattle";
  const folders = [...path.split(delimiter).filter(isAbsolute), join(homedir(), ".cargo", "bin")];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** How a command of the program ended. */
export interface Ended {
  /** `undefined` after a signal. */
  code: number | undefined;
  output: string;
  /** The end of what it wrote to standard error. */
  messages: string;
}

export interface RunOptions {
  folder: string;
  environment: Record<string, string>;
  /** Called with what ends the command as Ctrl+C does, so that a device is restored. */
  onStart?: (interrupt: () => void) => void;
  /** Called with each line of standard error. */
  onLine?: (line: string) => void;
}

/** Runs a command of the program to its end; an error if it cannot be started or writes too much. */
export function runProgram(program: string, parameters: string[], { folder, environment, onStart, onLine }: RunOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd: folder, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    const output: Buffer[] = [];
    let size = 0;
    let messages = "";
    let line = "";
    onStart?.(() => child.kill("SIGINT"));
    child.stdout.on("data", (part: Buffer) => {
      size += part.length;
      if (size > MOST_OUTPUT) {
        child.kill();
        reject(new Error(`${parameters[0]} wrote more than ${MOST_OUTPUT >> 20} MB`));
      } else {
        output.push(part);
      }
    });
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (part: string) => {
      messages = (messages + part).slice(-MOST_MESSAGES);
      const lines = (line + part).split(/\r\n|\r|\n/);
      line = (lines.pop() ?? "").slice(-MOST_MESSAGES);
      if (onLine) lines.filter((text) => text.trim() !== "").forEach(onLine);
    });
    child.on("error", reject);
    const end = (code: number | null) => {
      if (line.trim() !== "") onLine?.(line);
      line = "";
      resolve({ code: code ?? undefined, output: Buffer.concat(output).toString("utf8"), messages });
    };
    child.on("close", end);
    // Something that it left behind, such as an adb server, may hold its output open.
    child.on("exit", (code) => setTimeout(() => end(code), 2000));
  });
}

/** What a command that failed says: its line `wattle: …`, else the last line. Stages of a run stand before it. */
export function firstProblem({ code, messages }: Ended): string {
  const lines = messages.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((line) => /^(?:wattle|error): /.test(line)) ?? lines.at(-1) ?? `it ended with ${code === undefined ? "a signal" : `exit code ${code}`}`;
  return line.replace(/^(?:wattle|error): /, "").trim();
}
