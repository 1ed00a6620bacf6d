// Tracks over time, unpacked by a worker once the first picture is there: rows of stretches that do not overlap, with what fast drawing needs.

/**
 * Unpacks columns: for each track its rows, by depth. Runs in a worker, so that it uses nothing of this page.
 *
 * A row has `start`, `end`, `value` in order of time, `sum` (its length up to each stretch), and for curves `area` (value times length up to
 * each stretch) and `levels`: least and largest value of groups of 4, of 16, and so on.
 */
async function unpackTracks({ packed, tracks, tick }) {
  const text = atob(packed), zipped = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) zipped[at] = text.charCodeAt(at);
  const bytes = new Uint8Array(await new Response(new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  let place = 0;
  const number = () => {
    let value = 0, factor = 1, byte = 128;
    while (byte >= 128) {
      byte = place < bytes.length ? bytes[place++] : 0;
      value += (byte & 127) * factor;
      factor *= 128;
    }
    return value;
  };
  return tracks.map(({ kind, count, has_depths }) => {
    const start = new Float64Array(count), end = new Float64Array(count), value = new Float64Array(count), depth = new Uint16Array(count);
    let now = 0, last = 0, deepest = 0;
    for (let at = 0; at < count; at++) start[at] = now += number();
    for (let at = 0; at < count; at++) end[at] = start[at] + number();
    for (let at = 0; at < count; at++) {
      const packedStep = number();
      value[at] = last += packedStep % 2 === 1 ? -(packedStep + 1) / 2 : packedStep / 2;
    }
    if (has_depths) for (let at = 0; at < count; at++) deepest = Math.max(deepest, depth[at] = number());
    const sizes = new Uint32Array(deepest + 1);
    for (let at = 0; at < count; at++) sizes[depth[at]]++;
    const rows = Array.from(sizes, (size) => ({ start: new Float64Array(size), end: new Float64Array(size), value: new Float64Array(size), sum: null, area: null, levels: null }));
    sizes.fill(0);
    for (let at = 0; at < count; at++) {
      const row = rows[depth[at]], to = sizes[depth[at]]++;
      row.start[to] = start[at] * tick;
      row.end[to] = end[at] * tick;
      row.value[to] = value[at];
    }
    for (const row of rows) addSums(row, kind);
    return rows;
  });
}

/** Adds what fast drawing needs to a row. Runs in the worker, too. */
function addSums(row, kind) {
  const size = row.start.length, isCurve = ["cpu-clock", "power", "rail", "battery-level", "battery-charge", "battery-current"].includes(kind);
  row.sum = new Float64Array(size + 1);
  if (isCurve) row.area = new Float64Array(size + 1);
  for (let at = 0; at < size; at++) {
    row.sum[at + 1] = row.sum[at] + row.end[at] - row.start[at];
    if (isCurve) row.area[at + 1] = row.area[at] + (row.end[at] - row.start[at]) * row.value[at];
  }
  if (!isCurve) return;
  row.levels = [];
  let least = row.value, most = row.value;
  while (least.length > 16) {
    const count = Math.ceil(least.length / 4), nextLeast = new Float64Array(count), nextMost = new Float64Array(count);
    for (let at = 0; at < count; at++) {
      let low = Infinity, high = -Infinity;
      for (let of = at * 4; of < Math.min(at * 4 + 4, least.length); of++) { low = Math.min(low, least[of]); high = Math.max(high, most[of]); }
      nextLeast[at] = low;
      nextMost[at] = high;
    }
    row.levels.push({ least: nextLeast, most: nextMost });
    [least, most] = [nextLeast, nextMost];
  }
}

/** Below this, a worker takes longer to start than the work. */
const FEW_STRETCHES = 20000;

/** The tracks of the recording, by kind, with their rows once `ready`; null where the ledger has none. */
const timeTracks = (() => {
  const packed = data.tracks;
  if (!packed || packed.tracks.length === 0) return null;
  // `rows` are shown; `coarse` are those of the page's data.
  const tracks = packed.tracks.map((track, id) => ({ ...track, id, rows: null, coarse: null }));
  const of = { tracks, kept: packed.kept, ready: false, byWorker: false, stretches: tracks.reduce((sum, { count }) => sum + count, 0), ofKind: (...kinds) => tracks.filter(({ kind }) => kinds.includes(kind)) };
  const work = { packed: packed.packed, tracks: packed.tracks.map(({ kind, count, has_depths }) => ({ kind, count, has_depths })), tick: packed.tick_ns * 1e-9 };
  const take = (rows) => {
    rows.forEach((rowsOf, id) => { tracks[id].rows = tracks[id].coarse = rowsOf; });
    of.ready = true;
    if (state.view === "tracks") guarded(drawPane);
  };
  const here = () => unpackTracks(work).then(take, (error) => { console.error(error); of.failed = error.message; if (state.view === "tracks") guarded(drawPane); });
  const inWorker = () => {
    const place = URL.createObjectURL(new Blob([`${addSums}\n${unpackTracks}\nonmessage = async ({ data }) => { const rows = await unpackTracks(data); postMessage(rows, rows.flat().flatMap((row) => [row.start.buffer, row.end.buffer, row.value.buffer])); };`], { type: "text/javascript" }));
    const worker = new Worker(place);
    const finish = () => { worker.terminate(); URL.revokeObjectURL(place); };
    worker.onmessage = ({ data }) => { finish(); of.byWorker = true; take(data); };
    worker.onerror = (event) => { event.preventDefault(); finish(); here(); };
    worker.postMessage(work);
  };
  of.start = () => {
    if (of.stretches < FEW_STRETCHES) return here();
    // A host may not allow workers.
    try { inWorker(); } catch { here(); }
  };
  return of;
})();

/** The first stretch that ends after an instant. */
function firstEndingAfter({ end }, instant, from = 0) {
  let low = from, high = end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle] > instant) high = middle; else low = middle + 1;
  }
  return low;
}

/** The first stretch that starts at an instant or later, looked for from `from` on in growing steps. */
function firstStartingAt({ start }, instant, from) {
  let step = 1, high = from;
  while (high < start.length && start[high] < instant) { from = high + 1; high += step; step *= 2; }
  let low = from;
  high = Math.min(high, start.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[middle] >= instant) high = middle; else low = middle + 1;
  }
  return low;
}

/** How long stretches of a row are inside a stretch of time. */
function timeInside(row, [from, to]) {
  const first = firstEndingAfter(row, from), last = firstStartingAt(row, to, first);
  if (last <= first) return 0;
  const cut = Math.max(0, from - row.start[first]) + Math.max(0, row.end[last - 1] - to);
  return row.sum[last] - row.sum[first] - cut;
}

/** Mean value of a curve in a stretch of time, where it has data; null without. */
function meanInside(row, [from, to]) {
  const first = firstEndingAfter(row, from), last = firstStartingAt(row, to, first);
  if (last <= first) return null;
  const time = timeInside(row, [from, to]);
  if (time <= 0) return row.value[first];
  const cut = Math.max(0, from - row.start[first]) * row.value[first] + Math.max(0, row.end[last - 1] - to) * row.value[last - 1];
  return (row.area[last] - row.area[first] - cut) / time;
}

/** Least and largest value of stretches `first` up to `last`, by groups where they are whole. */
function extremes(row, first, last) {
  let low = Infinity, high = -Infinity, level = -1;
  const take = (of, at) => {
    low = Math.min(low, of < 0 ? row.value[at] : row.levels[of].least[at]);
    high = Math.max(high, of < 0 ? row.value[at] : row.levels[of].most[at]);
  };
  while (first < last) {
    if (level + 1 >= row.levels.length || last - first < 8) {
      for (let at = first; at < last; at++) take(level, at);
      break;
    }
    while (first % 4 !== 0) take(level, first++);
    while (last % 4 !== 0) take(level, --last);
    [first, last, level] = [first / 4, last / 4, level + 1];
  }
  return [low, high];
}
