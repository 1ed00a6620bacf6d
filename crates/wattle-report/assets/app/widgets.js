// Small pieces that every page of the application is made of.

function guarded(draw) {
  try {
    draw();
  } catch (error) {
    console.error(error);
    byId("foot").textContent = `A part of this page could not be drawn: ${error.message}`;
  }
}

/** A small button that leads on. */
const action = (text, run, props = {}) => el("button", { type: "button", class: "tool", onclick: run, ...props }, text);

/** A name of which the end stays readable. */
function nameOf(text) {
  const [front, end] = nameParts(text);
  return el("span", { class: "name", title: text }, front === "" ? null : el("i", null, front), el("span", null, end));
}

/** A bar for an energy, with a whisker for its interval; `most` is the width. */
function meter(value, most, fill, interval = null) {
  const x = (of) => `${Math.max(0, Math.min(100, (of / (most || 1)) * 100)).toFixed(2)}%`;
  const bar = el("span", { class: "meter", "aria-hidden": "true" }, el("i", { style: `width:${x(value)};background:${fill}` }));
  if (interval && interval[1] > interval[0] && value > 0) {
    bar.append(el("u", { style: `left:${x(interval[0])};width:calc(${x(interval[1])} - ${x(interval[0])})` }));
  }
  return bar;
}

/** Buttons of which one is pressed. */
function segments(place, options, chosen, choose) {
  const had = place.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  place.replaceChildren(...options.map(([id, text]) => el("button", { type: "button", "data-id": id, "aria-pressed": String(chosen === id), onclick: () => choose(id) }, text)));
  if (had) place.querySelector(`[data-id="${had}"]`)?.focus();
}

const swatchOf = (component) => el("span", { class: component.name === "battery" ? "sw hatched" : "sw", style: `--c:var(--c-${component.key})`, "aria-hidden": "true" });

/** A pattern of slanted lines for a canvas. */
function hatching(to, stroke) {
  const scale = devicePixelRatio || 1, tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(6 * scale);
  const on = tile.getContext("2d");
  on.scale(tile.width / 6, tile.width / 6);
  on.strokeStyle = stroke;
  on.lineWidth = 1.2;
  on.beginPath();
  for (const x of [-6, 0, 6]) { on.moveTo(x, 6); on.lineTo(x + 6, 0); }
  on.stroke();
  const pattern = to.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(6 / tile.width));
  return pattern;
}

/** So many per cent of a colour on the page's surface. */
function blended(front, percent) {
  const parse = (text) => {
    const value = text.replace("#", "");
    const full = value.length === 3 ? [...value].map((digit) => digit + digit).join("") : value;
    return [0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16));
  };
  const [ahead, back] = [parse(front), parse(color("--surface"))];
  return `rgb(${ahead.map((channel, at) => Math.round((channel * percent + back[at] * (100 - percent)) / 100)).join(" ")})`;
}

/** As much of a text as fits on a canvas; nothing where that would say nothing. */
function fittedLabel(to, text, room) {
  let shown = text;
  while (shown.length > 2 && to.measureText(shown).width > room) shown = `${shown.slice(0, Math.max(1, Math.floor(shown.length * 0.85) - 1))}…`;
  return shown.length > 2 && to.measureText(shown).width <= room + 2 ? shown : "";
}

const FONT_OF_CANVAS = '500 11px "Wattle Sans", system-ui, sans-serif';
