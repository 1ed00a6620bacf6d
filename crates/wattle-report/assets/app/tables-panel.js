// Tables: four of the selection, and the lists of the report, whose rows are those of the selection and whose figures are of the whole recording.

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

const selectedText = () => selectionText(state);

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

/** Methods, slices and frames by name: self energy of the selection, with its interval. */
function methodFigures(place) {
  const of = answer(), ids = new Map(), wanted = wantedText();
  const keyOf = new Int32Array(tree.size).fill(-1), calls = [];
  for (let row = 1; row < tree.size; row++) {
    if (tree.kind[row] !== KIND.slice || of.rows[row] === 0) continue;
    const name = label(row);
    if (wanted !== "" && !name.toLowerCase().includes(wanted)) continue;
    if (!ids.has(name)) { ids.set(name, ids.size); calls.push(0); }
    keyOf[row] = ids.get(name);
    calls[keyOf[row]] += tree.calls[row];
  }
  const keep = lineFilter(selection()), figures = figuresBy(inStretch(selection().t), ids.size, (line) => (keep(line) ? keyOf[lines.row[line]] : -1));
  const ranked = [...ids.entries()].sort((a, b) => figures.sums[b[1]] - figures.sums[a[1]]), shown = ranked.slice(0, 200);
  const found = wanted === "" ? "" : `, “${state.q}”`;
  figureTable(place, { name: "selected-methods", head: "Method or slice, self", note: `${selectedText()}${found}${ranked.length > shown.length ? `, the first ${shown.length} of ${count(ranked.length)}` : ""}`, rows: shown.map(([name, id]) => ({ key: name, figure: figures.estimate(id), fill: "var(--c-cpu)", more: state.t || calls[id] === 0 ? "" : `${count(calls[id])} ${calls[id] === 1 ? "call" : "calls"}`, cell: el("span", { class: "in" }, nameOf(name)) })) });
}

/** Sections of the report that are shown one at a time: id, name, whether there is one, what draws it. */
const SECTIONS = [
  ["overview", "Totals", true, overview], ["tests", "Tests", Boolean(data.tables.tests), testsTable], ["spans", "Frames, starts, states", hasSpans(), spansTables], ["suspects", "Suspicious methods", Boolean(data.suspects), suspectsView],
  ["runtime-tax", "ART overhead", Boolean(report.runtime_tax), runtimeTax], ["methods", "Methods with lines and APIs", Boolean(data.code), methodsTable], ["threads", "All threads", true, threadsTable], ["waits", "Waits", Boolean(data.tables.waits), waitsTable], ["slices", "Slices", Boolean(data.tables.slices), slicesTable], ["hardware", "CPUs, rails, battery, models", true, hardware],
  ["findings", "Findings", Boolean(data.diagnosis), findingsList], ["cpu-use", "CPU use", Boolean(data.diagnosis), useChart], ["regions", "Regions", Boolean(data.diagnosis), regionsTable], ["common-stacks", "Common stacks", Boolean(data.diagnosis), commonStacksTable], ["disk", "Disk", Boolean(data.diagnosis), diskTable], ["diagnosis-notes", "Basis of the diagnosis", Boolean(data.diagnosis), diagnosisNotes],
];
const FIGURES = [["components", "Components", componentFigures], ["apps", "Apps", appFigures], ["selected-threads", "Threads", threadFigures], ["selected-methods", "Methods", methodFigures]];
const drawnSections = new Set();
/** By section, which parts of the selection its rows follow. */
const sectionFollows = new Map();

function showSection(id, draw) {
  const section = byId(id);
  section.hidden = false;
  if (drawnSections.has(id)) return;
  drawnSections.add(id);
  followed.clear();
  try {
    draw();
    sectionFollows.set(id, new Set(followed));
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
  showSection(chosen[0], chosen[3]);
  tableDraws.forEach((draw) => draw());
  if (isSelected()) body.append(el("p", { class: "note" }, followText(chosen[0])));
}

/** Which parts of the selection a table's rows follow; its figures are always of the whole recording. */
function followText(section) {
  const words = { t: "time range", app: "app", thread: "thread", component: "component" }, follows = sectionFollows.get(section) || new Set();
  const asked = Object.keys(words).filter((part) => state[part] !== null);
  const of = (is) => asked.filter((part) => follows.has(part) === is).map((part) => words[part]);
  const done = of(true), left = of(false);
  if (done.length === 0) return "This table is of the whole recording; the selection does not change it.";
  return `Rows of the selected ${done.join(" and ")}; their figures are of the whole recording.${left.length > 0 ? ` The selected ${left.join(" and ")} ${left.length > 1 ? "do" : "does"} not change this table.` : ""}`;
}

function qualityPanel() {
  byId("pane").replaceChildren();
  showSection("quality", quality);
}
