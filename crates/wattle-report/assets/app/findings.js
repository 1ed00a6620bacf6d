// Findings: what a diagnosis found, with what a fix could save. Without one, how to get it.

/** Findings of the diagnosis, those with most energy first. */
const findings = (() => {
  if (!data.diagnosis) return [];
  const list = data.diagnosis.findings.map((finding) => {
    const times = finding.evidence.map((each) => each.window_s).filter(Boolean);
    const window = times.length > 0 ? [Math.min(...times.map(([from]) => from)), Math.max(...times.map(([, end]) => end))] : null;
    const app = finding.who ? apps.find(({ name }) => name === finding.who || finding.who.startsWith(`${name} `) || finding.who.startsWith(`${name}:`)) : null;
    return { ...finding, window, app: app ? app.id : null };
  });
  const stake = (finding) => (finding.at_stake ? finding.at_stake.joules : -1);
  return list.sort((a, b) => stake(b) - stake(a));
})();

const findingsWithTime = () => findings.filter(({ window }) => window && window[1] > window[0]).slice(0, 6);

/** Facts of the report itself that lead to an action. */
const remarks = (() => {
  const list = [];
  const overhead = report.overhead;
  if (overhead && overhead.share > 0.05) list.push({ title: `The recorder used ${shareText(overhead.share)} of the energy`, text: "It is not charged to apps. Record fewer data sources or poll less often.", joules: overhead.joules, word: "overhead" });
  const tax = report.runtime_tax;
  for (const advice of tax && tax.advice ? tax.advice.slice(0, 1) : []) list.push({ title: "ART overhead (GC, JIT, class loading, startup)", text: advice.text, joules: tax.joules, word: "" });
  return list;
})();

function findingRow({ title, text, joules, word, severity, choose }) {
  const parts = [el("span", { class: severity === "info" ? "mark" : "mark warn", "aria-hidden": "true" }, severity === "info" ? "i" : "!"), el("h3", { title }, title), el("span", { class: "num" }, joules === null || joules === undefined ? "" : el("span", null, `${word} `, el("b", null, energyText(joules)))), el("p", { title: text }, text)];
  return el("li", null, choose ? el("button", { type: "button", class: "finding-row", onclick: choose }, ...parts) : el("div", { class: "finding-row" }, ...parts));
}

function findingsPanel() {
  const place = byId("findings-body"), t = state.t;
  const inside = findings.filter(({ window, app }) => (!t || !window || (window[0] < t[1] && window[1] > t[0])) && (state.app === null || app === state.app));
  const rows = inside.slice(0, 4).map((finding) => findingRow({
    title: finding.title, text: finding.remedy, severity: finding.severity, word: "up to", joules: finding.at_stake ? finding.at_stake.joules : null,
    choose: () => commit({ t: time && finding.window && finding.window[1] - finding.window[0] < 0.9 * duration ? finding.window.map(clampTime) : null, app: finding.app, thread: null }),
  }));
  if (!isSelected()) rows.push(...remarks.slice(0, Math.max(0, 4 - rows.length)).map((remark) => findingRow({ ...remark, severity: "info" })));
  const notes = [];
  if (!data.diagnosis) notes.push(el("p", { class: "hint-row" }, "This report was made without a diagnosis. ", el("code", null, "wattle report FILE --diagnose --html report.html"), " looks for wake-ups, polling, held wakelocks and other waste, with the energy a fix could save."));
  else if (findings.length === 0) notes.push(el("p", { class: "hint-row" }, `Defects: ${data.diagnosis.no_finding}.`));
  else if (inside.length < findings.length) notes.push(el("p", { class: "hint-row" }, `${count(findings.length - inside.length)} outside the selection.`));
  if (inside.length > 4) notes.push(el("p", { class: "after" }, action(`All ${count(inside.length)} findings`, () => commit({ view: "tables", table: "findings" }))));
  byId("findings-count").textContent = findings.length === 0 ? "" : inside.length === findings.length ? String(findings.length) : `${inside.length} of ${findings.length}`;
  place.replaceChildren(el("ul", { class: "finding-list" }, ...rows), ...notes);
}

shows(findingsPanel);
