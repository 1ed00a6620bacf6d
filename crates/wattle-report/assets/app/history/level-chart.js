// Energy over versions: means with their intervals, levels with their noise bands, changes, the budget. Pointer and arrow keys pick versions.

const PLOT = { left: 64, right: 84, top: 54, bottom: 28 };
/** The version under the pointer or the keyboard's cursor. */
let cursorAt = null;

const svgText = (props, words) => { const node = svg("text", props); node.textContent = words; return node; };

/** Levels are shown where there are versions enough to speak of one. */
const shownLevels = (series) => (series.standing.missing > 0 ? [] : series.levels);

/** Whether versions are so close that their intervals would cover the picture: then the noise band says it alone. */
const isDense = (series) => byId("chart-box").clientWidth / series.commits.length < 6;

/** The least and the largest energy of the axis: what differs between versions, and intervals as far as they do not flatten that. */
function chartRange(series) {
  const values = series.commits.flatMap(({ joules, deviation_joules: spread }) => (isDense(series) ? [joules] : [joules - (spread ?? 0), joules + (spread ?? 0)]));
  for (const { joules, band_joules: band } of shownLevels(series)) values.push(joules, ...(band ?? []));
  let low = Math.min(...values), high = Math.max(...values);
  if (!(high > low)) [low, high] = [low - Math.abs(low) * 0.05 - 1e-9, high + Math.abs(high) * 0.05 + 1e-9];
  const reach = high - low, ends = series.commits.flatMap(({ interval_joules: ends }) => ends);
  const [lowest, highest] = [Math.min(...ends), Math.max(...ends)], isWhole = !isDense(series) && highest - lowest < 2.5 * reach;
  if (isWhole) [low, high] = [Math.min(low, lowest), Math.max(high, highest)];
  const budget = series.standing.budget?.joules;
  const hasBudget = budget !== undefined && budget > low - 1.5 * reach && budget < high + 1.5 * reach;
  if (hasBudget) [low, high] = [Math.min(low, budget), Math.max(high, budget)];
  const margin = (high - low) * 0.06;
  return { low: low >= 0 ? Math.max(0, low - margin) : low - margin, high: high + margin, isWhole, hasBudget };
}

/** Where things are: `x` of a version, `y` of an energy. */
function chartPlot(series, range) {
  const box = byId("chart-box"), isNarrow = box.clientWidth < 640;
  const left = isNarrow ? 54 : PLOT.left, right = isNarrow ? 12 : PLOT.right;
  const width = Math.max(280, box.clientWidth), height = isNarrow ? 260 : 320, step = (width - left - right) / Math.max(1, series.commits.length);
  return { width, height, left, right: width - right, top: PLOT.top, bottom: height - PLOT.bottom, step, isNarrow, x: (at) => left + (at + 0.5) * step, edge: (at) => left + at * step, y: (value) => height - PLOT.bottom - ((value - range.low) / (range.high - range.low)) * (height - PLOT.bottom - PLOT.top) };
}

/** Lines of the energy axis; all in one unit. */
function energyAxis(plot, range, picture) {
  const { ticks, step } = roundTicks(range.low, range.high, 5), [unit, factor] = unitOf(Math.max(Math.abs(range.low), Math.abs(range.high)));
  const places = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step * factor) - 1e-9)));
  for (const tick of ticks) picture.append(svg("line", { x1: plot.left, x2: plot.right, y1: plot.y(tick), y2: plot.y(tick), class: "grid" }), svgText({ x: plot.left - 6, y: plot.y(tick) + 4, class: "tick end" }, `${(tick * factor).toFixed(places)}${THIN}${unit}`));
}

/** Names of versions, as many as have room. */
function versionAxis(plot, series, picture) {
  const each = Math.max(1, Math.ceil(76 / plot.step));
  for (let at = 0; at < series.commits.length; at += each) {
    if (plot.x(at) > plot.right - 24 && at > 0) break;
    picture.append(svgText({ x: Math.max(plot.x(at), plot.left + 18), y: plot.bottom + 18, class: "tick name" }, versionName(series.commits[at]).slice(0, 10)));
  }
}

/** A flag on top of each change, in a second row where the first has no room. */
function changeFlags(plot, series, picture) {
  const ends = [-Infinity, -Infinity], all = series.changes.map((change) => ({ change, isSure: true }));
  if (series.suspected) all.push({ change: series.suspected.change, isSure: false });
  for (const { change, isSure } of all) {
    const x = plot.edge(change.range.first_bad), share = changeShare(change), word = change.joules >= 0 ? "up" : "down";
    const text = `${isSure ? (change.joules >= 0 ? "↑" : "↓") : "?"} ${share === null ? signed(change.joules) : signedShare(share)}`, width = text.length * 6.4 + 14;
    const middle = Math.min(Math.max(x, plot.left + width / 2 - 10), plot.right - width / 2 + 10), row = middle - width / 2 > ends[0] + 4 ? 0 : middle - width / 2 > ends[1] + 4 ? 1 : -1;
    const { last_good: from, surely_bad: to } = change.range;
    // Where the change lies with 95 %, if that is not one place.
    if (to - from > 1) picture.append(svg("rect", { x: plot.edge(from + 1), y: plot.top - 4, width: Math.max(2, plot.edge(to + 1) - plot.edge(from + 1)), height: 4, class: `span ${word}` }));
    picture.append(svg("line", { x1: x, x2: x, y1: row < 0 ? plot.top - 4 : row === 1 ? 48 : 24, y2: plot.bottom, class: `change ${isSure ? word : "maybe"}` }));
    if (row < 0) continue;
    ends[row] = middle + width / 2;
    const flag = svg("g", { class: `flag ${isSure ? word : "maybe"}` }, svg("rect", { x: middle - width / 2, y: row === 1 ? 28 : 4, width, height: 20, rx: 4 }), svgText({ x: middle, y: row === 1 ? 42 : 18 }, text));
    flag.addEventListener("click", (event) => { event.stopPropagation(); pickPair(from, to); });
    picture.append(flag);
  }
}

function versionTip(series, at) {
  const of = series.commits[at], level = levelAt(series, at), row = (name, value) => el("div", { class: "row" }, el("span", { class: "soft" }, name), el("span", null, value));
  return [el("b", null, longName(of)), row("First run", `${of.first} UTC`), row(of.runs === 1 ? "Run" : `Mean of ${of.runs} runs`, energyText(of.joules)), row(`90${THIN}% interval`, intervalText(of.interval_joules)), ...(of.deviation_joules === null ? [] : [row("Scatter of runs", `±${energyText(of.deviation_joules)}`)]), ...(level && level.joules ? [row("From the level", signedShare(of.joules / level.joules - 1) || "0")] : [])];
}

/** All of the picture of means. */
function energyPicture(series) {
  const range = chartRange(series), plot = chartPlot(series, range), clamp = (value) => Math.min(plot.bottom, Math.max(plot.top, plot.y(value)));
  const picture = svg("svg", { viewBox: `0 0 ${plot.width} ${plot.height}`, width: plot.width, height: plot.height, class: "levels" });
  energyAxis(plot, range, picture);
  for (const { first, last, band_joules: band } of shownLevels(series)) if (band) picture.append(svg("rect", { x: plot.edge(first), width: plot.edge(last + 1) - plot.edge(first), y: clamp(band[1]), height: Math.max(1, clamp(band[0]) - clamp(band[1])), class: "band" }));
  if (range.hasBudget) {
    const { joules } = series.standing.budget, y = plot.y(joules);
    picture.append(svg("line", { x1: plot.left, x2: plot.right, y1: y, y2: y, class: "budget" }));
    picture.append(...(plot.isNarrow ? [svgText({ x: plot.left + 4, y: y - 4, class: "budget-name" }, `Budget ${energyText(joules)}`)] : [svgText({ x: plot.right + 8, y: y - 2, class: "budget-name" }, "Budget"), svgText({ x: plot.right + 8, y: y + 12, class: "budget-name" }, energyText(joules))]));
  }
  const size = Math.max(1.4, Math.min(3.2, plot.step * 0.32));
  const points = series.commits.map((of, at) => {
    const word = placedIn(series, at), x = plot.x(at), isPicked = state.picked.includes(at);
    const whisker = svg("line", { x1: x, x2: x, y1: clamp(of.interval_joules[1]), y2: clamp(of.interval_joules[0]), class: "whisker" });
    const spread = of.deviation_joules === null ? [] : [svg("line", { x1: x, x2: x, y1: clamp(of.joules + of.deviation_joules), y2: clamp(of.joules - of.deviation_joules), class: "spread" })];
    return [...(isDense(series) ? [] : [whisker, ...spread]), ...(isPicked ? [svg("circle", { cx: x, cy: plot.y(of.joules), r: size + 4, class: "picked" })] : []), svg("circle", { cx: x, cy: plot.y(of.joules), r: size, class: `point ${word}` })];
  });
  picture.append(...points.flat());
  for (const { first, last, joules } of shownLevels(series)) picture.append(svg("line", { x1: plot.edge(first), x2: plot.edge(last + 1), y1: plot.y(joules), y2: plot.y(joules), class: "level" }));
  const levels = shownLevels(series), present = levels[levels.length - 1];
  if (present && !plot.isNarrow) picture.append(svgText({ x: plot.right + 8, y: plot.y(present.joules) - 2 + crowded(plot, series, range), class: "level-name" }, "Level"), svgText({ x: plot.right + 8, y: plot.y(present.joules) + 12 + crowded(plot, series, range), class: "level-name" }, energyText(present.joules)));
  changeFlags(plot, series, picture);
  versionAxis(plot, series, picture);
  return { picture, plot, range };
}

/** Moves the level's name out of the way of the budget's. */
function crowded(plot, series, range) {
  if (!range.hasBudget) return 0;
  const apart = plot.y(series.levels[series.levels.length - 1].joules) - plot.y(series.standing.budget.joules);
  return Math.abs(apart) >= 30 ? 0 : apart >= 0 ? 30 - apart : -30 - apart;
}

/** Points at a version: a line, and its figures. */
function pointAt(frame, plot, series, at, event) {
  cursorAt = at;
  frame.querySelector(".cursor")?.remove();
  if (at === null) return hideTip();
  frame.prepend(svg("line", { x1: plot.x(at), x2: plot.x(at), y1: plot.top, y2: plot.bottom, class: "cursor" }));
  showTip(event, ...versionTip(series, at));
}

/** Pointer and keyboard of a picture over versions. */
function interactive(picture, plot, series, label) {
  picture.setAttribute("role", "img");
  picture.setAttribute("tabindex", "0");
  picture.setAttribute("aria-label", label);
  const nearest = (event) => {
    const box = picture.getBoundingClientRect(), at = Math.floor(((event.clientX - box.left) * (plot.width / box.width) - plot.left) / plot.step);
    return at >= 0 && at < series.commits.length ? at : null;
  };
  picture.addEventListener("pointermove", (event) => pointAt(picture, plot, series, nearest(event), event));
  picture.addEventListener("pointerleave", () => pointAt(picture, plot, series, null));
  picture.addEventListener("blur", () => pointAt(picture, plot, series, null));
  picture.addEventListener("click", (event) => { const at = nearest(event); if (at !== null) pickVersion(at); });
  picture.addEventListener("keydown", (event) => {
    const last = series.commits.length - 1, now = cursorAt ?? last;
    const to = { ArrowLeft: cursorAt === null ? last : Math.max(0, now - 1), ArrowRight: Math.min(last, now + 1), Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const box = picture.getBoundingClientRect();
      pointAt(picture, plot, series, to, { clientX: box.left + plot.x(to), clientY: box.top + plot.top });
      byId("said").textContent = `${versionName(series.commits[to])}, ${energyText(series.commits[to].joules)}`;
    } else if ((event.key === "Enter" || event.key === " ") && cursorAt !== null) {
      event.preventDefault();
      pickVersion(cursorAt);
      byId("chart-box").querySelector("svg")?.focus();
    }
  });
}

function energyChart(series) {
  const { picture, plot, range } = energyPicture(series), newest = series.commits[series.commits.length - 1];
  interactive(picture, plot, series, `Energy of ${several(series.commits.length, "version")}, the newest ${energyText(newest.joules)}, ${series.standing.missing > 0 ? "" : `level ${energyText(series.standing.joules)}, `}${several(series.changes.length, "change")}. The table below has all figures. Arrow keys move between versions, Enter picks one.`);
  const isKnown = (key) => series.commits.some((of) => of[key] !== null);
  const key = (name, text) => el("span", null, el("i", { class: `key ${name}`, "aria-hidden": "true" }), text);
  const keys = el("p", { class: "leg chart-keys" }, key("key-point", "mean of a version's runs"), ...(isKnown("deviation_joules") && !isDense(series) ? [key("key-spread", "± scatter of its runs")] : []), ...(isDense(series) ? [] : [key("key-whisker", `90${THIN}% interval: the model's error, much the same for all versions${range.isWhole ? "" : " (reaches beyond the chart)"}`)]), ...(shownLevels(series).some(({ band_joules: band }) => band) ? [key("key-band", `noise: 95${THIN}% of versions without a change`)] : []), ...(series.changes.some(({ range: of }) => of.surely_bad - of.last_good > 1) ? [key("key-span", `where a change lies, 95${THIN}%`)] : []));
  byId("chart-box").replaceChildren(el("div", { class: "picture" }, picture), keys);
}
