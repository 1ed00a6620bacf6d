// The figures at the top: cards, components, accounts, an app's share.

function card(what, value, more, words) {
  return el("div", { class: "card" }, el("div", { class: "what" }, what), el("div", { class: words ? "value words" : "value" }, value), el("div", { class: "more" }, more || ""));
}

const chip = (word) => el("span", { class: `chip ${word}` }, word);

/** A bar for an energy with a whisker for its interval. */
function whisker(row, most) {
  const x = (value) => `${Math.max(0, Math.min(100, (value / most) * 100))}%`;
  const [low, high] = row.interval_joules;
  const picture = svg("svg", { class: "share", "aria-hidden": "true" });
  const fill = row.name && !row.charge ? `fill:${componentStyle(row.name)}` : "";
  picture.append(svg("rect", { x: 0, y: 3, width: x(row.joules), height: 10, rx: 2, style: fill }));
  if (high > low) {
    picture.append(
      svg("line", { x1: x(low), x2: x(high), y1: 8, y2: 8 }),
      svg("line", { x1: x(low), x2: x(low), y1: 4.5, y2: 11.5 }),
      svg("line", { x1: x(high), x2: x(high), y1: 4.5, y2: 11.5 }),
    );
  }
  return picture;
}

function energyRows(caption, rows, heads, cells, withMean = true) {
  const most = Math.max(...rows.map((row) => (row.interval_joules ? row.interval_joules[1] : 0)), 1e-12);
  const head = [...heads, "", "energy", "share", "90 % interval", ...(withMean ? ["mean"] : [])].map((text, nth) => el("th", { scope: "col", class: nth > heads.length ? "num" : null }, text));
  const body = rows.map((row) => el("tr", null,
    ...cells(row),
    el("td", { class: "picture" }, row.joules === null ? "" : whisker(row, most)),
    el("td", { class: "num" }, el("b", null, joules(row.joules))),
    el("td", { class: "num" }, percent(row.share)),
    el("td", { class: "num soft" }, row.interval_joules ? range(...row.interval_joules) : ""),
    withMean ? el("td", { class: "num" }, milliwatts(row.joules === null || secondsOf(row) <= 0 ? null : row.joules / secondsOf(row) * 1e3)) : null,
  ));
  return el("div", { class: "scroll" }, el("table", { "aria-label": caption }, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...body)));
}

/** Seconds that a mean is over: those in which a component was estimated, else the whole window. */
function secondsOf(row) {
  const covers = report.energy_coverage ? report.energy_coverage.components : [];
  const covered = covers.find((component) => component.name === row.name);
  return covered ? covered.covered_s : report.duration_s;
}

function componentCells(row) {
  const swatch = el("span", { class: "swatch", style: `background:${componentStyle(row.name)}` });
  return [el("td", null, swatch, " ", row.name, " ", row.provenance ? chip(row.provenance) : "")];
}

function overview() {
  const cards = byId("cards");
  const model = report.model;
  if (hasEnergy) {
    const total = report.total;
    const covers = report.energy_coverage;
    cards.append(card(`${(covers ? covers.heading : "Total")} energy`, joules(total.joules), el("span", null, range(...total.interval_joules), " ", chip(total.provenance))));
    cards.append(card("mean power", milliwatts(report.mean_mw), "over the covered time"));
    if (covers) {
      const covered = card("covered", covers.components.length === 1 ? "1 component" : `${covers.components.length} components`, covers.text, true);
      covered.classList.add("wide");
      cards.append(covered);
    }
    if (report.assumption) {
      const assumed = card("assumption", "Wide interval", report.assumption, true);
      assumed.classList.add("wide");
      cards.append(assumed);
    }
  } else {
    const none = card("total energy", "No energy figure", report.no_energy_reason, true);
    none.classList.add("wide");
    cards.append(none);
  }
  for (const statement of report.statements || []) {
    const ratio = statement.ratio === null ? "" : `; the estimate for that time is ${joules(statement.estimate_joules)}, ${percent(statement.ratio)} of it`;
    const what = `${seconds(statement.covered_s)}${statement.whole_device ? ", whole device" : ""}${ratio}`;
    cards.append(card(`input states: ${STATEMENT_NAMES[statement.source]}`, joules(statement.joules), what));
  }
  cards.append(card("duration", seconds(report.duration_s), `${count(report.processes)} processes, ${count(data.tables.threads.rows + data.tables.threads.left_out)} threads`));
  if (model) cards.append(card("model", model.name, el("span", null, `${model.kind}, by ${model.chosen} `, chip(model.provenance)), true));
  if (report.coverage) cards.append(coverageCard(report.coverage));
  const lost = report.quality.lost_events;
  const worst = report.quality.worst;
  const closure = report.closure_error === null ? "" : report.closure_error === 0 ? "totals reconcile exactly" : `totals reconcile to ${report.closure_error.toExponential(1)}`;
  cards.append(card("quality", lost > 0 ? `${count(lost)} events lost` : worst === "error" ? "input errors" : "no events dropped", el("span", null, closure, " ", worst && worst !== "info" ? chip(worst) : ""), true));

  byId("components").append(report.components.length === 0 ? "no data" : energyRows("Components", report.components, ["component"], componentCells));
  byId("accounts").append(report.accounts.length === 0 ? "no data" : energyRows("Attribution", report.accounts, ["consumer", "purpose"], (row) => [el("td", null, row.name), el("td", { class: "soft" }, row.charge.replace("-", " "))], false));
  if (report.interrupts.length > 0) {
    const parts = report.interrupts.slice(0, 6).map((row) => `${named(row.name)} ${joules(row.joules)}`);
    const more = report.interrupts.length > 6 ? ` and ${report.interrupts.length - 6} more` : "";
    byId("accounts").append(el("p", { class: "hint" }, `interrupts: ${parts.join(", ")}${more}`));
  }
  if (report.app) appPanel(report.app);
  if (report.rating) ratingPanel(report.rating);
  const human = humanLine(report.human);
  if (human) cards.after(human);
}

function appPanel(app) {
  const panel = el("div", { class: "panel" }, el("h2", null, `App ${app.packages.join(", ")}`));
  for (const name of app.missing) panel.append(el("p", { class: "hint" }, `no process of ${name} in this recording`));
  if (app.joules !== null) {
    const line = `${joules(app.joules)} (${range(...app.interval_joules)}), ${percent(app.share)} of the total, mean ${milliwatts(app.mean_mw)}`;
    const time = app.cpu_s === null ? "" : `, ${seconds(app.cpu_s)} on a CPU`;
    panel.append(el("p", null, el("b", null, line + time), `; other processes: ${joules(app.other_processes_joules)}`));
    const human = humanLine(app.human);
    if (human) panel.append(human);
    panel.append(energyRows("Components of the app", app.components, ["component"], componentCells));
  } else if (app.cpu_s !== null) {
    panel.append(el("p", null, el("b", null, `${seconds(app.cpu_s)} on a CPU`), "; no energy figure"));
  }
  byId("app").append(panel);
}
