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

function show(message) {
  const event = JSON.parse(message.data);
  if (byId(`event-${event.number}`)) return;
  byId("log").append(line(event));
  byId("log").scrollTop = byId("log").scrollHeight;
  if (event.fraction !== null) byId("fraction").value = event.fraction;
  byId("now").textContent = event.detail === "" ? event.kind : event.detail;
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
    else location.reload();
  });
  addEventListener("pagehide", () => source.close());
}
