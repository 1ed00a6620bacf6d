// Components: legend, table and filter in one.

function componentList() {
  const of = answer();
  const order = [...components].sort((a, b) => of.components.sums[b.id] - of.components.sums[a.id]);
  const all = order.reduce((sum, { id }) => sum + of.components.sums[id], 0) || 1;
  const rows = order.map((component) => {
    const joules = of.components.sums[component.id], figure = of.components.estimate(component.id);
    const isOn = state.component === component.id;
    const provenance = figure ? figure.provenance : component.provenance;
    const title = figure ? `${component.name}: ${energyText(joules)}, ${intervalText(figure.interval)} (90 %), ${provenance}` : `${component.name}: nothing in the selection`;
    return el("button", { type: "button", "aria-pressed": String(isOn), class: state.component !== null && !isOn ? "dim" : null, title, "data-component": component.name, onclick: () => commit({ component: isOn ? null : component.id }) },
      swatchOf(component), el("span", null, component.label), el("span", { class: "num b" }, figure ? energyText(joules) : DASH), el("span", { class: "num soft" }, figure ? shareText(joules / all) : ""), el("span", { class: "soft", "aria-label": provenance }, figure ? PROVENANCE_MARKS[provenance] : ""));
  });
  byId("component-list").replaceChildren(...(rows.length > 0 ? rows : [el("p", { class: "empty" }, "no power tracks")]));
}

shows(componentList);
