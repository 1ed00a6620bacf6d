// Findings, regions, stacks and disk operations as lists.

const diagnosisName = (id) => data.diagnosis.names[id];
const plainTime = (value) => instant(value, data.diagnosis.duration_s / 1000);
const NO_COMMON_STACK = "No common stack";

/** Shows a stretch of time on the chart. */
function whenButton([from, to]) {
  const button = el("button", { type: "button", class: "when" }, `${plainTime(from)} to ${plainTime(to)}`);
  button.addEventListener("click", () => {
    diagnosisChart.mark(from, to);
    byId("cpu-use").scrollIntoView();
  });
  return button;
}

/** That nothing was found, and how far that can be trusted, as a sentence. */
function noFinding(of) {
  return `${of.no_finding[0].toUpperCase()}${of.no_finding.slice(1)}.`;
}

function findingsList() {
  const of = data.diagnosis;
  const list = byId("findings-list");
  const note = [];
  if (of.findings.length === 0) note.push(noFinding(of));
  for (const it of of.accepted) note.push(`Accepted, not counted: ${it.title} (${it.reason}).`);
  if (of.findings_left_out > 0) note.push(`${count(of.findings_left_out)} more are not in this file.`);
  if (of.findings.filter((finding) => finding.at_stake).length > 1) note.push("Findings can be of the same energy: potential savings do not add up.");
  byId("findings-note").textContent = note.join(" ");
  byId("findings-note").hidden = note.length === 0;
  for (const finding of of.findings) list.append(findingItem(finding));
}

function findingItem(finding) {
  const stake = finding.at_stake
    ? el("p", null, "potential saving: up to ", el("b", null, joules(finding.at_stake.joules)), bracket(finding.at_stake), " ", chip(finding.at_stake.provenance),
      finding.joules_per_hour ? ` ${joules(finding.joules_per_hour)} per hour` : "")
    : el("p", { class: "soft" }, "potential saving: no energy figure");
  const who = [finding.who, finding.thread].filter(Boolean).join(", ");
  const evidence = finding.evidence.map((each) => el("li", null, each.window_s ? whenButton(each.window_s) : null, each.window_s ? " " : "", each.text));
  if (finding.evidence_left_out > 0) evidence.push(el("li", { class: "soft" }, `and ${count(finding.evidence_left_out)} more like it`));
  const place = finding.place;
  const where = place ? el("p", null, "at ", el("code", null, place.function), place.file ? ` (${place.file}${place.line ? `:${place.line}` : ""})` : "") : null;
  const stack = place && place.stack && place.stack.length > 0 ? el("details", null, el("summary", null, "Call stack"), frames(place.stack)) : null;
  return el("li", { class: `finding ${finding.severity}` },
    el("h3", null, chip(finding.severity), " ", finding.title, " ", el("code", null, finding.rule)),
    who === "" ? null : el("p", { class: "soft" }, who), stake,
    finding.confidence.reason ? el("p", { class: "soft" }, `confidence: ${finding.confidence.level} (${finding.confidence.reason})`) : null,
    el("ul", null, ...evidence), where, stack, el("p", { class: "remedy" }, finding.remedy));
}

const bracket = (figure) => {
  const text = range(...figure.interval_joules);
  return text === "" ? "" : ` (${text})`;
};

/** A stack, outermost frame first. */
const frames = (texts) => el("ol", { class: "frames" }, ...texts.map((text) => el("li", null, el("code", null, text))));
const stackTexts = (id) => data.diagnosis.stacks[id].map(diagnosisName);

function regionTitle(at) {
  const of = data.diagnosis.regions;
  return `Region ${count(at + 1)}: ${threadName(of.thread[at])}, ${plainTime(of.start[at])} to ${plainTime(of.end[at])}`;
}

/** Figures and stacks of a region. */
function regionDetails(at) {
  const of = data.diagnosis.regions;
  const energy = of.joules[at] === null ? "no energy figure" : `${joules(of.joules[at])}${range(of.low[at], of.high[at]) ? ` (${range(of.low[at], of.high[at])})` : ""}, mean ${si(of.watts[at], "W")}; asleep instead: ${joules(of.saved[at])} saved`;
  const figures = [
    `${percent(of.use[at])} of a core, ${seconds(of.cpu_s[at])} on CPUs`,
    `${count(of.events[at])} events, ${percent(of.share[at])} of the process's and ${percent(of.machine[at])} of the machine's in that time`,
    of.interval[at] === null ? null : `every ${seconds(of.interval[at])} on average${of.variation[at] === null ? "" : `, coefficient of variation ${of.variation[at].toFixed(2)}`}`,
    of.period[at] === null ? null : `period ${seconds(of.period[at])}${of.period_share[at] === null ? "" : `, ${percent(of.period_share[at])} of the intervals`}`,
    `${of.wakeups[at].toFixed(1)} wake-ups/s`,
    energy,
    of.single[at] ? "one event that was very expensive" : null,
  ].filter((text) => text !== null);
  const strict = stackTexts(of.strict[at]), majority = stackTexts(of.majority[at]);
  const about = of.stacks[at] === 0 ? "The recording has no stacks of it." : `${count(of.stacks[at])} stacks, ${count(of.switch_stacks[at])} of them of switches.`;
  const parts = [el("p", null, figures.join("; ")), el("p", { class: "soft" }, about)];
  if (of.stacks[at] > 0) {
    parts.push(el("div", { class: "columns" },
      el("div", { class: "strict" }, el("h3", null, "Common to all stacks"), strict.length === 0 ? el("p", null, NO_COMMON_STACK) : frames(strict)),
      el("div", { class: "majority" }, el("h3", null, `Common to ${percent(of.majority_share[at])} of the stacks`), majority.length === 0 ? el("p", null, NO_COMMON_STACK) : frames(majority))));
  }
  return el("div", null, ...parts);
}

const intervalColumn = (of) => ({ label: "90 % interval", get: (at) => (of.high[at] === null ? null : of.high[at] - of.low[at]), show: (_, at) => (of.high[at] > of.low[at] ? range(of.low[at], of.high[at]) : ""), soft: true });

function regionsTable() {
  const of = data.diagnosis.regions;
  const { threads } = data.diagnosis;
  const place = byId("regions-table");
  if (of.start.length === 0) return place.append("None.");
  const number = (label, values, show) => ({ label, get: (at) => values[at], show });
  const hasJoules = of.joules.some((value) => value !== null);
  const energy = hasJoules ? [
    number("power", of.watts, (value) => si(value, "W")),
    energyColumn("energy", (at) => of.joules[at], true),
    intervalColumn(of),
    energyColumn("saved if asleep", (at) => of.saved[at]),
  ] : [];
  const columns = [
    { label: "process (pid)", get: (at) => (of.thread[at] === null ? NONE : diagnosisName(threads.process[of.thread[at]])), text: true },
    { label: "thread (tid)", get: (at) => (of.thread[at] === null ? NONE : threadName(of.thread[at])), text: true },
    number("start", of.start, plainTime),
    number("end", of.end, plainTime),
    number("CPU use", of.use, (value) => el("b", null, percent(value))),
    number("events", of.events, count),
    number("of process", of.share, percent),
    timeColumn("interval", (at) => of.interval[at]),
    number("CV", of.variation, (value) => (value === null ? NONE : value.toFixed(2))),
    timeColumn("period", (at) => of.period[at]),
    number("wake-ups/s", of.wakeups, (value) => value.toFixed(1)),
    ...energy,
  ];
  const details = (at) => {
    const button = el("button", { type: "button", class: "noprint" }, "Show in the chart");
    button.addEventListener("click", () => {
      diagnosisChart.select(at);
      byId("cpu-use").scrollIntoView();
    });
    return el("div", { class: "behind" }, regionDetails(at), button);
  };
  const note = of.left_out > 0 ? `The ${count(of.left_out)} of lowest CPU use are not in this file.` : "";
  place.append(dataTable({ id: "regions", rows: of.start.map((_, at) => at), columns, sort: 4, tools: byId("regions-tools"), note, details }));
}

function commonStacksTable() {
  const { groups } = data.diagnosis;
  const place = byId("common-stacks-table");
  if (groups.length === 0) return place.append("None.");
  const text = (group) => {
    const texts = stackTexts(group.stack);
    if (texts.length > 0) return texts.join(" → ");
    return group.majority ? `${percent(group.majority[1])} of the stacks: ${stackTexts(group.majority[0]).join(" → ")}` : NO_COMMON_STACK;
  };
  const columns = [
    { label: "common stack, outermost first", get: text, text: true },
    { label: "regions", get: (group) => group.regions, show: count },
    { label: "mean CPU use", get: (group) => group.use, show: (value) => el("b", null, percent(value)) },
    energyColumn("energy", (group) => group.joules, true),
    energyColumn("saved if asleep", (group) => group.saved),
  ];
  const details = (group) => {
    const texts = stackTexts(group.stack);
    if (texts.length > 0) return frames(texts);
    if (!group.majority) return el("p", null, NO_COMMON_STACK);
    return el("div", null, el("p", null, `Common to ${percent(group.majority[1])} of the stacks`), frames(stackTexts(group.majority[0])));
  };
  place.append(dataTable({ id: "common-stacks", rows: groups, columns, sort: 2, tools: byId("common-stacks-tools"), details }));
}

function diskTable() {
  const of = data.diagnosis.disk;
  const { threads } = data.diagnosis;
  const place = byId("disk-table");
  if (of.kind.length === 0) return place.append("The recording has none of these threads.");
  const columns = [
    { label: "process (pid)", get: (at) => (of.thread[at] === null ? NONE : diagnosisName(threads.process[of.thread[at]])), text: true },
    { label: "thread (tid)", get: (at) => (of.thread[at] === null ? NONE : threadName(of.thread[at])), text: true },
    { label: "type", get: (at) => diagnosisName(of.kind[at]), text: true },
    { label: "begun", get: (at) => of.begin[at], show: (value) => (value === null ? NONE : plainTime(value)) },
    { label: "complete", get: (at) => of.end[at], show: (value) => (value === null ? NONE : plainTime(value)) },
    timeColumn("time in I/O", (at) => of.length[at]),
    timeColumn("of the disk", (at) => of.service[at]),
    { label: "size", get: (at) => of.bytes[at], show: (value) => si(value, "B") },
    { label: "file", get: (at) => (of.path[at] === null ? NONE : diagnosisName(of.path[at])), text: true },
  ];
  const note = of.left_out > 0 ? `The ${count(of.left_out)} shortest are not in this file.` : "";
  place.append(dataTable({ id: "disk", rows: of.kind.map((_, at) => at), columns, sort: 5, tools: byId("disk-tools"), note }));
}

function diagnosisNotes() {
  const of = data.diagnosis;
  const place = byId("diagnosis-notes-body");
  const source = { given: "as given", found: "as found", whole: "all of the recording" }[of.idle.source];
  place.append(el("p", null, `Idle ${source}: ${count(of.idle.windows.length)} interval${of.idle.windows.length === 1 ? "" : "s"}. ${of.idle.why}`));
  place.append(el("p", null, of.model ? el("span", null, `Model ${of.model.name} (${of.model.kind}), by ${of.model.chosen}: ${of.model.source} `, chip(of.model.provenance)) : "No model: there are no energy figures."));
  if (of.subjects.length > 0) {
    const columns = [
      { label: "process (pid)", get: (row) => row.process, text: true },
      timeColumn("on CPUs", (row) => row.cpu_s),
      { label: "events", get: (row) => row.events, show: count },
      energyColumn("energy", (row) => row.joules, true),
    ];
    place.append(dataTable({ id: "subjects", rows: of.subjects, columns, sort: 1, first: 20 }));
  }
  if (of.notes.length > 0) {
    place.append(el("ul", { class: "notes" }, ...of.notes.map((note) => el("li", null, chip(note.severity), el("code", null, note.code), el("span", null, note.text + (note.count > 1 ? ` (${count(note.count)} times)` : ""))))));
  }
}

const DIAGNOSIS_PARTS = [["findings", findingsList], ["cpu-use", useChart], ["regions", regionsTable], ["common-stacks", commonStacksTable], ["disk", diskTable], ["diagnosis-notes", diagnosisNotes]];
