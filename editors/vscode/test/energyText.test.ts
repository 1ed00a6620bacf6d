import assert from "node:assert/strict";
import { test } from "node:test";

import { ago, count, energy, energyOf, joules, share, signed } from "../src/energyText";

test("energies have three digits and a prefix", () => {
  for (const [value, text] of [
    [0, "0 J"], [1, "1.00 J"], [12.34, "12.3 J"], [999.4, "999 J"], [999.6, "1.00 kJ"], [0.0123, "12.3 mJ"], [3.24e-4, "324 µJ"], [-0.001, "−1.00 mJ"],
  ] as const) assert.equal(joules(value), text);
});

test("what is not known is no number", () => {
  for (const value of [null, undefined, Number.NaN]) assert.equal(joules(value), "–");
  assert.equal(share(null), undefined);
  assert.deepEqual([0, 0.0001, 0.0321].map(share), ["0.0 %", "< 0.1 %", "3.2 %"]);
  assert.equal(energyOf({ joules: null, interval_joules: null, provenance: null }), undefined);
  assert.equal(energyOf({ joules: 1 }), undefined);
  assert.equal(energyOf(null), undefined);
});

test("an energy never stands without its interval", () => {
  const of = (value: number, low: number, high: number) => energy({ joules: value, interval: [low, high], provenance: "measured" });
  assert.equal(of(13.678, 10.2, 18.3), "13.7 J (10.2–18.3 J)");
  assert.equal(of(0.000324, 0.000237, 0.000444), "324 µJ (237–444 µJ)");
  assert.equal(of(0.97, 0, 3.4), "970 mJ (0–3400 mJ)");
  assert.equal(of(0, 0, 0.0012), "0 J (0–1.20 mJ)");
  assert.equal(of(0, 0, 0), "0 J (0–0 J)");
});

test("rows of a report", () => {
  const row = { self_joules: 2, self_interval_joules: [1, 3], self_provenance: "modelled" };
  assert.deepEqual(energyOf(row, "self_"), { joules: 2, interval: [1, 3], provenance: "modelled" });
});

test("words", () => {
  assert.equal(ago(10_000), "just now");
  assert.equal(ago(5 * 60_000), "5 min ago");
  assert.equal(ago(3 * 3_600_000), "3 h ago");
  assert.equal(ago(72 * 3_600_000), "3 days ago");
  assert.equal(count(1, "run"), "1 run");
  assert.equal(count(2, "run"), "2 runs");
  assert.equal(signed(0.01), "+10.0 mJ");
  assert.equal(signed(-0.01), "−10.0 mJ");
});
