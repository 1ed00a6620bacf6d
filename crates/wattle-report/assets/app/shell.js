// The bar around every page: theme, link, list of shortcuts. A page defines `commit`, `state` and `drawAll`.

function keysDialog(shortcuts) {
  const dialog = byId("keys");
  const close = el("button", { type: "button", class: "tool", onclick: () => dialog.close() }, "Close ", el("kbd", null, "Esc"));
  dialog.replaceChildren(el("div", { class: "head" }, el("h2", null, "Keyboard"), el("span", { class: "space" }), close),
    el("dl", { class: "keys" }, ...shortcuts.map(([keys, text]) => el("div", null, el("dt", null, ...keys.split(" ").map((key) => (key === "–" ? DASH : el("kbd", null, key)))), el("dd", null, text)))));
  byId("help").addEventListener("click", () => dialog.showModal());
}

/** Paper is white, whatever the screen is. */
let isPrinting = false;
const shownTheme = () => (isPrinting ? "light" : state.theme || (dark.matches ? "dark" : "light"));
for (const [event, is] of [["beforeprint", true], ["afterprint", false]]) addEventListener(event, () => { isPrinting = is; drawAll(); });

function switchTheme() {
  const now = document.documentElement.dataset.theme;
  const next = now === "dark" ? "light" : "dark";
  commit({ theme: next === (dark.matches ? "dark" : "light") ? null : next }, { replace: true });
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    byId("said").textContent = "Link copied";
  } catch {
    byId("said").textContent = "The link is in the address bar";
  }
}

