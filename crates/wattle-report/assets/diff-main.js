// Draws everything, each part on its own: a part that fails says so and leaves the others alone.

for (const [id, draw] of [["overview", summary], ["flame", differenceFlame], ["methods", changedMethods]]) {
  try {
    draw();
  } catch (error) {
    console.error(error);
    byId(id).append(el("p", { class: "hint" }, `This part could not be drawn: ${error.message}`));
  }
}
document.documentElement.dataset.ready = "yes";
