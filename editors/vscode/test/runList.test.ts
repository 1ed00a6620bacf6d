import assert from "node:assert/strict";
import { test } from "node:test";

import { diffArguments, runsToCompare, verdictOf } from "../src/comparisonText";
import { applicationIds, appOfConfiguration, chooseApp, codeState, describeRun, parseRuns, storeFolder, type Run } from "../src/runList";

const run = (number: number, more: Record<string, unknown> = {}) => ({
  run: `run:${number}`, kept: `2026-11-0${number}T00:00:00Z`, started: null, app: "com.example.news", commit: `c${number}`, branch: "main", dirty: false,
  device: { key: "k", title: "Pixel" }, scenario: null, outcome: null, total: { joules: null, interval_joules: null, provenance: null },
  app_energy: { joules: 2, interval_joules: [1, 3], provenance: "modelled" }, ...more,
});
const list = (...runs: unknown[]): Run[] => parseRuns(JSON.stringify({ schema: "wattle-runs/1", store: null, runs }));

test("the newest run comes first", () => {
  assert.deepEqual(list(run(1), run(3), run(2)).map(({ name }) => name), ["run:3", "run:2", "run:1"]);
  // When it began decides, not when it was kept.
  assert.deepEqual(list(run(1), run(2, { started: "2020-01-01T00:00:00Z" })).map(({ name }) => name), ["run:1", "run:2"]);
});

test("another version says so", () => {
  assert.throws(() => parseRuns('{"schema": "wattle-runs/2", "runs": []}'), /different versions/);
  assert.throws(() => parseRuns("<html>"), /wrote “<html>” where JSON is expected: is it wattle\?/);
  assert.throws(() => parseRuns(""), /wrote nothing/);
});

test("a history in a folder is watched", () => {
  const of = (store: string | null) => storeFolder(JSON.stringify({ schema: "wattle-runs/1", store, runs: [] }));
  assert.equal(of("/a/history"), "/a/history");
  assert.equal(of("postgres://team@db/energy"), undefined);
  assert.equal(of(null), undefined);
});

test("the app is that of the project", () => {
  const runs = list(run(1), run(2, { app: "com.example.news.debug" }), run(3, { app: "org.other" }));
  assert.deepEqual(chooseApp(runs, undefined, []), { app: "org.other", has: true });
  assert.deepEqual(chooseApp(runs, "com.example.news", []), { app: "com.example.news", has: true });
  assert.deepEqual(chooseApp(runs, undefined, ["com.example.news"]), { app: "com.example.news.debug", has: true });
  assert.deepEqual(chooseApp(runs, undefined, ["com.example.new"]), { app: "com.example.new", has: false });
  assert.deepEqual(chooseApp([], undefined, []), { app: undefined, has: false });
});

test("what builds and settings call the app", () => {
  assert.deepEqual(applicationIds('  applicationId = "com.example.news"\n  applicationId "a.b"\n  applicationIdSuffix = ".debug"\n'), ["com.example.news", "a.b"]);
  assert.equal(appOfConfiguration('app = "com.example.news"\n[history]\nkeep = true\n'), "com.example.news");
  assert.equal(appOfConfiguration('[report]\napp = "com.example.news"\n'), undefined);
});

test("the state of the code", () => {
  const [of] = list(run(1));
  assert.equal(codeState(of!, 0).mark, "");
  assert.deepEqual(codeState(of!, 1), { mark: "stale", explanation: "1 file changed since the run, commit c1" });
  assert.equal(codeState(of!, undefined).mark, "unverified");
  assert.equal(codeState({ ...of!, dirty: true }, 0).mark, "unverified");
  assert.equal(codeState({ ...of!, commit: undefined }, 0).mark, "unverified");
  assert.equal(describeRun({ ...of!, outcome: "failed" }, Date.parse("2026-11-01T02:00:00Z")), "run:1 · Pixel · 2 h ago · failed");
});

test("runs of a branch are those of its newest other build, on the same device", () => {
  const runs = list(run(1), run(2, { commit: "c1" }), run(3, { commit: "f", branch: "fast" }), run(4, { device: { key: "other", title: "Other" } }), run(5, { commit: "f", branch: "fast" }));
  const shown = runs[0]!;
  const { before, after } = runsToCompare(runs, shown, "main");
  assert.deepEqual(before.map(({ name }) => name), ["run:2", "run:1"]);
  assert.deepEqual(after.map(({ name }) => name), ["run:5", "run:3"]);
  assert.deepEqual(diffArguments(before, after, "a.b"), ["diff", "--before", "run:2", "run:1", "--after", "run:5", "run:3", "--app=a.b"]);
  assert.deepEqual(diffArguments(before.slice(0, 1), after.slice(0, 1), undefined), ["diff", "run:2", "run:5"]);
  assert.deepEqual(runsToCompare(runs, shown, "fast").before, []);
});

test("the verdict comes first", () => {
  const output = "↓ LOWER  device   61.4 J → 40.3 J\n  −21.1 J  −34.4 %  −27.1 J to −15.0 J (90 %), threshold 614 mJ\n\nWhat changed\n";
  assert.equal(verdictOf(output), "↓ LOWER  device  61.4 J → 40.3 J  −21.1 J  −34.4 %  −27.1 J to −15.0 J (90 %), threshold 614 mJ");
});
