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

const data = await readData();
