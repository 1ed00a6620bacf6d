// The selection in the address: `#t=0.598-0.779&app=NAME&thread=NAME&comp=cpu&view=tree…`. Unknown keys are kept.

const VIEWS = [["flame", "Flame graph"], ["tree", "Call tree"], ["tracks", "Tracks"], ["tables", "Tables"], ["quality", "Quality"]];
const MODES = [["left", "Left heavy"], ["time", "Time order"], ["sandwich", "Callers / callees"]];
const KEYS = ["t", "app", "thread", "tid", "comp", "view", "mode", "table", "q", "frame", "theme", "mark"];

const NOTHING = { t: null, app: null, thread: null, component: null };

/** Seconds with at most nine decimals. */
const secondsIn = (value) => value.toFixed(9).replace(/\.?0+$/, "");

function threadsNamed(name, tid, app) {
  const found = [];
  for (let row = 1; row < tree.size; row++) {
    if (tree.kind[row] !== KIND.thread || label(row) !== name) continue;
    if ((app === null || rowApp[row] === app) && (tid === null || tree.number[row] === tid)) found.push(row);
  }
  return found;
}

/** The state that an address means; what it names and the page does not have is left out. */
function readAddress(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const choice = (key, options) => (options.some(([id]) => id === given.get(key)) ? given.get(key) : options[0][0]);
  const ends = (given.get("t") || "").match(/^([\d.]+)-([\d.]+)$/);
  const t = ends && time ? [Number(ends[1]), Number(ends[2])].map((end) => Math.min(Math.max(end, 0), duration)) : null;
  const app = apps.find(({ name }) => name === given.get("app"));
  const component = components.find(({ name, key }) => name === given.get("comp") || key === given.get("comp"));
  const tid = given.has("tid") ? Number(given.get("tid")) : null;
  const thread = given.has("thread") ? threadsNamed(given.get("thread"), tid, app ? app.id : null)[0] : undefined;
  return {
    t: t && t[1] > t[0] ? t : null,
    app: app ? app.id : thread !== undefined ? (rowApp[thread] >= 0 ? rowApp[thread] : null) : null,
    thread: thread ?? null,
    component: component ? component.id : null,
    view: choice("view", VIEWS),
    mode: choice("mode", MODES),
    table: given.get("table") || "components",
    q: given.get("q") || "",
    frame: given.get("frame"),
    theme: ["light", "dark"].includes(given.get("theme")) ? given.get("theme") : null,
    mark: given.get("mark"),
    missing: [["app", app], ["comp", component], ["thread", thread]].filter(([key, found]) => given.has(key) && found === undefined).map(([key]) => given.get(key).slice(0, 80)),
    others: [...given].filter(([key]) => !KEYS.includes(key)),
  };
}

/** The address of a state; defaults are left out. */
function addressOf(state) {
  const to = new URLSearchParams();
  if (state.t) to.set("t", state.t.map(secondsIn).join("-"));
  if (state.app !== null) to.set("app", apps[state.app].name);
  if (state.thread !== null) {
    to.set("thread", label(state.thread));
    if (threadsNamed(label(state.thread), null, state.app).length > 1) to.set("tid", tree.number[state.thread]);
  }
  if (state.component !== null) to.set("comp", components[state.component].name);
  if (state.view !== "flame") to.set("view", state.view);
  if (state.mode !== "left") to.set("mode", state.mode);
  if (state.view === "tables" && state.table !== "components") to.set("table", state.table);
  if (state.q !== "") to.set("q", state.q);
  if (state.mode === "sandwich" && state.frame) to.set("frame", state.frame);
  if (state.theme) to.set("theme", state.theme);
  if (state.mark !== null) to.set("mark", state.mark);
  for (const [key, value] of state.others) to.append(key, value);
  const text = to.toString().replace(/%2F/g, "/").replace(/%3A/g, ":");
  return text === "" ? "" : `#${text}`;
}
