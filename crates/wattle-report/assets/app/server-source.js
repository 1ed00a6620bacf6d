// The data of a page of a server, which names its address.

async function readData() {
  const place = document.getElementById("data");
  const answer = await fetch(place.href);
  if (answer.ok) return answer.json();
  const said = document.getElementById("said");
  said.className = "note";
  said.textContent = `The data of this page could not be loaded (${answer.status}). ${(await answer.text()).slice(0, 300)}`;
  throw new Error(`${place.href}: ${answer.status}`);
}

/** Tracks of a range of time ([from, to] in seconds) in more detail than the page's data have; null where the page has no address for them. */
const readRange = (() => {
  const { tracks } = document.getElementById("data").dataset;
  if (!tracks) return null;
  return async ([from, to], signal) => {
    const answer = await fetch(`${tracks}?from=${from}&to=${to}`, { signal });
    if (!answer.ok) throw new Error(`${tracks}: ${answer.status}`);
    return answer.json();
  };
})();

const data = await readData();
