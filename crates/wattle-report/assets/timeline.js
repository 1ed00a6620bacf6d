// Power over time: stacked areas or lines, zoomed by wheel, drag or keys.

function timeline() {
  const { start_s: start, bin_s: bin, end_s: last, count: bins, components, milliwatts: power } = data.series;
  const canvas = byId("power-canvas");
  const status = byId("power-status");
  if (bins === 0 || bin <= 0 || last <= start) {
    canvas.hidden = true;
    byId("power").querySelector(".noprint").hidden = true;
    byId("power").querySelector(".tools").hidden = true;
    status.textContent = "no data";
    return;
  }
  const LEFT = 64, RIGHT = 8, TOP = 10, BOTTOM = 26;
  // The last bin may be shorter than the others.
  const ends = (at) => Math.min(start + (at + 1) * bin, last);
  const whole = [start, ends(bins - 1)];
  const closest = Math.min(4 * bin, whole[1] - whole[0]);
  const hidden = new Set();
  // The steadiest at the bottom of the stack would be best; the largest there is close to it.
  const mean = power.map((values) => values.reduce((sum, value) => sum + value, 0) / bins);
  const order = components.map((_, nth) => nth).sort((a, b) => mean[b] - mean[a]);
  let view = [...whole];
  let width = 0, height = 0, top = 1;
  let hover = null, drag = null;
  const shown = () => order.filter((nth) => !hidden.has(nth));
  const stacked = () => byId("power-stacked").checked;
  const x = (time) => LEFT + ((time - view[0]) / (view[1] - view[0])) * (width - LEFT - RIGHT);
  const y = (value) => TOP + (1 - value / top) * (height - TOP - BOTTOM);
  const timeAt = (px) => view[0] + ((px - LEFT) / (width - LEFT - RIGHT)) * (view[1] - view[0]);
  const binAt = (time) => Math.floor((time - start) / bin);
  const value = (nth, at) => power[nth][at] ?? 0;

  for (const nth of order) {
    const button = el("button", { type: "button", "aria-pressed": "true" }, el("span", { class: "swatch", style: `background:${componentColor(components[nth])}` }), components[nth]);
    button.addEventListener("click", () => {
      hidden.has(nth) ? hidden.delete(nth) : hidden.add(nth);
      button.setAttribute("aria-pressed", String(!hidden.has(nth)));
      draw();
    });
    byId("power-legend").append(button);
  }

  /** Points to draw: bins joined until there is one a pixel. Joined bins keep their mean. */
  function samples() {
    const first = Math.max(0, binAt(view[0]));
    const past = Math.min(bins, binAt(view[1]) + 1);
    const step = Math.max(1, Math.floor((past - first) / Math.max(1, width - LEFT - RIGHT)));
    const from = first - (first % step);
    const rows = [];
    for (let at = from; at < past; at += step) {
      const end = Math.min(at + step, bins);
      const values = components.map((_, nth) => {
        let sum = 0;
        for (let each = at; each < end; each++) sum += value(nth, each);
        return sum / (end - at);
      });
      rows.push({ from: start + at * bin, to: ends(end - 1), values });
    }
    return rows;
  }

  function draw() {
    ({ width, height } = canvas.getBoundingClientRect());
    if (width === 0) return;
    const to = context(canvas, width, height);
    const rows = samples();
    const visible = shown();
    const level = (row) => (stacked() ? visible.reduce((sum, nth) => sum + Math.max(0, row.values[nth]), 0) : Math.max(0, ...visible.map((nth) => row.values[nth])));
    top = Math.max(1e-6, ...rows.map(level)) * 1.06;
    to.clearRect(0, 0, width, height);
    axes(to);
    to.save();
    to.beginPath();
    to.rect(LEFT, 0, width - LEFT - RIGHT, height);
    to.clip();
    if (stacked()) {
      const base = rows.map(() => 0);
      for (const nth of visible) {
        const path = new Path2D();
        path.moveTo(x(rows[0].from), y(base[0]));
        rows.forEach((row, at) => {
          const to = y(base[at] + Math.max(0, row.values[nth]));
          path.lineTo(x(row.from), to);
          path.lineTo(x(row.to), to);
        });
        for (let at = rows.length - 1; at >= 0; at--) {
          path.lineTo(x(rows[at].to), y(base[at]));
          path.lineTo(x(rows[at].from), y(base[at]));
          base[at] += Math.max(0, rows[at].values[nth]);
        }
        to.fillStyle = componentColor(components[nth]);
        to.globalAlpha = 0.88;
        to.fill(path);
      }
    } else {
      to.lineWidth = 1.5;
      for (const nth of visible) {
        to.strokeStyle = componentColor(components[nth]);
        to.beginPath();
        for (const row of rows) {
          to.lineTo(x(row.from), y(row.values[nth]));
          to.lineTo(x(row.to), y(row.values[nth]));
        }
        to.stroke();
      }
    }
    to.globalAlpha = 1;
    if (drag && !drag.move) {
      to.fillStyle = color("--accent");
      to.globalAlpha = 0.15;
      to.fillRect(Math.min(drag.from, drag.to), TOP, Math.abs(drag.to - drag.from), height - TOP - BOTTOM);
      to.globalAlpha = 1;
    } else if (hover !== null) {
      to.strokeStyle = color("--ink");
      to.globalAlpha = 0.5;
      to.beginPath();
      to.moveTo(hover, TOP);
      to.lineTo(hover, height - BOTTOM);
      to.stroke();
    }
    to.restore();
    status.textContent = `${instant(view[0], view[1] - view[0])} to ${instant(view[1], view[1] - view[0])}: ${joules(energyIn(view))} in what is shown.`;
    canvas.dataset.from = String(view[0]);
    canvas.dataset.to = String(view[1]);
  }
  const later = perFrame(draw);

  /** Energy of the shown components between two instants; the bins at both ends count in part. */
  function energyIn([from, to]) {
    let sum = 0;
    for (let at = Math.max(0, binAt(from)); at < Math.min(bins, binAt(to) + 1); at++) {
      const inside = Math.min(to, ends(at)) - Math.max(from, start + at * bin);
      if (inside > 0) for (const nth of shown()) sum += value(nth, at) * 1e-3 * inside;
    }
    return sum;
  }

  function axes(to) {
    to.font = "11px system-ui, sans-serif";
    to.strokeStyle = color("--line");
    to.fillStyle = color("--soft");
    to.lineWidth = 1;
    to.textBaseline = "middle";
    to.textAlign = "right";
    for (const tick of ticks(0, top, 5)) {
      to.beginPath();
      to.moveTo(LEFT, Math.round(y(tick)) + 0.5);
      to.lineTo(width - RIGHT, Math.round(y(tick)) + 0.5);
      to.stroke();
      to.fillText(milliwatts(tick), LEFT - 8, y(tick));
    }
    to.textBaseline = "top";
    const marks = ticks(view[0], view[1], Math.max(2, Math.floor(width / 110)));
    const step = marks.length > 1 ? marks[1] - marks[0] : 1;
    for (const tick of marks) {
      const text = `${tick.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)))} s`;
      to.textAlign = x(tick) < LEFT + 12 ? "left" : x(tick) > width - 30 ? "right" : "center";
      to.fillText(text, x(tick), height - BOTTOM + 8);
    }
  }

  /** Round numbers between two. */
  function ticks(from, to, about) {
    const rough = (to - from) / about;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough) || rough;
    const list = [];
    for (let nth = Math.ceil(from / step); nth * step <= to; nth++) list.push(nth * step);
    return list;
  }

  function show(from, to) {
    const length = Math.min(Math.max(to - from, closest), whole[1] - whole[0]);
    const middle = (from + to) / 2;
    const first = Math.min(Math.max(middle - length / 2, whole[0]), whole[1] - length);
    view = [first, first + length];
    later();
  }
  const zoom = (factor, at = (view[0] + view[1]) / 2) => show(at - (at - view[0]) * factor, at + (view[1] - at) * factor);
  const move = (part) => show(view[0] + part * (view[1] - view[0]), view[1] + part * (view[1] - view[0]));
  const reset = () => show(...whole);

  function point(event) {
    const time = timeAt(event.offsetX);
    const at = binAt(time);
    hover = event.offsetX;
    later();
    if (at < 0 || at >= bins || event.offsetX < LEFT) return hideTip();
    const rows = shown().map((nth) => el("div", { class: "row" }, el("span", { class: "swatch", style: `background:${componentColor(components[nth])}` }), el("span", null, components[nth]), el("span", null, milliwatts(value(nth, at)))));
    const sum = shown().reduce((sum, nth) => sum + value(nth, at), 0);
    showTip(event, el("b", null, instant(time, view[1] - view[0])), ...rows, el("div", { class: "row" }, el("b", null, "together"), el("span", null, milliwatts(sum))));
  }

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(Math.sign(event.deltaX) * 0.08);
    else zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.offsetX));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    drag = { from: event.offsetX, to: event.offsetX, move: event.shiftKey, view: [...view] };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return point(event);
    drag.to = event.offsetX;
    if (drag.move) {
      const by = (drag.from - drag.to) / (width - LEFT - RIGHT) * (drag.view[1] - drag.view[0]);
      show(drag.view[0] + by, drag.view[1] + by);
    }
    hideTip();
    later();
  });
  canvas.addEventListener("pointerup", () => {
    if (drag && !drag.move && Math.abs(drag.to - drag.from) > 4) {
      show(...[timeAt(drag.from), timeAt(drag.to)].sort((a, b) => a - b));
    }
    drag = null;
    later();
  });
  canvas.addEventListener("pointerleave", () => { hover = null; hideTip(); later(); });
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener("keydown", (event) => {
    const keys = { "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), ArrowLeft: () => move(-0.1), ArrowRight: () => move(0.1), 0: reset, Home: reset, Escape: reset };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("power-in").addEventListener("click", () => zoom(0.5));
  byId("power-out").addEventListener("click", () => zoom(2));
  byId("power-reset").addEventListener("click", reset);
  byId("power-stacked").addEventListener("change", draw);
  redrawWith(canvas, draw);
}
