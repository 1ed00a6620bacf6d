// The progress of a job, as it happens. The browser reconnects by itself and says which event it had last.

const byId = (id) => document.getElementById(id);
const job = byId("job");
const { state } = job.dataset;
const ENDED = ["succeeded", "failed", "cancelled"];

function line(event) {
  const item = document.createElement("li"), time = document.createElement("span"), text = document.createElement("span");
  time.className = "soft";
  time.textContent = new Date(event.at_ms).toLocaleTimeString();
  text.textContent = event.detail === "" ? event.kind : event.detail;
  item.append(time, text);
  item.id = `event-${event.number}`;
  return item;
}

if (!ENDED.includes(state)) {
  const source = new EventSource(`${job.dataset.events}?after=${job.dataset.last}`);
  source.addEventListener("progress", (message) => {
    const event = JSON.parse(message.data);
    if (byId(`event-${event.number}`)) return;
    byId("log").append(line(event));
    if (event.fraction !== null) byId("fraction").value = event.fraction;
    byId("now").textContent = event.detail === "" ? event.kind : event.detail;
  });
  source.addEventListener("state", (message) => {
    const now = JSON.parse(message.data);
    if (now.state !== job.dataset.state) {
      source.close();
      if (now.state === "succeeded" && now.runs.length === 1) location.replace(now.runs[0].url);
      else location.reload();
    }
  });
  addEventListener("pagehide", () => source.close());
}
