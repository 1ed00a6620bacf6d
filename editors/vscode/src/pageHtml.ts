// The report's page for a panel of the editor.

/** What a page shows at first, in the words of its address. */
export interface PageSelection {
  view?: "flame" | "tree" | "tracks" | "tables";
  mode?: "left" | "time" | "sandwich";
  frame?: string;
}

/** Runs in the page, beside its own script. */
function host(selection: PageSelection): void {
  const page = globalThis as unknown as {
    acquireVsCodeApi(): { postMessage(message: unknown): void };
    document: { documentElement: { dataset: Record<string, string | undefined> }; body: { className: string }; querySelector(selector: string): { scrollIntoView(): void } | null; addEventListener(type: string, listener: () => void): void };
    addEventListener(type: string, listener: (event: { data?: { select?: PageSelection } }) => void): void;
    MutationObserver: new (changed: () => void) => { observe(node: unknown, options: unknown): void };
    wattle?: { select(change: unknown): void; state: { frame?: string | null; mode?: string } };
  };
  const editor = page.acquireVsCodeApi();
  const theme = () => (/vscode-(light|high-contrast-light)/.test(page.document.body.className) ? "light" : "dark");
  let wanted: unknown = { ...selection, theme: theme() };
  let seen: string | null | undefined = null;
  const apply = () => {
    if (page.document.documentElement.dataset.ready !== "yes" || !page.wattle) return void setTimeout(apply, 30);
    if (wanted) page.wattle.select(wanted);
    const isAsked = (wanted as PageSelection | undefined)?.view !== undefined;
    wanted = undefined;
    if (isAsked) page.document.querySelector('[role="tablist"]')?.scrollIntoView();
  };
  apply();
  new page.MutationObserver(() => {
    wanted = { theme: theme() };
    apply();
  }).observe(page.document.body, { attributes: true, attributeFilter: ["class"] });
  page.addEventListener("message", ({ data }) => {
    if (!data?.select) return;
    wanted = data.select;
    apply();
  });
  const look = () => {
    const frame = page.wattle?.state?.frame ?? null;
    if (frame === seen) return;
    seen = frame;
    editor.postMessage({ method: frame });
  };
  setInterval(look, 250);
}

/** The page with the script that connects it to the editor, before its own. */
export function pageWith(html: string, selection: PageSelection): string {
  // `<` could end the script.
  // The editor's own margin of a panel is not the page's.
  const script = `<style>body { padding: 0 }</style><script>(${host.toString()})(${JSON.stringify(selection).replaceAll("<", "\\u003c")})</script>`;
  const at = html.search(/<body[^>]*>/i);
  if (at < 0) throw new Error("the page has no body");
  const end = html.indexOf(">", at) + 1;
  return html.slice(0, end) + script + html.slice(end);
}
