// Sortable, filterable lists, and what recording cost.

/** Draws every table anew, as after a change of what a page's rows are kept by. */
const tableDraws = [];

/**
 * A table of rows. A column is {label, doc?, get(row), show?(value, row), text?, soft?}: text columns are searched and
 * sorted by the alphabet, others by number with "no data" last. With details(row), rows open; with keep(row), only some are there; with save(rows), `tools` get what saves
 * those that rows() gives.
 */
function dataTable({ id, rows, columns, sort, tools, first = 100, note, details, keep = () => true, save }) {
  let by = sort ?? 0, down = !columns[by].text, shown = first, wanted = "";
  const open = new Set();
  const body = el("tbody");
  const footer = el("div", { class: "more-rows" });
  const total = el("p", { class: "hint" });
  const heads = columns.map((column, nth) => {
    const button = el("button", { type: "button" }, column.label);
    button.addEventListener("click", () => {
      down = by === nth ? !down : !column.text;
      by = nth;
      draw();
    });
    return el("th", { scope: "col", class: column.text ? null : "num", title: column.doc || null }, button);
  });
  const compare = (a, b) => {
    const [x, y] = [columns[by].get(a), columns[by].get(b)];
    if (columns[by].text) return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    if (x === null || y === null) return (x === null) - (y === null);
    return down ? y - x : x - y;
  };

  /** The rows that are shown, in order. */
  function found() {
    const texts = columns.filter((column) => column.text);
    const kept = rows.filter(keep).filter((row) => wanted === "" || texts.some((column) => String(column.get(row)).toLowerCase().includes(wanted)));
    return kept.sort(compare);
  }

  function draw() {
    const kept = found();
    heads.forEach((head, nth) => (nth === by ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
    body.replaceChildren(...kept.slice(0, shown).flatMap(lines));
    total.textContent = (kept.length === rows.length ? `${count(rows.length)} ${rows.length === 1 ? "row" : "rows"}.` : `${count(kept.length)} of ${count(rows.length)} rows.`) + (note ? ` ${note}` : "");
    footer.replaceChildren();
    if (kept.length > shown) {
      const button = el("button", { type: "button" }, `Show ${count(Math.min(500, kept.length - shown))} more`);
      button.addEventListener("click", () => { shown += 500; draw(); });
      footer.append(button);
    }
  }

  /** A row, and what is behind it where it is open. */
  function lines(row) {
    const line = el("tr", null, ...columns.map((column) => cell(column, row)));
    if (!details) return [line];
    line.firstChild.prepend(el("span", { class: "twist", "aria-hidden": "true" }, open.has(row) ? "▾" : "▸"));
    line.tabIndex = 0;
    line.setAttribute("aria-expanded", String(open.has(row)));
    const toggle = () => {
      const at = [...body.children].indexOf(line);
      open.has(row) ? open.delete(row) : open.add(row);
      draw();
      body.children[at]?.focus({ preventScroll: true });
    };
    line.addEventListener("click", toggle);
    line.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle();
    });
    return open.has(row) ? [line, el("tr", { class: "behind" }, el("td", { colspan: columns.length }, details(row)))] : [line];
  }

  function cell(column, row) {
    const value = column.get(row);
    const content = column.show ? column.show(value, row) : value === null ? NONE : column.text ? named(String(value)) : String(value);
    const classes = [column.text ? "name" : "num", column.soft ? "soft" : ""].join(" ").trim();
    return el("td", { class: classes, title: column.text ? String(value) : null }, content);
  }

  if (tools) {
    const input = el("input", { type: "search", id: `${id}-filter`, placeholder: "Filter by name", "aria-label": `Filter ${id} by name` });
    input.addEventListener("input", () => { wanted = input.value.trim().toLowerCase(); shown = first; draw(); });
    tools.append(input, ...(save ? save(found) : []));
  }
  draw();
  tableDraws.push(draw);
  const table = el("table", { id: `${id}-list`, "aria-label": id }, el("thead", null, el("tr", null, ...heads)), body);
  return el("div", null, total, el("div", { class: "scroll list" }, table), footer);
}

const energyColumn = (label, get, strong) => ({ label, get, show: (value) => (strong ? el("b", null, joules(value)) : joules(value)) });
const timeColumn = (label, get) => ({ label, get, show: (value) => (value === null ? NONE : seconds(value)) });

function hardware() {
  const place = byId("hardware-body");
  const part = (title, content) => place.append(el("div", null, el("h3", null, title), content));
  const { cpus, rails, models } = data.tables;
  if (cpus) part(`CPUs; shared: ${joules(report.cpu_shared_joules)}`, describedTable(cpus, { id: "cpus" }));
  if (rails) part("Rails", describedTable(rails, { id: "rails" }));
  if (report.battery) {
    const battery = report.battery;
    const known = battery.drained_joules === null
      ? `not seen to discharge in ${seconds(battery.covered_s)} polled`
      : `drained ${joules(battery.drained_joules)} (${range(...battery.drained_interval_joules)}) over ${seconds(battery.discharging_s)} of ${seconds(battery.covered_s)} polled; accounted for in the same time: ${joules(battery.accounted_joules)} (${battery.disagreement === null ? NONE : signedPercent(battery.disagreement)})`;
    part("Battery", el("p", null, `${known}; ${battery.reading}`));
  }
  if (models) part("CPU energy under each model that applies", describedTable(models, { id: "models" }));
  if (place.childElementCount === 0) place.append("no data");
}

/** What recording cost. */
function overhead(place) {
  const all = report.overhead;
  if (!all) return;
  const bounds = (row) => (row.interval_joules && range(...row.interval_joules) ? ` (${range(...row.interval_joules)})` : "");
  place.append(el("p", null, `Profiling overhead: ${joules(all.joules)}${bounds(all)}${all.share === null ? "" : `, ${percent(all.share)} of the total`}.`));
  const lines = [];
  if (all.probes) {
    const probes = all.probes;
    const unpriced = probes.unpriced > 0 ? `; of ${count(probes.unpriced)} events no cost is known` : "";
    lines.push(`probes: ${count(probes.events)} events, ${seconds(probes.cpu_s)} on a CPU, ${joules(probes.joules)}${bounds(probes)}${unpriced}`);
    for (const cost of probes.costs) {
      lines.push(`a pair of probes ${cost.pid === null ? "elsewhere" : `in process ${cost.pid}`}: ${seconds(cost.pair_s)} (${seconds(cost.low_s)} – ${seconds(cost.high_s)}), ${seconds(cost.inside_s)} of it inside the slice, ${count(cost.pairs)} timed`);
    }
  }
  for (const row of all.recorders) {
    const who = row.thread === null ? named(row.name) : `thread ${named(row.thread)} of ${named(row.name)}`;
    lines.push(`recorder ${who}${row.pid === null ? "" : ` (${row.pid})`}: ${row.cpu_s === null ? NONE : seconds(row.cpu_s)} on a CPU, ${joules(row.joules)}`);
  }
  place.append(el("ul", null, ...lines.map((line) => el("li", null, line))));
}

function quality() {
  const place = byId("quality-body");
  const of = report.quality;
  const lost = of.lost_events === 0 ? (of.worst === "error" ? "Parts of the input are missing, see the errors below." : "No recorder lost an event.") : `Recorders lost ${count(of.lost_events)} events.`;
  const closes = report.closure_error === null ? "" : report.closure_error === 0 ? " Totals reconcile: attributed and integrated energy are equal for every component." : ` Attributed and integrated energy differ by ${report.closure_error.toExponential(1)} at most.`;
  const dangling = of.dangling_entries > 0 ? ` ${count(of.dangling_entries)} entries of the ledger point nowhere and were left out.` : "";
  place.append(el("p", null, lost + closes + dangling));
  overhead(place);
  if (of.alignments) {
    place.append(el("ul", null, ...of.alignments.map((each) => el("li", null, `${each.artifact}: clock ${each.clock} aligned by ${each.by} (${count(each.readings)} readings), offset ${(each.offset_ns / 1e9).toFixed(6)} s${each.drift_ppb === undefined ? "" : `, drift ${si(each.drift_ppb * 1e-9, "s/s")}`}, ${each.residual_ns === undefined ? "how far that may be off is not known" : `off by at most ${seconds(each.residual_ns / 1e9)}`}`))));
  }
  const notes = [...of.artifacts.flatMap((artifact) => artifact.notes), ...of.notes];
  const gravity = ["error", "warning", "info"];
  notes.sort((a, b) => gravity.indexOf(a.severity) - gravity.indexOf(b.severity));
  if (notes.length > 0) {
    place.append(el("ul", { class: "notes" }, ...notes.map((note) => el("li", null, chip(note.severity), el("code", null, note.code),
      el("span", null, note.text + (note.count > 1 ? ` (${count(note.count)} times)` : "") + (note.offset === undefined ? "" : ` at byte ${count(note.offset)}`))))));
  }
  for (const artifact of of.artifacts) {
    const list = (map) => Object.entries(map).sort((a, b) => b[1] - a[1]).map(([kind, times]) => `${kind} ${count(times)}`).join(", ") || "none";
    place.append(el("details", null, el("summary", null, `${artifact.name}: ${artifact.format}, ${si(artifact.bytes, "B")}, ${count(artifact.records)} records${artifact.lost_events > 0 ? `, ${count(artifact.lost_events)} lost` : ""}`),
      el("p", null, `Used: ${list(artifact.events)}.`), el("p", null, `Of other kinds: ${list(artifact.unread)}.`)));
  }
}
