// The data of a history: series of versions, each of one device, device model, scenario and branch.

const allSeries = data.series;
const appName = data.app === "" ? "whole device" : data.app;
const isDevice = data.quantity === "total";

/** The letters of a commit that are shown. */
const SHORT = 8;

/** A version in few characters: its commit, else its name, else its run. */
const versionName = (of) => (of.commit ? of.commit.slice(0, SHORT) + (of.dirty ? "+" : "") : of.version_name ?? (of.version_code === null ? of.run : `(${of.version_code})`));
const longName = (of) => [of.commit ? of.commit + (of.dirty ? " with changes" : "") : null, of.version_name ? `version ${of.version_name}` : null, of.version_code !== null ? `code ${of.version_code}` : null, of.build ? `build ${of.build}` : null].filter(Boolean).join(" · ") || of.run;

/** A device as the filters name it: with its model or key where its name alone does not tell it from others. */
const deviceNames = (() => {
  const plain = ({ place }) => place.device ?? place.device_key ?? "unknown device";
  const model = ({ place }) => (place.model ? `${place.model}${place.model_version === null ? "" : ` v${place.model_version}`}` : "no model");
  const is = (one, other) => ["device", "device_key", "model", "model_version"].every((key) => one.place[key] === other.place[key]);
  return new Map(allSeries.map((series) => {
    const others = allSeries.filter((other) => plain(other) === plain(series) && !is(other, series));
    if (others.length === 0) return [series, plain(series)];
    const alike = others.some((other) => model(other) === model(series));
    return [series, `${plain(series)} · ${alike && series.place.device_key ? series.place.device_key : model(series)}`];
  }));
})();
const deviceOf = (series) => deviceNames.get(series);
const scenarioOf = ({ place }) => place.scenario ?? "no scenario";
const branchOf = ({ place }) => place.branch ?? "no branch";

/** What series differ in, for filters: the key in the address, the label, the value of a series. */
const FACETS = [["device", "Device", deviceOf], ["scenario", "Scenario", scenarioOf], ["branch", "Branch", branchOf]];
const facetValues = FACETS.map(([, , of]) => [...new Set(allSeries.map(of))]);

const signed = (value) => (value > 0 ? `+${energyText(value)}` : energyText(value));

/** The level, or as long as there is none the newest version's mean. */
const currentEnergy = (series) => (series.standing.missing > 0 ? series.commits[series.commits.length - 1].joules : series.standing.joules);

/** The level that a version belongs to. */
const levelAt = (series, at) => series.levels.find(({ first, last }) => first <= at && at <= last) ?? null;

/** A version held against its level's noise band. */
function placedIn(series, at) {
  const level = levelAt(series, at), value = series.commits[at].joules;
  if (!level || !level.band_joules || series.standing.missing > 0) return "unknown";
  const [low, high] = level.band_joules;
  return value > high ? "higher" : value < low ? "lower" : "equal";
}
const PLACED = { higher: ["↑", "Above noise"], lower: ["↓", "Below noise"], equal: ["≈", "Within noise"], unknown: [DASH, "Too few versions"] };
const placedPill = (word) => el("span", { class: `v ${word}` }, el("span", { "aria-hidden": "true" }, PLACED[word][0]), PLACED[word][1]);

const changeShare = (change) => (change.before_joules === 0 ? null : change.joules / Math.abs(change.before_joules));
const changePill = (change) => {
  const word = change.joules >= 0 ? "higher" : "lower", share = changeShare(change);
  return el("span", { class: `v ${word}` }, el("span", { "aria-hidden": "true" }, change.joules >= 0 ? "↑" : "↓"), share === null ? signed(change.joules) : signedShare(share));
};

/** The page that compares two runs, if there is one. */
function comparisonOf(before, after) {
  const known = data.comparisons.find((it) => it.before === before && it.after === after);
  if (known || !data.comparison_address) return known ?? null;
  const number = (run) => encodeURIComponent(run.replace("run:", ""));
  return { before, after, href: data.comparison_address.replace("{a}", number(before)).replace("{b}", number(after)) };
}

const several = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
