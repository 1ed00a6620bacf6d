// The page of several recordings: its data, and drawing it.

const data = JSON.parse(byId("data").textContent);
const names = data.names;

const chip = (word) => el("span", { class: `chip ${word}` }, word);
