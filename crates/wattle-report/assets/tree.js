// Trees in preorder.

/** Parent, end of the subtree and children of each node, from their depths. */
function preorder(depth) {
  const size = depth.length;
  const parent = new Int32Array(size).fill(-1);
  const end = new Int32Array(size);
  const open = [];
  for (let at = 0; at < size; at++) {
    while (open.length > depth[at]) end[open.pop()] = at;
    if (depth[at] > 0) parent[at] = open[depth[at] - 1];
    open.push(at);
  }
  for (const at of open) end[at] = size;
  const children = Array.from({ length: size }, () => []);
  for (let at = 1; at < size; at++) children[parent[at]].push(at);

  /** Callees into callers. */
  function addUp(own) {
    const total = Float64Array.from(own);
    for (let at = size - 1; at > 0; at--) total[parent[at]] += total[at];
    return total;
  }

  return { size, depth, parent, end, children, addUp };
}

/** A column of which only some nodes have a value: the distance of each to the one before. */
function spread(size, at, values, unit) {
  const column = new Float64Array(size);
  let node = 0;
  at.forEach((step, nth) => { node += step; column[node] = values[nth] * unit; });
  return column;
}

/** From the outermost to the node itself, without the root. */
function pathTo(at) {
  const path = [];
  for (; at > 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

/** Nodes whose name contains the text; null without a text. */
function search(text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return null;
  const hits = names.map((name) => name.toLowerCase().includes(wanted));
  const found = new Uint8Array(tree.size);
  for (let at = 1; at < tree.size; at++) {
    if (!isRest(at) && hits[tree.name[at]]) found[at] = 1;
  }
  return found;
}

/** What the outermost of these nodes have together: nothing counts twice. */
function together(found, total) {
  let sum = 0, matches = 0;
  for (let at = 0; at < tree.size;) {
    if (found[at]) {
      sum += total[at];
      for (const end = tree.end[at]; at < end; at++) matches += found[at];
    } else at++;
  }
  return { sum, matches };
}
