// Beside the page application: comments keep the selection that they are about, and links lead back to it.

const byId = (id) => document.getElementById(id);
const selection = byId("comment-selection");
/** The selection in the address: how it is looked at (theme) is no part of it. */
const selected = () => location.hash.slice(1).split("&").filter((part) => part !== "" && !part.startsWith("theme=")).join("&");
const note = () => {
  if (selection) selection.value = selected();
  const about = byId("comment-about");
  if (about) about.textContent = selected() === "" ? "About the whole run" : "About the current selection";
};
note();
// The page application changes the address without events.
addEventListener("hashchange", note);
byId("comment-form")?.addEventListener("focusin", note);
byId("comment-form")?.addEventListener("submit", note);

// The range to be read again is the selected one, until somebody types another one.
const ends = ["range-from", "range-to"].map(byId);
const fillRange = () => {
  const t = (new URLSearchParams(location.hash.slice(1)).get("t") || "").match(/^([\d.]+)-([\d.]+)$/);
  ends.forEach((field, nth) => { if (field && !field.dataset.typed) field.value = t ? t[nth + 1] : ""; });
};
if (ends[0]) {
  fillRange();
  addEventListener("hashchange", fillRange);
  byId("range-form").addEventListener("focusin", fillRange);
  for (const field of ends) field.addEventListener("input", () => { for (const each of ends) each.dataset.typed = "yes"; });
}
for (const link of document.querySelectorAll("a[data-selection]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    // As if the reader had followed a link of the page application.
    location.hash = link.dataset.selection;
    scrollTo({ top: 0 });
  });
}
const times = document.querySelectorAll("time[datetime]");
for (const time of times) {
  const at = new Date(time.dateTime);
  if (!Number.isNaN(at.valueOf())) time.textContent = at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}
