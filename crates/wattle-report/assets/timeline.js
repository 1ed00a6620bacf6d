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
  const margins = { left: 64, right: 8, top: 10, bottom: 26 };
  // The last bin may be shorter than the others.
  const ends = (at) => Math.min(start + (at + 1) * bin, last);
  const whole = [start, ends(bins - 1)];
  const closest = Math.min(4 * bin, whole[1] - whole[0]);
  const hidden = new Set();
  // The steadiest at the bottom of the stack would be best; the largest there is close to it.
  const mean = power.map((values) => values.reduce((sum, value) => sum + value, 0) / bins);
  const order = components.map((_, nth) => nth).sort((a, b) => mean[b] - mean[a]);
  let width = 0, height = 0, top = 1;
  const shown = () => order.filter((nth) => !hidden.has(nth));
  const stacked = () => byId("power-stacked").checked;
  const y = (value) => margins.top + (1 - value / top) * (height - margins.top - margins.bottom);
  const binAt = (time) => Math.floor((time - start) / bin);
  const value = (nth, at) => power[nth][at] ?? 0;

  for (const nth of order) {
    const button = el("button", { type: "button", "aria-pressed": "true" }, el("span", { class: "swatch", style: `background:${componentColor(components[nth])}` }), components[nth]);
    button.addEventListener("click", () => {
      hidden.has(nth) ? hidden.delete(nth) : hidden.add(nth);
      button.setAttribute("aria-pressed", String(!hidden.has(nth)));
      view.later();
    });
    byId("power-legend").append(button);
  }

  /** Points to draw: bins joined until there is one a pixel. Joined bins keep their mean. */
  function samples() {
    const [visibleFrom, visibleTo] = view.range();
    const first = Math.max(0, binAt(visibleFrom));
    const past = Math.min(bins, binAt(visibleTo) + 1);
    const step = Math.max(1, Math.floor((past - first) / Math.max(1, width - margins.left - margins.right)));
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

  function draw(to, fullWidth, fullHeight) {
    [width, height] = [fullWidth, fullHeight];
    const { x } = view;
    const rows = samples();
    const visible = shown();
    const level = (row) => (stacked() ? visible.reduce((sum, nth) => sum + Math.max(0, row.values[nth]), 0) : Math.max(0, ...visible.map((nth) => row.values[nth])));
    top = Math.max(1e-6, ...rows.map(level)) * 1.06;
    view.axes(to, top, y, milliwatts);
    to.save();
    to.beginPath();
    to.rect(margins.left, 0, width - margins.left - margins.right, height);
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
    view.overlay(to);
    to.restore();
    const range = view.range();
    const visibleFor = range[1] - range[0];
    status.textContent = `${instant(range[0], visibleFor)} to ${instant(range[1], visibleFor)}: ${joules(energyIn(range))} in what is shown.`;
  }

  /** Energy of the shown components between two instants; the bins at both ends count in part. */
  function energyIn([from, to]) {
    let sum = 0;
    for (let at = Math.max(0, binAt(from)); at < Math.min(bins, binAt(to) + 1); at++) {
      const inside = Math.min(to, ends(at)) - Math.max(from, start + at * bin);
      if (inside > 0) for (const nth of shown()) sum += value(nth, at) * 1e-3 * inside;
    }
    return sum;
  }

  function point(event, time) {
    const at = binAt(time);
    if (at < 0 || at >= bins) return hideTip();
    const rows = shown().map((nth) => el("div", { class: "row" }, el("span", { class: "swatch", style: `background:${componentColor(components[nth])}` }), el("span", null, components[nth]), el("span", null, milliwatts(value(nth, at)))));
    const sum = shown().reduce((sum, nth) => sum + value(nth, at), 0);
    const [from, to] = view.range();
    showTip(event, el("b", null, instant(time, to - from)), ...rows, el("div", { class: "row" }, el("b", null, "together"), el("span", null, milliwatts(sum))));
  }

  const view = timeView({ canvas, whole, closest, margins, draw, point, buttons: "power" });
  byId("power-stacked").addEventListener("change", view.later);
}
