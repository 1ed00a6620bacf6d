// Tables: three of the selection, and all lists of the report, which are of the whole recording.

/** A table of figures of the selection. */
function figureTable(place, { name, head, rows, note }) {
  const most = Math.max(...rows.map(({ figure }) => Math.min(figure.interval[1], figure.joules * 2)), 1e-12);
  const unit = columnUnit(Math.max(...rows.map(({ figure }) => figure.joules), 1e-12)), all = answer().own.joules, length = answer().seconds;
  const line = ({ cell, figure, fill, more }) => el("tr", null, el("td", { class: "nm" }, cell), el("td", { class: "num b" }, unit.show(figure.joules)), el("td", { class: "bar-cell wide-bar" }, meter(figure.joules, most, fill, figure.interval)),
    el("td", { class: "num soft wide" }, unit.between(figure.interval)), el("td", { class: "num" }, shareText(figure.joules / all)), el("td", { class: "num wide" }, powerText(figure.joules / length)), el("td", { class: "soft wide" }, more ?? `${PROVENANCE_MARKS[figure.provenance]} ${figure.provenance}`));
  const heads = [[head, ""], [`Energy, ${unit.name}`, "num"], ["", "bar-cell"], [`90${THIN}% interval`, "num wide"], ["Share", "num"], ["Mean power", "num wide"], [rows.some(({ more }) => more !== undefined) ? "" : "Provenance", "wide"]];
  const data = () => [[head.toLowerCase(), "joules", "low_joules", "high_joules", "provenance"], ...rows.map(({ key, figure }) => [key, figure.joules, ...figure.interval, figure.provenance])];
  place.replaceChildren(el("div", { class: "pane-bar" }, el("span", { class: "soft s" }, note), el("span", { class: "space" }), ...exportButtons(name, data)),
    rows.length === 0 ? el("div", { class: "empty" }, el("b", null, "Nothing in this selection")) : el("div", { class: "scroll" }, el("table", { class: "t", id: `${name}-figures` }, el("thead", null, el("tr", null, ...heads.map(([text, style]) => el("th", { scope: "col", class: style }, text === "" ? el("span", { class: "hidden-text" }, "Bar") : text)))), el("tbody", null, ...rows.map(line)))));
}

const selectedText = () => {
  const parts = [state.app !== null ? shortName(apps[state.app].name) : null, state.thread !== null ? label(state.thread) : null, state.component !== null ? components[state.component].label : null, state.t ? stretchText(state.t) : null].filter(Boolean);
  return parts.length === 0 ? "whole recording" : parts.join(" · ");
};

function componentFigures(place) {
  const of = answer();
  const rows = stacked.map((component) => ({ component, figure: state.component === null || state.component === component.id ? of.components.estimate(component.id) : null })).filter(({ figure }) => figure).sort((a, b) => b.figure.joules - a.figure.joules);
  figureTable(place, { name: "components", head: "Component", note: selectedText(), rows: rows.map(({ component, figure }) => ({ key: component.name, figure, fill: `var(--c-${component.key})`, cell: el("span", { class: "in" }, swatchOf(component), component.label) })) });
}

function appFigures(place) {
  const of = answer();
  const ids = apps.map(({ id }) => id).filter((id) => of.apps.sums[id] > 0 && (state.app === null || state.app === id)).sort((a, b) => of.apps.sums[b] - of.apps.sums[a]);
  const shown = ids.slice(0, 200);
  figureTable(place, { name: "apps", head: "App or process", note: selectedText() + (ids.length > shown.length ? `, the first ${shown.length} of ${count(ids.length)}` : ""), rows: shown.map((id) => ({ key: apps[id].name, figure: of.apps.estimate(id), fill: apps[id].recorder ? "var(--recorder)" : "var(--c-cpu)", cell: el("span", { class: "in" }, el("button", { type: "button", class: "pick", onclick: () => commit({ app: id, thread: null }) }, nameOf(apps[id].name))) })) });
}

function threadFigures(place) {
  const of = answer(), threads = [];
  of.threads.sums.forEach((joules, row) => joules > 0 && threads.push(row));
  threads.sort((a, b) => of.threads.sums[b] - of.threads.sums[a]);
  const shown = threads.slice(0, 200);
  figureTable(place, { name: "selected-threads", head: "Thread", note: selectedText() + (threads.length > shown.length ? `, the first ${shown.length} of ${count(threads.length)}` : ""), rows: shown.map((row) => ({ key: `${label(row)} (${tree.number[row]})`, figure: of.threads.estimate(row), fill: "var(--c-cpu)", more: rowApp[row] >= 0 ? apps[rowApp[row]].name : "", cell: el("span", { class: "in" }, el("button", { type: "button", class: "pick", onclick: () => commit({ app: rowApp[row] >= 0 ? rowApp[row] : null, thread: row }) }, label(row), el("span", { class: "soft" }, ` ${tree.number[row]}`))) })) });
}

/** Sections of the report that are shown one at a time: id, name, whether there is one, what draws it. */
const SECTIONS = [
  ["overview", "Totals", true, overview], ["tests", "Tests", Boolean(data.tables.tests), testsTable], ["spans", "Frames, starts, states", hasSpans(), spansTables], ["suspects", "Suspicious methods", Boolean(data.suspects), suspectsView],
  ["runtime-tax", "ART overhead", Boolean(report.runtime_tax), runtimeTax], ["methods", "Methods", Boolean(data.code), methodsTable], ["threads", "All threads", true, threadsTable], ["slices", "Slices", Boolean(data.tables.slices), slicesTable], ["hardware", "CPUs, rails, battery, models", true, hardware],
  ["findings", "Findings", Boolean(data.diagnosis), findingsList], ["cpu-use", "CPU use at idle", Boolean(data.diagnosis), useChart], ["regions", "Regions", Boolean(data.diagnosis), regionsTable], ["common-stacks", "Common stacks", Boolean(data.diagnosis), commonStacksTable], ["disk", "Disk", Boolean(data.diagnosis), diskTable], ["diagnosis-notes", "Basis of the diagnosis", Boolean(data.diagnosis), diagnosisNotes],
];
const FIGURES = [["components", "Components", componentFigures], ["apps", "Apps", appFigures], ["selected-threads", "Threads", threadFigures]];
const drawnSections = new Set();

function showSection(id, draw) {
  const section = byId(id);
  section.hidden = false;
  if (drawnSections.has(id)) return;
  drawnSections.add(id);
  try {
    draw();
  } catch (error) {
    console.error(error);
    section.append(el("p", { class: "hint" }, `This part could not be drawn: ${error.message}`));
  }
}

const hideSections = () => { for (const section of byId("details").children) section.hidden = true; };

function tablesPanel() {
  const place = byId("pane");
  const present = SECTIONS.filter(([, , isPresent]) => isPresent);
  const chosen = [...FIGURES, ...present].find(([id]) => id === state.table) || FIGURES[0];
  const button = ([id, text]) => el("button", { type: "button", "aria-pressed": String(chosen[0] === id), "data-table": id, onclick: () => commit({ table: id }) }, text);
  const body = el("div", { id: "table-body" });
  place.replaceChildren(el("div", { class: "pane-bar" }, el("div", { class: "seg", role: "group", "aria-label": "Tables of the selection" }, ...FIGURES.map(button)), el("div", { class: "seg wrap", role: "group", "aria-label": "Tables of the whole recording" }, ...present.map(button))), body);
  const isFigure = FIGURES.includes(chosen);
  if (isFigure) return chosen[2](body);
  if (isSelected()) body.append(el("p", { class: "note" }, "This table is of the whole recording; the selection does not change it."));
  showSection(chosen[0], chosen[3]);
}

function qualityPanel() {
  byId("pane").replaceChildren();
  showSection("quality", quality);
}
