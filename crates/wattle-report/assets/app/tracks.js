// Tracks over the same time axis: power of components and consumers, threads with their slices, CPUs, rails, frames, battery, wakelocks. The
// selection with an eighth of its length around it, or what is zoomed to.

/** What is on screen: lanes with a canvas and how each is painted, the place under the keyboard's cursor, and which canvases can be seen. */
const TRACKS = { lanes: [], cursor: null, seen: new Set(), observer: null };

function trackWindow() {
  const t = dragged || state.t;
  if (!t || !CHART.follows) return [...CHART.view];
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

/** Adds lanes to a list: a name and a figure at the left, a canvas at the right. */
function laneList(grid) {
  const lane = ({ head, value, height, label: text, paint, ...more }) => {
    const canvas = el("canvas", { role: "img", "aria-label": text, style: `height:${height}px`, tabindex: more.hit ? 0 : null });
    grid.append(el("div", { class: "track-head", style: `min-height:${height}px` }, head, el("span", { class: "soft num wide" }, value)), canvas);
    const made = { canvas, height, paint, label: text, ...more };
    TRACKS.lanes.push(made);
    if (more.hit) laneKeys(made);
    lanePointer(made);
    TRACKS.observer.observe(canvas);
  };
  const group = (text, note = "") => grid.append(el("h3", null, text, note ? el("span", { class: "soft" }, ` · ${note}`) : null));
  return { lane, group };
}

function tracksNote() {
  const parts = [];
  if (time) parts.push(`Mean power of consumers is known in steps of ${durationText(time.width)}${time.count < time.recorded ? " (shortened to keep this file small)" : ""}, however far you zoom in.`);
  else parts.push("Mean power by component. This ledger does not have its entries over time.");
  if (!timeTracks) parts.push("CPU clocks, calls, rails, frames, battery and wakelocks over time are not in this ledger: it was saved by an earlier version of Wattle, or the recording has none.");
  else if (timeTracks.failed) parts.push(`Tracks could not be read: ${timeTracks.failed}`);
  else if (!timeTracks.ready) parts.push("Reading tracks…");
  else parts.push(`${count(timeTracks.stretches)} stretches of time${hasDetail() ? `, ${count(timeTracks.kept)} as you zoom in` : ""}. Drag selects time, W and S zoom, A and D pan.`);
  const missing = timeTracks ? [["CPU clocks", "cpu-clock"], ["calls", "slices"], ["power rails", "rail"], ["frames", "frames"], ["battery", "battery-level", "battery-charge", "battery-current"], ["wakelocks", "wakelock"]].filter(([, ...kinds]) => timeTracks.ofKind(...kinds).length === 0).map(([text]) => text) : [];
  if (missing.length > 0) parts.push(`Not in this recording: ${missing.join(", ")}.`);
  return parts.join(" ");
}

function tracksPanel() {
  const place = byId("pane");
  if (powerBins.bins.length === 0 && !timeTracks) {
    place.replaceChildren(el("div", { class: "empty" }, el("b", null, "No power over time"), "This ledger has no energy over time."));
    return;
  }
  const focused = TRACKS.lanes.findIndex(({ canvas }) => canvas === document.activeElement);
  const call = TRACKS.cursor && focused >= 0 && TRACKS.cursor.lane === TRACKS.lanes[focused] ? TRACKS.cursor : null;
  if (TRACKS.observer) TRACKS.observer.disconnect();
  TRACKS.lanes = [];
  TRACKS.seen.clear();
  TRACKS.observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) TRACKS.seen.add(target); else TRACKS.seen.delete(target);
    paintTracks();
  }, { rootMargin: "200px" });
  const grid = el("div", { class: "tracks", id: "track-list" }), list = laneList(grid), keep = lineFilter({ component: state.component }), app = focusApp();
  list.lane(axisLane());
  if (powerBins.bins.length > 0) componentLanes(list);
  if (time && state.app === null) consumerLanes(list, answer(), keep);
  if (app !== null && (time || (timeTracks && timeTracks.ready))) threadLanes(list, app, keep);
  if (timeTracks && timeTracks.ready) {
    cpuLanes(list, app);
    railLanes(list);
    frameLanes(list);
    batteryLanes(list);
    wakelockLanes(list);
  }
  place.replaceChildren(grid, el("p", { class: "soft s pad" }, tracksNote()));
  if (focused >= 0) keepFocus(TRACKS.lanes[focused], call);
  paintTracks(true);
}

/** The keyboard stays where it was: at the lane, and at the call that it had reached. */
function keepFocus(lane, call) {
  if (!lane) return;
  lane.canvas.focus({ preventScroll: true });
  if (!call || !lane.hit || lane.label.split(":")[0] !== call.lane.label.split(":")[0]) return;
  const { depth } = call.place, row = lane.hit.rows[depth], index = row ? firstEndingAfter(row, call.at) : 0;
  TRACKS.cursor = row && index < row.start.length ? { ...call, lane, place: { depth, index } } : null;
}

/** Paints the lanes that can be seen, or all of them. */
function paintTracks(all = false) {
  const view = trackWindow(), t = dragged || state.t, [shade, accent] = [color("--shade"), color("--accent")];
  for (const lane of TRACKS.lanes) {
    const { canvas, height, paint } = lane;
    if (!canvas.isConnected || (!all && !TRACKS.seen.has(canvas))) continue;
    const width = Math.max(1, Math.floor(canvas.clientWidth)), to = context(canvas, width, height);
    to.font = FONT_OF_CANVAS;
    paint(to, width, view);
    const x = (instant) => ((instant - view[0]) / (view[1] - view[0])) * width;
    if (TRACKS.cursor && TRACKS.cursor.lane === lane && document.activeElement === canvas) {
      const { t: of } = lane.hit.facts(TRACKS.cursor.place);
      to.strokeStyle = accent;
      to.lineWidth = 2;
      to.strokeRect(x(of[0]), TRACKS.cursor.place.depth * SLICE_HEIGHT + 1, Math.max(2, x(of[1]) - x(of[0])), SLICE_HEIGHT - 1);
    }
    if (!t) continue;
    const [from, end] = t.map(x);
    to.fillStyle = shade;
    to.fillRect(0, 0, Math.max(0, from), height);
    to.fillRect(Math.min(width, end), 0, width, height);
    to.fillStyle = accent;
    to.fillRect(from, 0, 1, height);
    to.fillRect(end - 1, 0, 1, height);
  }
  followDetail();
}
