// Power over time: stacked components, drag to select; a selected app stands out of the faded stack.

const chart = byId("chart");
const CHART = { height: 176, top: 22, bottom: 20, view: [0, Math.max(duration, 1e-9)], follows: true };

/** Power of the selection in each bin, by component; null if all is selected. */
const ownPower = (() => {
  let key = null, known = null;
  return () => {
    const { app, thread, component } = selection();
    if (!time || (app === null && thread === null && component === null)) return null;
    const now = `${app}/${thread}/${component}`;
    if (now === key) return known;
    const keep = lineFilter({ app, thread, component });
    const watts = components.map(() => new Float64Array(time.count));
    for (let line = 0; line < lines.count; line++) {
      if (!keep(line)) continue;
      const of = watts[lines.component[line]];
      for (let at = time.first[line]; at < time.first[line + 1]; at++) of[time.bin[at]] += time.joules[at];
    }
    for (const of of watts) of.forEach((joules, bin) => { of[bin] = joules / Math.max(powerBins.bins[bin][1] - powerBins.bins[bin][0], 1e-12); });
    [key, known] = [now, watts];
    return watts;
  };
})();

/** Mean power in each pixel of a stretch of time, by component in stacking order. */
function columnsOf(watts, [from, to], width) {
  const { bins } = powerBins;
  return stacked.map(({ id }) => {
    const column = new Float64Array(width);
    const pixel = (to - from) / width;
    bins.forEach(([start, end], bin) => {
      if (end <= from || start >= to || watts[id][bin] === 0) return;
      const first = Math.max(0, Math.floor((start - from) / pixel)), last = Math.min(width - 1, Math.floor((end - from) / pixel));
      for (let x = first; x <= last; x++) {
        const overlap = Math.min(end, from + (x + 1) * pixel) - Math.max(start, from + x * pixel);
        if (overlap > 0) column[x] += (watts[id][bin] * overlap) / pixel;
      }
    });
    return column;
  });
}

/** Paints stacked columns; returns nothing. */
function paintStack(to, columns, { height, top, most, alpha = 1, left = 0 }) {
  const width = columns.length > 0 ? columns[0].length : 0;
  const base = new Float64Array(width);
  to.globalAlpha = alpha;
  columns.forEach((column, nth) => {
    const component = stacked[nth];
    to.fillStyle = component.name === "battery" ? hatching(to, color("--hatch")) : color(`--c-${component.key}`);
    to.beginPath();
    for (let x = 0; x < width; x++) {
      if (column[x] <= 0) continue;
      const low = (base[x] / most) * height, high = ((base[x] + column[x]) / most) * height;
      to.rect(left + x, top + height - high, 1, high - low);
      base[x] += column[x];
    }
    to.fill();
  });
  to.globalAlpha = 1;
}

const mostOf = (columns) => {
  let most = 0;
  for (let x = 0; columns.length > 0 && x < columns[0].length; x++) most = Math.max(most, columns.reduce((sum, column) => sum + Math.max(0, column[x]), 0));
  return most;
};

function overviewChart() {
  const box = byId("chart-box");
  const width = Math.max(40, Math.floor(box.clientWidth - 16));
  const height = innerWidth < 720 ? 132 : CHART.height;
  chart.style.height = `${height}px`;
  const to = context(chart, width, height);
  to.clearRect(0, 0, width, height);
  to.font = FONT_OF_CANVAS;
  const [from, end] = CHART.view, tall = height - CHART.top - CHART.bottom;
  const x = (instant) => ((instant - from) / (end - from)) * width;
  const columns = columnsOf(powerBins.watts, CHART.view, width);
  const most = mostOf(columns) * 1.06 || 1;
  const own = ownPower(), t = dragged || state.t;
  paintStack(to, columns, { height: tall, top: CHART.top, most, alpha: own ? 0.2 : 0.94 });
  if (own) paintStack(to, columnsOf(own, CHART.view, width), { height: tall, top: CHART.top, most, alpha: 1 });
  for (const [nth, ends] of unmeteredEnds.entries()) {
    const [left, right] = ends.map(x);
    to.fillStyle = hatching(to, color("--hatch"));
    to.globalAlpha = 0.4;
    to.fillRect(Math.max(0, left), CHART.top, Math.min(width, right) - Math.max(0, left), tall);
    to.globalAlpha = 1;
    const text = "no rail data", wide = to.measureText(text).width;
    if (nth === 0 && right - left > wide + 40) {
      to.fillStyle = color("--surface");
      to.fillRect(left + 30, CHART.top + 2, wide + 6, 15);
      to.fillStyle = color("--text2");
      to.fillText(text, left + 33, CHART.top + 13);
    }
  }
  // Grid and its labels are inside, so that the chart is as wide as all else.
  const { ticks: levels } = roundTicks(0, most, innerWidth < 720 ? 2 : 3);
  for (const level of levels.slice(1)) {
    const y = Math.round(CHART.top + tall - (level / most) * tall) + 0.5;
    to.fillStyle = color("--line");
    to.globalAlpha = 0.8;
    to.fillRect(0, y, width, 1);
    to.globalAlpha = 1;
    const text = levelText(level, levels[1]), wide = to.measureText(text).width;
    to.fillStyle = color("--shade");
    to.fillRect(0, y - 15, wide + 6, 14);
    to.fillStyle = color("--text2");
    to.fillText(text, 3, y - 4);
  }
  to.fillStyle = color("--line2");
  to.fillRect(0, CHART.top + tall, width, 1);
  const { ticks, step } = timeTicks(from, end, innerWidth < 720 ? 3 : 7);
  to.textAlign = "left";
  for (const tick of ticks) {
    const at = x(tick), text = tickText(tick, step);
    to.fillStyle = color("--line2");
    to.fillRect(Math.round(at), CHART.top + tall, 1, 4);
    to.fillStyle = color("--text3");
    if (at + to.measureText(text).width < width) to.fillText(text, at + 2, height - 5);
  }
  marks(to, x, width);
  if (t) shadeOutside(to, t.map(x), width, { top: CHART.top, tall });
  const of = answer();
  chart.setAttribute("aria-label", `Power over time, ${durationText(duration)}. ${t ? `Selected ${stretchText(t)}, ${energyText(of.device.joules)}. ` : ""}Arrows move the time range, Shift with arrows extends it, W and S zoom, A and D pan, Escape clears.`);
  chart.dataset.from = String(from);
  chart.dataset.to = String(end);
}

/** A level of the grid with as many digits as the grid needs. */
function levelText(watts, step) {
  const [scale, unit] = step >= 0.1 ? [1, "W"] : step >= 1e-4 ? [1e3, "mW"] : [1e6, "µW"];
  return `${Number((watts * scale).toPrecision(6))}${THIN}${unit}`;
}

/** Whether rails have no samples in a bin: nothing that they measure has power there, and they do not cover the whole recording. */
const unmeteredEnds = (() => {
  const measured = components.filter(({ name }) => (report.energy_coverage ? report.energy_coverage.components : []).some((covered) => covered.name === name && covered.covered_s < duration * 0.995 && covered.parts.some(({ from }) => from === "rails")));
  const isEmpty = (bin) => measured.every(({ id }) => powerBins.watts[id][bin] === 0);
  const { bins } = powerBins;
  if (measured.length < 2 || bins.length === 0 || bins.every((_, bin) => isEmpty(bin))) return [];
  let first = 0, last = bins.length - 1;
  while (isEmpty(first)) first++;
  while (isEmpty(last)) last--;
  return [[0, bins[first][0]], [bins[last][1], duration]].filter(([from, end]) => end - from > duration * 0.004);
})();

/** Findings that have a time, as marks above the chart. */
function marks(to, x, width) {
  let last = -Infinity;
  for (const { window, title } of findingsWithTime()) {
    const [from, end] = window.map(x);
    if (end < 0 || from > width || (window[1] - window[0]) > 0.9 * duration) continue;
    to.fillStyle = color("--warn");
    to.fillRect(Math.max(0, from), 16, Math.max(2, Math.min(end, width) - Math.max(0, from)), 3);
    const text = title.length > 40 ? `${title.slice(0, 39)}…` : title;
    const wide = to.measureText(text).width, left = Math.max(0, Math.min(from, width - wide));
    if (left > last) {
      to.fillText(text, left, 12);
      last = left + wide + 8;
    }
  }
}

function shadeOutside(to, [from, end], width, { top, tall }) {
  to.fillStyle = color("--shade");
  to.fillRect(0, top - 4, Math.max(0, from), tall + 4);
  to.fillRect(Math.min(width, end), top - 4, Math.max(0, width - end), tall + 4);
  to.fillStyle = color("--accent");
  for (const at of [from, end]) {
    to.fillRect(Math.round(at) - 1, top, 2, tall);
    to.fillRect(Math.round(at) - 3, top + tall / 2 - 10, 6, 20);
  }
  const of = answer(), text = `${durationText(of.seconds)} · ${energyText(of.device.joules)}`;
  const wide = to.measureText(text).width + 12, at = Math.max(0, Math.min(width - wide, (from + end) / 2 - wide / 2));
  to.fillRect(at, top + 2, wide, 18);
  to.fillStyle = color("--surface");
  to.fillText(text, at + 6, top + 15);
}

/** The whole recording, small, beside the condensed verdict. */
function miniChart() {
  const mini = byId("mini");
  if (!mini || !mini.isConnected || mini.clientWidth === 0) return;
  const width = Math.floor(mini.clientWidth), height = 24;
  const to = context(mini, width, height);
  to.clearRect(0, 0, width, height);
  const columns = columnsOf(powerBins.watts, [0, duration], width), most = mostOf(columns) || 1;
  paintStack(to, columns, { height, top: 0, most });
  const t = dragged || state.t;
  if (!t) return;
  to.fillStyle = color("--shade");
  to.fillRect(0, 0, (t[0] / duration) * width, height);
  to.fillRect((t[1] / duration) * width, 0, width, height);
}

const clampTime = (instant) => Math.min(Math.max(instant, 0), duration);
const timeAt = (event) => {
  const box = chart.getBoundingClientRect(), [from, end] = CHART.view;
  return clampTime(from + ((event.clientX - box.left) / box.width) * (end - from));
};

/** Tracks have left the selection that they followed: the chart shows the same stretch of time. */
function leaveSelection() {
  if (state.view === "tracks" && state.t) CHART.view = trackWindow();
  CHART.follows = false;
}

/** Zooms the chart around an instant; the whole recording is the widest, twenty microseconds the narrowest where tracks have them. */
function zoomChart(factor, around) {
  leaveSelection();
  const [from, end] = CHART.view;
  const least = timeTracks ? 2e-5 : time ? time.width * 8 : duration / 100;
  const length = Math.min(duration, Math.max((end - from) * factor, least));
  const share = (around - from) / (end - from);
  const start = Math.min(Math.max(0, around - share * length), duration - length);
  CHART.view = [start, start + length];
  drawView();
}

function panChart(share) {
  leaveSelection();
  const [from, end] = CHART.view, length = end - from;
  const start = Math.min(Math.max(0, from + share * length), duration - length);
  CHART.view = [start, start + length];
  drawView();
}

function chartPointer() {
  if (!time) return;
  let drag = null;
  chart.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const at = timeAt(event), pixel = (CHART.view[1] - CHART.view[0]) / chart.getBoundingClientRect().width;
    const t = state.t;
    const near = (instant) => Math.abs(at - instant) < 6 * pixel;
    if (t && near(t[0])) drag = { anchor: t[1] };
    else if (t && near(t[1])) drag = { anchor: t[0] };
    else if (t && at > t[0] && at < t[1]) drag = { move: at, t };
    else drag = { anchor: at };
    drag.start = event.clientX;
    chart.setPointerCapture(event.pointerId);
  });
  chart.addEventListener("pointermove", (event) => {
    if (!drag) return hover(event);
    const at = timeAt(event);
    if (Math.abs(event.clientX - drag.start) < 3 && !dragged) return;
    if (drag.move !== undefined) {
      const length = drag.t[1] - drag.t[0], start = Math.min(Math.max(0, drag.t[0] + at - drag.move), duration - length);
      dragged = [start, start + length];
    } else dragged = [Math.min(at, drag.anchor), Math.max(at, drag.anchor)];
    if (dragged[1] - dragged[0] <= 0) dragged = null;
    hideTip();
    drawLive();
  });
  const finish = () => {
    const t = dragged;
    [drag, dragged] = [null, null];
    if (t) commit({ t });
  };
  chart.addEventListener("pointerup", finish);
  chart.addEventListener("pointercancel", () => { [drag, dragged] = [null, null]; drawLive(); });
  chart.addEventListener("dblclick", () => { CHART.view = [0, duration]; commit({ t: null }); });
  chart.addEventListener("pointerleave", hideTip);
  chart.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && CHART.view[1] - CHART.view[0] >= duration && event.deltaY > 0) return;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) panChart(event.deltaX / chart.clientWidth);
    else zoomChart(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event));
    event.preventDefault();
  }, { passive: false });
  function hover(event) {
    const at = timeAt(event), bin = powerBins.bins.findIndex(([from, end]) => at >= from && at < end);
    if (bin < 0) return hideTip();
    const watts = ownPower() || powerBins.watts;
    const rows = [...stacked].reverse().filter(({ id }) => watts[id][bin] > 0);
    const sum = rows.reduce((all, { id }) => all + watts[id][bin], 0);
    showTip(event, el("b", null, stretchText(powerBins.bins[bin])), ...rows.slice(0, 8).map((component) => el("div", { class: "row" }, swatchOf(component), el("span", null, component.label), el("span", null, powerText(watts[component.id][bin])))), el("div", { class: "row" }, el("span", null, "total"), el("span", null, powerText(sum))));
  }
}

/** Moves or extends the time range by keys; without one, the first takes a tenth of what is visible. */
function moveRange(direction, extend) {
  if (!time) return;
  const [from, end] = CHART.view, step = (end - from) / 40;
  const t = state.t || [from + (end - from) * 0.45, from + (end - from) * 0.55];
  const moved = !state.t ? t : extend ? [t[0], clampTime(Math.max(t[0] + step / 4, t[1] + direction * step))] : (() => {
    const start = Math.min(Math.max(0, t[0] + direction * step), duration - (t[1] - t[0]));
    return [start, start + t[1] - t[0]];
  })();
  commit({ t: moved }, { replace: Boolean(state.t) });
}

chartPointer();
shows(overviewChart, { live: true, pans: true });
shows(miniChart, { live: true });
