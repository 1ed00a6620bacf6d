// Keyboard: one list, which is also what `?` shows.

const SHORTCUTS = [
  ["/", "Find app, thread, method"], ["1 – 5", "Switch panel"], ["Esc", "Clear search, then zoom, then selection"], ["← →", "Move the time range"], ["Shift ← →", "Extend the time range"],
  ["W S", "Zoom the timeline in, out"], ["A D", "Pan the timeline"], ["↑ ↓ ← →", "Move between frames and rows (in the panel)"], ["Enter", "Open a row, zoom into a frame"], ["M", "Mark the selection, to compare others with it"], ["T", "Light or dark"], ["Y", "Copy a link to this view"], ["?", "This list"],
];

/** Esc undoes one thing at a time: search, zoom, selection. */
function escape() {
  if (state.q !== "") {
    byId("find").value = "";
    return commit({ q: "" }, { replace: true });
  }
  if (FLAME.zoom.length > 0 && state.view === "flame") {
    FLAME.zoom = [];
    return drawFlame();
  }
  if (CHART.view[1] - CHART.view[0] < duration * 0.999) {
    CHART.view = [0, duration];
    CHART.follows = true;
    return drawView();
  }
  if (isSelected()) clearSelection();
}

function keyboard() {
  keysDialog(SHORTCUTS);
  onKeys((event) => {
    const [from, end] = CHART.view, middle = state.t && CHART.follows ? (state.t[0] + state.t[1]) / 2 : (from + end) / 2;
    const runs = { m: markSelection, w: () => zoomChart(0.7, middle), s: () => zoomChart(1 / 0.7, middle), a: () => panChart(-0.15), d: () => panChart(0.15) };
    const onControl = event.target.matches && event.target.matches("button, tr, summary, [role=tab]");
    if (!onControl || event.target === chart) Object.assign(runs, { ArrowLeft: () => moveRange(-1, event.shiftKey), ArrowRight: () => moveRange(1, event.shiftKey) });
    VIEWS.forEach(([view], nth) => { runs[String(nth + 1)] = () => commit({ view }); });
    return runs;
  }, escape);
}
