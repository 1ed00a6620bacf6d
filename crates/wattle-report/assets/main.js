// Draws everything, each part on its own: a part that fails says so and leaves the others alone.

byId("tests").hidden = !data.tables.tests;
byId("spans").hidden = !hasSpans();
byId("methods").hidden = !data.code;
byId("runtime-tax").hidden = !report.runtime_tax;
byId("suspects").hidden = !data.suspects;
for (const section of document.querySelectorAll("main > section:not([hidden])")) {
  const heading = section.querySelector("h2");
  const words = section.id === "overview" ? "Overview" : section.id === "hardware" ? "Hardware" : heading.textContent;
  byId("nav").append(el("a", { href: `#${section.id}` }, words.replace("Energy f", "F").replace(" over time", "")));
}
for (const [id, draw] of [["overview", overview], ["tests", testsTable], ["spans", spansTables], ["suspects", suspectsView], ["runtime-tax", runtimeTax], ["methods", methodsTable], ["power", timeline], ["flame", flame], ["calls", callTree], ["threads", threadsTable], ["slices", slicesTable], ["hardware", hardware], ["quality", quality], ...(data.diagnosis ? DIAGNOSIS_PARTS : [])]) {
  try {
    draw();
  } catch (error) {
    console.error(error);
    byId(id).append(el("p", { class: "hint" }, `This part could not be drawn: ${error.message}`));
  }
}
document.documentElement.dataset.ready = "yes";
