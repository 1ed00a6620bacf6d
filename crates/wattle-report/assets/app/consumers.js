// Top consumers: apps and other programs, with what in them has most energy.

const CONSUMERS = 8, PARTS_OF_CONSUMER = 3;
const cpuText = (seconds) => (seconds === null ? DASH : durationText(seconds));
const openConsumers = new Map();
let allConsumers = false;

/** Energy of hardware that an app has as a whole, by component: it was in front, or only its uid is known. */
function wholeHardware(app) {
  const { joules } = inStretch(selection().t), keep = lineFilter({ app, thread: state.thread, component: state.component }), sums = new Map();
  for (let line = 0; line < lines.count; line++) {
    if (joules[line] !== 0 && tree.kind[lines.row[line]] === KIND.account && keep(line)) sums.set(lines.component[line], (sums.get(lines.component[line]) || 0) + joules[line]);
  }
  return sums;
}

/** The parts of an app with most energy of their own: slices by name, threads outside of slices. */
function partsOf(app, own) {
  const parts = new Map(), cpu = cpuInside(selection().t);
  for (const top of apps[app].rows) {
    for (let row = top; row < tree.end[top]; row++) {
      if (own[row] === 0 || isRest(row)) continue;
      if (tree.kind[row] === KIND.account) continue;
      const outside = tree.kind[row] === KIND.thread || tree.kind[row] === KIND.process;
      const key = `${outside ? "t" : "s"}${label(row)}`;
      const part = parts.get(key) || { name: label(row), outside, joules: 0, cpu: 0, row };
      part.joules += own[row];
      part.cpu = cpu ? part.cpu + cpu[row] : null;
      parts.set(key, part);
    }
  }
  for (const [component, joules] of wholeHardware(app)) parts.set(`c${component}`, { name: components[component].label, whole: true, joules, cpu: 0, component });
  return [...parts.values()].sort((a, b) => b.joules - a.joules);
}

/** Functions by their samples, where nothing has energy or a known time. */
function sampledFunctions({ unit, functions }) {
  const row = ({ name, mapping, own, share, total }) => el("tr", null, el("td", { class: "nm" }, el("span", { class: "in" }, nameOf(name), mapping ? el("span", { class: "soft" }, mapping) : null)),
    el("td", { class: "num b" }, count(own)), el("td", { class: "num" }, shareText(share)), el("td", { class: "num wide" }, count(total)));
  const head = el("tr", null, el("th", { scope: "col" }, "Function"), el("th", { scope: "col", class: "num" }, `Innermost, ${unit}`), el("th", { scope: "col", class: "num" }, "Share"), el("th", { scope: "col", class: "num wide" }, "In stack"));
  return el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-labelledby": "h-consumers" }, el("table", { class: "t", id: "sampled-list" }, el("thead", null, head), el("tbody", null, ...functions.map(row))));
}

function consumers() {
  const of = answer(), place = byId("consumers-body");
  if (report.sampled && !(tree.cpu[0] > 0)) {
    byId("h-consumers").textContent = "Sampled functions";
    byId("consumers-count").textContent = `${count(report.sampled.total)} ${report.sampled.unit}`;
    place.replaceChildren(sampledFunctions(report.sampled));
    return;
  }
  const focus = focusApp();
  const ranked = apps.map(({ id }) => id).filter((id) => of.apps.sums[id] > 0 || (!hasEnergy && appCpu(id) > 0)).sort((a, b) => (hasEnergy ? of.apps.sums[b] - of.apps.sums[a] : appCpu(b) - appCpu(a)));
  const pinned = focus !== null && (ranked.includes(focus) || state.app === focus) ? [focus, ...ranked.filter((id) => id !== focus)] : ranked;
  const most = Math.max(...ranked.map((id) => of.apps.sums[id]), 1e-12);
  const unit = columnUnit(most);
  const isOpen = (id, nth) => (openConsumers.has(id) ? openConsumers.get(id) : nth === 0 && id === focus);
  byId("consumers-count").textContent = `${count(ranked.length)} ${ranked.length === 1 ? "app or process" : "apps and processes"}${isSelected() ? " in the selection" : ""}`;
  const shown = [];
  let used = 0;
  for (const [nth, id] of pinned.entries()) {
    const parts = isOpen(id, nth) ? partsOf(id, of.rows).slice(0, allConsumers ? 12 : PARTS_OF_CONSUMER) : [];
    if (!allConsumers && used + 1 > CONSUMERS) break;
    shown.push({ id, parts, open: isOpen(id, nth) });
    used += 1 + parts.length;
    if (allConsumers && shown.length >= 300) break;
  }
  // Bars are as wide as the largest bound that is shown.
  const figures = new Map(shown.map(({ id }) => [id, of.apps.estimate(id)]));
  const widest = Math.max(most, ...[...figures.values()].map((figure) => (figure ? Math.min(figure.interval[1], most * 1.6) : 0)));
  const head = el("tr", null, el("th", { scope: "col" }, "App or process, method"), el("th", { scope: "col", class: "bar-cell" }, el("span", { class: "hidden-text" }, "Bar")), el("th", { scope: "col", class: "num" }, hasEnergy ? `Energy, ${unit.name}` : "Energy"),
    el("th", { scope: "col", class: "num wide" }, `90${THIN}% interval`), el("th", { scope: "col", class: "num" }, "Share"), report.has_scheduler ? el("th", { scope: "col", class: "num wide" }, "CPU time") : null);
  const body = [];
  for (const { id, parts, open } of shown) {
    body.push(consumerRow(id, { figure: figures.get(id), widest, unit, open, device: of.device.joules }));
    for (const part of parts) {
      body.push(el("tr", { class: "part" }, el("td", { class: "nm" }, el("span", { class: "in" }, nameOf(part.name), part.outside ? el("span", { class: "soft" }, "thread, outside slices") : part.whole ? el("span", { class: "soft" }, "used by the app as a whole") : null)),
        el("td", { class: "bar-cell" }, meter(part.joules, widest, part.whole ? `var(--c-${components[part.component].key})` : "var(--c-cpu)")), el("td", { class: "num" }, unit.show(part.joules)), el("td", { class: "num wide" }), el("td", { class: "num" }, shareText(part.joules / of.device.joules)),
        report.has_scheduler ? el("td", { class: "num wide" }, part.cpu === 0 ? DASH : cpuText(part.cpu)) : null));
    }
  }
  if (body.length === 0) body.push(el("tr", null, el("td", { colspan: 6, class: "empty" }, ...(isSelected() ? [el("b", null, "Nothing in this selection"), "No app or process has energy here. ", action("Clear the selection", clearSelection)] : [el("b", null, "No app or process has energy"), "The recording does not tell who used the device."]))));
  const more = pinned.length > shown.length || allConsumers ? action(allConsumers ? "Show fewer" : `${count(pinned.length - shown.length)} more`, () => { allConsumers = !allConsumers; consumers(); }, { id: "more-consumers" }) : null;
  place.replaceChildren(el("div", { class: allConsumers ? "scroll tall" : "" }, el("table", { class: "t", id: "consumers-list" }, el("thead", null, head), el("tbody", null, ...body))), ...(more ? [el("p", { class: "after" }, more)] : []));
}

/** On-CPU time of an app in the selection; null where it is not known. */
const appCpu = (id) => cpuOf({ t: selection().t, app: id, thread: state.thread !== null && rowApp[state.thread] === id ? state.thread : null });

function consumerRow(id, { figure, widest, unit, open, device }) {
  const app = apps[id], isOn = state.app === id, joules = figure ? figure.joules : 0;
  const select = () => commit({ app: isOn ? null : id, thread: null });
  const twist = el("button", { type: "button", class: "twist-button", "aria-expanded": String(open), "aria-label": `${open ? "Close" : "Open"} ${app.name}`, onclick: (event) => { event.stopPropagation(); openConsumers.set(id, !open); consumers(); } }, open ? "▾" : "▸");
  const pick = el("button", { type: "button", class: "pick", "aria-pressed": String(isOn), onclick: (event) => { event.stopPropagation(); select(); } }, nameOf(app.name));
  const tags = [app.asked ? el("span", { class: "tag" }, "asked for") : null, app.recorder ? el("span", { class: "tag warn" }, "recorder") : null];
  return el("tr", { class: isOn ? "on" : null, "data-app": app.name, onclick: select }, el("td", { class: "nm" }, el("span", { class: "in" }, twist, pick, ...tags)), el("td", { class: "bar-cell" }, meter(joules, widest, app.recorder ? "var(--recorder)" : "var(--c-cpu)", figure ? figure.interval : null)),
    el("td", { class: "num b" }, hasEnergy ? unit.show(joules) : DASH), el("td", { class: "num soft wide" }, figure ? unit.between(figure.interval) : ""), el("td", { class: "num" }, device > 0 ? shareText(joules / device) : DASH), report.has_scheduler ? el("td", { class: "num wide" }, cpuText(appCpu(id))) : null);
}

shows(consumers);
