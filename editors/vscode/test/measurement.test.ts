import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { argumentsOf, describeMeasurement, mappingOf, packageOf } from "../src/measurement";
import { findProgram, firstProblem, runProgram } from "../src/program";
import { declarationLine, declaredTests } from "../src/testSources";

test("an entry becomes a command line", () => {
  assert.deepEqual(
    argumentsOf({ name: "n", measures: "app", apk: "a.apk", testApk: "t.apk", tests: ["A#b"], device: "S1", repeat: 3, model: "rails", mapping: "m.txt", arguments: ["--battery"] }),
    ["run", "a.apk", "--test-apk=t.apk", "--test=A#b", "--serial=S1", "--repeat=3", "--model=rails", "--mapping=m.txt", "--keep", "--battery"],
  );
  assert.deepEqual(argumentsOf({ name: "n", measures: "recording", files: ["-x.pftrace"], app: "a.b", deviceModel: "p.toml" }), ["report", "./-x.pftrace", "--app=a.b", "--device-model=p.toml", "--keep"]);
  assert.deepEqual(argumentsOf({ name: "n", measures: "demo" }), ["demo", "--no-open", "--keep"]);
  assert.deepEqual(argumentsOf({ name: "n", measures: "app", apk: "a.apk", simulate: "pixel", device: "" }), ["run", "a.apk", "--simulate=pixel", "--keep"]);
});

test("what an entry lacks is said", () => {
  assert.throws(() => argumentsOf({ name: "n", measures: "app" }), /names no APK/);
  assert.throws(() => argumentsOf({ name: "n", measures: "recording" }), /names no file/);
  assert.throws(() => argumentsOf({ name: "n", measures: "x" as "app" }), /expected app, recording or demo/);
  assert.equal(describeMeasurement({ name: "n", measures: "app", apk: "a.apk", testApk: "t.apk" }), "a.apk · all tests · the attached device");
});

test("packages of Gradle", () => {
  assert.deepEqual(packageOf("app/build/outputs/apk/debug/app-debug.apk"), { module: "app", variant: "debug", isTest: false });
  assert.deepEqual(packageOf("app/build/outputs/apk/androidTest/free/debug/a.apk"), { module: "app", variant: "free/debug", isTest: true });
  assert.equal(packageOf("x.apk"), undefined);
  assert.equal(mappingOf("app/build/outputs/apk/free/release/a.apk"), "app/build/outputs/mapping/freeRelease/mapping.txt");
});

test("tests of sources", () => {
  const kotlin = 'package a.b\n/* @Test fun no() */\nclass FeedTest {\n  @Test\n  fun one() {}\n  @org.junit.Test fun `two words`() {}\n  // @Test fun three()\n  @TestOnly fun four() {}\n  val s = "@Test fun five()"\n}\nclass Other { @Test fun six() {} }\n';
  assert.deepEqual(
    declaredTests(kotlin).map(({ className, method, line }) => `${className}#${method}:${line}`),
    ["a.b.FeedTest#one:4", "a.b.FeedTest#two words:5", "a.b.Other#six:10"],
  );
  const java = "package a;\npublic class T {\n  @Test(expected = X.class)\n  public void works() throws Exception {}\n}\n";
  assert.deepEqual(declaredTests(java), [{ className: "a.T", method: "works", line: 3 }]);
});

test("a declaration is found where there is one", () => {
  assert.equal(declarationLine("class A {\n  fun load() {}\n  val x = load()\n}", "load"), 1);
  assert.equal(declarationLine("class A {\n  void load(int a) {}\n  int y() { return load(1); }\n}", "load"), 1);
  assert.equal(declarationLine("fun load() {}\nfun load(a: Int) {}", "load"), undefined);
  assert.equal(declarationLine("", "load"), undefined);
});

test("the program is found, run, and interrupted", { skip: process.platform === "win32" }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "wattle-"));
  try {
    const program = join(folder, "wattle");
    writeFileSync(program, '#!/bin/sh\ntrap "echo wattle: stopped >&2; exit 130" INT\necho "$1"\necho working >&2\n[ "$1" = wait ] && { sleep 20 >/dev/null 2>&1 & wait; }\nexit 0\n');
    assert.equal(findProgram("", folder, undefined), undefined);
    chmodSync(program, 0o755);
    assert.equal(findProgram("", `/nowhere:${folder}`, undefined), program);
    assert.equal(findProgram(program, "", undefined), program);
    assert.equal(findProgram("/nowhere/wattle", folder, undefined), undefined);
    assert.equal(findProgram("./wattle", "", folder), program);
    const options = { folder, environment: {} };
    const lines: string[] = [];
    assert.deepEqual(await runProgram(program, ["hello"], { ...options, onLine: (line) => lines.push(line) }), { code: 0, output: "hello\n", messages: "working\n" });
    assert.deepEqual(lines, ["working"]);
    let stop = () => {};
    const ended = await runProgram(program, ["wait"], { ...options, onStart: (interrupt) => (stop = interrupt), onLine: (line) => line === "working" && setTimeout(stop, 200) });
    assert.equal(ended.code, 130);
    assert.equal(firstProblem({ ...ended, messages: "· install\nwattle: it is so\nmore\n" }), "it is so");
    assert.equal(firstProblem({ code: 4, output: "", messages: "" }), "it ended with exit code 4");
    await assert.rejects(runProgram(join(folder, "none"), [], options));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
