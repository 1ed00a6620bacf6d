// Tables as CSV and JSON, pictures as SVG and PNG: saved by the browser itself, nothing is sent.

function saveBlob(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const savePicture = (name, text) => saveBlob(name, new Blob([text], { type: "image/svg+xml" }));
const saveCanvas = (name, canvas) => canvas && canvas.toBlob((blob) => blob && saveBlob(name, blob));

/** One field of CSV; what a spreadsheet would take for a formula is text. */
function csvField(value) {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

const toCsv = (rows) => rows.map((row) => row.map(csvField).join(",")).join("\n") + "\n";
const toJson = ([head, ...rows]) => JSON.stringify(rows.map((row) => Object.fromEntries(head.map((key, at) => [key, row[at] ?? null]))), null, 1);

/** Buttons that save rows, the first of which are the names of the columns. */
const exportButtons = (name, rows) => [
  action("CSV", () => saveBlob(`${name}.csv`, new Blob([toCsv(rows())], { type: "text/csv" })), { title: `Save ${name} as CSV` }),
  action("JSON", () => saveBlob(`${name}.json`, new Blob([toJson(rows())], { type: "application/json" })), { title: `Save ${name} as JSON` }),
];
