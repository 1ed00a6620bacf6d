// The data of the page. This is the only place that knows where it comes from: a host (a server, an editor) that sets `wattleSource` hands
// over the parsed data itself; a report file carries it along. Pages of a server have server-source.js in its place.

async function readData() {
  if (typeof globalThis.wattleSource === "function") return globalThis.wattleSource();
  const place = document.getElementById("data");
  if (place.dataset.encoding !== "gzip") return JSON.parse(place.textContent);
  const text = atob(place.textContent);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** Tracks of a range of time in more detail than the page's data have: a host that has them sets `wattleRanges`; a file has none. */
const readRange = typeof globalThis.wattleRanges === "function" ? globalThis.wattleRanges : null;

const data = await readData();
