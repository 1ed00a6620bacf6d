// Making elements. Text from traces goes through textContent only.

const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

/** An element with properties and children; strings become text. A style attribute would be forbidden where pages may have no inline style. */
function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") node.className = value;
    else if (key === "style") node.style.cssText = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function svg(tag, props, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (key === "style") node.style.cssText = value;
    else node.setAttribute(key, String(value));
  }
  node.append(...children);
  return node;
}

const tip = byId("tip");

/** Shows the tooltip beside the pointer. */
function showTip(event, ...content) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const x = event.clientX + 16 + width > innerWidth ? event.clientX - width - 12 : event.clientX + 16;
  const y = Math.min(event.clientY + 16, innerHeight - height - 8);
  tip.style.left = `${Math.max(4, x)}px`;
  tip.style.top = `${Math.max(4, y)}px`;
}

function hideTip() {
  tip.hidden = true;
}

/** Fits a canvas to its box and the screen's pixels; returns its context in CSS pixels. */
function context(canvas, width, height) {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const to = canvas.getContext("2d");
  to.setTransform(scale, 0, 0, scale, 0, 0);
  return to;
}

/** A colour of the style sheet. */
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Calls again whenever the picture has to be drawn anew. */
function redrawWith(node, draw) {
  new ResizeObserver(draw).observe(node);
  dark.addEventListener("change", draw);
}

/** At most once a frame. */
function perFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; work(); });
  };
}
