// What threads drew for the runtime: collecting garbage, compiling, loading classes, starting the app.

const RUNTIME_CLASSES = { "garbage-collection": "garbage collection", "jit-compilation": "JIT compilation", "class-loading": "class loading", "app-start": "app start" };

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
  const parts = report.components.map((component) => component.name).filter((name) => tax.classes.some((row) => row.components.some((part) => part.name === name)));
  const part = (row, name) => row.components.find((each) => each.name === name)?.joules ?? null;
  const own = { class: null, joules: tax.rest_joules, interval_joules: tax.rest_interval_joules, share: null, cpu_s: tax.rest_cpu_s, components: [] };
  const columns = [
    { label: "class", get: (row) => (row.class === null ? "the app's own" : RUNTIME_CLASSES[row.class]), text: true },
    energyColumn("energy", (row) => row.joules, true),
    { label: "90 % interval", get: (row) => (row.interval_joules ? row.interval_joules[1] - row.interval_joules[0] : null), show: (_, row) => (row.interval_joules ? range(...row.interval_joules) : ""), soft: true },
    { label: "share", get: (row) => row.share, show: percent },
    timeColumn("CPU time", (row) => row.cpu_s),
    ...parts.map((name) => energyColumn(name, (row) => part(row, name))),
  ];
  place.append(dataTable({ id: "runtime-classes", rows: [...tax.classes, own], columns, sort: hasEnergy ? 1 : 4 }));
  if (tax.processes.length > 1) {
    const of = (row, name) => row.classes.find((each) => each.class === name)?.joules ?? null;
    const columns = [
      { label: "process", get: (row) => named(row.name), text: true },
      { label: "pid", get: (row) => row.pid, soft: true },
      energyColumn("runtime tax", (row) => row.joules, true),
      ...Object.entries(RUNTIME_CLASSES).map(([name, title]) => energyColumn(title, (row) => of(row, name))),
      energyColumn("its own", (row) => row.rest_joules),
    ];
    place.append(el("h3", null, "By process"), dataTable({ id: "runtime-processes", rows: tax.processes, columns, sort: 2, first: 20 }));
  }
  if (tax.unknown) place.append(el("p", { class: "hint" }, tax.unknown));
  if (tax.advice.length > 0) place.append(el("ul", null, ...tax.advice.map((advice) => el("li", null, advice.text))));
}
