// Energy in human units: what it would buy on a device that people know.

/** Seconds, minutes and seconds, hours and minutes, as on the first screen. */
const amountOfTime = (value) => durationText(value);

/** A share that may be very small, with two digits that count. */
function smallPercent(value) {
  const part = value * 100;
  if (!Number.isFinite(part)) return NONE;
  if (part === 0) return "0 %";
  const decimals = Math.min(9, Math.max(1, 1 - Math.floor(Math.log10(Math.abs(part)))));
  return `${part.toFixed(decimals)} %`;
}

/** A quantity with its interval as a tooltip. */
function humanPart(words, shown, value, interval) {
  const title = interval && interval[0] < interval[1] ? `90 % interval: ${shown(interval[0])} – ${shown(interval[1])}` : null;
  return el("span", { class: "human", title }, el("b", null, shown(value)), ` ${words}`);
}

/** The line under an energy; null without a figure. */
function humanLine(human) {
  const units = report.human_units;
  if (!human || !units) return null;
  const whose = units.battery.of === "recorded-device" ? "this device's battery" : `the battery of a ${units.battery.device}`;
  const parts = human.activities.map((activity) => humanPart(activity.name, amountOfTime, activity.seconds, activity.interval_seconds));
  parts.push(humanPart(`of ${whose}`, smallPercent, human.battery_share, human.interval_battery_share));
  if (human.mah !== null) parts.push(humanPart("", (value) => si(value * 1e-3, "Ah"), human.mah, human.interval_mah));
  parts.push(humanPart("CO2e", (value) => si(value, "g"), human.co2e_g, human.interval_co2e_g));
  const carbon = units.carbon;
  const grid = [carbon.region, carbon.year].filter((word) => word !== null).join(" ");
  const basis = `Activities on a ${units.reference.name}; CO2e of the energy drawn from the battery at ${carbon.grams_per_kwh} g/kWh${grid ? ` (${grid})` : ""}, charger losses left out.`;
  return el("p", { class: "hint", title: basis }, ...parts.flatMap((part, nth) => (nth === 0 ? ["= ", part] : [" · ", part])), ` (activities on a ${units.reference.name})`);
}
