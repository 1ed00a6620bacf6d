// Methods, APIs, lines, classes and packages: what of the app's code spent the energy, and through what.

const code = data.code;
const HOW = { inherited: "cost of the class it inherits from", overloads: "mean of overloads" };
const greedyMark = (row) => (row.greedy ? el("span", { class: "chip greedy", title: "One call costs more than Q3 + 1.5 IQR of its table" }, "greedy") : null);

const times = ([name, calls]) => (calls === 1 ? named(names[name]) : `${named(names[name])} × ${count(calls)}`);
const listed = (calls, more) => [...calls.map(times), ...(more > 0 ? [`${count(more)} more`] : [])].join(", ");

/** A small table below a row. */
function smallTable(title, heads, rows) {
  if (rows.length === 0) return null;
  const head = heads.map(([label, text]) => el("th", { scope: "col", class: text ? null : "num" }, label));
  const line = (cells) => el("tr", null, ...cells.map((cell, nth) => el("td", { class: heads[nth][1] ? "name" : "num", title: heads[nth][1] && typeof cell === "string" ? cell : null }, cell)));
  return el("div", null, el("h3", null, title), el("table", null, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...rows.map(line))));
}

/** Where a method stands and ran, its lines, the APIs that it calls. */
function methodDetails(at) {
  const row = code.methods[at];
  const place = row.file === null ? "" : ` in ${names[row.file]}${row.line === null ? "" : `:${row.line}`}`;
  const facts = [`${named(names[row.name])}${place}`];
  if (row.only_calls) facts.push("only the calls in it have probes: its energies are those of these calls");
  if (row.known[0] < row.known[1]) facts.push(`a cost is known for ${count(row.known[0])} of ${count(row.known[1])} calls into the framework`);
  facts.push(`on ${row.threads.map(([name, tid, joule]) => `${named(names[name])} (${tid})${joule === null ? "" : ` ${joules(joule)}`}`).join(", ")}`);
  const lines = row.lines.map((line) => [names[line.place], percent(line.share), joules(line.total), joules(line.api), listed(line.callees, line.left_out)]);
  const apis = row.apis.map((api) => [el("span", null, names[api.name], greedyMark(api)), count(api.calls), api.api === null ? "no known cost" : joules(api.api), HOW[api.matched] || ""]);
  const more = (left) => (left > 0 ? ` (${count(left)} more are not in this file)` : "");
  return el("div", null, el("p", null, `${facts.join("; ")}.`), el("div", { class: "columns" },
    smallTable(`Source lines${more(row.left_out[0])}`, [["line", true], ["share"], ["energy"], ["API energy"], ["calls", true]], lines),
    smallTable(`APIs behind it${more(row.left_out[1])}`, [["API", true], ["calls"], ["API energy"], ["", true]], apis)));
}

/** Who calls an API. */
function apiDetails(at) {
  const row = code.apis[at];
  return el("p", null, row.callers.length === 0 ? "Who calls it is not known." : `Called in ${listed(row.callers, row.left_out)}.`);
}

/** The tables, by what a row is. */
const TABLES = {
  method: { key: "methods", details: methodDetails }, API: { key: "apis", lead: "API energy", what: "APIs", details: apiDetails },
  line: { key: "lines", what: "lines" }, class: { key: "classes", what: "classes" }, package: { key: "packages", what: "packages" },
};

function methodsTable() {
  if (!code) return;
  const select = byId("methods-by");
  for (const [by, { key }] of Object.entries(TABLES)) if (data.tables[key].rows > 0) select.append(el("option", { value: by }, by));
  const draw = () => {
    const { key, ...options } = TABLES[select.value];
    const lead = options.lead || (code.api_leads ? "API total" : "total");
    byId("methods-tools").replaceChildren();
    byId("methods-table").replaceChildren(describedTable(data.tables[key], { ...options, id: "methods", lead, tools: byId("methods-tools") }));
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
