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

/** Notes a state in the address: as a new entry of the history, unless `replace`. */
function noteAddress(address, replace) {
  if (address === location.hash) return;
  // A document of a string (a webview) has no history of its own.
  try {
    history[replace ? "replaceState" : "pushState"](null, "", address || location.pathname + location.search);
  } catch { /* the address stays as it is */ }
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    byId("said").textContent = "Link copied";
  } catch {
    byId("said").textContent = "The link is in the address bar";
  }
}

/** Keys that do something unless the user types: `runs(event)` says which, `escape` undoes one thing. */
function onKeys(runs, escape) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches && event.target.matches("input:not([type=checkbox]), textarea, select");
    if (event.key === "Escape") {
      if (byId("keys").open) return;
      if (typing) event.target.blur();
      return escape();
    }
    if (typing || byId("keys").open) return;
    const find = () => { byId("find-box").classList.add("shown"); byId("find").focus(); byId("find").select(); };
    const all = { "/": find, "?": () => byId("keys").showModal(), t: switchTheme, y: copyLink, ...runs(event) };
    const run = all[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!run) return;
    event.preventDefault();
    run();
  });
}
