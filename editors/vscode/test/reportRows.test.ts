import assert from "node:assert/strict";
import { test } from "node:test";

import { pageWith } from "../src/pageHtml";
import { parseReport, shortName } from "../src/reportRows";
import { testFigure, testRuns } from "../src/testEnergies";
import { barWidth } from "../src/lineEnergy";

const figure = (word: string, joules: number | null) => ({
  [`${word}joules`]: joules, [`${word}interval_joules`]: joules === null ? null : [joules * 0.9, joules * 1.1], [`${word}provenance`]: joules === null ? null : "modelled",
});
const report = (more: object) => JSON.stringify({ schema: "wattle-report/1", total: figure("", 10), no_energy_reason: null, ...more });

test("methods come by self energy, slices of other apps are left out", () => {
  const slice = (name: string, pid: number, self: number) => ({ name, pid, thread: "main", calls: 2, ...figure("self_", self), ...figure("total_", self + 1) });
  const { methods } = parseReport(report({ app: { ...figure("", 5), processes: [{ pid: 1 }] }, slices: [slice("a.B.small", 1, 1), slice("c.D.other", 2, 9), slice("a.B.large", 1, 3)] }));
  assert.deepEqual(methods.map(({ name }) => name), ["a.B.large", "a.B.small"]);
  assert.equal(methods[0]!.self?.joules, 3);
});

test("calls of samples are not known", () => {
  const { methods } = parseReport(report({ slices: [{ name: "f", samples: 3, calls: 0, ...figure("self_", 1), ...figure("total_", 1) }] }));
  assert.equal(methods[0]!.calls, undefined);
});

test("no energy is no 0 J", () => {
  const parsed = parseReport(JSON.stringify({ schema: "wattle-report/1", total: null, no_energy_reason: "no scheduler", processes: [{ name: "a", pid: 1, ...figure("", null), threads: [] }], slices: [] }));
  assert.equal(parsed.total, undefined);
  assert.equal(parsed.noEnergyReason, "no scheduler");
  assert.deepEqual(parsed.processes, []);
});

test("another version says so", () => assert.throws(() => parseReport('{"schema":"wattle-report/2"}'), /different versions/));

test("missing components have the names of reports", () => {
  assert.deepEqual(parseReport(report({ energy_coverage: { text: "t", missing: ["gpu", { name: "gnss" }] } })).missing, ["GPU", "GNSS"]);
});

test("short names keep class, method and parameters", () => {
  assert.equal(shortName("com.example.news.FeedSync.refresh"), "FeedSync.refresh");
  assert.equal(shortName("com.example.Feed.load(int, java.lang.String)"), "Feed.load(int, java.lang.String)");
  assert.equal(shortName("Choreographer#doFrame"), "Choreographer#doFrame");
  assert.equal(shortName("android.os.PowerManager$WakeLock.acquire"), "PowerManager$WakeLock.acquire");
});

test("tests of several iterations", () => {
  const row = (iteration: number, outcome: string, joules: number | null) => ({ name: "a.T#x", iteration, outcome, duration_s: 1, ...figure("", 1), ...figure("app_", joules) });
  const of = testRuns(parseReport(report({ tests: [row(0, "failed", 0.01), row(1, "passed", 0.02)] })).tests).get("a.T#x")!;
  assert.equal(testFigure(of), "failed · 20.0 mJ (18.0–22.0 mJ) · modelled · last of 2 iterations of 10.0 mJ to 20.0 mJ");
  const none = testRuns(parseReport(report({ tests: [row(0, "passed", null)] })).tests).get("a.T#x")!;
  assert.equal(testFigure(none), "no energy known");
});

test("bars have the length of the share", () => {
  assert.equal(barWidth(1), "60.0ch");
  assert.equal(barWidth(0.25), "15.0ch");
  assert.equal(barWidth(3), "60.0ch");
  for (const share of [null, 0, 0.001, Number.NaN]) assert.equal(barWidth(share), undefined);
});

test("a selection cannot end the script of a page", () => {
  const html = pageWith("<html><body class=a><p></body></html>", { frame: "</script><script>alert(1)</script>" });
  assert.equal(html.split("</script>").length, 2);
  assert.ok(html.startsWith("<html><body class=a><style>"));
  assert.throws(() => pageWith("no page", {}), /no body/);
});
