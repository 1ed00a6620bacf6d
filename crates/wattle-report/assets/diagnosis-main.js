// Draws everything, each part on its own: a part that fails says so and leaves the others alone.

for (const section of document.querySelectorAll("main > section:not(#overview)")) {
  byId("nav").append(el("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
}
for (const [id, draw] of [["overview", diagnosisOverview], ...DIAGNOSIS_PARTS]) {
  try {
    draw();
  } catch (error) {
    console.error(error);
    byId(id).append(el("p", { class: "hint" }, `This part could not be drawn: ${error.message}`));
  }
}
document.documentElement.dataset.ready = "yes";
