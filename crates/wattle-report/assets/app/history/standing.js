// The answer: the present level, against budget and the version before, what rose and was not undone, what could be seen at all.

/** Causes of scatter, and what helps. */
const FLAKY = { heat: "Energy follows the temperature of the device: cool it before each run (--cool-to).", clock: "Energy follows the clock of the CPU.", background: "Energy follows the rest of the device: wait longer before each run.", "two modes": "Runs fall into two groups.", drift: "The level drifts slowly, without a step.", outliers: "Single runs are far from the others.", unknown: "The range in which a version is expected is too wide to judge by: more runs of each version narrow it." };
const OUTSIDE = "The newest version is outside of what was expected: more runs of it, or the next versions, will tell.";

const standingBox = (id, label, big, sub, tone = null) => el("div", { id }, el("p", { class: "lab" }, ...label), el("p", { class: tone ? `big ${tone}` : "big" }, ...big), el("p", { class: "sub" }, ...sub));
const bigEnergy = (value) => { const [unit, factor] = unitOf(value); return [digits(value * factor), el("span", { class: "unit" }, unit)]; };

/** The budget against the level and its 90 % interval, which is the model's as that of the newest version. */
function budgetOf(series) {
  const { budget } = series.standing, joules = currentEnergy(series), newest = series.commits[series.commits.length - 1];
  if (!budget || !newest || !(joules > 0)) return null;
  const [low, high] = newest.interval_joules.map((end) => (newest.joules > 0 ? (end / newest.joules) * joules : joules));
  const ofLevel = high <= budget.joules ? "lower" : low > budget.joules ? "higher" : "inconclusive";
  // A level that the newest version has left says nothing of it.
  const hasLeft = ofLevel === "lower" && newest.joules > budget.joules;
  const word = !hasLeft ? ofLevel : newest.interval_joules[0] > budget.joules ? "higher" : "inconclusive";
  const text = { lower: ["✓", "Within budget"], higher: ["✗", "Over budget"], inconclusive: ["?", "Budget open"] }[word];
  const share = (hasLeft ? newest.joules : joules) / budget.joules - 1;
  const of = `${hasLeft ? `newest version ${energyText(newest.joules)}, ` : ""}${shareText(Math.abs(share))} ${share > 0 ? "above" : "below"} the budget of ${energyText(budget.joules)}`;
  const title = hasLeft ? `90 % interval of the newest version ${intervalText(newest.interval_joules)}` : word === "inconclusive" ? `The level's 90 % interval ${intervalText([low, high])} has the budget inside` : `90 % interval ${intervalText([low, high])}`;
  return { pill: el("span", { class: `v ${word}`, title }, el("span", { "aria-hidden": "true" }, text[0]), text[1]), of };
}

function levelBox(series) {
  const { standing, commits } = series, budget = budgetOf(series);
  const what = series.place.scenario ?? (isDevice ? "Whole device" : shortName(appName));
  const label = [budget ? budget.pill : null, el("b", { title: what }, what)].filter(Boolean);
  const of = budget ? el("span", { class: "of" }, budget.of) : null;
  if (standing.missing > 0) return standingBox("level", label, [...bigEnergy(currentEnergy(series)), of], [`${commits.length === 1 ? "the only version" : `the newest of ${count(commits.length)} versions`}, ${several(commits[commits.length - 1].runs, "run")}`]);
  const half = standing.band_joules && standing.detectable_share !== null ? (standing.band_joules[1] - standing.band_joules[0]) / 2 / standing.joules : null;
  const since = series.changes.length > 0 ? `level since ${versionName(commits[standing.since])}, ` : "level of ";
  return standingBox("level", label, [...bigEnergy(standing.joules), of], [`${since}${several(standing.commits, "version")}`, half === null ? "" : el("span", { title: "The next version is expected within this (95 %)" }, ` · noise ±${shareText(half)}`)]);
}

function releaseBox(series) {
  const { release } = series.standing, joules = currentEnergy(series);
  const last = series.changes[series.changes.length - 1];
  if (!release && last) return standingBox("release", ["Last change"], [signedShare(changeShare(last) ?? NaN) || signed(last.joules)], [`${energyText(last.before_joules)} → ${energyText(last.before_joules + last.joules)} · `, el("code", null, versionName(series.commits[last.range.first_bad]))]);
  if (!release || !(release.joules > 0)) return standingBox("release", ["Since the version before"], [DASH], ["no earlier version name"], "none");
  const share = joules / release.joules - 1;
  return standingBox("release", [el("span", null, "Since version "), el("b", { title: release.name }, release.name)], [signedShare(share) || "0"], [`${energyText(release.joules)} → ${energyText(joules)}`]);
}

/** Where a change came from, in few words. */
const causeOf = (series, change) => [change.blame ? shortName(change.blame.method) : null, versionName(series.commits[change.range.first_bad])].filter(Boolean);

function regressionBox(series) {
  const { open, missing } = series.standing, newest = series.changes[open[open.length - 1]], suspect = series.suspected;
  if (missing > 0) return standingBox("regression", ["Open regression"], [DASH], [`judged from ${series.commits.length + missing} versions on`], "none");
  if (newest) {
    const share = changeShare(newest), [blame, version] = causeOf(series, newest).length > 1 ? causeOf(series, newest) : [null, causeOf(series, newest)[0]];
    return standingBox("regression", [open.length > 1 ? `Open regressions: ${open.length}, the newest` : "Open regression"], [share === null ? signed(newest.joules) : signedShare(share)], [blame ? el("span", { title: newest.blame.method }, `${blame} · `) : null, el("code", null, version)], "up");
  }
  if (suspect && suspect.change.joules > 0) return standingBox("regression", ["Suspected regression"], [signedShare(changeShare(suspect.change) ?? NaN) || signed(suspect.change.joules)], ["not confirmed · ", el("code", null, versionName(series.commits[suspect.change.range.first_bad]))], "maybe");
  return standingBox("regression", ["Open regression"], ["None"], [series.changes.some(({ joules }) => joules > 0) ? "every increase was undone" : `no lasting increase in ${several(series.commits.length + series.omitted, "version")}`]);
}

function detectableBox(series) {
  const { detectable_share: share, runs_per_commit: runs, missing } = series.standing;
  if (share === null) return standingBox("detectable", ["Smallest change detectable"], [DASH], [missing > 0 ? `${several(missing, "more version")} needed` : "its scatter is known from 8 versions at this level on"], "none");
  return standingBox("detectable", ["Smallest change detectable"], [shareText(share)], [`in one version of ${several(runs, "run")}, 90${THIN}% power`]);
}

function drawStanding() {
  const { series } = state, caution = byId("caution");
  caution.hidden = true;
  if (!series) {
    byId("standing").replaceChildren(el("div", { class: "whole empty" }, el("b", null, "No kept run has this energy"), data.left_out > 0 ? `${several(data.left_out, "run")} did not pass or could not be estimated.` : "Keep runs with --keep, then write this page again."));
    byId("condensed").replaceChildren();
    return;
  }
  byId("standing").replaceChildren(levelBox(series), releaseBox(series), regressionBox(series), detectableBox(series));
  const { missing, flaky, outside } = series.standing;
  const text = missing > 0 ? `${several(series.commits.length, "version")} so far. Changes and noise can be judged from ${series.commits.length + missing} on; until then the chart shows what was measured, without a verdict.` : flaky ? `Flaky: ${FLAKY[flaky]}` : outside ? OUTSIDE : "";
  caution.hidden = text === "";
  caution.textContent = text;
  const open = series.changes[series.standing.open[series.standing.open.length - 1]];
  byId("condensed").replaceChildren(el("b", null, energyText(currentEnergy(series))), ...(open ? [changePill(open)] : []), el("span", { class: "soft" }, [scenarioOf(series), deviceOf(series), branchOf(series)].join(" · ")));
}

shows(drawStanding);
