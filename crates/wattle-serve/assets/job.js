// The progress of a job, as it happens. The browser reconnects by itself and says which event it had last.

const byId = (id) => document.getElementById(id);
const job = byId("job");

const timeOfDay = (ms) => new Date(ms).toLocaleTimeString();

// All of them in the reader's zone: those of the page, and those that come.
for (const time of document.querySelectorAll("#log [data-at]")) time.textContent = timeOfDay(Number(time.dataset.at));

function line(event) {
  const item = document.createElement("li"), time = document.createElement("span"), text = document.createElement("span");
  time.className = "soft";
  time.textContent = timeOfDay(event.at_ms);
  text.textContent = event.detail === "" ? event.kind : event.detail;
  item.append(time, text);
  item.id = `event-${event.number}`;
  return item;
}

/** Three digits and the unit that fits. */
function quantity(value, unit) {
  const [scale, prefix] = value >= 1 || value === 0 ? [1, ""] : value >= 1e-3 ? [1e3, "m"] : [1e6, "µ"];
  return `${Number((value * scale).toPrecision(3))}\u202f${prefix}${unit}`;
}

/** Figures of the beginning of the recording, for as long as the rest is read. */
function showFirst(figures) {
  const place = byId("first");
  if (!place || !figures) return;
  const [read, all] = [figures.read_bytes, figures.of_bytes].map((bytes) => Math.ceil(bytes / 1e6));
  byId("first-of").textContent = `the first ${quantity(figures.seconds, "s")} of the recording (${read} of ${all} MB)`;
  const { energy, components } = figures;
  const from = [figures.format, figures.device].filter(Boolean).join(" · ");
  byId("first-energy").textContent = energy ? `${quantity(energy.joules, "J")} (${quantity(energy.low_joules, "J")} – ${quantity(energy.high_joules, "J")}) of ${components.join(", ")}. ${from}` : `Energy cannot be estimated of this beginning. ${from}`;
  byId("first-consumers").replaceChildren(...figures.consumers.map(({ name, joules, cpu_s }) => {
    const item = document.createElement("li"), label = document.createElement("span"), value = document.createElement("span");
    label.textContent = name;
    value.textContent = [joules === null ? null : quantity(joules, "J"), cpu_s === null ? null : `${quantity(cpu_s, "s")} on CPUs`].filter(Boolean).join(", ");
    value.className = "soft";
    item.append(label, value);
    return item;
  }));
}

if (byId("first") && byId("first").dataset.figures) showFirst(JSON.parse(byId("first").dataset.figures));

function show(message) {
  const event = JSON.parse(message.data);
  if (byId(`event-${event.number}`)) return;
  byId("log").append(line(event));
  byId("log").scrollTop = byId("log").scrollHeight;
  if (event.fraction !== null) byId("fraction").value = event.fraction;
  showFirst(event.figures);
  if (event.kind !== "figures") byId("now").textContent = event.detail === "" ? event.kind : event.detail;
  if (event.kind === "started") { byId("state").className = "state running"; byId("state").textContent = "running"; }
}

if (job.dataset.final !== "true") {
  const source = new EventSource(`${job.dataset.api}/events?after=${job.dataset.last}`);
  source.addEventListener("progress", show);
  source.addEventListener("end", async (message) => {
    source.close();
    show(message);
    const now = await (await fetch(job.dataset.api)).json();
    if (now.state === "done" && now.runs.length === 1) location.replace(now.runs[0].url);
    else if (now.state === "done" && now.report) location.replace(now.report);
    else location.reload();
  });
  addEventListener("pagehide", () => source.close());
}
