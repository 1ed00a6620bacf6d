// Suspicious methods: tests by mean power, methods by how much they are suspected, and where in the app these are.

const COLORS = ["red", "yellow", "green", "white"];

function suspectsView() {
  const of = data.suspects;
  if (!of) return;
  const place = byId("suspects-body");
  const facts = of.facts;
  const size = facts.tests.length + of.tests_left_out;
  if (facts.mean_mw !== null) {
    place.append(el("p", null, el("b", null, `${count(facts.excessive)} of ${count(size)} tests are excessive`),
      `: the app’s mean power is above ${milliwatts(facts.mean_mw)}, the mean over all of them.`,
      facts.uncertain > 0 ? ` Uncertain, because the mean lies in their intervals: ${count(facts.uncertain)}.` : ""));
  }
  if (facts.left_out.length > 0) {
    place.append(el("p", { class: "hint" }, `Tests left out: ${facts.left_out.map((row) => `${count(row.tests)} ${row.reason}`).join(", ")}.`));
  }
  for (const remark of facts.remarks) place.append(el("p", null, chip("warning"), " ", remark));
  if (facts.no_localisation !== null) {
    place.append(el("p", { id: "suspects-none" }, chip("warning"), ` No method can be suspected: ${facts.no_localisation}.`));
  } else {
    place.append(el("div", { class: "beside" }, suspectsPicture(of), suspectsTable(of)));
    if (of.packages.left_out > 0) place.append(el("p", { class: "hint" }, `${count(of.packages.left_out)} packages of which no method ran are not drawn.`));
    place.append(el("p", { class: "hint" }, "Red: of the tests in which it ran less than 40 % are normal. Yellow: 40 % or more. Green: all of them. White: it ran in none. “At most” is what the excessive tests in which a method ran drew above the mean: the most that it can be to blame for. Methods that ran in the same tests have the same joules at stake, which must not be added."));
  }
  if (facts.tests.length > 0) place.append(el("h3", null, "Tests by the app’s mean power"), suspectsTests(of));
}

const methodsOf = (number) => `${count(number)} ${number === 1 ? "method" : "methods"}`;
const classesOf = (number) => `${count(number)} ${number === 1 ? "class" : "classes"}`;
/** A class's package and its name in it. */
function splitName(name) {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? ["", name] : [name.slice(0, dot), name.slice(dot + 1)];
}

const swatch = (color) => el("span", null, el("span", { class: `swatch ${color}` }), ` ${color}`);

function suspectsTable(of) {
  const list = of.methods;
  const rows = list.class.map((_, at) => at);
  const energy = list.at_stake.some((value) => value !== null);
  const sameName = new Map();
  rows.forEach((at) => sameName.set(`${list.class[at]} ${list.method[at]}`, (sameName.get(`${list.class[at]} ${list.method[at]}`) || 0) + 1));
  const parameters = (at) => (list.descriptor[at] !== null && sameName.get(`${list.class[at]} ${list.method[at]}`) > 1 ? names[list.descriptor[at]] : "");
  const columns = [
    { label: "rank", get: (at) => -list.rank[at], show: (value) => String(-value), soft: true },
    { label: "method", get: (at) => `${splitName(names[list.class[at]])[1]}.${names[list.method[at]]}${parameters(at)}`, text: true },
    { label: "colour", get: (at) => -list.suspicion[at], show: (value) => swatch(COLORS[-value]) },
    { label: "Ochiai", get: (at) => list.ochiai[at], show: (value) => el("b", null, score(value)) },
    { label: "Tarantula", get: (at) => list.tarantula[at], show: score },
    { label: "excessive", get: (at) => list.e_f[at], show: (value) => `${value}/${of.facts.excessive}` },
    { label: "normal", get: (at) => list.e_p[at], show: (value) => `${value}/${of.facts.normal}` },
    ...(energy ? [
      energyColumn("at most", (at) => list.at_stake[at], true),
      { label: "90 % interval", get: (at) => (list.high[at] === null ? null : list.high[at] - list.low[at]), show: (_, at) => (list.high[at] === null ? "" : range(list.low[at], list.high[at])), soft: true },
      { label: "above the mean", get: (at) => list.excess_mw[at], show: milliwatts },
    ] : []),
    ...(list.own.some((value) => value !== null) ? [energyColumn("self", (at) => list.own[at])] : []),
    { label: "calls", get: (at) => list.calls[at], show: count, soft: true },
    { label: "class", get: (at) => names[list.class[at]], text: true },
  ];
  const note = of.methods_left_out > 0 ? `The ${count(of.methods_left_out)} least suspected methods are not in this file.` : "";
  const tools = el("div", { class: "tools" });
  return el("div", { class: "stack" }, tools, dataTable({ id: "suspects", rows, columns, sort: 0, tools, note }));
}

function score(value) {
  return value === null ? NONE : value.toFixed(2);
}

function suspectsTests(of) {
  const rows = of.facts.tests;
  const several = of.facts.ledgers.length > 1;
  const repeated = rows.some((row) => row.iteration > 0);
  const columns = [
    { label: "test", get: (row) => (repeated ? `${row.name} (${row.iteration + 1})` : row.name), text: true },
    ...(several ? [{ label: "recording", get: (row) => of.facts.ledgers[row.ledger].name || "", text: true }] : []),
    { label: "mean of app", get: (row) => row.mean_mw, show: (value) => el("b", null, milliwatts(value)) },
    { label: "90 % interval", get: (row) => row.interval_mw[1] - row.interval_mw[0], show: (_, row) => (row.interval_mw[0] < row.interval_mw[1] ? row.interval_mw.map(milliwatts).join(" – ") : ""), soft: true },
    { label: "excessive", get: (row) => (row.excessive ? "excessive" : "normal") + (row.uncertain ? ", uncertain" : ""), text: true },
    energyColumn("app", (row) => row.app_joules),
    timeColumn("duration", (row) => row.duration_s),
    { label: "methods", get: (row) => row.methods, show: count },
  ];
  const note = of.tests_left_out > 0 ? `${count(of.tests_left_out)} tests are not in this file.` : "";
  return dataTable({ id: "suspects-tests", rows, columns, sort: several ? 2 : 1, note });
}

/** The sunburst with what it needs around it. */
function suspectsPicture(of) {
  const root = suspectsTree(of);
  const picture = svg("svg", { id: "sunburst", viewBox: "-200 -200 400 400", tabindex: 0, role: "img", "aria-label": "Sunburst of suspicious methods: package, class, method. Arrows move the selection, Enter zooms, Escape zooms out, Home shows all." });
  const status = el("output", { id: "sunburst-status", "aria-live": "polite" });
  const select = el("select", { id: "sunburst-size" }, el("option", { value: "methods" }, "methods"));
  if (root.size.joules > 0) select.append(el("option", { value: "joules" }, `self energy (${joules(root.size.joules)})`));
  const reset = el("button", { type: "button", id: "sunburst-reset" }, "Reset");
  const legend = el("p", { class: "hint" }, ...COLORS.flatMap((color) => [swatch(color), ` ${count(root.colors[color])} \u2003`]));
  const view = sunburst({ root, picture, status, measure: "methods", describe: suspectsLine });
  select.addEventListener("change", () => view.measure(select.value));
  reset.addEventListener("click", () => view.zoom(root));
  return el("div", null, el("div", { class: "tools" }, el("label", null, "Size ", select), reset), picture, el("p", { class: "hint" }, status), legend);
}

function suspectsLine(node) {
  const parts = COLORS.filter((color) => node.colors[color] > 0).map((color) => `${count(node.colors[color])} ${color}`);
  const energy = node.size.joules > 0 ? `, ${joules(node.size.joules)} themselves` : "";
  return node.facts ? `${node.title}` : `${node.title}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}${energy}`;
}

/** Packages, their classes, their methods; what did not run is white. */
function suspectsTree(of) {
  const list = of.methods;
  const leaf = (label, title, color, methods, energy, facts) => ({ label, title, color, children: [], size: { methods, joules: energy }, colors: { red: 0, yellow: 0, green: 0, white: 0, [color]: methods }, facts });
  const packages = new Map();
  const inPackage = (name) => {
    if (!packages.has(name)) packages.set(name, { classes: new Map(), white: [] });
    return packages.get(name);
  };
  const known = new Map(of.classes.class.map((name, at) => [name, at]));
  list.class.forEach((id, at) => {
    const [inside, simple] = splitName(names[id]);
    const classes = inPackage(inside).classes;
    if (!classes.has(id)) classes.set(id, { label: simple, title: names[id], methods: [] });
    const color = COLORS[list.suspicion[at]];
    const descriptor = list.descriptor[at] === null ? "" : names[list.descriptor[at]];
    const name = names[list.method[at]];
    const stake = list.at_stake[at] === null ? "" : `, at most ${joules(list.at_stake[at])} at stake`;
    const own = list.own[at] === null ? "" : `, ${joules(list.own[at])} itself`;
    const title = `${names[id]}.${name}${descriptor}: ${color}, Ochiai ${score(list.ochiai[at])}, Tarantula ${score(list.tarantula[at])}, in ${list.e_f[at]} of ${of.facts.excessive} excessive and ${list.e_p[at]} of ${of.facts.normal} normal tests${stake}${own}`;
    classes.get(id).methods.push(leaf(name, title, color, 1, Math.max(0, list.own[at] ?? 0), true));
  });
  of.packages.package.forEach((id, at) => {
    const [classes, methods] = [of.packages.classes[at], of.packages.methods[at]];
    inPackage(names[id]).white.push(leaf(classesOf(classes), `${methodsOf(methods)} of ${classesOf(classes)} of ${named(names[id])} that ran in none of these tests`, "white", methods, 0));
  });

  /** A node of others: as suspect as the most suspect of them. */
  const group = (label, title, children) => {
    const rank = (child) => COLORS.indexOf(child.color);
    children.sort((a, b) => rank(a) - rank(b) || b.size.methods - a.size.methods);
    const sum = (of) => children.reduce((all, child) => all + of(child), 0);
    const colors = Object.fromEntries(COLORS.map((color) => [color, sum((child) => child.colors[color])]));
    return { label, title, color: children.length > 0 ? children[0].color : "white", children, size: { methods: sum((child) => child.size.methods), joules: sum((child) => child.size.joules) }, colors };
  };
  const nodes = [...packages].map(([name, { classes, white }]) => {
    const children = [...classes].map(([id, each]) => {
      const at = known.get(id);
      const rest = at === undefined ? 0 : of.classes.methods[at] - of.classes.executed[at];
      if (rest > 0) each.methods.push(leaf(methodsOf(rest), `${methodsOf(rest)} of ${each.title} that ran in none of these tests`, "white", rest, 0));
      return group(each.label, each.title, each.methods);
    });
    return group(name === "" ? "(no package)" : name, name === "" ? "classes without a package" : name, [...children, ...white]);
  });
  return group("all packages", "all packages", nodes);
}
