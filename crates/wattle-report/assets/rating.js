// How the energy stands among others, and how much of the app ran: the two belong together.

function coverageWords(coverage) {
  return coverage && coverage.share !== null ? `${count(coverage.executed)} of ${count(coverage.methods)} probed methods ran (${percent(coverage.share)})` : "not known how much of the app ran";
}

/** Good only where nothing spoils the comparison, with the whole of its interval. */
function ratingClass(rating) {
  if (rating.letter === null || !rating.comparable) return "warning";
  return rating.letters[1] <= "B" ? "measured" : rating.letters[1] === "E" ? "error" : "";
}

function ratingPanel(rating) {
  const panel = el("div", { class: "panel", id: "rating" }, el("h2", null, `Rating in ${rating.category}`));
  const unit = rating.per === "minute" ? " per minute" : "";
  if (rating.letter === null) {
    panel.append(el("p", null, el("b", null, "No rating"), `: ${rating.no_letter_reason}`));
  } else {
    const [low, high] = rating.letters;
    const letter = low === high ? rating.letter : `${rating.letter} (${low}–${high})`;
    panel.append(el("p", null, el("span", { class: `chip letter ${ratingClass(rating)}` }, letter), ` coverage: ${coverageWords(rating.coverage)}`));
  }
  if (rating.joules !== null) {
    const spent = `${joules(rating.joules)}${unit} (${range(...rating.interval_joules) || "exactly"})`;
    const others = rating.percentile === null ? "" : `; ${rating.percentile.toFixed(0)} % of ${count(rating.references)} references spend less`;
    panel.append(el("p", null, `energy of the ${rating.of} per ${rating.per}: ${spent}${others}`));
  }
  if (rating.limits) panel.append(el("p", { class: "hint" }, `B, C, D and E begin at ${rating.limits.map(joules).join(", ")}${unit}`));
  for (const warning of rating.warnings) panel.append(el("p", null, el("span", { class: "chip warning" }, "warning"), ` ${warning.text}`));
  for (const left of rating.left_out.slice(0, 20)) panel.append(el("p", { class: "hint" }, `left out: ${left.name}: ${left.reason}`));
  byId("app").append(panel);
}

function coverageCard(coverage) {
  const worst = coverage.classes.filter((row) => row.executed < row.methods).slice(0, 3);
  const words = worst.map((row) => `${row.class} ${row.executed} of ${row.methods}`).join(", ");
  return card("scenario coverage", percent(coverage.share), `${coverageWords(coverage)}${words ? `; least: ${words}` : ""}`);
}
