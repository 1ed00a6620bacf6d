// Pointer and keyboard over tracks: select time by a drag, a call or a thread by a click, zoom and pan, move between calls.

const instantIn = (canvas, event) => {
  const box = canvas.getBoundingClientRect(), [from, end] = trackWindow();
  return [clampTime(from + ((event.clientX - box.left) / box.width) * (end - from)), event.clientY - box.top];
};

/** A drag selects time, a click what is there; the wheel with Ctrl zooms, sideways pans. */
function lanePointer(lane) {
  const { canvas } = lane;
  let from = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = { x: event.clientX, at: instantIn(canvas, event)[0] };
    // The axis stays where it is while a range is drawn on it.
    CHART.view = trackWindow();
    CHART.follows = false;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [at, y] = instantIn(canvas, event);
    if (from && time && Math.abs(event.clientX - from.x) >= 3 && at !== from.at) {
      dragged = [Math.min(at, from.at), Math.max(at, from.at)];
      hideTip();
      return drawLive();
    }
    const content = !from && lane.tip ? lane.tip(at, y) : null;
    if (content) showTip(event, ...content.filter(Boolean)); else hideTip();
  });
  canvas.addEventListener("pointerup", (event) => {
    const t = dragged, wasDown = from;
    [dragged, from] = [null, null];
    if (t) return commit({ t });
    if (!wasDown) return;
    const [at, y] = instantIn(canvas, event), place = lane.hit ? lane.hit.found(at, y) : null;
    if (place) lane.hit.select(place); else if (lane.pick) lane.pick(at);
  });
  canvas.addEventListener("pointercancel", () => { [dragged, from] = [null, null]; drawLive(); });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("wheel", (event) => {
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!isSideways && !event.ctrlKey && !event.metaKey && !event.altKey) return;
    if (isSideways) panChart(event.deltaX / canvas.clientWidth); else zoomChart(event.deltaY > 0 ? 1.25 : 0.8, instantIn(canvas, event)[0]);
    event.preventDefault();
  }, { passive: false });
}

/** Arrows move between the calls of a thread, Enter selects the one they are at. */
function laneKeys(lane) {
  const { canvas, hit } = lane;
  canvas.addEventListener("keydown", (event) => {
    const now = TRACKS.cursor && TRACKS.cursor.lane === lane ? TRACKS.cursor.place : null;
    if (event.key === "Enter" && now) { event.preventDefault(); event.stopPropagation(); return hit.select(now); }
    if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(event.key) || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = movedCall(hit, now, event.key);
    if (!next) return;
    const { t, name } = hit.facts(next), view = trackWindow();
    // The middle of the call finds it again when the lane is made anew.
    TRACKS.cursor = { lane, place: next, at: (t[0] + t[1]) / 2 - 1e-12 };
    byId("said").textContent = `${name}, ${durationText(t[1] - t[0])} from ${stretchText(t)}, level ${next.depth + 1}`;
    if (t[0] < view[0] || t[0] > view[1]) {
      const length = view[1] - view[0], start = Math.min(Math.max(0, t[0] - length * 0.3), duration - length);
      CHART.follows = false;
      CHART.view = [start, start + length];
    }
    drawView();
  });
}

function movedCall(hit, now, key) {
  if (!now) {
    const index = Math.min(firstEndingAfter(hit.rows[0], trackWindow()[0]), hit.rows[0].start.length - 1);
    return index >= 0 ? { depth: 0, index } : null;
  }
  const { depth, index } = now, row = hit.rows[depth];
  if (key === "ArrowLeft") return index > 0 ? { depth, index: index - 1 } : null;
  if (key === "ArrowRight") return index + 1 < row.start.length ? { depth, index: index + 1 } : null;
  const to = depth + (key === "ArrowDown" ? 1 : -1);
  if (to < 0 || to >= hit.depth) return null;
  const at = firstEndingAfter(hit.rows[to], row.start[index]);
  return at < hit.rows[to].start.length ? { depth: to, index: at } : null;
}
