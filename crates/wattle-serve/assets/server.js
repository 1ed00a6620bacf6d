// All pages of the server: the theme, times in the reader's zone, questions before what cannot be undone.

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = new URLSearchParams(location.hash.slice(1)).get("theme");
const showTheme = () => { document.documentElement.dataset.theme = theme || (dark.matches ? "dark" : "light"); };
showTheme();
dark.addEventListener("change", showTheme);

for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (!Number.isNaN(at.valueOf())) time.textContent = at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

for (const form of document.querySelectorAll("form[data-ask]")) {
  form.addEventListener("submit", (event) => { if (!confirm(form.dataset.ask)) event.preventDefault(); });
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
}
document.documentElement.dataset.ready = "yes";
