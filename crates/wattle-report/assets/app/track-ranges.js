// More detail of the tracks where a host has it: what is on screen is asked for by its range of time, and put into the rows in place of what
// the page's data have there. Without a host, and until its answer comes, the page shows what it has.

/** The range whose detail is shown and its tracks by number, the request under way, what went wrong, and how long the last answer took. */
const DETAIL = { range: null, isWhole: false, tracks: new Map(), asked: null, failed: null, failedAt: null, tookMs: null, timer: 0, abort: null, rows: new Map(), names: new Map() };

/** Whether a host has more stretches than the page. */
const hasDetail = () => readRange !== null && timeTracks !== null && timeTracks.ready && timeTracks.kept > timeTracks.stretches;

const isInside = ([from, to], range) => range !== null && range[0] <= from + 1e-9 && range[1] >= to - 1e-9;

/** The range to ask for: what is on screen and some time around it, at steps that make the same range of a little panning; null without need. */
function wantedRange() {
  if (!hasDetail()) return null;
  const view = trackWindow(), length = view[1] - view[0];
  if (!(length > 0) || length > duration / 2) return null;
  const wide = 2 ** Math.ceil(Math.log2(length * 1.25)), step = wide / 16;
  const start = Math.floor(((view[0] + view[1] - wide) / 2) / step) * step;
  // Where less is shown now, the detail of more would hide it.
  if (isInside(view, DETAIL.range) && (DETAIL.isWhole || DETAIL.range[1] - DETAIL.range[0] <= wide * 1.001)) return null;
  const range = [Math.max(0, start), Math.min(duration, start + wide)];
  return DETAIL.failedAt === range.join() ? null : range;
}

/** What the tracks' first line says of the detail. */
function detailState() {
  if (DETAIL.asked) return innerWidth < 720 ? "loading…" : "loading detail…";
  if (DETAIL.failed) return "no more detail";
  return isInside(trackWindow(), DETAIL.range) ? "in detail" : "";
}

function showDetailState() {
  const place = byId("track-detail");
  if (!place) return;
  place.textContent = detailState();
  place.title = DETAIL.failed ? `The detail could not be loaded: ${DETAIL.failed}` : "";
}

/** Asks for the detail of what is on screen, once the view has rested for a moment. */
function followDetail() {
  clearTimeout(DETAIL.timer);
  DETAIL.timer = setTimeout(() => {
    const range = dragged || state.view !== "tracks" ? null : wantedRange();
    if (range === null || (DETAIL.asked && DETAIL.asked.join() === range.join())) return showDetailState();
    askForDetail(range);
  }, 150);
}

async function askForDetail(range) {
  if (DETAIL.abort) DETAIL.abort.abort();
  const abort = new AbortController(), began = performance.now();
  Object.assign(DETAIL, { asked: range, abort, failed: null, failedAt: null });
  showDetailState();
  try {
    const answer = await readRange(range, abort.signal);
    const rows = await unpackTracks({ packed: answer.packed, tracks: answer.tracks, tick: answer.tick_ns * 1e-9 });
    if (abort.signal.aborted) return;
    takeDetail(answer, rows);
    DETAIL.tookMs = performance.now() - began;
  } catch (error) {
    if (abort.signal.aborted) return;
    [DETAIL.failed, DETAIL.failedAt] = [error.message, range.join()];
  }
  DETAIL.asked = null;
  if (state.view === "tracks" && !dragged) guarded(drawPane);
  showDetailState();
}

/** Puts an answer into the rows, each track where the answer has more of it than the page. */
function takeDetail(answer, rows) {
  const threadValue = (nth) => {
    const { index } = answer.threads[nth];
    if (!DETAIL.rows.has(index)) DETAIL.rows.set(index, data.tracks.threads.push(threadRow(index)));
    return DETAIL.rows.get(index);
  };
  const nameValue = (nth) => {
    const text = answer.names[nth];
    if (!DETAIL.names.has(text)) DETAIL.names.set(text, data.tracks.names.push(names.push(text) - 1) - 1);
    return DETAIL.names.get(text);
  };
  const valueOf = { "cpu-runs": (value) => (value > 0 ? threadValue(value - 1) : value), slices: nameValue };
  const given = new Map(answer.tracks.map((track, nth) => [track.index, { ...track, rows: rows[nth] }]));
  Object.assign(DETAIL, { range: [answer.from_s, answer.to_s], isWhole: answer.is_whole, tracks: new Map() });
  for (const track of timeTracks.tracks) {
    const fine = given.get(track.id), isEvent = ["slices", "frames", "wakelock"].includes(track.kind);
    track.rows = track.coarse;
    if (track.detail_s === 0 || (fine && (fine.kind !== track.kind || fine.detail_s >= track.detail_s))) continue;
    const own = fine ? fine.rows : [], map = valueOf[track.kind];
    if (map) for (const { value } of own) value.forEach((each, at) => { value[at] = map(each); });
    track.rows = Array.from({ length: Math.max(own.length, track.coarse.length) }, (_, depth) => splicedRow(track, [track.coarse[depth], own[depth]], DETAIL.range, isEvent));
    DETAIL.tracks.set(track.id, fine ? fine.detail_s : 0);
  }
}

/** The row of the tree of a thread of the ledger. */
const threadRow = (() => {
  let rows = null;
  return (index) => {
    if (!rows) {
      let last = 0;
      rows = (data.tracks.rows || []).map((step) => (last += step));
    }
    return rows[index] ?? -1;
  };
})();

/** A coarse row with a fine one in a range of time. What happened is whole in both; curves are cut where the fine ones begin and end. */
function splicedRow({ kind }, [coarse, fine], [from, to], isEvent) {
  const start = [], end = [], value = [];
  const put = (a, b, of) => { start.push(a); end.push(b); value.push(of); };
  const each = (row, take) => { if (row) for (let at = 0; at < row.start.length; at++) take(row.start[at], row.end[at], row.value[at]); };
  const isOver = (a, b) => a < to && (b > from || a >= from);
  each(coarse, (a, b, of) => {
    if (a >= from) return;
    if (!isOver(a, b)) put(a, b, of);
    else if (!isEvent) put(a, from, of);
  });
  each(fine, put);
  each(coarse, (a, b, of) => {
    if ((a < to && b <= to) || (a < from && isEvent)) return;
    if (!isOver(a, b)) put(a, b, of);
    else if (!isEvent) put(to, b, of);
  });
  const row = { start: Float64Array.from(start), end: Float64Array.from(end), value: Float64Array.from(value), sum: null, area: null, levels: null };
  addSums(row, kind);
  return row;
}
