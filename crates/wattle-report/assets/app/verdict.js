// The answer: energy of the selection, of an app, where it went, how it is known.

const PROVENANCE_MARKS = { measured: "●", modelled: "◐", assumed: "○" };

function bigEnergy(value, ...more) {
  const [name, factor] = unitOf(value);
  return el("p", { class: "big" }, digits(value * factor), el("span", { class: "unit" }, name), ...more);
}

const intervalLine = (figure) => (figure.interval[1] > figure.interval[0] ? `${intervalText(figure.interval)} (90${THIN}%)` : "exact");

/** Which components a part of the energy covers, if not all that the recording has. */
function coverageTag(app, inApp) {
  const used = components.filter(({ id }) => inApp[id] > 0);
  if (used.length === 0 || used.length === components.filter(({ name }) => name !== "battery").length) return null;
  const missing = components.filter(({ id, name }) => !(inApp[id] > 0) && name !== "battery").map(({ label }) => label);
  const text = used.length === 1 ? `${used[0].label} only` : `${used.length} of ${components.length} components`;
  return el("span", { class: "tag warn", title: `Not attributed to this app: ${missing.join(", ")}` }, text);
}

function chips() {
  const row = byId("selection");
  row.hidden = !isSelected() && state.missing.length === 0;
  const chip = (text, title, change) => el("span", { class: "chip" }, text, el("button", { type: "button", "aria-label": `Clear ${title}`, onclick: () => commit(change) }, "×"));
  const list = [];
  if (state.t) list.push(chip(stretchText(state.t), "time range", { t: null }));
  if (state.app !== null) list.push(chip(shortName(apps[state.app].name), "app", { app: null, thread: null }));
  if (state.thread !== null) list.push(chip(label(state.thread), "thread", { thread: null }));
  if (state.component !== null) list.push(chip(components[state.component].label, "component", { component: null }));
  for (const text of state.missing) list.push(el("span", { class: "tag warn" }, `not in this recording: ${text}`));
  row.replaceChildren(el("span", { class: "soft wide" }, "Selection"), ...list, el("span", { class: "space" }),
    el("span", { class: "soft wide" }, "Every panel shows this selection"), action(el("span", null, "Clear ", el("kbd", { class: "wide" }, "Esc")), clearSelection, { id: "clear" }));
}

function verdict() {
  chips();
  const of = answer(), place = byId("verdict");
  if (!hasEnergy) {
    place.replaceChildren(noEnergyBox());
    return;
  }
  place.replaceChildren(totalBox(of), appBox(of), whereBox(of), provenanceBox(of));
  const note = byId("timeless");
  const { t } = selection(), without = t ? of.timeless : timelessEnergy;
  // The chart of the whole says what it lacks where that is more than a little.
  note.hidden = !(t ? Math.abs(without) > 0 : without > 0.05 * report.total.joules);
  note.textContent = note.hidden ? "" : `${energyText(without)} of ${energyText(report.total.joules)} has no known time (such as energy that only the battery saw) and is not part of ${t ? "a time range" : "the charts over time"}.`;
}

function noEnergyBox() {
  const cpu = tree.cpu[0];
  // What is not known is not 0 s.
  const time = cpu > 0 ? [durationText(cpu), el("span", { class: "of" }, "of CPU time")] : [DASH, el("span", { class: "of" }, "energy and CPU time unknown")];
  return el("div", { class: "whole" }, el("p", { class: "lab" }, `Energy cannot be estimated, ${durationText(duration)}`),
    el("p", { class: "big" }, ...time), el("p", { class: "sub" }, report.no_energy_reason || ""), ...basisLines());
}

/** Mean power; not where components are covered for different times, because their means do not add up to what a reader computes. */
function meanText(of) {
  const watts = of.device.joules / of.seconds, { t, component } = selection();
  const isMean = t || component !== null || report.mean_mw === null || Math.abs(report.mean_mw * 1e-3 / watts - 1) < 0.02;
  return isMean && Number.isFinite(watts) ? ` · mean ${powerText(watts)}` : "";
}

function totalBox(of) {
  const { t, component } = selection();
  // A part never goes by the name of the whole.
  const part = report.energy_coverage && report.energy_coverage.heading !== "Total" ? `${report.energy_coverage.heading} only` : null;
  const head = component !== null ? components[component].label : [t ? "Selected" : part ? null : "Total energy", part].filter(Boolean).join(", ");
  const whole = report.total.joules;
  const share = t || component !== null ? el("span", { class: "of" }, `${shareText(of.device.joules / whole)} of ${energyText(whole)}`) : null;
  return el("div", { id: "total" }, el("p", { class: "lab" }, `${head}, ${durationText(of.seconds)}`), bigEnergy(of.device.joules, share),
    el("p", { class: "sub" }, `${intervalLine(of.device)}${meanText(of)}`));
}

function appBox(of) {
  const app = focusApp();
  if (app === null) return el("div", { id: "app-figure" }, el("p", { class: "lab" }, "App"), el("p", { class: "big none" }, DASH), el("p", { class: "sub" }, "no process has energy"));
  const { name, asked } = apps[app];
  const thread = state.thread;
  const figure = of.ownOf({ app, thread });
  const inApp = figuresBy(inStretch(null), components.length, (line) => (rowApp[lines.row[line]] === app ? lines.component[line] : -1)).sums;
  const head = el("p", { class: "lab" }, el("span", null, thread !== null ? "Thread" : state.app !== null || asked ? "App" : "Top consumer"),
    el("b", { title: thread !== null ? `${label(thread)} of ${name}` : name }, thread !== null ? label(thread) : name.length <= 32 ? name : shortName(name)), coverageTag(app, inApp));
  const { component, t } = selection();
  if (component !== null && !(inApp[component] > 0)) {
    return el("div", { id: "app-figure" }, head, el("p", { class: "big none" }, DASH), el("p", { class: "sub" }, `no ${components[component].label} energy is attributed to it`));
  }
  const seconds = cpuOf({ t, app, thread });
  const cpu = seconds === null ? "" : ` · ran ${durationText(seconds)}`;
  const share = el("span", { class: "of" }, `${shareText(figure.joules / of.device.joules)} of ${t || component !== null ? "the selection" : "the total"}`);
  const ran = report.has_scheduler ? cpu : "";
  return el("div", { id: "app-figure" }, head, bigEnergy(figure.joules, share), el("p", { class: "sub" }, (figure.joules === 0 ? "no energy here" : intervalLine(figure)) + ran));
}

function whereBox(of) {
  const parts = [["Apps and processes", of.categories[0], "--c-cpu", false], ["Recorder", of.categories[1], "--recorder", false], ["Idle, interrupts", of.categories[2], "--idle", false], ["No cause recorded", of.categories[3], "--hatch", true], ["Rest of device", of.categories[4], "--hatch", true]].filter(([, joules]) => joules > 0);
  const sum = parts.reduce((all, [, joules]) => all + joules, 0) || 1;
  return el("div", { id: "where" }, el("p", { class: "lab" }, "Where it went"),
    el("p", { class: "stack", "aria-hidden": "true" }, ...parts.map(([, joules, fill, hatched]) => el("i", { class: hatched ? "hatch" : null, style: `--c:var(${fill});flex:${(joules / sum).toFixed(5)} 1 0` }))),
    el("p", { class: "leg" }, ...parts.map(([name, joules, fill, hatched]) => el("span", null, el("i", { class: hatched ? "sw hatched" : "sw", style: `--c:var(${fill})` }), `${name} `, el("b", null, energyText(joules))))));
}

function provenanceBox(of) {
  const sums = of.provenance, present = components.filter(({ id }) => of.deviceComponents.sums[id] !== 0).length;
  const all = sums.measured + sums.modelled + sums.assumed || 1;
  const fills = { measured: "var(--down)", modelled: "color-mix(in srgb, var(--down) 46%, var(--surface))", assumed: "var(--warn-line)" };
  const parts = PROVENANCES.filter((word) => sums[word] > 0);
  const text = parts.map((word) => `${PROVENANCE_MARKS[word]} ${shareText(sums[word] / all)} ${word}`).join(" · ");
  const missing = missingComponents();
  const none = missing.length === 0 ? "" : ` · no figure: ${missing[0]}${missing.length > 1 ? ` + ${missing.length - 1}` : ""}`;
  return el("div", { id: "provenance" }, el("p", { class: "lab" }, "Provenance"),
    el("p", { class: "stack", "aria-hidden": "true" }, ...parts.map((word) => el("i", { style: `background:${fills[word]};flex:${(sums[word] / all).toFixed(5)} 1 0` }))),
    el("p", { class: "sub" }, text), el("p", { class: "sub", title: missing.length === 0 ? "" : `No figure of: ${missing.join(", ")}` }, `${present} ${present === 1 ? "component" : "components"}${none}`),
    ...basisLines());
}

/** Components that such a device has and that are not in the total. */
function missingComponents() {
  if (report.energy_coverage) return report.energy_coverage.missing.map((key) => COMPONENT_NAMES[key] || key);
  return Object.entries(COMPONENT_NAMES).filter(([key]) => !["tpu", "fabric"].includes(key) && !components.some((component) => component.key === key)).map(([, name]) => name);
}

/** Whatever is selected: a model or an assumption that most of the energy rests on, and what the input itself states of the whole device. */
function basisLines() {
  const lines = [], { model, assumption } = report, assumed = report.provenance_shares ? report.provenance_shares.assumed : 0;
  if (assumption) lines.push(`assumed: ${assumption}`);
  else if (model && assumed > 0.5) lines.push(`assumed: model ${model.name}, by ${model.chosen}`);
  const stated = (report.statements || []).filter((row) => row.whole_device || row.source === "android-estimate");
  if (stated.length > 0) lines.push(`the input states: ${stated.map((row) => `${STATEMENT_NAMES[row.source] || row.source} ${energyText(row.joules)}`).join(", ")}`);
  return lines.map((text) => el("p", { class: "sub basis", title: text }, text));
}

/** The verdict in one line, once the first screen is scrolled away. */
function condensed() {
  const of = answer(), place = byId("condensed");
  const chips = [state.t ? stretchText(state.t) : null, state.app !== null ? shortName(apps[state.app].name) : null, state.thread !== null ? label(state.thread) : null, state.component !== null ? components[state.component].label : null];
  place.replaceChildren(...(hasEnergy ? [el("b", null, energyText(of.own.joules)), el("span", { class: "soft" }, of.own.isEmpty ? "" : intervalText(of.own.interval))] : [el("span", { class: "soft" }, "no energy figure")]),
    ...chips.filter(Boolean).map((text) => el("span", { class: "chip plain" }, text)), el("span", { class: "space" }), byId("mini") || el("canvas", { id: "mini", "aria-hidden": "true" }));
}

shows(verdict, { live: true });
shows(condensed, { live: true });
