// The state of the page and when what is drawn again. Views register with `shows` and read `state` and `answer()`.

let state = readAddress(location.hash);
/** A stretch of time while it is dragged; the selection only when it is let go. */
let dragged = null;

const views = [];
/** Registers a view: drawn when a change is committed, with every change of a drag (`live`), and with every change of the visible time (`pans`). */
const shows = (draw, { live = false, pans = false } = {}) => views.push({ draw, live, pans });

const selection = () => ({ t: dragged || state.t, app: state.app, thread: state.thread, component: state.component });
const isSelected = () => Boolean(state.t) || state.app !== null || state.thread !== null || state.component !== null;

const answer = (() => {
  let key = null, known = null;
  return () => {
    const now = JSON.stringify(selection());
    if (now !== key) [key, known] = [now, query(selection())];
    return known;
  };
})();

/** The app of the second figure: the selected one, else the one that was asked for, else the one with most energy in the selection. */
const focusApp = (() => {
  const whole = figuresBy(inStretch(null), apps.length, (line) => rowApp[lines.row[line]]).sums;
  const most = (sums, isMeant) => apps.reduce((best, { id }) => (isMeant(id) && (best === null || sums[id] > sums[best]) ? id : best), null);
  const asked = most(whole, (id) => apps[id].asked);
  let of = null, top = null;
  return () => {
    if (state.app !== null || asked !== null) return state.app ?? asked;
    if (of !== answer()) {
      of = answer();
      const { sums } = of.apps;
      top = most(sums, (id) => !apps[id].recorder && sums[id] > 0);
    }
    return top;
  };
})();

function drawAll() {
  document.documentElement.dataset.theme = shownTheme();
  for (const { draw, isPartial } of views) if (!isPartial) guarded(draw);
}

const drawView = perFrame(() => views.filter(({ pans }) => pans).forEach(({ draw }) => guarded(draw)));
const drawLive = perFrame(() => views.filter(({ live }) => live).forEach(({ draw }) => guarded(draw)));

/** Changes the state, notes it in the address (as a new entry of the history, unless `replace`), and draws. */
function commit(change, { replace = false } = {}) {
  state = { ...state, ...change, missing: [] };
  if (change.t !== undefined) CHART.follows = true;
  if (state.thread !== null && change.app !== undefined && rowApp[state.thread] !== state.app) state.thread = null;
  noteAddress(addressOf(state), replace);
  drawAll();
}

addEventListener("popstate", () => { state = readAddress(location.hash); CHART.follows = true; byId("find").value = state.q; drawAll(); });
dark.addEventListener("change", drawAll);

const clearSelection = () => commit({ ...NOTHING });
