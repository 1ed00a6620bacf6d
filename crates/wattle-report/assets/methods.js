// Methods, APIs, lines, classes and packages: what of the app's code spent the energy, and through what.

const code = data.code;
const middle = (energy) => (energy ? energy[0] : null);
const between = (energy) => (energy && energy[2] > energy[1] ? range(energy[1], energy[2]) : "");
const part = (value, whole) => (value === null || !whole ? null : value / whole);
const HOW = { inherited: "cost of the class it inherits from", overloads: "mean of overloads" };
const greedyMark = (row) => (row.greedy ? el("span", { class: "chip greedy", title: "One call costs more than Q3 + 1.5 IQR of its table" }, "greedy") : null);

/** `Main.java:12 or 15`. */
function linePlace(line) {
  if (line.kind === "itself") return "in the method itself";
  if (line.kind === "unknown") return "line not known";
  const file = line.file === null ? "line " : `${names[line.file]}:`;
  return file + line.lines.join(" or ");
}

const times = ([name, calls]) => (calls === 1 ? named(names[name]) : `${named(names[name])} × ${count(calls)}`);
const listed = (calls, more) => [...calls.map(times), ...(more > 0 ? [`${count(more)} more`] : [])].join(", ");

/** Self, total, share, API energy, calls, mean, of rows that have all of them; what leads comes first. */
function measures(rows, { quantiles } = {}) {
  const has = (get) => rows.some((row) => get(row) !== null);
  const interval = (get) => ({ label: "90 % interval", get: (row) => (get(row) ? get(row)[2] - get(row)[1] : null), show: (_, row) => between(get(row)), soft: true });
  const ledger = has((row) => row.total) ? [
    energyColumn("total", (row) => middle(row.total), !code.api_leads),
    ...(code.api_leads ? [] : [interval((row) => row.total), energyColumn("self", (row) => middle(row.own)), { label: "share", get: (row) => part(middle(row.total), code.whole), show: percent }]),
  ] : [];
  const api = has((row) => row.api) ? [
    energyColumn("API total", (row) => middle(row.api), code.api_leads),
    ...(code.api_leads ? [interval((row) => row.api)] : []),
    energyColumn("API self", (row) => middle(row.api_own)),
    { label: "API share", get: (row) => part(middle(row.api), code.api_whole), show: percent },
  ] : [];
  const of = (row) => middle(code.api_leads ? row.api : row.total);
  const perCall = (row) => (code.api_leads ? row.api_per_call : row.per_call);
  return [
    ...(code.api_leads ? [...api, ...ledger] : [...ledger, ...api]),
    { label: "calls", get: (row) => row.calls, show: (value) => (value === null ? NONE : count(value)) },
    energyColumn("mean a call", (row) => (row.calls && of(row) !== null ? of(row) / row.calls : null)),
    ...(quantiles && has(perCall) ? [energyColumn("p50", (row) => (perCall(row) ? perCall(row)[0] : null)), energyColumn("p95", (row) => (perCall(row) ? perCall(row)[1] : null))] : []),
  ];
}

/** A small table below a row. */
function smallTable(title, heads, rows) {
  if (rows.length === 0) return null;
  const head = heads.map(([label, text]) => el("th", { scope: "col", class: text ? null : "num" }, label));
  const line = (cells) => el("tr", null, ...cells.map((cell, nth) => el("td", { class: heads[nth][1] ? "name" : "num", title: heads[nth][1] && typeof cell === "string" ? cell : null }, cell)));
  return el("div", null, el("h3", null, title), el("table", null, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...rows.map(line))));
}

/** Where a method stands and ran, its lines, the APIs that it calls. */
function methodDetails(row) {
  const lead = (of) => middle(code.api_leads ? of.api : of.total);
  const place = row.file === null ? "" : ` in ${names[row.file]}${row.line === null ? "" : `:${row.line}`}`;
  const facts = [`${named(names[row.name])}${place}`];
  if (row.calls === null) facts.push("only the calls in it have probes: its energies are those of these calls");
  if (row.known[0] < row.known[1]) facts.push(`a cost is known for ${count(row.known[0])} of ${count(row.known[1])} calls into the framework`);
  facts.push(`on ${row.threads.map(([name, tid, joule]) => `${named(names[name])} (${tid})${joule === null ? "" : ` ${joules(joule)}`}`).join(", ")}`);
  const lines = row.lines.map((line) => [linePlace(line), percent(part(lead(line), lead(row))), joules(middle(line.total)), joules(middle(line.api)), listed(line.callees, line.left_out)]);
  const apis = row.apis.map((api) => [el("span", null, names[api.name], greedyMark(api)), count(api.calls), api.api ? joules(api.api[0]) : "no known cost", HOW[api.matched] || ""]);
  const more = (left) => (left > 0 ? ` (${count(left)} more are not in this file)` : "");
  return el("div", null, el("p", null, `${facts.join("; ")}.`), el("div", { class: "columns" },
    smallTable(`Source lines${more(row.left_out[0])}`, [["line", true], ["share"], ["energy"], ["API energy"], ["calls", true]], lines),
    smallTable(`APIs behind it${more(row.left_out[1])}`, [["API", true], ["calls"], ["API energy"], ["", true]], apis)));
}

const nameColumn = (label, get) => ({ label, get, text: true });

const TABLES = {
  method: () => ({
    rows: code.methods, leftOut: code.left_out[0], details: methodDetails,
    columns: [nameColumn("method", (row) => names[row.name]), ...measures(code.methods, { quantiles: true })],
  }),
  API: () => ({
    rows: code.apis, leftOut: code.left_out[1], sort: "API energy",
    details: (row) => el("p", null, row.callers.length === 0 ? "Who calls it is not known." : `Called in ${listed(row.callers, row.left_out)}.`),
    columns: [
      { ...nameColumn("API", (row) => names[row.name]), show: (value, row) => el("span", null, named(value), greedyMark(row)) },
      energyColumn("API energy", (row) => middle(row.api), true),
      { label: "90 % interval", get: (row) => (row.api ? row.api[2] - row.api[1] : null), show: (_, row) => between(row.api), soft: true },
      { label: "API share", get: (row) => part(middle(row.api), code.api_whole), show: percent },
      { label: "calls", get: (row) => row.calls, show: count },
      energyColumn("a call", (row) => middle(row.cost)),
      { label: "found by", get: (row) => (row.matched === null ? "no known cost" : HOW[row.matched] || "its signature"), text: true },
      ...(hasEnergy ? [energyColumn("total", (row) => middle(row.total)), energyColumn("self", (row) => middle(row.own))] : []),
    ],
  }),
  line: () => {
    const rows = code.methods.flatMap((method) => method.lines.filter((line) => method.class !== null || line.kind === "line").map((line) => ({ ...line, method: names[method.name] })));
    return {
      rows, leftOut: code.left_out[0], what: "methods",
      columns: [nameColumn("line", linePlace), nameColumn("method", (row) => row.method), nameColumn("calls", (row) => listed(row.callees, row.left_out)), ...measures(rows)],
    };
  },
  class: () => ({ rows: code.classes, leftOut: code.left_out[2], what: "classes", columns: groupColumns("class", code.classes) }),
  package: () => ({ rows: code.packages, leftOut: code.left_out[3], columns: groupColumns("package", code.packages) }),
};

const groupColumns = (label, rows) => [
  nameColumn(label, (row) => (row.name === null ? "(no class)" : names[row.name])),
  ...measures(rows),
  { label: "methods", get: (row) => row.methods, show: count },
];

function methodsTable() {
  if (!code) return;
  const select = byId("methods-by");
  const lists = { method: code.methods, API: code.apis, line: code.methods, class: code.classes, package: code.packages };
  for (const by of Object.keys(TABLES)) if (lists[by].length > 0) select.append(el("option", { value: by }, by));
  const draw = () => {
    const { rows, columns, leftOut, details, sort, what } = TABLES[select.value]();
    const lead = sort || (code.api_leads ? "API total" : "total");
    const at = columns.findIndex((column) => column.label === lead);
    const calls = columns.findIndex((column) => column.label === "calls" && !column.text);
    const note = leftOut > 0 ? `The ${count(leftOut)} smallest ${what || `${select.value}s`} are not in this file.` : "";
    byId("methods-tools").replaceChildren();
    byId("methods-table").replaceChildren(dataTable({ id: "methods", rows, columns, sort: at < 0 ? calls : at, tools: byId("methods-tools"), note, details }));
  };
  select.addEventListener("change", draw);
  const coverage = report.api_coverage;
  if (coverage) {
    const tables = coverage.tables.map((table) => `${table.name} (${table.provenance})`).join(", ");
    const known = ({ known, all }) => `${count(known)} of ${count(all)}`;
    byId("methods-coverage").textContent = coverage.calls.known === 0
      ? `Of none of ${count(coverage.calls.all)} calls into the framework a cost is known.`
      : `API energy: calls into the framework × their cost by table ${tables}. It stands beside the ledger, no total holds it. A cost is known for ${known(coverage.calls)} calls and ${known(coverage.methods)} APIs.`;
  }
  draw();
}
