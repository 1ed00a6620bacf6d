// CPU use over time: lines of the process and its busiest threads, idle time shaded, findings above, regions below.

/** What is selected on the chart, and how to: the tables call it, too. */
const diagnosisChart = { select() {}, mark() {} };

const regionThread = (at) => data.diagnosis.regions.thread[at];
const threadName = (thread) => (thread === null ? "unknown thread" : diagnosisName(data.diagnosis.threads.thread[thread]));
const lineName = (thread) => (thread === null ? "all threads" : threadName(thread));

function useChart() {
  const { chart, idle, findings, regions } = data.diagnosis;
  const canvas = byId("use-canvas");
  const status = byId("use-status");
  const whole = [chart.start_s, chart.end_s];
  if (chart.bins === 0 || !(whole[1] > whole[0])) {
    canvas.hidden = true;
    for (const part of byId("cpu-use").querySelectorAll(".noprint, .tools")) part.hidden = true;
    status.textContent = "no data";
    return;
  }
  const LANE = 11, ABOVE = 14;
  const lines = chart.lines;
  // A lane of regions for each thread with a line, one more for the others.
  const laneOf = new Map();
  for (const line of lines) if (line.thread !== null) laneOf.set(line.thread, laneOf.size);
  const others = regions.start.some((_, at) => !laneOf.has(regionThread(at)));
  const lanes = laneOf.size + (others ? 1 : 0);
  const margins = { left: 64, right: 8, top: 10 + ABOVE, bottom: 26 + Math.max(1, lanes) * LANE + 6 };
  canvas.style.height = `${250 + Math.max(1, lanes) * LANE}px`;
  const lineColor = (nth) => PALETTE[nth % PALETTE.length];
  const threadColor = (thread) => (laneOf.has(thread) ? lineColor(laneOf.get(thread) + 1) : PALETTE[8]);
  const lane = (at) => laneOf.get(regionThread(at)) ?? laneOf.size;
  const byTime = regions.start.map((_, at) => at).sort((a, b) => regions.start[a] - regions.start[b]);
  const windows = findings.flatMap((finding, nth) => finding.evidence.filter((each) => each.window_s).map((each) => ({ nth, finding, text: each.text, from: each.window_s[0], to: each.window_s[1] })));
  const hidden = new Set();
  let width = 0, height = 0, top = 1, selected = null, marked = null;
  const bin = (whole[1] - whole[0]) / chart.bins;
  const y = (value) => margins.top + (1 - value / top) * (height - margins.top - margins.bottom);
  const laneTop = (nth) => height - margins.bottom + 4 + nth * LANE;

  lines.forEach((line, nth) => {
    const button = el("button", { type: "button", "aria-pressed": "true" }, el("span", { class: "swatch", style: `background:${lineColor(nth)}` }), lineName(line.thread));
    button.addEventListener("click", () => {
      hidden.has(nth) ? hidden.delete(nth) : hidden.add(nth);
      button.setAttribute("aria-pressed", String(!hidden.has(nth)));
      view.later();
    });
    byId("use-legend").append(button);
  });
  byId("use-legend").append(el("span", { class: "key" }, el("span", { class: "swatch idle" }), "idle"));
  if (windows.length > 0) byId("use-legend").append(el("span", { class: "key" }, el("span", { class: "swatch finding" }), "a finding's evidence"));
  if (regions.start.length > 0) byId("use-legend").append(el("span", { class: "key" }, el("span", { class: "swatch region" }), "regions, a lane a thread"));

  /** Points to draw of a line: bins joined until there is one a pixel. Joined bins keep their highest, so that no peak is lost. */
  function points(line) {
    const [from, to] = view.range();
    const first = Math.max(0, Math.floor((from - whole[0]) / bin));
    const past = Math.min(chart.bins, Math.floor((to - whole[0]) / bin) + 1);
    const step = Math.max(1, Math.floor((past - first) / Math.max(1, width - margins.left - margins.right)));
    const rows = [];
    for (let at = first - (first % step); at < past; at += step) {
      const end = Math.min(at + step, chart.bins);
      let most = 0;
      for (let each = at; each < end; each++) most = Math.max(most, line.use[each] ?? 0);
      rows.push([whole[0] + at * bin, whole[0] + end * bin, most]);
    }
    return rows;
  }

  function draw(to, fullWidth, fullHeight) {
    [width, height] = [fullWidth, fullHeight];
    const { x } = view;
    const shown = lines.map((line, nth) => [line, nth]).filter(([, nth]) => !hidden.has(nth)).map(([line, nth]) => [points(line), nth]);
    top = Math.max(0.001, ...shown.flatMap(([rows]) => rows.map(([, , value]) => value))) * 1.06;
    const bottom = height - margins.bottom;
    const inside = width - margins.left - margins.right;
    view.axes(to, top, y, percent);
    to.save();
    to.beginPath();
    to.rect(margins.left, 0, inside, height);
    to.clip();
    to.fillStyle = color("--good");
    to.globalAlpha = 0.1;
    for (const [from, till] of idle.windows) to.fillRect(x(from), margins.top, x(till) - x(from), bottom - margins.top);
    to.globalAlpha = 1;
    for (const [rows, nth] of shown) {
      const path = new Path2D();
      rows.forEach(([from, till, value], at) => {
        if (at === 0) path.moveTo(x(from), y(value));
        path.lineTo(x(from), y(value));
        path.lineTo(x(till), y(value));
      });
      to.strokeStyle = lineColor(nth);
      to.lineWidth = nth === 0 ? 1 : 1.5;
      to.stroke(path);
      if (nth === 0 && rows.length > 0) {
        path.lineTo(x(rows[rows.length - 1][1]), bottom);
        path.lineTo(x(rows[0][0]), bottom);
        to.globalAlpha = 0.12;
        to.fillStyle = lineColor(nth);
        to.fill(path);
        to.globalAlpha = 1;
      }
    }
    to.fillStyle = color("--warn");
    for (const each of windows) to.fillRect(x(each.from), 6, Math.max(2, x(each.to) - x(each.from)), 6);
    for (const at of byTime) {
      to.fillStyle = threadColor(regionThread(at));
      to.fillRect(x(regions.start[at]), laneTop(lane(at)), Math.max(2, x(regions.end[at]) - x(regions.start[at])), LANE - 3);
    }
    if (selected !== null) highlight(to, regions.start[selected], regions.end[selected], "--accent");
    if (marked !== null) highlight(to, ...marked, "--warn");
    view.overlay(to);
    to.restore();
    const [from, till] = view.range();
    status.textContent = `${instant(from, till - from)} to ${instant(till, till - from)}.`;
    canvas.dataset.selected = selected === null ? "" : String(selected);
    canvas.dataset.marked = marked === null ? "" : marked.join(" ");
  }

  function highlight(to, from, till, name) {
    const left = view.x(from), wide = Math.max(2, view.x(till) - left);
    to.fillStyle = to.strokeStyle = color(name);
    to.globalAlpha = 0.18;
    to.fillRect(left, margins.top, wide, height - 26 - margins.top);
    to.globalAlpha = 1;
    to.lineWidth = 1;
    to.strokeRect(left, margins.top, wide, height - 26 - margins.top);
  }

  /** The region at a place of the canvas; within three pixels the closest counts. */
  function regionAt(event, time) {
    const nth = Math.floor((event.offsetY - (height - margins.bottom + 4)) / LANE);
    if (nth < 0 || nth >= lanes) return null;
    const reach = 3 * (view.timeAt(1) - view.timeAt(0));
    let best = null, least = reach;
    for (const at of byTime) {
      if (lane(at) !== nth) continue;
      const away = Math.max(regions.start[at] - time, time - regions.end[at], 0);
      if (away < least || (away === 0 && least === 0)) [best, least] = [at, away];
    }
    return best;
  }

  function point(event, time) {
    const at = regionAt(event, time);
    const [from, till] = view.range();
    if (at !== null) {
      return showTip(event, el("b", null, threadName(regionThread(at))), tipRow("region", `${instant(regions.start[at], till - from)} to ${instant(regions.end[at], till - from)}`), tipRow("CPU use", percent(regions.use[at])), tipRow("events", count(regions.events[at])), tipRow("energy", joules(regions.joules[at])));
    }
    const over = event.offsetY < margins.top ? windows.filter((each) => each.from <= time && time <= each.to) : [];
    if (over.length > 0) return showTip(event, el("b", null, over[0].finding.title), el("div", null, over[0].text));
    const nth = Math.floor((time - whole[0]) / bin);
    if (nth < 0 || nth >= chart.bins) return hideTip();
    const rows = lines.map((line, at) => [line, at]).filter(([, at]) => !hidden.has(at)).map(([line, at]) => el("div", { class: "row" }, el("span", { class: "swatch", style: `background:${lineColor(at)}` }), el("span", null, lineName(line.thread)), el("span", null, percent(line.use[nth] ?? null))));
    const isIdle = idle.windows.some(([from, till]) => from <= time && time < till);
    showTip(event, el("b", null, `${instant(time, till - from)}${isIdle ? ", idle" : ""}`), ...rows);
  }
  const tipRow = (what, value) => el("div", { class: "row" }, el("span", null, what), el("span", null, value));

  /** Brings a stretch of time into view if it is outside, or too small to see. */
  function reveal(from, till) {
    const [left, right] = view.range();
    const long = Math.max(till - from, 1e-6);
    if (from < left || till > right || long < (right - left) / 200) view.show(from - 4 * long, till + 4 * long);
    else view.later();
  }

  function step(by) {
    if (byTime.length === 0) return;
    const now = selected === null ? (by > 0 ? -1 : byTime.length) : byTime.indexOf(selected);
    diagnosisChart.select(byTime[Math.min(byTime.length - 1, Math.max(0, now + by))]);
  }

  diagnosisChart.select = (at) => {
    selected = at;
    byId("region-details").replaceChildren(el("h3", null, regionTitle(at)), regionDetails(at));
    reveal(regions.start[at], regions.end[at]);
  };
  diagnosisChart.mark = (from, till) => {
    marked = [from, till];
    reveal(from, till);
  };
  const click = (event, time) => {
    const at = regionAt(event, time);
    if (at !== null) diagnosisChart.select(at);
  };
  const keys = { n: () => step(1), N: () => step(1), p: () => step(-1), P: () => step(-1) };
  const closest = Math.min(whole[1] - whole[0], Math.max(4 * bin / 100, 1e-5));
  const view = timeView({ canvas, whole, closest, margins, draw, point, click, keys, buttons: "use" });
}
