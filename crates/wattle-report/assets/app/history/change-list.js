// Changes, newest first: how much, where, how sure, which method, and the way to both runs.

const CONFIRMED = { "following-commits": "confirmed by later versions", reruns: "confirmed by re-runs", waiting: "not confirmed" };

/** Where a change happened: one version, or a range with the likeliest. */
function placeOf(series, { last_good: from, first_bad: at, surely_bad: to }) {
  const name = (place) => el("code", null, versionName(series.commits[place]));
  return to === at ? ["in ", name(at), ", after ", name(from)] : ["after ", name(from), ", most likely in ", name(at), ", surely by ", name(to)];
}

/** The search for the first commit with an increase. */
function bisectCommand(series, { joules, range: { last_good: from, surely_bad: to } }) {
  const [good, bad] = [series.commits[from].commit, series.commits[to].commit];
  return joules > 0 && good && bad && good !== bad ? `wattle bisect --good ${good.slice(0, SHORT)} --bad ${bad.slice(0, SHORT)} -- BUILD` : null;
}

function changeItem(series, change, more = null) {
  const [low, high] = change.interval_joules, blame = change.blame, share = blame && change.joules !== 0 ? blame.joules / change.joules : null;
  const bisect = bisectCommand(series, change), isOn = state.picked.length === 2 && state.picked[0] === change.range.last_good && state.picked[1] === change.range.surely_bad;
  const title = blame ? [nameOf(blame.method)] : [el("span", { class: "name" }, versionName(series.commits[change.range.first_bad]))];
  return el("li", { class: isOn ? "change-item on" : "change-item" }, el("button", { type: "button", class: "change-head", "aria-pressed": String(isOn), onclick: () => pickPair(change.range.last_good, change.range.surely_bad) }, more ? el("span", { class: "v inconclusive" }, "? suspected") : changePill(change), el("h3", { class: "in" }, ...title), el("b", { class: "num" }, signed(change.joules))),
    el("p", { class: "soft s" }, ...placeOf(series, change.range), ` · ${signed(low)} to ${signed(high)} (90${THIN}%)`), el("p", { class: "soft s" }, more ?? CONFIRMED[change.confirmation], ...(share !== null ? [` · ${share >= 0.995 ? "all" : shareText(share)} of it in ${shortName(blame.method)} itself`] : [])),
    el("p", { class: "ways" }, comparisonLink(...change.runs), bisect ? commandLine(bisect) : null));
}

function drawChanges() {
  const { series } = state, place = byId("changes");
  if (!series) { byId("changes-of").textContent = ""; return place.replaceChildren(el("div", { class: "empty" }, el("b", null, "None"))); }
  const { missing } = series.standing, suspect = series.suspected;
  byId("changes-of").textContent = missing > 0 ? "" : `${count(series.changes.length)}, of 1${THIN}% and more`;
  const items = [...series.changes].reverse().map((change) => changeItem(series, change));
  if (suspect) items.unshift(changeItem(series, suspect.change, `not confirmed: ${several(suspect.pairs, "more run")} each of ${versionName(series.commits[suspect.before])} and ${versionName(series.commits[suspect.after])}, in turns, would decide it; so may later versions`));
  if (items.length === 0) {
    const text = missing > 0 ? `Changes are judged from ${series.commits.length + missing} versions on. For two of them, pick both in the chart or the table.` : `No lasting change of 1${THIN}% or more in ${several(series.commits.length + series.omitted, "version")}.`;
    return place.replaceChildren(el("div", { class: "empty" }, el("b", null, missing > 0 ? "Too few versions" : "No change"), text));
  }
  place.replaceChildren(el("ul", { class: "change-list" }, ...items));
}

shows(drawChanges);
