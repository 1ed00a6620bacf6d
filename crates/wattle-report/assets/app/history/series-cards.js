// The switcher: one card for each series that the filters leave, and the filters.

const CARDS_SHOWN = 12;
let allCards = false;
const CARD_FACETS = [FACETS[1], FACETS[0], FACETS[2]];

/** A small line of the latest means. */
function sparkOf(values, { width = 84, height = 28 } = {}) {
  const known = values.slice(-60).filter((value) => value !== null), picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "spark", "aria-hidden": "true" });
  if (known.length < 2) return picture;
  const low = Math.min(...known), high = Math.max(...known), reach = high - low || Math.abs(high) || 1, middle = (low + high) / 2;
  const points = known.map((value, nth) => `${((nth / (known.length - 1)) * (width - 2) + 1).toFixed(1)},${(height / 2 - ((value - middle) / reach) * (height - 4)).toFixed(1)}`);
  picture.append(svg("polyline", { points: points.join(" ") }));
  return picture;
}

/** The series that agree with the shown one in all but what their cards tell apart. */
function offeredSeries() {
  const pinned = FACETS.filter(([key]) => filters[key] !== null);
  return allSeries.filter((series) => pinned.every(([key, , of]) => of(series) === filters[key]));
}

const filters = { device: null, scenario: null, branch: null };

function drawFilters() {
  const place = byId("filters"), shown = FACETS.map((facet, nth) => [...facet, facetValues[nth]]).filter(([, , , values]) => values.length > 1);
  byId("series-box").hidden = allSeries.length < 2;
  place.hidden = shown.length === 0;
  place.replaceChildren(...shown.map(([key, label, of, values]) => {
    const select = el("select", { id: `filter-${key}`, onchange: () => {
      filters[key] = select.value === "" ? null : select.value;
      const offered = offeredSeries();
      // What contradicts the new choice is set free, so that something is left.
      if (offered.length === 0) for (const [other] of FACETS) if (other !== key) filters[other] = null;
      const left = offeredSeries();
      commit({ series: left.includes(state.series) ? state.series : left[0] ?? state.series });
    } }, el("option", { value: "" }, `all ${values.length}`), ...values.map((value) => el("option", { value, selected: filters[key] === value }, value)));
    return el("label", { class: "check" }, label, select);
  }));
}

function drawCards() {
  const offered = offeredSeries(), place = byId("cards");
  const shown = allCards ? offered : offered.slice(0, CARDS_SHOWN);
  if (state.series && !shown.includes(state.series)) shown.unshift(state.series);
  // A card is named by what tells it from the others, the scenario first.
  const differs = CARD_FACETS.filter(([, , of]) => new Set(offered.map(of)).size > 1), naming = differs.length > 0 ? differs : CARD_FACETS.slice(0, 1);
  place.replaceChildren(...shown.map((series) => {
    const [name, ...rest] = naming.map(([, , of]) => of(series)), newest = series.changes[series.changes.length - 1];
    const last = newest ? `last change ${signedShare(changeShare(newest) ?? NaN)}` : series.standing.missing > 0 ? several(series.commits.length, "version") : "no change";
    return el("button", { type: "button", class: "card", "aria-pressed": String(series === state.series), title: [name, ...rest].join(" · "), onclick: () => commit({ series }) }, el("span", { class: "card-text" }, el("span", { class: "cut" }, el("b", null, name), el("span", { class: "soft" }, rest.map((text) => ` · ${text}`).join(""))), el("span", { class: "s soft cut" }, `${energyText(currentEnergy(series))} · ${last}`)), sparkOf(series.commits.map(({ joules }) => joules)));
  }), ...(offered.length > CARDS_SHOWN ? [action(allCards ? "Fewer" : `${offered.length - CARDS_SHOWN} more`, () => { allCards = !allCards; drawCards(); })] : []));
}

shows(drawFilters);
shows(drawCards);
