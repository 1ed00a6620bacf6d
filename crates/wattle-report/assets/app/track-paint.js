// Painting of tracks. Nothing narrower than a pixel is drawn by itself: a pixel has the share of its time that stretches take.

/**
 * Goes over a row: `draw(x, width, at, share)` for each stretch of a pixel or more, and once for each pixel of shorter ones, where `share` is
 * the part of the pixel that they take.
 */
function overRow(row, [from, to], width, draw) {
  const pixel = (to - from) / width, size = row.start.length;
  let at = firstEndingAfter(row, from);
  while (at < size && row.start[at] < to) {
    const x = (row.start[at] - from) / pixel, wide = (row.end[at] - row.start[at]) / pixel;
    if (wide >= 1) {
      draw(x, wide, at, 1);
      at++;
      continue;
    }
    const column = Math.max(0, Math.floor(x)), next = firstStartingAt(row, from + (column + 1) * pixel, at + 1);
    // One that reaches beyond the pixel is drawn by itself.
    const last = next > at + 1 && row.end[next - 1] - row.start[next - 1] >= pixel ? next - 1 : next;
    draw(column, 1, at, Math.min(1, (row.sum[last] - row.sum[at]) / pixel));
    at = last;
  }
}

/** Blocks of one height. `styleOf(value, width)` is a colour, or null for none. */
function paintBlocks(to, row, view, { width, y, height, styleOf, textOf = null }) {
  let style = null;
  overRow(row, view, width, (x, wide, at, share) => {
    const next = styleOf(row.value[at], wide);
    if (next === null) return;
    if (next !== style) to.fillStyle = style = next;
    const left = Math.max(0, x), right = Math.min(width, x + wide);
    // What is short stays visible.
    const tall = share < 1 ? Math.max(1, height * Math.max(0.25, share)) : height;
    to.fillRect(left, y + height - tall, Math.max(right - left - (wide > 3 ? 0.5 : 0), 0.75), tall);
    if (!textOf || right - left < 26) return;
    const text = fitted(to, textOf(row.value[at]), right - left - 6);
    if (text === "") return;
    to.fillStyle = color("--text");
    to.fillText(text, left + 3, y + height - 3);
    to.fillStyle = style;
  });
}

/** As much of a text as is not wider than that; its beginning. */
function fitted(to, text, wide) {
  const most = Math.floor(wide / 5.6);
  if (text.length <= most) return text;
  return most < 3 ? "" : `${text.slice(0, most - 1)}…`;
}

/** A curve: its line, and below it a pale fill if asked. Where many values share a pixel, all between the least and the largest. */
function paintCurve(to, row, view, { width, y, height, least, most, line, fill = null }) {
  const pixel = (view[1] - view[0]) / width, span = most - least || 1;
  const level = (value) => y + height - 1 - ((value - least) / span) * (height - 2), base = level(Math.max(least, Math.min(most, 0)));
  let at = firstEndingAfter(row, view[0]), before = null;
  const rect = (x, wide, low, high) => {
    if (fill !== null) {
      to.fillStyle = fill;
      to.fillRect(x, Math.min(base, level(high)), wide, Math.abs(base - level(high)));
    }
    to.fillStyle = line;
    to.fillRect(x, level(high) - 0.5, wide, Math.max(1, level(low) - level(high)));
  };
  while (at < row.start.length && row.start[at] < view[1]) {
    const x = Math.max(0, (row.start[at] - view[0]) / pixel), end = Math.min(width, (row.end[at] - view[0]) / pixel);
    if (end - x >= 1) {
      rect(x, end - x, row.value[at], row.value[at]);
      if (before !== null && row.start[at] - before.end < pixel && before.value !== row.value[at]) {
        to.fillRect(x - 0.5, Math.min(level(before.value), level(row.value[at])), 1, Math.abs(level(before.value) - level(row.value[at])));
      }
      before = { end: row.end[at], value: row.value[at] };
      at++;
      continue;
    }
    const column = Math.floor(x), next = Math.max(at + 1, firstStartingAt(row, view[0] + (column + 1) * pixel, at + 1));
    const [low, high] = extremes(row, at, next);
    rect(column, 1, low, high);
    before = { end: row.end[next - 1], value: row.value[next - 1] };
    at = next;
  }
}

/** Power as an area: solid up to the mean of each pixel, pale from there to its largest value. */
function paintArea(to, row, view, { width, height, most, fill }) {
  const pixel = (view[1] - view[0]) / width, tall = (value) => (value / most) * (height - 3);
  let at = firstEndingAfter(row, view[0]);
  while (at < row.start.length && row.start[at] < view[1]) {
    const x = Math.max(0, (row.start[at] - view[0]) / pixel), end = Math.min(width, (row.end[at] - view[0]) / pixel);
    let next = at + 1, mean = row.value[at], high = mean, [left, wide] = [x, end - x];
    if (wide < 1) {
      [left, wide] = [Math.floor(x), 1];
      next = Math.max(next, firstStartingAt(row, view[0] + (left + 1) * pixel, next));
      mean = (row.area[next] - row.area[at]) / Math.max(row.sum[next] - row.sum[at], 1e-12);
      [, high] = extremes(row, at, next);
    }
    if (high > mean * 1.02) {
      to.fillStyle = `${fill}55`;
      to.fillRect(left, height - tall(high), wide, tall(high));
    }
    to.fillStyle = fill;
    if (mean > 0) to.fillRect(left, height - Math.max(1, tall(mean)), wide, Math.max(1, tall(mean)));
    at = next;
  }
}

/** Hatches the time for which a row has no data. */
function paintGaps(to, row, view, { width, y, height, pattern }) {
  const pixel = (view[1] - view[0]) / width;
  const gap = (from, end) => {
    const left = Math.max(0, (from - view[0]) / pixel), right = Math.min(width, (end - view[0]) / pixel);
    if (right - left < 2) return;
    to.globalAlpha = 0.4;
    to.fillStyle = pattern;
    to.fillRect(left, y, right - left, height);
    to.globalAlpha = 1;
  };
  let at = firstEndingAfter(row, view[0]), reached = at > 0 ? row.end[at - 1] : 0;
  while (at < row.start.length && row.start[at] < view[1]) {
    // Of many short stretches only the pixel's first gap can be seen.
    if (row.start[at] - reached > pixel * 2) gap(reached, row.start[at]);
    const next = row.end[at] - row.start[at] > pixel ? at + 1 : Math.max(at + 1, firstStartingAt(row, row.start[at] + pixel, at + 1));
    reached = row.end[next - 1];
    at = next;
  }
  if (at >= row.start.length) gap(reached, duration);
}
