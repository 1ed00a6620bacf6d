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
