// The page of a diagnosis by itself: its data, and what a report has by other means.

const data = { diagnosis: JSON.parse(byId("data").textContent) };

// Told apart by people with any colour vision (after Okabe and Ito), then by hue.
const PALETTE = ["#3f7fe0", "#e69f00", "#12a37f", "#cc79a7", "#d55e00", "#56b4e9", "#b8a800", "#8c6bd8", "#7f8c9b", "#a0603a"];

const chip = (word) => el("span", { class: `chip ${word}` }, word);

function card(what, value, more) {
  return el("div", { class: "card" }, el("div", { class: "what" }, what), el("div", { class: "value words" }, value), el("div", { class: "more" }, more || ""));
}

function diagnosisOverview() {
  const of = data.diagnosis;
  const facts = [of.device, ...of.artifacts];
  byId("device").textContent = facts.join(" · ");
  byId("device").title = facts.join(" · ");
  const isIdleKnown = of.idle.source !== "unknown";
  if (isIdleKnown) byId("h-overview").textContent = "What spends power at idle";
  const cards = byId("cards");
  const grave = ["error", "warning", "note"].map((word) => [of.findings.filter((finding) => finding.severity === word).length, word]).filter(([number]) => number > 0);
  cards.append(card("findings", of.findings.length === 0 ? "none" : count(of.findings.length), of.findings.length === 0 ? of.no_finding : grave.map(([number, word]) => `${count(number)} ${word}${number === 1 ? "" : "s"}`).join(", ")));
  cards.append(card("regions of high CPU use", of.regions.count === 0 ? "none" : count(of.regions.count), `by ${count(of.groups.length)} common call stack${of.groups.length === 1 ? "" : "s"}`));
  const idle = of.idle.windows.reduce((sum, [from, to]) => sum + to - from, 0);
  cards.append(card("idle time looked at", isIdleKnown ? seconds(idle) : "none is known", isIdleKnown ? `of ${seconds(of.duration_s)}; ${of.idle.why}` : of.idle.why));
  if (of.model) {
    const assumed = of.model.provenance === "assumed";
    const model = card("model", of.model.name, el("span", null, `${of.model.kind}, by ${of.model.chosen} `, chip(of.model.provenance), assumed ? " It was not made for this device: energies show what is large and what is small." : ""));
    if (assumed) model.classList.add("wide");
    cards.append(model);
  } else {
    const none = card("energy", "No energy figures", of.no_energy);
    none.classList.add("wide");
    cards.append(none);
  }
}
