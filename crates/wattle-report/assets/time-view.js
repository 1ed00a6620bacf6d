// A canvas over time: zoomed by wheel, drag or keys, with axes.

/** Round numbers between two. */
function ticks(from, to, about) {
  const rough = (to - from) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough) || rough;
  const list = [];
  for (let nth = Math.ceil(from / step); nth * step <= to; nth++) list.push(nth * step);
  return list;
}

/**
 * What part of `whole` the canvas shows. draw(to, width, height) draws it; point(event, time) says what is under the pointer, click(event,
 * time) what a click without a drag does; keys are more keys. No closer than `closest`; buttons are by their ids' prefix.
 */
function timeView({ canvas, whole, closest, margins, draw, point, click, keys = {}, buttons }) {
  const { left, right, top, bottom } = margins;
  let range = [...whole], width = 0, height = 0, hover = null, drag = null;
  const inner = () => width - left - right;
  const x = (time) => left + ((time - range[0]) / (range[1] - range[0])) * inner();
  const timeAt = (px) => range[0] + ((px - left) / inner()) * (range[1] - range[0]);

  function redraw() {
    ({ width, height } = canvas.getBoundingClientRect());
    if (width === 0) return;
    const to = context(canvas, width, height);
    to.clearRect(0, 0, width, height);
    draw(to, width, height);
    canvas.dataset.from = String(range[0]);
    canvas.dataset.to = String(range[1]);
  }
  const later = perFrame(redraw);

  function show(from, to) {
    const length = Math.min(Math.max(to - from, closest), whole[1] - whole[0]);
    const middle = (from + to) / 2;
    const first = Math.min(Math.max(middle - length / 2, whole[0]), whole[1] - length);
    range = [first, first + length];
    later();
  }
  const zoom = (factor, at = (range[0] + range[1]) / 2) => show(at - (at - range[0]) * factor, at + (range[1] - at) * factor);
  const move = (part) => show(range[0] + part * (range[1] - range[0]), range[1] + part * (range[1] - range[0]));
  const reset = () => show(...whole);

  /** The stretch that is being dragged, else a line under the pointer. */
  function overlay(to) {
    if (drag && !drag.move) {
      to.fillStyle = color("--accent");
      to.globalAlpha = 0.15;
      to.fillRect(Math.min(drag.from, drag.to), top, Math.abs(drag.to - drag.from), height - top - bottom);
    } else if (hover !== null) {
      to.strokeStyle = color("--ink");
      to.globalAlpha = 0.5;
      to.beginPath();
      to.moveTo(hover, top);
      to.lineTo(hover, height - bottom);
      to.stroke();
    }
    to.globalAlpha = 1;
  }

  /** Lines at round values up to `most`, which y places and show names; times below. */
  function axes(to, most, y, show) {
    to.font = "11px system-ui, sans-serif";
    to.strokeStyle = color("--line");
    to.fillStyle = color("--soft");
    to.lineWidth = 1;
    to.textBaseline = "middle";
    to.textAlign = "right";
    for (const tick of ticks(0, most, 5)) {
      to.beginPath();
      to.moveTo(left, Math.round(y(tick)) + 0.5);
      to.lineTo(width - right, Math.round(y(tick)) + 0.5);
      to.stroke();
      to.fillText(show(tick), left - 8, y(tick));
    }
    to.textBaseline = "top";
    const marks = ticks(range[0], range[1], Math.max(2, Math.floor(width / 110)));
    const step = marks.length > 1 ? marks[1] - marks[0] : 1;
    for (const tick of marks) {
      const text = `${tick.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)))} s`;
      to.textAlign = x(tick) < left + 12 ? "left" : x(tick) > width - 30 ? "right" : "center";
      to.fillText(text, x(tick), height - 18);
    }
  }

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(Math.sign(event.deltaX) * 0.08);
    else zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.offsetX));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    drag = { from: event.offsetX, to: event.offsetX, move: event.shiftKey, range: [...range] };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      hover = event.offsetX;
      later();
      return event.offsetX < left ? hideTip() : point(event, timeAt(event.offsetX));
    }
    drag.to = event.offsetX;
    if (drag.move) {
      const by = (drag.from - drag.to) / inner() * (drag.range[1] - drag.range[0]);
      show(drag.range[0] + by, drag.range[1] + by);
    }
    hideTip();
    later();
  });
  canvas.addEventListener("pointerup", (event) => {
    const was = drag;
    drag = null;
    if (was && !was.move) {
      if (Math.abs(was.to - was.from) > 4) show(...[timeAt(was.from), timeAt(was.to)].sort((a, b) => a - b));
      else click?.(event, timeAt(event.offsetX));
    }
    later();
  });
  canvas.addEventListener("pointerleave", () => { hover = null; hideTip(); later(); });
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener("keydown", (event) => {
    const all = { "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), ArrowLeft: () => move(-0.1), ArrowRight: () => move(0.1), 0: reset, Home: reset, Escape: reset, ...keys };
    if (!all[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    all[event.key]();
  });
  byId(`${buttons}-in`).addEventListener("click", () => zoom(0.5));
  byId(`${buttons}-out`).addEventListener("click", () => zoom(2));
  byId(`${buttons}-reset`).addEventListener("click", reset);
  redrawWith(canvas, redraw);
  return { x, timeAt, range: () => range, show, later, overlay, axes };
}
