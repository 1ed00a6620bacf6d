// Draws everything.

function recordingsTable() {
  const columns = [
    { label: "recording", get: (row) => row.name || "", text: true },
    { label: "device", get: (row) => row.device || NONE, text: true },
    timeColumn("duration", (row) => row.duration_s),
    { label: "tests", get: (row) => row.tests, show: count },
    { label: "usable", get: (row) => row.usable, show: count },
  ];
  byId("recordings-table").append(dataTable({ id: "recordings", rows: data.suspects.facts.ledgers, columns, sort: 0 }));
}

for (const [id, draw] of [["recordings", recordingsTable], ["suspects", suspectsView]]) {
  try {
    draw();
  } catch (error) {
    console.error(error);
    byId(id).append(el("p", { class: "hint" }, `This part could not be drawn: ${error.message}`));
  }
}
document.documentElement.dataset.ready = "yes";
