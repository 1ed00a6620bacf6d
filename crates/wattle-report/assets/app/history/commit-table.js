// The versions as a table, and what is picked: one version, or two that are compared.

const VERSIONS_SHOWN = 40, VERSIONS_ON_PHONE = 12;
let allVersions = false;

const matches = (of, wanted) => [of.commit, of.version_name, of.build, of.run].some((text) => text !== null && text.toLowerCase().includes(wanted));

function drawVersions() {
  const { series } = state, place = byId("versions"), wanted = wantedText();
  if (!series || series.commits.length === 0) { byId("versions-tools").replaceChildren(); return place.replaceChildren(el("div", { class: "empty" }, el("b", null, "No version"))); }
  const all = series.commits.map((of, at) => ({ of, at })).reverse(), found = wanted === "" ? all : all.filter(({ of }) => matches(of, wanted));
  byId("versions-of").textContent = wanted === "" ? `${count(all.length)}, newest first` : `${count(found.length)} of ${count(all.length)}`;
  byId("versions-tools").replaceChildren(...exportButtons("versions", () => [["commit", "version_name", "version_code", "build", "first_run", "runs", "joules", "low", "high", "deviation", "noise"], ...found.map(({ of, at }) => [of.commit, of.version_name, of.version_code, of.build, of.first, of.runs, of.joules, ...of.interval_joules, of.deviation_joules, placedIn(series, at)])]));
  if (found.length === 0) return place.replaceChildren(el("div", { class: "empty" }, el("b", null, "No match"), `No version is called “${state.q}”.`));
  const unit = columnUnit(Math.max(...series.commits.map(({ joules }) => joules), 1e-12)), hasRuns = all.some(({ of }) => of.runs > 1), changed = new Map(series.changes.map((change) => [change.range.first_bad, change]));
  const hasNames = all.some(({ of }) => of.commit !== null && of.version_name !== null);
  const shown = found.slice(0, allVersions ? found.length : innerWidth < 720 ? VERSIONS_ON_PHONE : VERSIONS_SHOWN);
  const heads = [["Version", ""], ...(hasNames ? [["Name", "wide"]] : []), ["First run, UTC", "wide"], ...(hasRuns ? [["Runs", "num wide"]] : []), [`Energy, ${unit.name}`, "num"], [`90${THIN}% interval`, "num wide"], ["From the level", "num"], ["Verdict", ""]];
  const rows = shown.map(({ of, at }) => {
    const level = levelAt(series, at), isOn = state.picked.includes(at), change = changed.get(at);
    const pick = (event) => { event.stopPropagation(); pickVersion(at); };
    return el("tr", { class: isOn ? "on" : null, onclick: pick }, el("td", null, el("span", { class: "in" }, el("button", { type: "button", class: "pick", "aria-pressed": String(isOn), title: longName(of), onclick: pick }, of.commit ? el("code", null, versionName(of)) : versionName(of)), of.build ? el("span", { class: "tag" }, of.build) : null)), ...(hasNames ? [el("td", { class: "wide" }, of.version_name ?? "")] : []), el("td", { class: "soft wide" }, of.first), ...(hasRuns ? [el("td", { class: "num soft wide" }, count(of.runs))] : []),
      el("td", { class: "num b" }, unit.show(of.joules)), el("td", { class: "num soft wide" }, unit.between(of.interval_joules)), el("td", { class: "num soft" }, level && level.joules ? signedShare(of.joules / level.joules - 1) || "0" : ""), el("td", null, change ? changePill(change) : placedPill(placedIn(series, at))));
  });
  const had = place.contains(document.activeElement) ? [...place.querySelectorAll(".pick")].indexOf(document.activeElement) : -1;
  place.replaceChildren(el("div", { class: "scroll" }, el("table", { class: "t versions", id: "versions-list", "aria-labelledby": "h-versions" }, el("thead", null, el("tr", null, ...heads.map(([text, style]) => el("th", { scope: "col", class: style }, text)))), el("tbody", null, ...rows))));
  if (had >= 0) place.querySelectorAll(".pick")[had]?.focus();
  if (found.length > shown.length || allVersions) place.append(el("p", { class: "after" }, action(allVersions ? "Show fewer" : `${count(found.length - shown.length)} more`, () => { allVersions = !allVersions; drawVersions(); }, { id: "more-versions" })));
  if (series.omitted > 0) place.append(el("p", { class: "soft s pad" }, `${several(series.omitted, "older version")} ${series.omitted === 1 ? "is" : "are"} not in this page.`));
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    byId("said").textContent = "Command copied";
  } catch {
    byId("said").textContent = "Select the command and copy it";
  }
}

/** A command to copy. */
const commandLine = (text) => el("span", { class: "command" }, el("code", null, text), el("button", { type: "button", class: "tool noprint", "aria-label": `Copy ${text}`, onclick: (event) => { event.stopPropagation(); copyText(text); } }, "Copy"));

/** The way to both ledgers: the page of their comparison, or the command that makes it. */
function comparisonLink(before, after) {
  const page = comparisonOf(before, after);
  return page ? el("a", { class: "open-comparison", href: page.href }, `Compare ${before} and ${after}`) : commandLine(`wattle diff ${before} ${after}`);
}

function drawPair() {
  const { series, picked } = state, place = byId("pair");
  place.hidden = !series || picked.length === 0;
  if (place.hidden) return place.replaceChildren();
  const chip = (at) => el("span", { class: "chip" }, el("code", null, versionName(series.commits[at])), el("button", { type: "button", "aria-label": `Drop ${versionName(series.commits[at])}`, onclick: () => pickVersion(at) }, "×"));
  const clear = action(el("span", null, "Clear ", el("kbd", { class: "wide" }, "Esc")), () => commit({ picked: [] }), { id: "clear" });
  if (picked.length === 1) return place.replaceChildren(chip(picked[0]), el("span", { class: "soft" }, "Pick another version to compare both"), el("span", { class: "space" }), commandLine(`wattle report ${series.commits[picked[0]].run}`), clear);
  const [a, b] = picked.map((at) => series.commits[at]), share = a.joules ? signedShare(b.joules / a.joules - 1) : "";
  place.replaceChildren(chip(picked[0]), el("span", { "aria-hidden": "true" }, "→"), chip(picked[1]), el("b", null, [signed(b.joules - a.joules), share].filter(Boolean).join(", ")), el("span", { class: "soft wide" }, `${energyText(a.joules)} → ${energyText(b.joules)}`), el("span", { class: "space" }), comparisonLink(a.run, b.run), clear);
}

shows(drawVersions);
shows(drawPair);
