// All pages of the server: the theme, times in the reader's zone, questions before what cannot be undone.

const dark = matchMedia("(prefers-color-scheme: dark)");
const hashParts = () => new URLSearchParams(location.hash.slice(1));
const showTheme = () => { document.documentElement.dataset.theme = hashParts().get("theme") || (dark.matches ? "dark" : "light"); };
showTheme();
dark.addEventListener("change", showTheme);
addEventListener("hashchange", showTheme);

// As on the report's page, the choice is in the address, and links within the site take it along.
function switchTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark", parts = hashParts();
  if (next === (dark.matches ? "dark" : "light")) parts.delete("theme"); else parts.set("theme", next);
  const hash = parts.toString();
  history.replaceState(null, "", hash === "" ? location.pathname + location.search : `#${hash}`);
  showTheme();
}
document.getElementById("theme")?.addEventListener("click", switchTheme);
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "t" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  switchTheme();
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']"), theme = hashParts().get("theme");
  if (!link || !theme || link.hasAttribute("download") || link.getAttribute("href").startsWith("/api/")) return;
  const [address, hash] = link.getAttribute("href").split("#"), parts = new URLSearchParams(hash ?? "");
  if (!parts.has("theme")) { parts.set("theme", theme); link.href = `${address}#${parts}`; }
});

// On a phone the sections are wider than the screen.
document.querySelector("nav.site a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

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
