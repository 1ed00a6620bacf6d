// What threads drew for the runtime: collecting garbage, compiling, loading classes, starting the app.

function runtimeTax() {
  const tax = report.runtime_tax;
  if (!tax) return;
  const place = byId("runtime-tax-body");
  if (tax.classes.length === 0) {
    place.append(el("p", { class: "hint" }, tax.unknown));
    return;
  }
  const bounds = tax.interval_joules && range(...tax.interval_joules) ? ` (${range(...tax.interval_joules)})` : "";
  if (tax.joules !== null) place.append(el("p", null, `${joules(tax.joules)}${bounds}${tax.share === null ? "" : `, ${percent(tax.share)} of the ${report.app ? "app's total" : "total"}`}.`));
  place.append(describedTable(data.tables.runtime_classes, { id: "runtime-classes" }));
  const processes = data.tables.runtime_processes;
  if (processes) place.append(el("h3", null, "By process"), describedTable(processes, { id: "runtime-processes", what: "processes", first: 20 }));
  if (tax.unknown) place.append(el("p", { class: "hint" }, tax.unknown));
  if (tax.advice.length > 0) place.append(el("ul", null, ...tax.advice.map((advice) => el("li", null, advice.text))));
}
