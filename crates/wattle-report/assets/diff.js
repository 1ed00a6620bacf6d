// The differential flame graph: width is the energy of one run, colour is what changed.

function differenceFlame() {
  const left = data.tree.left_out;
  byId("flame-note").textContent = left === 0 ? "" : `${count(left)} call paths${data.tree.left_out_below === null ? "" : `, none above ${amount(data.tree.left_out_below)},`} are drawn as “smaller ones” of their caller to keep this file small.`;
  if (tree.size < 2) return noFlame();
  const widthOf = byId("flame-width");

  const change = (at, energy) => energy.after[at] - energy.before[at];

  /** In a few signs: by colour alone nobody has to know. */
  function sign(at, energy) {
    if (energy.before[at] === 0 && energy.after[at] === 0) return "";
    if (!(tree.runs[at] & BEFORE)) return "new";
    if (!(tree.runs[at] & AFTER)) return "gone";
    if (verdictAt(energy, at) === "inconclusive") return "≈";
    return energy.before[at] === 0 ? "new" : signedPercent(change(at, energy) / energy.before[at]);
  }

  function fill(at, energy) {
    const isDark = dark.matches;
    const word = verdictAt(energy, at);
    if (word === "inconclusive") return isDark ? "hsl(220 5% 58%)" : "hsl(220 8% 82%)";
    const size = Math.max(energy.before[at], energy.after[at]);
    // Half as much again is the full colour.
    const strength = size > 0 ? Math.min(1, Math.abs(change(at, energy)) / size * 2) : 0;
    const light = isDark ? 76 - 20 * strength : 90 - 28 * strength;
    return word === "more" ? `hsl(6 ${isDark ? 68 : 84}% ${light}%)` : `hsl(212 ${isDark ? 66 : 80}% ${light}%)`;
  }

  /** A figure of both runs in words. */
  function figures(before, after, low, high) {
    const share = before > 0 ? `, ${signedPercent((after - before) / before)}` : "";
    const bounds = interval(low, high);
    return `${amount(before)} → ${amount(after)}, ${signed(after - before)}${share}${bounds ? ` [${bounds}]` : ""}, ${verdict(low, high)}`;
  }

  const total = (at, energy) => figures(energy.before[at], energy.after[at], energy.low[at], energy.high[at]);
  const own = (at, energy) => figures(energy.ownBefore[at], energy.ownAfter[at], energy.ownLow[at], energy.ownHigh[at]);
  const where = (at) => ["in neither run", "only before", "only after", ""][tree.runs[at]];

  const redraw = flameGraph({
    energies,
    width: (energy) => (widthOf.value === "before" ? energy.before : energy.after),
    text: (at, energy) => [label(at), sign(at, energy)].filter(Boolean).join(" "),
    fill,
    status: (at, energy) => `${label(at)}: ${total(at, energy)}${energy === energies[0] ? "" : ` (${energy.label})`}.`,
    describe: (at, energy) => {
      const path = pathTo(at).map(label).join(" › ") || label(0);
      return `${path}: ${[where(at), total(at, energy)].filter(Boolean).join(", ")}; own ${own(at, energy)}`;
    },
    tip: (at, energy) => {
      const row = (name, text) => el("div", { class: "row" }, el("span", null, name), el("span", null, text));
      const parts = energies.slice(1).filter((each) => each.before[at] !== 0 || each.after[at] !== 0)
        .map((each) => row(each.label, `${amount(each.before[at])} → ${amount(each.after[at])}`));
      const bounds = interval(energy.low[at], energy.high[at]);
      const both = (before, after, show) => `${tree.runs[at] & BEFORE ? show(before[at]) : NONE} → ${tree.runs[at] & AFTER ? show(after[at]) : NONE}`;
      const facts = [];
      if (!isRest(at) && data.tree.calls_before[at] + data.tree.calls_after[at] > 0) facts.push(row("calls", both(data.tree.calls_before, data.tree.calls_after, count)));
      if (data.tree.samples_before[at] + data.tree.samples_after[at] > 0) facts.push(row("samples", both(data.tree.samples_before, data.tree.samples_after, count)));
      if (cpuTime.before[at] + cpuTime.after[at] > 0) facts.push(row("on a CPU", both(cpuTime.before, cpuTime.after, seconds)));
      const kind = [where(at), KIND_NAMES[tree.kind[at]], CLASS_NAMES[tree.class[at]]].filter(Boolean).join(", ");
      return [el("b", null, label(at)), kind ? el("div", null, kind) : "",
        row("before → after", `${amount(energy.before[at])} → ${amount(energy.after[at])}`),
        row("difference", `${signed(change(at, energy))} ${verdictAt(energy, at)}`),
        bounds ? row("90 % interval", bounds) : "",
        row("own", `${amount(energy.ownBefore[at])} → ${amount(energy.ownAfter[at])}`), ...parts, ...facts];
    },
    matched: (found, energy) => {
      const before = together(found, energy.before), after = together(found, energy.after);
      return `Search: ${count(before.matches)} found, together ${amount(before.sum)} → ${amount(after.sum)}, ${signed(after.sum - before.sum)}.`;
    },
  });
  widthOf.addEventListener("change", redraw);

  const legend = () => {
    const key = (style, words) => el("span", { class: "key" }, el("span", { class: "swatch", style: `background:${style}` }), words);
    const isDark = dark.matches;
    byId("flame-legend").replaceChildren(
      key(isDark ? "hsl(6 68% 56%)" : "hsl(6 84% 62%)", "more"),
      key(isDark ? "hsl(212 66% 56%)" : "hsl(212 80% 62%)", "less"),
      key(isDark ? "hsl(220 5% 58%)" : "hsl(220 8% 82%)", "inconclusive: the interval holds 0"));
  };
  dark.addEventListener("change", legend);
  legend();
}

/** What a difference is worth: runs, objections, totals. */
function summary() {
  const run = (when, of) => el("div", { class: "card" }, el("div", { class: "what" }, when), el("div", { class: "value words" }, named(of.name)),
    el("div", { class: "more" }, [seconds(of.duration_s), of.device, of.model && `model ${of.model}`].filter(Boolean).join(", ")),
    ...of.missing_apps.map((app) => el("div", { class: "more" }, `${app} is not in it`)));
  const total = report.total;
  const low = total.difference_interval_joules?.[0] ?? null, high = total.difference_interval_joules?.[1] ?? null;
  const of = { run: "", second: " of a second", call: ` of a call of ${report.per.call}` }[report.per.unit];
  byId("cards").append(run("before", report.before), run("after", report.after),
    el("div", { class: "card" }, el("div", { class: "what" }, `difference${of}`), el("div", { class: "value" }, signed(total.difference_joules)),
      el("div", { class: "more" }, [total.share === null ? "" : signedPercent(total.share), interval(low, high), verdict(low, high)].filter(Boolean).join(", "))));
  for (const objection of report.objections) {
    byId("cards").append(el("div", { class: "card wide" }, el("div", { class: "what" }, objection.weight === "refusal" ? "not comparable" : "warning"), el("div", null, objection.text)));
  }
  const bounds = (row) => row.difference_interval_joules ?? [null, null];
  const columns = [
    { label: "component", get: (row) => row.name, text: true },
    { label: "before", get: (row) => row.before.joules, show: amount },
    { label: "after", get: (row) => row.after.joules, show: amount },
    { label: "difference", get: (row) => row.difference_joules, show: (value) => el("b", null, value === null ? NONE : signed(value)) },
    { label: "90 % interval", get: (row) => bounds(row)[0], show: (_, row) => interval(...bounds(row)), soft: true },
    { label: "change", get: (row) => row.share, show: (value) => (value === null ? "" : signedPercent(value)) },
    { label: "verdict", get: (row) => row.verdict ?? "not known in both", text: true },
  ];
  byId("components").append(dataTable({ id: "components", rows: report.components, columns, sort: 1 }));
  const text = report.has_common_errors
    ? "Both runs rest on the same numbers of one model, whose errors are common to them: of what is in both only the difference is unsure."
    : "The runs do not rest on the same numbers of one model: the errors of both count.";
  byId("errors").textContent = `${text} Intervals are the model's, of these two runs; how far runs of one build lie apart takes several of each.`;
}

/** Methods, most changed first. */
function changedMethods() {
  const of = data.methods;
  const rows = of.name.map((_, at) => at);
  if (rows.length === 0) {
    byId("methods-table").append("No call path is in either run.");
    return;
  }
  const whole = of.total, own = of.own;
  const size = (values) => (at) => (values[at] === null ? null : Math.abs(values[at]));
  const shown = (value) => (value === null ? NONE : signed(value));
  const columns = [
    { label: "method", get: (at) => names[of.name[at]], text: true },
    { label: "process", get: (at) => names[of.process[at]], text: true },
    { label: "before", get: (at) => whole.before[at], show: amount },
    { label: "after", get: (at) => whole.after[at], show: amount },
    { label: "difference", get: size(whole.difference), show: (_, at) => el("b", null, shown(whole.difference[at])) },
    { label: "90 % interval", get: (at) => whole.low[at], show: (_, at) => interval(whole.low[at], whole.high[at]), soft: true },
    { label: "verdict", get: (at) => (of.calls_before[at] === null ? "new, " : of.calls_after[at] === null ? "gone, " : "") + verdict(whole.low[at], whole.high[at]), text: true },
    { label: "own", get: size(own.difference), show: (_, at) => shown(own.difference[at]) },
    { label: "own interval", get: (at) => own.low[at], show: (_, at) => interval(own.low[at], own.high[at]), soft: true },
  ];
  const counted = (label, before, after) => {
    const show = (value) => (value === null ? NONE : count(value));
    if (before.concat(after).some((value) => value > 0)) columns.push({ label, get: (at) => after[at], show: (_, at) => `${show(before[at])} → ${show(after[at])}` });
  };
  counted("calls", of.calls_before, of.calls_after);
  counted("samples", of.samples_before, of.samples_after);
  const note = of.left_out > 0 ? `The ${count(of.left_out)} that changed least are not in this file.` : "";
  byId("methods-table").append(dataTable({ id: "methods", rows, columns, sort: 4, tools: byId("methods-tools"), note }));
}
