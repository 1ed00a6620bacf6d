// The call tree as a table that opens and closes.

function callTree() {
  const table = byId("calls-table");
  const status = byId("calls-status");
  if (tree.size < 2) {
    status.textContent = "no data";
    byId("calls").querySelector(".tools").hidden = true;
    return;
  }
  /** Rows that are made at once; what is beyond asks to be opened or searched for. */
  const MOST = 1500, CHILDREN = 200;
  const all = energies[0];
  const columns = [
    { label: "total", of: all.total, show: joules },
    { label: "self", of: all.own, show: joules },
    ...tree.columns.map((column) => ({ label: `${column.component} ${column.charge.replace("-", " ")}`, of: column.total, show: joules })),
  ];
  if (!hasEnergy) columns.splice(0);
  if (report.has_scheduler) columns.push({ label: "CPU time", of: tree.cpu, show: seconds });
  columns.push({ label: "calls", of: tree.calls, show: (value) => (value > 0 ? count(value) : "") });
  let sort = { column: columns[0], down: true };
  let found = null, holding = null, foundText = "";
  const open = new Set([0]);
  const longer = new Set();
  const body = el("tbody");
  const heads = columns.map((column) => {
    const button = el("button", { type: "button" }, column.label);
    const head = el("th", { scope: "col", class: "num" }, button);
    button.addEventListener("click", () => {
      sort = { column, down: sort.column === column ? !sort.down : true };
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      draw();
    });
    return head;
  });
  heads[0].setAttribute("aria-sort", "descending");
  table.append(el("thead", null, el("tr", null, el("th", { scope: "col" }, "process, thread, call path"), ...heads)), body);

  const inOrder = (at) => {
    const list = tree.children[at].filter((child) => !holding || holding[child]);
    const { of } = sort.column;
    return list.sort((a, b) => (sort.down ? of[b] - of[a] : of[a] - of[b]) || a - b);
  };

  function draw(focusOn) {
    const rows = [];
    const put = (at) => {
      if (rows.length >= MOST) return;
      rows.push(row(at));
      if (!open.has(at)) return;
      const list = inOrder(at);
      const shown = longer.has(at) ? list : list.slice(0, CHILDREN);
      shown.forEach(put);
      if (shown.length < list.length) rows.push(more(at, list.length - shown.length));
    };
    inOrder(0).forEach(put);
    body.replaceChildren(...rows);
    const cut = rows.length >= MOST ? `The first ${count(MOST)} rows are shown; close some or search for more.` : "";
    status.textContent = [foundText || `${count(tree.size - 1)} nodes.`, foundText ? "" : leftOut("summed up as"), cut].filter(Boolean).join(" ");
    const wanted = focusOn === undefined ? null : rows.find((each) => each.dataset.node === String(focusOn));
    (wanted || rows[0])?.setAttribute("tabindex", "0");
    wanted?.focus();
  }

  function row(at) {
    const twist = tree.children[at].length > 0;
    const depth = tree.depth[at] - 1;
    const kind = KIND_NAMES[tree.kind[at]];
    const name = el("td", { title: label(at) },
      el("span", { style: `padding-left:${Math.min(depth, 40) * 14}px` }),
      el("span", { class: "twist", "aria-hidden": "true" }, twist ? (open.has(at) ? "▾" : "▸") : ""),
      el("span", { class: "label" }, label(at)),
      kind ? el("span", { class: "kind" }, kind) : null);
    const cells = columns.map((column) => el("td", { class: "num" }, column.of[at] === 0 ? "" : column.show(column.of[at])));
    const classes = [found && found[at] ? "match" : "", tree.kind[at] === KIND.rest ? "rest" : ""].join(" ").trim();
    return el("tr", { "data-node": at, "aria-level": depth + 1, "aria-expanded": twist ? String(open.has(at)) : null, tabindex: "-1", class: classes || null }, name, ...cells);
  }

  function more(at, left) {
    const button = el("button", { type: "button", onclick: (event) => { event.stopPropagation(); longer.add(at); draw(); } }, `${count(left)} more`);
    return el("tr", null, el("td", { colspan: columns.length + 1 }, el("span", { style: `padding-left:${tree.depth[at] * 14 + 17}px` }), button));
  }

  const toggle = (at, wanted = !open.has(at)) => {
    if (tree.children[at].length === 0) return;
    wanted ? open.add(at) : open.delete(at);
    draw(at);
  };
  const nodeOf = (event) => {
    const row = event.target.closest("tr[data-node]");
    return row ? Number(row.dataset.node) : -1;
  };
  body.addEventListener("click", (event) => { const at = nodeOf(event); if (at > 0) toggle(at); });
  body.addEventListener("keydown", (event) => {
    const at = nodeOf(event);
    if (at <= 0) return;
    const row = event.target.closest("tr");
    const go = (to) => { if (to && to.dataset.node) { row.tabIndex = -1; to.tabIndex = 0; to.focus(); } };
    const keys = {
      ArrowDown: () => go(row.nextElementSibling),
      ArrowUp: () => go(row.previousElementSibling),
      ArrowRight: () => (open.has(at) ? go(row.nextElementSibling) : toggle(at, true)),
      ArrowLeft: () => (open.has(at) ? toggle(at, false) : go(body.querySelector(`tr[data-node="${tree.parent[at]}"]`))),
      Enter: () => toggle(at),
      " ": () => toggle(at),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  /** Opens the way down to the most expensive callee. */
  function hottest() {
    const by = sort.column.of;
    for (let at = 0; tree.children[at].length > 0;) {
      open.add(at);
      // Accounts that are no thread's have nothing to look into.
      const weight = (child) => (tree.kind[child] === KIND.account || tree.kind[child] === KIND.rest ? -1 : by[child]);
      at = tree.children[at].reduce((best, child) => (weight(child) > weight(best) ? child : best));
    }
    draw();
  }

  byId("calls-search").addEventListener("input", (event) => {
    found = search(event.target.value);
    holding = null;
    foundText = "";
    if (found) {
      holding = new Uint8Array(tree.size);
      open.clear();
      open.add(0);
      for (let at = 1; at < tree.size; at++) {
        if (!found[at]) continue;
        // What a match calls stays reachable.
        holding.fill(1, at, tree.end[at]);
        for (let up = tree.parent[at]; up >= 0 && !open.has(up); up = tree.parent[up]) open.add(up);
        for (let up = at; up >= 0; up = tree.parent[up]) holding[up] = 1;
      }
      const { sum, matches } = together(found, all.total);
      foundText = `${count(matches)} found` + (hasEnergy ? `, together ${joules(sum)} (${percent(sum / all.total[0])}).` : ".");
    }
    draw();
  });
  byId("calls-hot").addEventListener("click", hottest);
  byId("calls-collapse").addEventListener("click", () => { open.clear(); open.add(0); draw(); });
  hottest();
}
