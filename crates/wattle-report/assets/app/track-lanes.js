// The lanes of tracks by kind: what each is called, how it is painted, what its tooltip says.

const TRACK_THREADS = 12, TRACK_APPS = 6, TRACK_WAKELOCKS = 8, SLICE_ROWS = 6, SLICE_HEIGHT = 13;

/** Blocks of mean power in bins. */
const steps = (watts, fill, height) => (to, width, view) => {
  const most = Math.max(...watts, 1e-12), pixel = (view[1] - view[0]) / width;
  to.fillStyle = fill();
  powerBins.bins.forEach(([from, end], bin) => {
    if (end <= view[0] || from >= view[1] || !(watts[bin] > 0)) return;
    const left = Math.max(0, Math.floor((from - view[0]) / pixel)), right = Math.min(width, Math.max(left + 1, Math.floor((end - view[0]) / pixel)));
    const tall = Math.max(1, (watts[bin] / most) * (height - 3));
    to.fillRect(left, height - tall, right - left, tall);
  });
};

const axisLane = () => ({
  head: el("span", { class: "soft axis" }, el("span", { id: "track-range" }), el("span", { id: "track-detail" }, detailState())), value: "", height: 20, label: "Time axis",
  paint: (to, width, view) => {
    const { ticks, step } = timeTicks(view[0], view[1], innerWidth < 720 ? 3 : 8), pixel = (view[1] - view[0]) / width;
    byId("track-range").textContent = stretchText(view);
    to.fillStyle = color("--text3");
    for (const tick of ticks) {
      const x = (tick - view[0]) / pixel, text = tickText(tick, step);
      to.fillRect(x, 14, 1, 6);
      if (x + to.measureText(text).width + 3 < width) to.fillText(text, x + 3, 11);
    }
  },
});

function componentLanes({ lane, group }) {
  const powers = new Map((timeTracks && timeTracks.ready ? timeTracks.ofKind("power") : []).filter(agreesWithBins).map((track) => [track.component, track]));
  const ranked = [...components].sort((a, b) => report.components.findIndex(({ name }) => name === a.name) - report.components.findIndex(({ name }) => name === b.name)).filter(({ id }) => powerBins.watts[id].some((watts) => watts > 0) && (state.component === null || state.component === id));
  group("Components", powers.size > 0 ? `power; solid the mean of a pixel, pale its largest value${detailNote([...powers.values()])}${ranked.some(({ name }) => !powers.has(name)) ? `; ${ranked.filter(({ name }) => !powers.has(name)).map(({ label: name }) => name).join(", ")} in steps of ${durationText(powerBins.bins[0][1] - powerBins.bins[0][0])}` : ""}` : "mean power");
  for (const component of ranked) {
    const exact = powers.get(component.name);
    if (exact) {
      lane(powerLane(component, exact));
      continue;
    }
    const watts = powerBins.watts[component.id], peak = `${powerText(Math.max(...watts))} peak`;
    lane({ head: el("span", { class: "in" }, swatchOf(component), component.label), value: peak, height: 28, label: `Power of ${component.label}, ${peak}`, tip: (instant) => binTip(watts, instant), paint: (to, width, view) => {
      hatchUnmetered(to, watts, view, width);
      steps(watts, () => color(`--c-${component.key}`), 28)(to, width, view);
    } });
  }
}

/**
 * Whether the changes of a component's power and its attributed energy over time are one: what only a whole rail interval is known of is
 * attributed by activity, which the changes do not follow, and two pictures of one power would contradict each other.
 */
function agreesWithBins(track) {
  if (track.agrees !== undefined) return track.agrees;
  const component = components.find(({ name }) => name === track.component), row = track.rows[0];
  if (!component || !row || powerBins.bins.length === 0) return (track.agrees = Boolean(component && row) && !time);
  let apart = 0, all = 0;
  powerBins.bins.forEach(([from, end], bin) => {
    const joules = powerBins.watts[component.id][bin] * (end - from);
    apart += Math.abs((meanInside(row, [from, end]) ?? 0) * 1e-6 * timeInside(row, [from, end]) - joules);
    all += joules;
  });
  track.agrees = apart <= all * 0.05;
  return track.agrees;
}

/** The power of a component from change to change. */
function powerLane(component, track) {
  const row = track.rows[0], text = (value) => powerText(value * 1e-6), most = Math.max(extremes(row, 0, row.value.length)[1], 1e-9), peak = `${text(most)} peak`;
  return {
    head: el("span", { class: "in" }, swatchOf(component), component.label), value: peak, height: 28, label: `Power of ${component.label}, ${peak}`,
    paint: (to, width, view) => {
      paintGaps(to, row, view, { width, y: 1, height: 26, pattern: hatching(to, color("--hatch")) });
      paintArea(to, row, view, { width, height: 28, most, fill: color(`--c-${component.key}`) });
    },
    tip: (instant) => [el("b", null, component.label), el("div", null, valueText(row, instant, text)), el("div", { class: "soft" }, stretchAt(row, instant))],
  };
}

/** Hatches the ends of the recording for which rails have no samples, where a component has no power there. */
function hatchUnmetered(to, watts, view, width) {
  for (const ends of unmeteredEnds) {
    const isEmpty = powerBins.bins.every(([from, end], bin) => end <= ends[0] || from >= ends[1] || !(watts[bin] > 0));
    const x = (instant) => Math.min(width, Math.max(0, ((instant - view[0]) / (view[1] - view[0])) * width));
    if (!isEmpty || x(ends[1]) - x(ends[0]) < 2) continue;
    to.globalAlpha = 0.4;
    to.fillStyle = hatching(to, color("--hatch"));
    to.fillRect(x(ends[0]), 1, x(ends[1]) - x(ends[0]), 26);
    to.globalAlpha = 1;
  }
}

function binTip(watts, instant) {
  const bin = powerBins.bins.findIndex(([from, end]) => instant >= from && instant < end);
  return bin < 0 ? null : [el("b", null, stretchText(powerBins.bins[bin])), el("div", null, `${powerText(watts[bin])} mean power`)];
}

function consumerLanes({ lane, group }, of, keep) {
  const top = apps.map(({ id }) => id).filter((id) => of.apps.sums[id] > 0).sort((a, b) => of.apps.sums[b] - of.apps.sums[a]).slice(0, TRACK_APPS);
  const watts = powerOf((line) => (keep(line) ? top.indexOf(rowApp[lines.row[line]]) : -1), top.length);
  group("Top consumers", "mean power");
  top.forEach((id, nth) => watts[nth] && lane({
    head: el("button", { type: "button", class: "pick", onclick: () => commit({ app: id, thread: null }) }, nameOf(apps[id].name)), value: energyText(of.apps.sums[id]), height: 24, label: `Power of ${apps[id].name}`,
    paint: steps(watts[nth], () => color(apps[id].recorder ? "--recorder" : "--c-cpu"), 24), tip: (instant) => binTip(watts[nth], instant),
  }));
}

/** Threads of an app with most energy in the selection: with slices where they are known, else mean power. */
function threadLanes({ lane, group }, app, keep) {
  const slices = new Map((timeTracks && timeTracks.ready ? timeTracks.ofKind("slices") : []).map((track) => [track.owner, track]));
  const sums = figuresBy(inStretch(selection().t), tree.size, (line) => (keep(line) && rowApp[lines.row[line]] === app ? rowThread[lines.row[line]] : -1)).sums;
  const threads = [];
  for (let row = 0; row < tree.size; row++) if (sums[row] > 0 || (!hasEnergy && tree.kind[row] === KIND.thread && rowApp[row] === app && tree.cpu[row] > 0)) threads.push(row);
  threads.sort((a, b) => (hasEnergy ? sums[b] - sums[a] : tree.cpu[b] - tree.cpu[a]));
  // Threads that waited inside a call have no energy and something to show.
  const waited = new Map(), within = selection().t || [0, duration];
  for (const [row, { coarse }] of slices) if (coarse[0] && rowApp[row] === app && !threads.includes(row)) waited.set(row, timeInside(coarse[0], within));
  threads.push(...[...waited.keys()].filter((row) => waited.get(row) > 0).sort((a, b) => waited.get(b) - waited.get(a)));
  const chosen = state.thread !== null && !threads.slice(0, TRACK_THREADS).includes(state.thread) ? [state.thread, ...threads] : threads;
  const shown = chosen.slice(0, TRACK_THREADS), watts = time ? powerOf((line) => (keep(line) ? shown.indexOf(rowThread[lines.row[line]]) : -1), shown.length) : [];
  const some = shown.map((row) => slices.get(row)).filter(Boolean);
  group(`Threads of ${shortName(apps[app].name)}${threads.length > shown.length ? `, ${shown.length} of ${count(threads.length)}` : ""}`, shown.length === 0 ? "none ran or was inside a call here" : some.length > 0 ? `calls by name, nested; click one to select its time${detailNote(some)}` : "mean power; no calls were recorded");
  shown.forEach((row, nth) => {
    const track = slices.get(row), value = hasEnergy ? energyText(sums[row]) : durationText(tree.cpu[row]);
    const head = el("button", { type: "button", class: "pick", "aria-pressed": String(state.thread === row), onclick: () => commit({ app, thread: state.thread === row ? null : row }) }, `${label(row)} `, el("span", { class: "soft" }, String(tree.number[row])));
    if (track) return lane({ head, value, ...sliceLane(track, row) });
    if (watts[nth]) lane({ head, value, height: 24, label: `Power of thread ${label(row)}`, paint: steps(watts[nth], () => color("--c-cpu"), 24), tip: (instant) => binTip(watts[nth], instant) });
  });
}

const nameOfSlice = (value) => named(names[data.tracks.names[value]] ?? "");

function sliceLane(track, row) {
  // As high as it is with all calls, so that nothing moves when more of them come.
  const levels = Math.max(track.rows.length, hasDetail() ? track.deepest + 1 : 0), depth = Math.min(SLICE_ROWS, track.rows.length), height = Math.min(SLICE_ROWS, levels) * SLICE_HEIGHT + 3;
  const found = (instant, y) => {
    const at = Math.min(depth - 1, Math.max(0, Math.floor((y - 1) / SLICE_HEIGHT))), rowOf = track.rows[at];
    const index = firstEndingAfter(rowOf, instant - slack());
    return index < rowOf.start.length && rowOf.start[index] <= instant + slack() ? { depth: at, index } : null;
  };
  const slack = () => { const [from, end] = trackWindow(); return (end - from) / 700; };
  const facts = ({ depth: at, index }) => { const of = track.rows[at]; return { t: [of.start[index], of.end[index]], name: nameOfSlice(of.value[index]) }; };
  return {
    height, label: `Calls of thread ${label(row)}: ${count(track.count)}${track.rows.length > depth ? `, the outer ${depth} of ${track.rows.length} levels shown` : ""}. Arrows move between calls, Enter selects one.`,
    paint: (to, width, view) => {
      const fill = color("--c-cpu");
      track.rows.slice(0, depth).forEach((of, at) => paintBlocks(to, of, view, { width, y: at * SLICE_HEIGHT + 1, height: SLICE_HEIGHT - 1, styleOf: (_, wide) => `${fill}${wide < 4 ? "b8" : ["48", "6b", "55", "78", "60", "85"][at % 6]}`, textOf: nameOfSlice }));
    },
    hit: { found, facts, rows: track.rows, depth, select: (place) => { const { t } = facts(place); commit({ t: t[1] > t[0] ? t : [Math.max(0, t[0] - 5e-7), t[1] + 5e-7], app: rowApp[row] >= 0 ? rowApp[row] : null, thread: row }); } },
    tip: (instant, y) => {
      const place = found(instant, y);
      if (!place) return null;
      const { t, name } = facts(place);
      return [el("b", null, name), el("div", null, `${durationText(t[1] - t[0])} from ${stretchText(t)}`), track.rows.length > depth ? el("div", { class: "soft" }, `the outer ${depth} of ${track.rows.length} levels are shown`) : null];
    },
  };
}

/** What a kind of track leaves out: of what is on screen, where its detail was loaded, else of the page. */
function detailNote(tracks) {
  if (isInside(trackWindow(), DETAIL.range) && tracks.every(({ id, detail_s }) => detail_s === 0 || DETAIL.tracks.has(id))) {
    const below = Math.max(0, ...tracks.map(({ id }) => DETAIL.tracks.get(id) ?? 0));
    return below === 0 ? "" : `; below ${durationText(below)} they are ${["slices", "frames", "wakelock"].includes(tracks[0].kind) ? "left out" : "merged"} here`;
  }
  const coarsest = Math.max(0, ...tracks.map(({ detail_s }) => detail_s)), gone = tracks.reduce((sum, { left_out }) => sum + left_out, 0);
  if (gone === 0) return "";
  return `; below ${durationText(coarsest)} ${["slices", "frames", "wakelock"].includes(tracks[0].kind) ? `${count(gone)} are left out` : `${count(gone)} are merged`}${hasDetail() ? " until you zoom in" : " to keep this file small"}`;
}

/** Whether a thread that ran is of the selected app and thread. */
function ownThread(app) {
  const rows = data.tracks.threads;
  if (app === null) return () => false;
  const own = rows.map((row) => row >= 0 && (state.thread !== null ? row === state.thread : rowApp[row] === app));
  return (value) => value > 0 && own[value - 1];
}

function cpuLanes({ lane, group }, app) {
  const runs = timeTracks.ofKind("cpu-runs"), clocks = timeTracks.ofKind("cpu-clock");
  if (runs.length + clocks.length === 0) return;
  const own = ownThread(app), who = app === null ? null : state.thread !== null ? label(state.thread) : shortName(apps[app].name);
  const most = Math.max(...clocks.map(({ rows }) => rows[0] ? extremes(rows[0], 0, rows[0].value.length)[1] : 0), 1);
  const virtual = data.tracks.cpus_are_virtual ? " (on which CPU a thread ran is not recorded)" : "";
  group(`CPUs${virtual}`, `clock (line, up to ${hertzText(most)}), busy (pale)${who ? `, ${who} (solid)` : ""}, no data (hatched)${detailNote(runs)}`);
  const numbers = [...new Set([...runs, ...clocks].map(({ owner }) => owner))].sort((a, b) => a - b);
  for (const number of numbers) {
    const run = runs.find(({ owner }) => owner === number), clock = clocks.find(({ owner }) => owner === number);
    const mine = run && run.rows[0] ? filteredRow(run.rows[0], own) : null;
    const peak = clock && clock.rows[0] ? hertzText(extremes(clock.rows[0], 0, clock.rows[0].value.length)[1]) : "clock unknown";
    lane({
      head: el("span", null, `CPU ${number}`), value: peak, height: 18, label: `CPU ${number}: clock up to ${peak}, busy time, time of ${who ?? "all"}`,
      paint: (to, width, view) => {
        const fill = color("--c-cpu"), pattern = hatching(to, color("--hatch"));
        if (run && run.rows[0]) {
          paintBlocks(to, run.rows[0], view, { width, y: 2, height: 15, styleOf: (value) => (value < 0 ? pattern : `${fill}38`) });
          if (mine) paintBlocks(to, mine, view, { width, y: 2, height: 15, styleOf: () => fill });
        } else paintGaps(to, { start: [], end: [] }, view, { width, y: 2, height: 15, pattern });
        if (clock && clock.rows[0]) paintCurve(to, clock.rows[0], view, { width, y: 1, height: 16, least: 0, most, line: color("--text2") });
      },
      tip: (instant) => {
        const parts = [];
        if (clock && clock.rows[0]) parts.push(el("div", { class: "row" }, el("span", null, "clock"), el("span", null, valueText(clock.rows[0], instant, hertzText))));
        if (run && run.rows[0]) {
          const at = firstEndingAfter(run.rows[0], instant), is = at < run.rows[0].start.length && run.rows[0].start[at] <= instant;
          const value = is ? run.rows[0].value[at] : null, row = value > 0 ? data.tracks.threads[value - 1] : -1;
          parts.push(el("div", null, value === null ? "idle" : value < 0 ? "not recorded" : row < 0 ? "interrupt or unknown thread" : `${label(row)} of ${rowApp[row] >= 0 ? apps[rowApp[row]].name : "an unknown process"}`));
          if (is && value > 0) parts.push(el("div", { class: "soft" }, `ran ${durationText(run.rows[0].end[at] - run.rows[0].start[at])}`));
        }
        return [el("b", null, `CPU ${number}`), ...parts];
      },
      pick: (instant) => {
        if (!run || !run.rows[0]) return;
        const at = firstEndingAfter(run.rows[0], instant);
        const row = at < run.rows[0].start.length && run.rows[0].start[at] <= instant && run.rows[0].value[at] > 0 ? data.tracks.threads[run.rows[0].value[at] - 1] : -1;
        if (row >= 0 && rowApp[row] >= 0) commit({ app: rowApp[row], thread: tree.kind[row] === KIND.thread ? row : null });
      },
    });
  }
}

/** The stretches of a row of which the value is asked for. */
function filteredRow(row, keep) {
  const places = [];
  row.value.forEach((value, at) => { if (keep(value)) places.push(at); });
  const sum = new Float64Array(places.length + 1);
  places.forEach((at, nth) => { sum[nth + 1] = sum[nth] + row.end[at] - row.start[at]; });
  return { start: Float64Array.from(places, (at) => row.start[at]), end: Float64Array.from(places, (at) => row.end[at]), value: Float64Array.from(places, (at) => row.value[at]), sum };
}

const hertzText = (kilohertz) => (kilohertz >= 1e6 ? `${digits(kilohertz * 1e-6)}${THIN}GHz` : `${digits(kilohertz * 1e-3)}${THIN}MHz`);

/** The value of a curve at an instant. */
function valueText(row, instant, text) {
  const at = firstEndingAfter(row, instant);
  return at < row.start.length && row.start[at] <= instant ? text(row.value[at]) : "no data";
}

/** A track of a quantity: a line, a pale fill, hatching where it has no data. */
function curveLane({ lane }, track, { head, text, height = 22, least = 0, most, fill }) {
  const row = track.rows[0], view = dragged || state.t || [0, duration], mean = meanInside(row, view);
  const [low, high] = extremes(row, 0, row.value.length);
  lane({
    head, value: mean === null ? "no data" : `${text(mean)} mean`, height, label: `${track.name}: ${text(low)} to ${text(high)}`,
    paint: (to, width, shown) => {
      paintGaps(to, row, shown, { width, y: 1, height: height - 2, pattern: hatching(to, color("--hatch")) });
      paintCurve(to, row, shown, { width, y: 1, height: height - 2, least: Math.min(least, low), most: most ?? Math.max(high, 1e-9), line: color(fill), fill: `${color(fill)}48` });
    },
    tip: (instant) => [el("b", null, track.name), el("div", null, valueText(row, instant, text)), el("div", { class: "soft" }, stretchAt(row, instant))],
  });
}

function stretchAt(row, instant) {
  const at = firstEndingAfter(row, instant);
  return at < row.start.length && row.start[at] <= instant ? stretchText([row.start[at], row.end[at]]) : "";
}

function railLanes(list) {
  const rails = timeTracks.ofKind("rail").filter(({ component, rows }) => rows[0] && (state.component === null || components[state.component].name === component));
  if (rails.length === 0) return;
  list.group("Power rails", `measured power between samples, each to its own scale${detailNote(rails)}`);
  const mean = (track) => meanInside(track.rows[0], [0, duration]) ?? 0;
  for (const track of rails.sort((a, b) => mean(b) - mean(a))) {
    const component = components.find(({ name }) => name === track.component);
    curveLane(list, track, { head: el("span", { class: "in" }, component ? swatchOf(component) : null, nameOf(track.name)), text: (value) => powerText(value * 1e-6), fill: `--c-${component ? component.key : "other"}` });
  }
}

const FRAME_STATES = [["on time", "--eq", "66"], ["late: the app", "--up", ""], ["late: the system", "--warn", ""], ["late: other cause", "--warn", "99"], ["dropped", "--up", "99"], ["not stated", "--eq", "33"]];

function frameLanes({ lane, group }) {
  const app = focusApp(), isShown = ({ owner, name }) => name === "display" || state.app === null || (owner >= 0 && rowApp[owner] === app);
  const frames = timeTracks.ofKind("frames").filter(isShown).sort((a, b) => b.count - a.count).slice(0, 6);
  if (frames.length === 0) return;
  group("Frames", `grey on time, red late by the app or dropped, amber late by the system${detailNote(frames)}`);
  for (const track of frames) {
    const late = track.coarse.reduce((sum, row) => sum + row.value.filter((value) => value >= 1 && value <= 4).length, 0), height = Math.max(track.rows.length, hasDetail() ? track.deepest + 1 : 0) * 8 + 4;
    const name = track.owner >= 0 && tree.kind[track.owner] === KIND.process ? label(track.owner) : track.name;
    lane({
      head: el("span", { class: "in" }, nameOf(track.name === "display" ? `${name} (display)` : name)), value: `${count(late)} of ${count(track.count)} late`, height, label: `Frames of ${name}: ${late} of ${track.count} late or dropped`,
      paint: (to, width, view) => track.rows.forEach((row, at) => paintBlocks(to, row, view, { width, y: at * 8 + 2, height: 7, styleOf: (value) => { const [, fill, alpha] = FRAME_STATES[value]; return `${color(fill)}${alpha}`; } })),
      tip: (instant, y) => {
        const row = track.rows[Math.min(track.rows.length - 1, Math.max(0, Math.floor((y - 2) / 8)))], at = firstEndingAfter(row, instant);
        if (at >= row.start.length || row.start[at] > instant) return null;
        return [el("b", null, FRAME_STATES[row.value[at]][0]), el("div", null, `${durationText(row.end[at] - row.start[at])} from ${stretchText([row.start[at], row.end[at]])}`)];
      },
    });
  }
}

function batteryLanes(list) {
  const tracks = timeTracks.ofKind("battery-level", "battery-charge", "battery-current").filter(({ rows }) => rows[0]);
  if (tracks.length === 0) return;
  list.group("Battery", `polled values; the sign of the current is the device's${detailNote(tracks)}`);
  const forms = {
    "battery-level": ["Level", (value) => `${(value * 1e-3).toFixed(1)}${THIN}%`, 100000],
    "battery-charge": ["Charge", (value) => `${digits(value * 1e-3, 4)}${THIN}mAh`, null],
    "battery-current": ["Current", (value) => `${digits(value * 1e-3)}${THIN}mA`, null],
  };
  for (const track of tracks) {
    const [name, text, most] = forms[track.kind], [low, high] = extremes(track.rows[0], 0, track.rows[0].value.length);
    const isNarrow = track.kind === "battery-charge" && low > 0;
    curveLane(list, { ...track, name: track.name ? `${name} (${track.name})` : name }, { head: el("span", null, name, track.name ? el("span", { class: "soft" }, ` ${track.name}`) : null), text, most: most ?? (isNarrow ? high + (high - low || 1) * 0.1 : Math.max(high, 0)), least: isNarrow ? low - (high - low || 1) * 0.1 : 0, fill: "--c-other" });
  }
}

function wakelockLanes({ lane, group }) {
  const all = timeTracks.ofKind("wakelock").filter(({ coarse }) => coarse[0]).map((track) => ({ track, held: timeInside(track.coarse[0], dragged || state.t || [0, duration]) })).filter(({ held }) => held > 0).sort((a, b) => b.held - a.held);
  if (all.length === 0) return;
  const shown = all.slice(0, TRACK_WAKELOCKS);
  group(`Wakelocks${all.length > shown.length ? `, ${shown.length} of ${count(all.length)}` : ""}`, `held (solid), longest first${detailNote(shown.map(({ track }) => track))}`);
  for (const { track, held } of shown) {
    lane({
      head: el("span", { class: "in" }, nameOf(track.name || "(no name)"), track.owner >= 0 ? el("span", { class: "soft" }, ` uid ${track.owner}`) : null), value: durationText(held), height: 18, label: `Wakelock ${track.name}, held ${durationText(held)}`,
      paint: (to, width, view) => paintBlocks(to, track.rows[0], view, { width, y: 4, height: 10, styleOf: () => color("--text3") }),
      tip: (instant) => [el("b", null, track.name), el("div", null, stretchAt(track.rows[0], instant) || "not held")],
    });
  }
}
