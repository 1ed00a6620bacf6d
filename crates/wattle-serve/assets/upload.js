// Files go up in parts, one request each. A part that fails is sent again; after a reload, the same file goes on where it was.

const byId = (id) => document.getElementById(id);
const place = byId("drop"), picker = byId("files"), list = byId("file-list"), start = byId("start"), said = byId("said");
const project = place.dataset.project;
const csrf = place.dataset.csrf;
const base = `/api/v1/projects/${encodeURIComponent(project)}`;
const ATTEMPTS = 8;

/** Files that were chosen: {file, id, sent, element}. */
const chosen = [];

const bytesText = (bytes) => {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (bytes >= 1000 && at < units.length - 1) { bytes /= 1000; at++; }
  return `${at === 0 ? bytes : bytes.toPrecision(3)} ${units[at]}`;
};

async function asked(method, path, { json, body, headers } = {}) {
  const answer = await fetch(path, { method, body: json === undefined ? body : JSON.stringify(json), headers: { "x-wattle-csrf": csrf, ...(json === undefined ? {} : { "content-type": "application/json" }), ...headers } });
  const text = await answer.text();
  let found = null;
  try { found = JSON.parse(text); } catch { /* not of the server itself, or empty */ }
  if (answer.ok) return found;
  const error = new Error((found && found.message) || `the server answered ${answer.status}`);
  error.status = answer.status;
  error.after = Number(answer.headers.get("retry-after")) || 0;
  throw error;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Tries again where trying again can help: no connection, a busy server. */
async function patiently(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isFinal = error.status !== undefined && ![408, 409, 429, 502, 503, 504].includes(error.status);
      if (isFinal || attempt === ATTEMPTS) throw error;
      await pause(Math.max(error.after * 1000, Math.min(300 * 2 ** attempt, 10000)));
    }
  }
}

const keyOf = (file) => `wattle-upload:${project}:${file.name}:${file.size}:${file.lastModified}`;

/** An upload that an earlier visit began, or a new one. */
async function begun(file) {
  const known = localStorage.getItem(keyOf(file));
  if (known) {
    try {
      return await asked("GET", `${base}/uploads/${encodeURIComponent(known)}`);
    } catch { localStorage.removeItem(keyOf(file)); }
  }
  const upload = await patiently(() => asked("POST", `${base}/uploads`, { json: { name: file.name, bytes: file.size } }));
  localStorage.setItem(keyOf(file), upload.id);
  return upload;
}

async function send(of) {
  const { file } = of;
  let upload = await begun(file);
  const path = `${base}/uploads/${encodeURIComponent(upload.id)}`;
  while (upload.received < file.size) {
    of.show(upload.received);
    const from = upload.received;
    try {
      upload = await patiently(() => asked("PATCH", path, { body: file.slice(from, Math.min(from + upload.part_bytes, file.size)), headers: { "upload-offset": String(from), "content-type": "application/octet-stream" } }));
    } catch (error) {
      // The server may have more than its answer could say.
      if (error.status !== 409) throw error;
      upload = await asked("GET", path);
      if (upload.received === from) throw error;
    }
  }
  of.show(file.size);
  const stored = await patiently(() => asked("POST", `${path}/finish`));
  localStorage.removeItem(keyOf(file));
  return stored.id;
}

function add(files) {
  for (const file of files) {
    const progress = document.createElement("progress"), name = document.createElement("span"), size = document.createElement("span"), line = document.createElement("li");
    progress.max = Math.max(file.size, 1);
    progress.value = 0;
    progress.setAttribute("aria-label", file.name);
    name.className = "nm";
    name.textContent = file.name;
    size.className = "soft s";
    size.textContent = bytesText(file.size);
    line.append(name, size, progress);
    list.append(line);
    chosen.push({ file, show: (sent) => { progress.value = sent; size.textContent = `${bytesText(sent)} of ${bytesText(file.size)}`; } });
  }
  byId("chosen").hidden = chosen.length === 0;
  start.disabled = chosen.length === 0;
  if (chosen.length > 0 && byId("title").value === "") byId("title").placeholder = chosen[0].file.name;
}

picker.addEventListener("change", () => { add(picker.files); picker.value = ""; });
for (const kind of ["dragenter", "dragover"]) place.addEventListener(kind, (event) => { event.preventDefault(); place.classList.add("over"); });
for (const kind of ["dragleave", "drop"]) place.addEventListener(kind, () => place.classList.remove("over"));
place.addEventListener("drop", (event) => { event.preventDefault(); add(event.dataTransfer.files); });

start.addEventListener("click", async () => {
  start.disabled = true;
  said.className = "soft";
  said.textContent = "Uploading…";
  try {
    const files = [];
    for (const of of chosen) files.push(await send(of));
    const title = byId("title").value.trim() || chosen[0].file.name;
    const optional = (id) => byId(id).value.trim() || null;
    const job = await patiently(() => asked("POST", `${base}/jobs`, { json: { files, title, app: optional("app"), app_version: optional("version"), kind: optional("kind") } }));
    location.assign(job.url);
  } catch (error) {
    said.className = "note";
    said.textContent = `${error.message}. What has been uploaded stays for a day; press the button to go on.`;
    start.disabled = false;
  }
});
