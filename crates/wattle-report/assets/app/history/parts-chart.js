// The energy of components, stacked, and of methods, one row each.

const PARTS_SHOWN = 12;

/** Components in the order in which they are stacked. */
const stackedParts = (series) => series.components.map((part) => ({ ...part, ...styledComponent(part.name) })).sort((a, b) => a.rank - b.rank);

function componentChart(series) {
  const parts = stackedParts(series), place = byId("chart-box");
  if (parts.length === 0) return place.replaceChildren(el("div", { class: "empty" }, el("b", null, "No component is known"), "The runs have no energies by component."));
  const sums = series.commits.map((_, at) => parts.reduce((sum, { joules }) => sum + Math.max(0, joules[at] ?? 0), 0));
  const range = { low: 0, high: Math.max(...sums, 1e-12) * 1.06 }, plot = chartPlot(series, range);
  const picture = svg("svg", { viewBox: `0 0 ${plot.width} ${plot.height}`, width: plot.width, height: plot.height, class: "levels" });
  energyAxis(plot, range, picture);
  const below = series.commits.map(() => 0), gap = plot.step > 6 ? 1 : 0;
  for (const { joules, key } of parts) {
    for (let at = 0; at < below.length; at++) {
      const value = Math.max(0, joules[at] ?? 0);
      if (value === 0) continue;
      const top = plot.y(below[at] + value), height = plot.y(below[at]) - top;
      below[at] += value;
      if (height > 0.2) picture.append(svg("rect", { x: plot.edge(at) + gap / 2, y: top, width: Math.max(0.5, plot.step - gap), height, style: `fill:var(--c-${key})` }));
    }
  }
  changeFlags(plot, series, picture);
  versionAxis(plot, series, picture);
  interactive(picture, plot, series, `Energy of ${several(series.commits.length, "version")} by component: ${parts.map(({ label }) => label).join(", ")}`);
  place.replaceChildren(el("div", { class: "picture" }, picture), partTable(series, parts, "Component", (part) => el("span", { class: "in" }, swatchOf({ name: part.name, key: part.key }), part.label), "parts"));
}

/** A part over all versions as a line from 0, with the changes of the whole. */
function partLine(series, values, color) {
  const width = 240, height = 26, known = values.filter((value) => value !== null), most = Math.max(...known, 1e-15), least = Math.min(0, ...known);
  const x = (at) => ((at + 0.5) / values.length) * width, y = (value) => height - 2 - ((value - least) / (most - least)) * (height - 4);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", class: "part-line", "aria-hidden": "true" });
  for (const { range, joules } of series.changes) picture.append(svg("line", { x1: (range.first_bad / values.length) * width, x2: (range.first_bad / values.length) * width, y1: 0, y2: height, class: `change ${joules >= 0 ? "up" : "down"}` }));
  let run = [];
  const flush = () => {
    if (run.length > 1) picture.append(svg("polyline", { points: run.join(" "), style: `stroke:${color}` }));
    else if (run.length === 1) picture.append(svg("circle", { cx: run[0].split(",")[0], cy: run[0].split(",")[1], r: 1.5, style: `fill:${color}` }));
    run = [];
  };
  values.forEach((value, at) => { if (value === null) flush(); else run.push(`${x(at).toFixed(1)},${y(value).toFixed(1)}`); });
  flush();
  return picture;
}

/** Mean of the versions from one place to another that have it. */
function meanOf(values, first, last) {
  const known = values.slice(first, last + 1).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Parts with a line each: now, and against the versions before the newest change, or the first half. */
function partTable(series, parts, head, nameCell, id) {
  const [before, now] = comparedStretches(series), newest = series.changes[series.changes.length - 1];
  const rows = parts.map((part) => ({ part, now: meanOf(part.joules, ...now.places), before: before ? meanOf(part.joules, ...before.places) : null })).slice(0, PARTS_SHOWN);
  const unit = columnUnit(Math.max(...rows.map(({ now, before }) => Math.max(now ?? 0, before ?? 0)), 1e-12));
  const change = ({ now, before }) => (now === null || before === null ? DASH : `${now > before ? "+" : ""}${unit.show(now - before)}`);
  const heads = [[head, ""], ["Over versions, from 0", "line-cell"], [`${now.name}, ${unit.name}`, "num"], ...(before ? [[`${before.name}, ${unit.name}`, "num wide"], [`Change, ${unit.name}`, "num"]] : [])];
  return el("div", { class: "scroll" }, el("table", { class: "t", id }, el("thead", null, el("tr", null, ...heads.map(([text, style]) => el("th", { scope: "col", class: style }, text)))), el("tbody", null, ...rows.map((row) => el("tr", null, el("td", { class: "nm" }, nameCell(row.part)), el("td", { class: "line-cell" }, partLine(series, row.part.joules, row.part.key ? `var(--c-${row.part.key})` : "var(--accent)")), el("td", { class: "num b" }, unit.show(row.now)), ...(before ? [el("td", { class: "num soft wide" }, unit.show(row.before)), el("td", { class: newest && row.now !== null && row.before !== null && (row.now > row.before) === (newest.joules > 0) ? "num b" : "num soft" }, change(row))] : []))))));
}

/** The stretches whose means are compared: both levels around the newest change, else what is picked, else all versions. */
function comparedStretches(series) {
  const { levels, commits } = series, name = (at) => versionName(commits[at]);
  if (state.picked.length === 2) { const [a, b] = state.picked; return [{ name: name(a), places: [a, a] }, { name: name(b), places: [b, b] }]; }
  if (levels.length > 1) { const [one, two] = levels.slice(-2); return [{ name: `Before ${name(two.first)}`, places: [one.first, one.last] }, { name: "Since", places: [two.first, two.last] }]; }
  return [null, { name: "Mean", places: [0, commits.length - 1] }];
}

function methodChart(series) {
  const place = byId("chart-box");
  if (series.methods.length === 0) return place.replaceChildren(el("div", { class: "empty" }, el("b", null, "No method is known"), "The runs have no methods, slices or samples of the app, or this series is one of many: only the latest have methods."));
  place.replaceChildren(partTable(series, series.methods, "Method", (part) => nameOf(part.name), "methods-list"), el("p", { class: "soft s pad" }, "Self energy of the methods with most of it in the newest version, and of those behind the changes. All methods of two runs: ", el("code", null, "wattle diff"), "."));
}

const CHARTS = { energy: energyChart, components: componentChart, methods: methodChart };

function drawChart() {
  const { series } = state;
  segments(byId("views"), HISTORY_VIEWS, state.view, (view) => commit({ view }));
  hideTip();
  cursorAt = null;
  const title = { energy: "Energy per run", components: "Energy by component", methods: "Energy by method" }[state.view];
  byId("h-chart").textContent = title;
  byId("chart-of").textContent = series ? [scenarioOf(series), isDevice ? "whole device" : appName, deviceOf(series), branchOf(series)].filter((text) => !text.startsWith("no ")).join(" · ") : "";
  if (!series || series.commits.length === 0) return byId("chart-box").replaceChildren(el("div", { class: "empty" }, el("b", null, "Nothing to draw yet")));
  CHARTS[state.view](series);
}

shows(drawChart);
