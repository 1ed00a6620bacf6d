// Tables that were described in Rust: a list of values for each column, and what kind of values they are.

/** Its energy, its total or whatever a table is about: the first of these headings that it has. */
const LEADS = ["energy", "total", "API total", "measured", "core energy", "ART overhead", "CPU time", "duration", "calls"];

const or = (show) => (value) => (value === null ? NONE : show(value));

/** Values as people read them, by kind; texts are not here. */
const SHOWN = {
  count: or(count), number: or(String), integer: or(count), share: or(percent), difference: or(signedPercent), power: milliwatts,
  bytes: (value) => si(value, "B"), energy: joules, joules, time: or(seconds),
  "amount-of-time": or(amountOfTime),
};
const TEXTS = new Set(["text", "texts", "flag", "provenance"]);

/** A column of a data table; rows are numbers. */
function describedColumn({ label, doc, kind, is_strong: strong, is_soft: soft, is_mark: mark, is_instant: isInstant, values }) {
  if (TEXTS.has(kind)) {
    const get = (at) => (values[at] === null ? "" : names[values[at]]);
    if (mark) return { label, get, text: true, show: (value) => (value === "" ? "" : el("span", { class: `chip ${value}`, title: doc }, value)) };
    return { label, doc, get, text: true, soft };
  }
  if (kind === "interval") {
    const width = (at) => (values[at] === null ? null : values[at][1] - values[at][0]);
    return { label, doc, get: width, show: (_, at) => (values[at] === null ? "" : range(...values[at])), soft: true };
  }
  const plain = isInstant ? or((value) => instant(value, report.duration_s)) : SHOWN[kind];
  const show = strong && plain ? (value) => el("b", null, plain(value)) : plain;
  return { label, doc, get: (at) => values[at], show, soft };
}

/** Parts of the selection that some table of the section that was drawn last follows. */
const followed = new Set();

/** By which parts of the selection the rows of a table can be told apart: column and test of each. */
function keepers(table) {
  const column = (...labels) => table.columns.find(({ label, kind }) => labels.includes(label) && (TEXTS.has(kind) || kind === "time" || kind === "id"));
  const text = ({ values }, at) => (values[at] === null ? "" : names[values[at]]);
  const program = column("process", "app"), thread = column("thread"), tid = column("tid"), component = column("component");
  const start = table.columns.find(({ label, is_instant: isInstant }) => label === "start" && isInstant), length = column("duration");
  const isOf = (name, app) => name === app || name.startsWith(`${app}:`);
  return {
    app: program && ((at) => state.app === null || isOf(text(program, at), apps[state.app].name)),
    thread: thread && ((at) => state.thread === null || (text(thread, at) === label(state.thread) && (!tid || tid.values[at] === tree.number[state.thread]))),
    component: component && ((at) => state.component === null || text(component, at) === components[state.component].name),
    t: start && length && ((at) => !state.t || (start.values[at] < state.t[1] && start.values[at] + length.values[at] > state.t[0])),
  };
}

/** Rows with the keys of the report's JSON, and values as they are. */
const plainRows = ({ columns }, rows) => [
  columns.flatMap(({ key, label, kind }) => (kind === "interval" ? ["low", "high"].map((end) => `${key ?? label}_${end}`) : [key ?? label])),
  ...rows.map((at) => columns.flatMap(({ kind, values: { [at]: value } }) => (kind === "interval" ? value ?? [null, null] : [value !== null && TEXTS.has(kind) ? names[value] : value]))),
];

/** A table with all that its rows are; `options` are those of `dataTable`, and `what` its rows are called. */
function describedTable(table, { what, ...options }) {
  const columns = table.columns.map(describedColumn);
  const lead = options.lead ? [options.lead, ...LEADS] : LEADS;
  const by = lead.map((label) => columns.findIndex((column) => column.label === label && !column.text)).find((at) => at >= 0);
  const left = table.left_out > 0 ? `The ${count(table.left_out)} smallest ${what || options.id} are not in this file.` : "";
  const note = [options.note, left].filter(Boolean).join(" ");
  const tests = keepers(table);
  const texts = table.columns.filter(({ kind }) => TEXTS.has(kind));
  // The page's search rules what has a filter of its own, too.
  const isFound = (at) => !options.tools || wantedText() === "" || texts.some(({ values }) => values[at] !== null && names[values[at]].toLowerCase().includes(wantedText()));
  const keep = (at) => Object.values(tests).every((test) => !test || test(at)) && isFound(at);
  for (const [part, test] of Object.entries(tests)) if (test) followed.add(part);
  const save = (rows) => exportButtons(options.id, () => plainRows(table, rows()));
  return dataTable({ ...options, keep, save, rows: Array.from({ length: table.rows }, (_, at) => at), columns, sort: by ?? 0, note });
}

const threadsTable = () => byId("threads-table").append(describedTable(data.tables.threads, { id: "threads", tools: byId("threads-tools") }));

/** Why threads did not run. A row opens to what leads to its longest wait. */
function waitsTable() {
  const table = data.tables.waits;
  const values = (key) => table.columns.find((column) => column.key === key).values;
  const [name, tid, at, longest] = ["thread", "tid", "longest_at_s", "longest_s"].map(values);
  const details = (row) => {
    const thread = threadsNamed(names[name[row]], tid[row], null)[0];
    const of = thread === undefined ? {} : { app: rowApp[thread] >= 0 ? rowApp[thread] : null, thread };
    const t = time && longest[row] > 0 ? { t: [Math.max(0, at[row]), Math.min(duration, at[row] + longest[row])] } : {};
    const leads = [[t, "Select the time of the longest"], [of, "Select the thread"]].filter(([change]) => Object.keys(change).length > 0);
    return leads.length === 0 ? "Its thread has no energy in this page." : el("div", { class: "tools" }, ...leads.map(([change, text]) => action(text, () => commit(change))));
  };
  const note = "Waits of several threads at once add up to more than the recording.";
  byId("waits-table").append(describedTable(table, { id: "waits", tools: byId("waits-tools"), details, note }));
}

function slicesTable() {
  const place = byId("slices-table");
  if (!data.tables.slices) return place.append("The recording has no call slices.");
  place.append(describedTable(data.tables.slices, { id: "slices", lead: "total", tools: byId("slices-tools") }));
}

function testsTable() {
  const table = data.tables.tests;
  if (!table) return;
  const note = report.tests_uncertainty_s > 0 ? `Their ends may be off by up to ${seconds(report.tests_uncertainty_s)}.` : "";
  byId("tests-table").append(describedTable(table, { id: "tests", lead: hasEnergy ? "energy" : "start", tools: byId("tests-tools"), note }));
}

/** Tables of named stretches of time, with their headings. */
const SPANS = [
  ["frame_groups", "Frames by app and jank"], ["frames", "Frames"], ["startups", "App starts"], ["journeys", "User journeys"],
  ["app_states", "Foreground and background"],
];

const hasSpans = () => SPANS.some(([id]) => data.tables.spans[id]);

function spansTables() {
  for (const [id, title] of SPANS) {
    const table = data.tables.spans[id];
    if (table) byId("spans-tables").append(el("h3", null, title), describedTable(table, { id, what: title.toLowerCase(), lead: hasEnergy ? "energy" : "duration" }));
  }
}
