// Tracks over the same time axis: power of components, of apps, of the threads of an app. The selection with an eighth of its length around it.

const TRACK_THREADS = 12, TRACK_APPS = 6;

function trackWindow() {
  const t = dragged || state.t;
  if (!t) return [...CHART.view];
  const margin = (t[1] - t[0]) * 0.12;
  return [Math.max(0, t[0] - margin), Math.min(duration, t[1] + margin)];
}

/** Mean power of some lines in each bin. */
function powerOf(groupOf, count) {
  const watts = Array.from({ length: count }, () => null);
  for (let line = 0; line < lines.count; line++) {
    const group = groupOf(line);
    if (group < 0) continue;
    const of = watts[group] || (watts[group] = new Float64Array(time.count));
    for (let at = time.first[line]; at < time.first[line + 1]; at++) of[time.bin[at]] += time.joules[at];
  }
  for (const of of watts) if (of) of.forEach((joules, bin) => { of[bin] = joules / Math.max(powerBins.bins[bin][1] - powerBins.bins[bin][0], 1e-12); });
  return watts;
}

function tracksPanel() {
  const place = byId("pane");
  if (powerBins.bins.length === 0) {
    place.replaceChildren(el("div", { class: "empty" }, el("b", null, "No power over time"), "This ledger has no energy over time."));
    return;
  }
  const view = trackWindow(), grid = el("div", { class: "tracks", id: "track-list" }), lanes = [];
  const group = (text) => grid.append(el("h3", null, text));
  const lane = (head, value, height, paint) => {
    const canvas = el("canvas", { "aria-hidden": "true", style: `height:${height}px` });
    grid.append(el("div", { class: "track-head", style: `min-height:${height}px` }, head, el("span", { class: "soft num wide" }, value)), canvas);
    lanes.push({ canvas, height, paint });
  };
  const steps = (watts, fill, height) => (to, width) => {
    const most = Math.max(...watts, 1e-12);
    to.fillStyle = fill();
    powerBins.bins.forEach(([from, end], bin) => {
      if (end <= view[0] || from >= view[1] || !(watts[bin] > 0)) return;
      const x = ((from - view[0]) / (view[1] - view[0])) * width, wide = ((end - from) / (view[1] - view[0])) * width, tall = (watts[bin] / most) * (height - 3);
      const left = Math.floor(x), right = Math.max(left + 1, Math.floor(x + wide));
      to.fillRect(left, height - tall, right - left, tall);
    });
  };
  lane(el("span", { class: "soft" }, stretchText(view)), "", 20, (to, width) => {
    const { ticks, step } = roundTicks(view[0], view[1], innerWidth < 720 ? 3 : 8);
    to.fillStyle = color("--text3");
    for (const tick of ticks) {
      const x = ((tick - view[0]) / (view[1] - view[0])) * width;
      to.fillRect(x, 14, 1, 6);
      to.fillText(tickText(tick, step), x + 3, 11);
    }
  });
  group("Components: mean power");
  const ranked = [...components].sort((a, b) => report.components.findIndex(({ name }) => name === a.name) - report.components.findIndex(({ name }) => name === b.name)).filter(({ id }) => powerBins.watts[id].some((watts) => watts > 0) && (state.component === null || state.component === id));
  for (const component of ranked) {
    const watts = powerBins.watts[component.id];
    lane(el("span", { class: "in" }, swatchOf(component), component.label), `${powerText(Math.max(...watts))} peak`, 28, steps(watts, () => color(`--c-${component.key}`), 28));
  }
  if (time) {
    const keep = lineFilter({ component: state.component }), of = answer();
    if (state.app === null) {
      const top = apps.map(({ id }) => id).filter((id) => of.apps.sums[id] > 0).sort((a, b) => of.apps.sums[b] - of.apps.sums[a]).slice(0, TRACK_APPS);
      const watts = powerOf((line) => (keep(line) ? top.indexOf(rowApp[lines.row[line]]) : -1), top.length);
      group("Top consumers");
      top.forEach((id, nth) => watts[nth] && lane(el("button", { type: "button", class: "pick", onclick: () => commit({ app: id, thread: null }) }, nameOf(apps[id].name)), energyText(of.apps.sums[id]), 24, steps(watts[nth], () => color(apps[id].recorder ? "--recorder" : "--c-cpu"), 24)));
    }
    const app = focusApp();
    if (app !== null) {
      const sums = figuresBy(inStretch(selection().t), tree.size, (line) => (keep(line) && rowApp[lines.row[line]] === app ? rowThread[lines.row[line]] : -1)).sums;
      const threads = [];
      sums.forEach((joules, row) => joules > 0 && threads.push(row));
      threads.sort((a, b) => sums[b] - sums[a]);
      const shown = threads.slice(0, TRACK_THREADS), watts = powerOf((line) => (keep(line) ? shown.indexOf(rowThread[lines.row[line]]) : -1), shown.length);
      group(`Threads of ${shortName(apps[app].name)}${threads.length > shown.length ? `, ${shown.length} of ${threads.length}` : ""}`);
      shown.forEach((row, nth) => watts[nth] && lane(el("button", { type: "button", class: "pick", "aria-pressed": String(state.thread === row), onclick: () => commit({ app, thread: state.thread === row ? null : row }) }, `${label(row)} `, el("span", { class: "soft" }, String(tree.number[row]))), energyText(sums[row]), 24, steps(watts[nth], () => color("--c-cpu"), 24)));
    }
  }
  place.replaceChildren(grid, el("p", { class: "soft s pad" }, time ? `Mean power in steps of ${durationText(time.width)}${time.count < time.recorded ? " (shortened to keep this file small)" : ""}. CPU clocks, power rails and frames over time are in the exports of wattle export.` : "Mean power by component. This ledger does not have its entries over time."));
  for (const { canvas, height, paint } of lanes) {
    const width = Math.max(1, Math.floor(canvas.clientWidth)), to = context(canvas, width, height);
    to.font = FONT_OF_CANVAS;
    paint(to, width);
    const t = dragged || state.t;
    if (!t) continue;
    const [from, end] = t.map((instant) => ((instant - view[0]) / (view[1] - view[0])) * width);
    to.fillStyle = color("--shade");
    to.fillRect(0, 0, Math.max(0, from), height);
    to.fillRect(Math.min(width, end), 0, width, height);
    to.fillStyle = color("--accent");
    to.fillRect(from, 0, 1, height);
    to.fillRect(end - 1, 0, 1, height);
  }
}
