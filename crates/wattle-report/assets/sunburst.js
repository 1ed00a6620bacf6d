// A sunburst: rings of wedges, each as wide as its part of what it lies in. Inner rings hold outer ones.

/**
 * Draws a tree into an SVG. A node is {label, title, color, children, size: {measure: number}}; `describe(node)` is its line of
 * text. Click or Enter zooms, Escape and the middle zoom out, arrows move.
 */
function sunburst({ root, picture, status, measure, describe }) {
  const MIDDLE = 58, EDGE = 196, GAP = 1, NARROWEST = 0.004;
  let focus = root, selected = root, by = measure, wedges = new Map(), small = 0;

  const link = (node, parent) => {
    node.parent = parent;
    node.children.forEach((child) => link(child, node));
  };
  link(root, null);
  const depth = (node) => 1 + Math.max(0, ...node.children.map(depth));
  const size = (node) => node.size[by] || 0;
  const shown = (node) => node.children.filter((child) => size(child) > 0);

  /** The outline between two radii and two angles, clockwise from the top. */
  function outline(inner, outer, from, to) {
    const at = (radius, angle) => `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
    if (to - from >= 2 * Math.PI - 1e-6) {
      const ring = (radius, sweep) => `M${at(radius, 0)}A${radius} ${radius} 0 1 ${sweep} ${at(radius, Math.PI)}A${radius} ${radius} 0 1 ${sweep} ${at(radius, 0)}Z`;
      return ring(outer, 1) + ring(inner, 0);
    }
    const large = to - from > Math.PI ? 1 : 0;
    return `M${at(inner, from)}L${at(outer, from)}A${outer} ${outer} 0 ${large} 1 ${at(outer, to)}L${at(inner, to)}A${inner} ${inner} 0 ${large} 0 ${at(inner, from)}Z`;
  }

  function draw() {
    wedges = new Map();
    const rings = Math.max(1, depth(focus) - 1);
    const width = (EDGE - MIDDLE) / rings;
    const parts = [];
    small = 0;
    const put = (node, ring, from, to) => {
      if (to - from < NARROWEST) { small++; return; }
      const inner = MIDDLE + ring * width;
      const wedge = svg("path", { d: outline(inner, inner + width - GAP, from, to), class: `wedge ${node.color}${node.children.length > 0 ? " inner" : ""}` }, svg("title", null, node.title));
      wedge.addEventListener("click", () => zoom(node));
      wedges.set(node, wedge);
      parts.push(wedge);
      let start = from;
      for (const child of shown(node)) {
        const end = start + (to - from) * size(child) / size(node);
        put(child, ring + 1, start, end);
        start = end;
      }
    };
    let start = 0;
    for (const child of shown(focus)) {
      const end = start + 2 * Math.PI * size(child) / size(focus);
      put(child, 0, start, end);
      start = end;
    }
    const middle = svg("circle", { r: MIDDLE - 2, class: `wedge ${focus.color} inner middle` }, svg("title", null, focus.parent ? `${focus.title}. Click to zoom out.` : focus.title));
    middle.addEventListener("click", () => zoom(focus.parent || root));
    wedges.set(focus, middle);
    parts.push(middle, ...words(focus.label));
    picture.replaceChildren(...parts);
    picture.dataset.focus = focus.label;
    picture.dataset.wedges = wedges.size - 1;
    picture.dataset.small = small;
    mark();
  }

  /** The middle's name in lines that fit. */
  function words(text) {
    const lines = [];
    for (const part of text.split(/(?<=[.$ ])/)) {
      const last = lines.length - 1;
      if (last >= 0 && lines[last].length + part.length <= 15) lines[last] += part;
      else lines.push(part);
    }
    const kept = lines.length > 5 ? ["…", ...lines.slice(-4)] : lines;
    return kept.map((line, nth) => svg("text", { x: 0, y: (nth - (kept.length - 1) / 2) * 13 + 4 }, line.length > 17 ? `${line.slice(0, 16)}…` : line));
  }

  function mark() {
    for (const [node, wedge] of wedges) wedge.classList.toggle("selected", node === selected);
    status.textContent = describe(selected) + (small > 0 ? `. Too narrow to be drawn: ${count(small)}; zoom in` : "");
  }

  function choose(node) {
    selected = node;
    mark();
  }

  function zoom(node) {
    if (node.children.length > 0) focus = node;
    selected = node;
    draw();
  }

  picture.addEventListener("keydown", (event) => {
    const beside = (step) => {
      const list = selected.parent ? shown(selected.parent) : [selected];
      choose(selected === focus ? selected : list[list.indexOf(selected) + step] ?? selected);
    };
    const keys = {
      ArrowDown: () => choose(shown(selected)[0] ?? selected),
      ArrowUp: () => choose(selected === focus ? selected : selected.parent),
      ArrowRight: () => beside(1),
      ArrowLeft: () => beside(-1),
      Enter: () => zoom(selected),
      Escape: () => zoom(focus.parent || root),
      Home: () => zoom(root),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  draw();
  return {
    zoom,
    measure(next) { by = next; focus = root; selected = root; draw(); },
  };
}
