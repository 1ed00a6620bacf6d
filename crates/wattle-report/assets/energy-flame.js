// The energy flame graph of one ledger.

// What frames of sampled stacks are of, by number: `tree.rs`. Hues far apart; what samples do not tell is grey.
const FRAME_CLASSES = [null, { name: "native", hue: 22, strength: 84 }, { name: "kernel", hue: 268, strength: 50 }, { name: "java", hue: 132, strength: 46 }, { name: "jit", hue: 52, strength: 84 }, { name: "unknown", hue: 220, strength: 8 }, { name: "truncated", hue: 340, strength: 42 }, { name: "unsampled", hue: 196, strength: 18 }];

function flame() {
  byId("flame-note").textContent = leftOut("drawn as");
  if (!hasEnergy || tree.size < 2) return noFlame();
  let byClass = tree.class !== null;
  const total = (at, energy) => `${joules(energy.total[at])}`;

  function classFill({ hue, strength }, name) {
    const isDark = dark.matches;
    return `hsl(${hue} ${isDark ? Math.round(strength * 0.8) : strength}% ${(isDark ? 57 : 68) + (hashOf(name) % 9)}%)`;
  }

  function fill(at) {
    const isDark = dark.matches;
    const kind = tree.kind[at];
    if (kind === KIND.root) return isDark ? "hsl(220 10% 55%)" : "hsl(220 14% 80%)";
    if (kind === KIND.rest) return isDark ? "hsl(220 6% 45%)" : "hsl(220 8% 86%)";
    if (kind === KIND.account) return isDark ? "hsl(220 9% 60%)" : "hsl(220 12% 75%)";
    if (kind === KIND.process) return isDark ? "hsl(212 55% 64%)" : "hsl(212 75% 76%)";
    if (kind === KIND.thread) return isDark ? "hsl(168 38% 55%)" : "hsl(168 48% 70%)";
    const name = names[tree.name[at]];
    const of = byClass ? FRAME_CLASSES[tree.class[at]] : null;
    if (of) return classFill(of, name);
    // The same name has the same colour.
    const hash = hashOf(name);
    return `hsl(${22 + (hash % 30)} ${isDark ? 68 : 88}% ${(isDark ? 58 : 66) + ((hash >>> 8) % 10)}%)`;
  }

  const classOf = (at) => (tree.class === null ? null : FRAME_CLASSES[tree.class[at]]);

  const redraw = flameGraph({
    energies: energies.map((each) => Object.defineProperty(each, "option", { value: `${each.label} (${joules(each.total[0])})` })),
    width: (energy) => energy.total,
    text: label,
    fill,
    status: (at, energy) => {
      const share = energy.total[0] > 0 ? ` (${percent(energy.total[at] / energy.total[0])})` : "";
      return `${label(at)}: ${total(at, energy)} of ${energy.label}${share}.`;
    },
    describe: (at, energy) => {
      const path = pathTo(at).map(label).join(" › ") || label(0);
      const of = classOf(at);
      return `${path}: ${total(at, energy)} (${percent(energy.total[at] / energy.total[0])}), own ${joules(energy.own[at])}${of ? `, ${of.name}` : ""}`;
    },
    tip: (at, energy) => {
      const parts = tree.columns
        .filter((column) => column.total[at] > 0)
        .map((column) => el("div", { class: "row" }, el("span", { class: "swatch", style: `background:${componentColor(column.component)}` }), el("span", null, `${column.component} ${column.charge.replace("-", " ")}`), el("span", null, joules(column.total[at]))));
      const facts = [`own ${joules(energy.own[at])}`];
      if (report.has_scheduler && tree.cpu[at] > 0) facts.push(`${seconds(tree.cpu[at])} on a CPU`);
      const of = classOf(at);
      if (of) facts.push(of.name);
      else if (tree.kind[at] === KIND.slice) facts.push(`${count(tree.calls[at])} calls`);
      return [el("b", null, label(at)), el("div", null, `${total(at, energy)}, ${percent(energy.total[at] / energy.total[0])} of all`), ...parts, el("div", null, facts.join(", "))];
    },
    matched: (found, energy) => {
      const { sum, matches } = together(found, energy.total);
      return `Search: ${count(matches)} found, together ${joules(sum)} (${percent(sum / energy.total[0])}).`;
    },
  });

  if (tree.class === null) return;
  const legend = byId("flame-legend");
  const drawLegend = () => {
    const used = FRAME_CLASSES.filter((of, nth) => of && tree.class.includes(nth));
    const own = used.map((of) => {
      let sum = 0;
      for (let at = 0; at < tree.size; at++) if (FRAME_CLASSES[tree.class[at]] === of) sum += energies[0].own[at];
      return el("span", { class: "key" }, el("span", { class: "swatch", style: `background:${classFill(of, "")}` }), `${of.name} ${joules(sum)}`);
    });
    legend.replaceChildren(...(byClass ? own : []));
  };
  byId("flame-colours").hidden = false;
  byId("flame-colour").addEventListener("change", (event) => { byClass = event.target.value === "class"; drawLegend(); redraw(); });
  dark.addEventListener("change", drawLegend);
  drawLegend();
}
