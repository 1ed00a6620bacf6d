// The answer: how much more or less, how surely, and against what counts as a difference.

const scopeText = () => [state.app !== null ? shortName(label(state.app)) : null, state.thread !== null ? label(state.thread) : null, state.component !== null ? chosenEnergy().label : null].filter(Boolean).join(" · ");

function selectionRow() {
  const row = byId("selection");
  row.hidden = !isSelected();
  const chip = (text, title, change) => el("span", { class: "chip" }, text, el("button", { type: "button", "aria-label": `Clear ${title}`, onclick: () => commit(change) }, "×"));
  const list = [];
  if (state.app !== null) list.push(chip(shortName(label(state.app)), "app", { app: null }));
  if (state.thread !== null) list.push(chip(label(state.thread), "thread", { thread: null }));
  if (state.component !== null) list.push(chip(chosenEnergy().label, "component", { component: null }));
  row.replaceChildren(el("span", { class: "soft wide" }, "Selection"), ...list, el("span", { class: "space" }), el("span", { class: "soft wide" }, "Every panel shows this selection"), action(el("span", null, "Clear ", el("kbd", { class: "wide" }, "Esc")), clearSelection, { id: "clear" }));
}

/** The node of the first figure: what is selected, else the app that was asked for, else the device. */
const headlineNode = () => (state.app !== null ? chosenNode() : askedApp ?? 0);

/** Of all components of the whole device the engine's own figure, which is not rounded for the page. */
const figureOf = (node) => (node === 0 && state.component === null ? reported(report.total) : totalOf(node, chosenEnergy()));

function changeBox(node, id, title) {
  const of = figureOf(node);
  const name = node === 0 ? scopeName : label(node);
  const component = state.component === null ? "" : `, ${chosenEnergy().label}`;
  const per = { run: "", second: " (mean)", call: ` per call of ${report.per.call}` }[report.per.unit];
  const head = el("p", { class: "lab" }, pill(of), el("b", { title: name }, node === 0 ? `${name}${component}` : `${shortName(name)}${component}`), title ? el("span", { class: "soft" }, title) : null);
  if (of.difference === null) return el("div", { id }, head, el("p", { class: "big none" }, DASH), el("p", { class: "sub" }, "One of the runs does not know it"));
  if (of.before === 0 && of.after === 0 && state.component !== null) return el("div", { id }, el("p", { class: "lab" }, el("b", { title: name }, `${node === 0 ? name : shortName(name)}${component}`)), el("p", { class: "big none" }, DASH), el("p", { class: "sub" }, `No ${chosenEnergy().label} energy is attributed to it`));
  const [unit, factor] = isPower ? [["W", 1], ["mW", 1e3], ["µW", 1e6]].find(([, by]) => Math.abs(of.difference) * by >= 1) || ["µW", 1e6] : unitOf(of.difference);
  const plus = of.difference > 0 ? "+" : "";
  const share = of.before > 0 ? signedShare(of.difference / of.before) : of.after > 0 ? "new" : "";
  const bounds = betweenText(of.low, of.high);
  return el("div", { id }, head, el("p", { class: "big" }, `${plus}${digits(of.difference * factor)}`, el("span", { class: "unit" }, unit), el("span", { class: "of" }, share)),
    el("p", { class: "sub", title: bounds }, `${amount(of.before)} → ${amount(of.after)}${per}${bounds ? ` · 90${THIN}% interval ${bounds}` : ""}`));
}

/** The difference on an axis of shares of A, with the band of what does not matter. */
function changeAxis(node) {
  const of = figureOf(node);
  const box = el("div", { id: "axis", class: "wide-box" }, el("p", { class: "lab" }, "Difference from A, and what counts as a difference"));
  if (of.difference === null || !(of.before > 0) || Math.abs(of.difference) > 100 * of.before) {
    box.append(el("p", { class: "sub" }, of.difference === null ? "No difference is known." : of.before > 0 ? "A has next to nothing: a share of it says nothing." : "A has no energy here."));
    return box;
  }
  const least = thresholdOf(of) / of.before, at = of.difference / of.before, low = (of.low ?? of.difference) / of.before, high = (of.high ?? of.difference) / of.before;
  const reach = Math.max(Math.abs(low), Math.abs(high), Math.abs(at), least) * 1.15 || 0.01;
  const from = low >= 0 ? -Math.max(least * 1.6, reach * 0.12) : -reach, to = high <= 0 ? Math.max(least * 1.6, reach * 0.12) : reach;
  const W = 520, x = (share) => 8 + ((share - from) / (to - from)) * (W - 16);
  const { ticks } = roundTicks(from, to, 6);
  const word = verdictOf(of), color = { higher: "var(--up)", lower: "var(--down)", equal: "var(--eq)" }[word] || "var(--warn)";
  const picture = svg("svg", { viewBox: `0 0 ${W} 64`, role: "img", class: "axis", "aria-label": `B is ${signedShare(at)} of A, 90 % interval ${signedShare(low)} to ${signedShare(high)}; differences within ${shareText(least)} do not matter` });
  const text = (props, words) => { const node = svg("text", props); node.textContent = words; return node; };
  picture.append(svg("rect", { x: x(-least), y: 6, width: Math.max(1, x(least) - x(-least)), height: 38, class: "band" }), svg("line", { x1: 8, x2: W - 8, y1: 44, y2: 44, class: "base" }), svg("line", { x1: x(0), x2: x(0), y1: 6, y2: 44, class: "base" }));
  const seen = [];
  for (const tick of ticks) {
    if (Math.abs(tick) < 1e-12 || Math.abs(x(tick) - x(0)) < 26 || x(tick) < 20 || x(tick) > W - 20) continue;
    seen.push(tick);
    picture.append(svg("line", { x1: x(tick), x2: x(tick), y1: 44, y2: 47, class: "base" }), text({ x: x(tick), y: 59, class: "tick" }, signedShare(tick).replace(/\.0(?=\u202f)/, "")));
  }
  picture.append(text({ x: x(0), y: 59, class: "tick" }, "A"));
  if (x(least) - x(-least) > 90 && Math.abs(x(at) - x(0)) > 90) picture.append(text({ x: x(0), y: 16, class: "tick" }, `±${shareText(least)} threshold`));
  picture.append(svg("line", { x1: x(low), x2: x(high), y1: 34, y2: 34, style: `stroke:${color};stroke-width:2` }), svg("line", { x1: x(low), x2: x(low), y1: 29, y2: 39, style: `stroke:${color};stroke-width:2` }), svg("line", { x1: x(high), x2: x(high), y1: 29, y2: 39, style: `stroke:${color};stroke-width:2` }), svg("circle", { cx: x(at), cy: 34, r: 4.5, style: `fill:${color}` }),
    text({ x: Math.min(Math.max(x(at), 40), W - 40), y: 24, class: "value", style: `fill:${color}` }, `B ${signedShare(at)}`));
  box.append(picture);
  return box;
}

/** The program that changed most, beside a figure of the whole device. */
function mostChanged() {
  const energy = chosenEnergy();
  return programs.filter((at) => tree.kind[at] === KIND.process && energy.after[at] !== energy.before[at]).reduce((best, at) => (best === null || Math.abs(energy.after[at] - energy.before[at]) > Math.abs(energy.after[best] - energy.before[best]) ? at : best), null);
}

function compareVerdict() {
  selectionRow();
  const node = headlineNode(), other = node === 0 ? mostChanged() : 0;
  byId("verdict").replaceChildren(changeBox(node, "total", "in these two runs"), changeAxis(node), ...(other === null ? [] : [changeBox(other, "beside", other === 0 ? null : "largest change")]));
  const refusals = report.objections.filter(({ weight }) => weight === "refusal");
  byId("refused").hidden = refusals.length === 0;
  byId("refused").textContent = refusals.length === 0 ? "" : `These runs are not comparable: ${refusals.map(({ text }) => text).join("; ")}`;
  const of = figureOf(node);
  byId("condensed").replaceChildren(pill(of), el("b", null, of.difference === null ? DASH : signed(of.difference)), el("span", { class: "soft" }, [shortName(label(node)), state.component !== null ? chosenEnergy().label : null].filter(Boolean).join(" · ")), el("span", { class: "soft" }, of.difference === null ? "" : betweenText(of.low, of.high)));
}

/** What speaks for and against the comparison. */
function comparable() {
  const list = [], has = (word) => report.objections.some(({ code }) => code.startsWith(word));
  for (const { weight, text, code } of report.objections) list.push([weight === "refusal" ? "×" : "!", code.replace(/-/g, " "), text]);
  list.push(["!", "one run each", "Says how these two runs differ, not yet how the builds do. Repeat: wattle run OLD.apk --compare NEW.apk --repeat 5"]);
  if (!has("model")) list.push(["✓", "same model", report.has_common_errors ? `${report.before.model || "no model"}; its error cancels where nothing changed` : "other errors: those of both runs count"]);
  if (!has("device") && report.before.device) list.push(["✓", "same device", report.before.device]);
  if (!has("length")) list.push(["✓", "same length", `${durationText(report.before.duration_s)} and ${durationText(report.after.duration_s)}`]);
  if (!has("components") && !has("rails")) list.push(["✓", "same components", `${report.components.length} in both runs`]);
  const warnings = list.filter(([sign]) => sign !== "✓").length;
  byId("comparable-count").textContent = `${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
  byId("comparable").replaceChildren(...list.map(([sign, head, text]) => el("li", { class: sign === "✓" ? "good" : sign === "×" ? "bad" : "warn" }, el("span", { "aria-hidden": "true" }, sign), el("b", null, head[0].toUpperCase() + head.slice(1)), el("span", null, text))));
}

function reading() {
  const part = (word, text) => [el("dt", null, el("span", { class: `v ${word}` }, el("span", { "aria-hidden": "true" }, VERDICTS[word][0]), VERDICTS[word][1])), el("dd", null, text)];
  const least = [report.threshold.share > 0 ? shareText(report.threshold.share) : null, report.threshold.joules > 0 ? amount(report.threshold.joules) : null].filter(Boolean).join(", at least ") || "0";
  byId("reading").replaceChildren(...part("higher", `The difference is above the threshold (${least}), and a test at 5${THIN}% tells it from 0.`), ...part("lower", "The same, below it."), ...part("equal", `The whole 90${THIN}% interval lies within the threshold: too small to matter.`), ...part("inconclusive", "Neither is known: the device model's error is too large for this difference."));
}

shows(compareVerdict);
comparable();
reading();
