// The call tree of the selection as a table that opens and closes.

const TREE_ROWS = 1500;
const openRows = new Map();
let treeShown = null;

function callTreePanel() {
  const place = byId("pane"), of = answer();
  FLAME.root = flameTree();
  const root = FLAME.root, widest = Math.max(...[...root.children.values()].map(({ total }) => total), 1e-12), unit = columnUnit(widest), wanted = wantedText();
  if (!hasEnergy || root.total === 0) {
    place.replaceChildren(el("div", { class: "empty" }, el("b", null, !hasEnergy ? "Energy cannot be estimated" : isSelected() ? "Nothing in this selection" : "No code has energy"), hasEnergy ? (isSelected() ? "No code has energy here. " : "The recording does not tell which code used the device. ") : "The tables have CPU times. ", isSelected() ? action("Clear the selection", clearSelection) : null));
    return;
  }
  // By search: only what matches, and what leads to it.
  const holds = new Map();
  const hold = (node) => {
    let found = wanted === "" || node.name.toLowerCase().includes(wanted);
    for (const child of node.children.values()) found = hold(child) || found;
    holds.set(node, found);
    return found;
  };
  hold(root);
  const rows = [];
  let spine = root;
  for (let depth = 0; depth < 4 && spine; depth++) { spine.onSpine = true; spine = inOrder(spine)[0]; }
  const isOpen = (key, node) => (openRows.has(key) ? openRows.get(key) : wanted !== "" ? [...node.children.values()].some((child) => holds.get(child)) : Boolean(node.onSpine));
  const put = (node, depth, path) => {
    for (const child of inOrder(node)) {
      if (rows.length >= TREE_ROWS) return;
      if (!holds.get(child)) continue;
      const key = `${path}\u001f${child.kind}${child.name}`, open = child.children.size > 0 && isOpen(key, child);
      rows.push({ node: child, depth, key, open });
      if (open) put(child, depth + 1, key);
    }
  };
  put(root, 0, "");
  treeShown = rows;
  const toggle = ({ key, open }) => { openRows.set(key, !open); callTreePanel(); byId("tree-list").querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus(); };
  const line = (row, nth) => {
    const { node, depth, open } = row;
    const parent = node.children.size > 0;
    const hit = wanted !== "" && node.name.toLowerCase().includes(wanted);
    const watts = powerWhileRunning(node);
    const tr = el("tr", { role: "row", "aria-level": depth + 1, "aria-expanded": parent ? String(open) : null, tabindex: nth === 0 ? 0 : -1, "data-key": row.key, class: hit ? "hit" : null },
      el("td", { class: "nm", role: "gridcell" }, el("span", { class: "in", style: `padding-left:${Math.min(depth, 24) * 14}px` }, el("span", { class: "twist-button", "aria-hidden": "true" }, parent ? (open ? "▾" : "▸") : ""), nameOf(node.name), node.kind === "thread" ? el("span", { class: "soft" }, " thread") : null)),
      el("td", { class: "num b", role: "gridcell" }, unit.show(node.total)), el("td", { class: "bar-cell", role: "gridcell" }, meter(node.total, widest, componentStyle(components[mainComponent(node)]?.name))),
      el("td", { class: "num", role: "gridcell" }, unit.show(node.self)), el("td", { class: "num soft", role: "gridcell" }, shareText(node.total / of.own.joules)),
      el("td", { class: "num soft wide", role: "gridcell" }, node.row && tree.calls[node.row] > 0 && node.kind === "slice" ? count(tree.calls[node.row]) : DASH), el("td", { class: "num soft wide", role: "gridcell" }, watts === null ? DASH : powerText(watts)));
    if (parent) tr.addEventListener("click", () => toggle(row));
    return tr;
  };
  const heads = [["App, thread, method", ""], [`Total, ${unit.name}`, "num"], ["", "bar-cell"], [`Self, ${unit.name}`, "num"], ["Share", "num"], ["Calls", "num wide"], ["CPU power while running", "num wide"]];
  const found = matches();
  const status = found ? `${count(found.number)} ${found.number === 1 ? "match" : "matches"}, ${energyText(found.joules)}` : `${energyText(root.total)} attributed to code`;
  const body = el("tbody", null, ...rows.map(line));
  const table = el("table", { class: "t tree", id: "tree-list", role: "treegrid", "aria-label": "Call tree" }, el("thead", null, el("tr", null, ...heads.map(([text, style]) => el("th", { scope: "col", class: style }, text === "" ? el("span", { class: "hidden-text" }, "Bar") : text)))), body);
  const data = () => [["depth", "name", "total_joules", "self_joules", "cpu_s"], ...treeShown.map(({ node, depth }) => [depth, node.name, node.total, node.self, state.t ? null : node.allCpu])];
  place.replaceChildren(el("div", { class: "pane-bar" }, el("output", { class: "soft s", id: "tree-status" }, status), el("span", { class: "space" }), action("Expand hottest", () => { expandHottest(root); callTreePanel(); }), action("Collapse", () => { collapseAll(root); callTreePanel(); }), ...exportButtons("call-tree", data)),
    el("div", { class: "scroll" }, table), ...(rows.length >= TREE_ROWS ? [el("p", { class: "soft s pad" }, `The first ${count(TREE_ROWS)} rows are shown; close some or search.`)] : []));
  table.addEventListener("keydown", (event) => treeKeys(event, rows, toggle));
}

function treeKeys(event, rows, toggle) {
  const line = event.target.closest("tr[data-key]");
  if (!line) return;
  const at = rows.findIndex(({ key }) => key === line.dataset.key), row = rows[at];
  const focus = (to) => { const all = line.parentElement.children; if (all[to]) { line.tabIndex = -1; all[to].tabIndex = 0; all[to].focus(); } };
  if (event.key === "ArrowDown") focus(at + 1);
  else if (event.key === "ArrowUp") focus(at - 1);
  else if (event.key === "ArrowRight") { if (row.node.children.size > 0 && !row.open) toggle(row); else focus(at + 1); } else if (event.key === "ArrowLeft") { if (row.open) toggle(row); else focus(rows.slice(0, at).findLastIndex(({ depth }) => depth < row.depth)); } else if (event.key === "Enter" || event.key === " ") { if (row.node.children.size > 0) toggle(row); } else return;
  event.preventDefault();
  event.stopPropagation();
}

function expandHottest(root) {
  let path = "";
  for (let node = inOrder(root)[0]; node; node = inOrder(node)[0]) {
    path = `${path}\u001f${node.kind}${node.name}`;
    openRows.set(path, true);
  }
}

function collapseAll(root) {
  openRows.clear();
  for (const child of root.children.values()) openRows.set(`\u001f${child.kind}${child.name}`, false);
}
