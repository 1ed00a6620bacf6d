// Names and colours of components, the same in every view.

/** Components in the order in which they are stacked, with the names that people use. */
const COMPONENT_NAMES = {
  cpu: "CPU", gpu: "GPU", tpu: "TPU", fabric: "Fabric", memory: "Memory", storage: "Storage", display: "Display", wifi: "Wi-Fi",
  modem: "Cellular", bluetooth: "Bluetooth", gnss: "GNSS", sensors: "Sensors", audio: "Audio", camera: "Camera",
};
const ALIASES = { "wi-fi": "wifi", "wi_fi": "wifi", cellular: "modem", soc: "fabric", gps: "gnss" };

/** What people call a component, the key of its colour, and its place in the stack. */
function styledComponent(name) {
  const key = ALIASES[name] || name, rank = Object.keys(COMPONENT_NAMES).indexOf(key);
  return { label: COMPONENT_NAMES[key] || (name === "battery" ? "Rest of device" : name), key: rank < 0 ? "other" : key, rank: rank < 0 ? 99 : rank };
}

/** Names of the sources of energies that the input itself states. */
const STATEMENT_NAMES = { rails: "power rails", discharge: "battery discharge", "android-estimate": "Android's own estimate", "power-meter": "power meter" };
