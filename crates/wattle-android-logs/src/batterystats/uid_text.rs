//! Lines of the summary that are of one uid.

use wattle_timeline::{Names, Package, Quantity, Uid};

use super::amount::{bytes, decimal, duration, take_duration};
use super::dump_findings::Findings;
use super::global_text::times;

/// `Uid.PROCESS_STATE_NAMES`.
const PROCESS_STATES: [&str; 7] = [
    "Top for",
    "Fg Service for",
    "Foreground for",
    "Background for",
    "Top Sleeping for",
    "Heavy Weight for",
    "Cached for",
];

/// Reads lines of one uid after the other.
#[derive(Debug, Default)]
pub(crate) struct UidText {
    uid: Option<Uid>,
    /// Milliseconds of all partial wakelocks of the uid.
    partial_ms: Option<i64>,
    has_scan: bool,
    /// Steps of the clocks of all clusters, kilohertz: `CPU freqs:`.
    steps: Vec<(u8, u8)>,
}

/// Steps of all clusters stand in one row, each ascending: where it falls, the next begins.
pub(crate) fn steps_of(kilohertz: &[i64]) -> Vec<(u8, u8)> {
    let mut steps = Vec::with_capacity(kilohertz.len());
    let (mut cluster, mut step, mut last) = (0_u8, 0_u8, 0);
    for clock in kilohertz {
        if *clock <= last {
            cluster = cluster.saturating_add(1);
            step = 0;
        }
        steps.push((cluster, step));
        step = step.saturating_add(1);
        last = *clock;
    }
    steps
}

impl UidText {
    /// The steps of the clocks, before the uids.
    pub fn clocks(&mut self, text: &str) {
        let kilohertz: Vec<i64> = text.split(' ').filter_map(|it| it.parse().ok()).collect();
        self.steps = steps_of(&kilohertz);
    }

    pub fn begin(&mut self, uid: Uid, found: &mut Findings) {
        self.end(found);
        self.uid = Some(uid);
    }

    /// The uid whose lines are read.
    pub fn current(&self) -> Option<Uid> {
        self.uid
    }

    /// Emits the totals that result only from all lines of a uid together.
    pub fn end(&mut self, found: &mut Findings) {
        if let (Some(uid), Some(ms)) = (self.uid.take(), self.partial_ms.take()) {
            found.time(Quantity::Wakelock, Some(uid), None, ms);
        }
        self.partial_ms = None;
        self.has_scan = false;
    }

    pub fn line(
        &mut self,
        line: &str,
        names: &mut Names,
        packages: &mut dyn FnMut(Package),
        found: &mut Findings,
    ) {
        let Some(uid) = self.uid else { return };
        let text = line.trim();
        let (label, rest) = text.split_once(':').unwrap_or((text, ""));
        let value = rest.trim_start();
        if let Some(text) = text.strip_prefix("Wake lock ") {
            self.wakelock(text, uid, names, found);
        } else if let Some(text) =
            text.strip_prefix("Job ").filter(|_| !label.ends_with("Completions"))
        {
            named(text, Quantity::Job, uid, names, found);
        } else if let Some(text) = text.strip_prefix("Sync ") {
            named(text, Quantity::Sync, uid, names, found);
        } else if let Some(text) = text.strip_prefix("Wakeup alarm ") {
            let parts = text.rsplit_once(": ");
            if let Some((name, count)) = parts.and_then(|(n, c)| Some((n, decimal(c)?))) {
                let tag = Some(names.intern(name));
                found.total(Quantity::AlarmWakeups, Some(uid), tag, count);
            }
        } else if let Some(handle) = label.strip_prefix("Sensor ") {
            let quantity = match handle {
                "GPS" | "-10000" => Some(Quantity::Gnss),
                handle => handle.parse().ok().map(Quantity::Sensor),
            };
            match (quantity, duration(value)) {
                (Some(quantity), Some(ms)) => found.time(quantity, Some(uid), None, ms),
                (Some(_), None) => found.unread("Sensor (not used)"),
                (None, _) => found.unparsed(line),
            }
        } else if let Some(package) = text.strip_prefix("Apk ").map(|it| it.trim_end_matches(':')) {
            let name = names.intern(package);
            packages(package_of(name, uid));
        } else {
            self.by_label(label, value, uid, found);
        }
    }

    fn by_label(&mut self, label: &str, value: &str, uid: Uid, found: &mut Findings) {
        let quantity = match label {
            "Mobile radio active" => {
                if let Some(count) = times(value) {
                    found.total(Quantity::CellActiveCount, Some(uid), None, count);
                }
                Quantity::CellActive
            }
            "Wifi Running" => Quantity::WifiRunning,
            "Wifi Scan (blamed)" | "Wifi Scan" => Quantity::WifiScan,
            "WiFi Multicast Wakelock" | "Wifi Multicast" => Quantity::WifiMulticast,
            "Bluetooth Scan (total blamed realtime)" => {
                self.has_scan = true;
                Quantity::BluetoothScan
            }
            // The same, where nobody else scanned at the time.
            "Bluetooth Scan (total actual realtime)" | "Bluetooth Scan" if !self.has_scan => {
                Quantity::BluetoothScan
            }
            "Flashlight" => Quantity::Flashlight,
            "Camera" => Quantity::Camera,
            "Video" => Quantity::Video,
            "Audio" => Quantity::Audio,
            "Foreground activities" => Quantity::Foreground,
            "Total cpu time" => return cpu(value, uid, found),
            "Total cpu time per freq" => return self.by_clock(value, uid, found),
            "Mobile network" => {
                let quantities = [
                    Quantity::CellReceivedBytes,
                    Quantity::CellSentBytes,
                    Quantity::CellReceivedPackets,
                    Quantity::CellSentPackets,
                ];
                return network(value, uid, quantities, found);
            }
            "Wi-Fi network" => {
                let quantities = [
                    Quantity::WifiReceivedBytes,
                    Quantity::WifiSentBytes,
                    Quantity::WifiReceivedPackets,
                    Quantity::WifiSentPackets,
                ];
                return network(value, uid, quantities, found);
            }
            "Bluetooth network" => {
                let sent = value.split_once("received, ").and_then(|(_, sent)| bytes(sent));
                let both = [
                    (Quantity::BluetoothReceivedBytes, bytes(value)),
                    (Quantity::BluetoothSentBytes, sent),
                ];
                for (quantity, size) in both {
                    found.total(quantity, Some(uid), None, size);
                }
                return;
            }
            _ => {
                if let Some(state) = PROCESS_STATES.iter().position(|name| *name == label) {
                    Quantity::ProcessState(state as u8)
                } else if let Some(text) = label.strip_prefix("WiFi Multicast Wakelock count = ") {
                    let time = text.split_once("time = ").and_then(|(_, time)| duration(time));
                    found.time(Quantity::WifiMulticast, Some(uid), None, time);
                    return;
                } else {
                    found.unread(kind_of_line(label));
                    return;
                }
            }
        };
        found.time(quantity, Some(uid), None, duration(value));
    }

    /// `NAME: 7s 2ms partial (3 times) max=12 actual=7002, 4s full (1 times) realtime`.
    fn wakelock(&mut self, text: &str, uid: Uid, names: &mut Names, found: &mut Findings) {
        let mut from = 0;
        // Names hold colons: it ends with the first behind which a time stands.
        let parted = loop {
            let Some(at) = text.get(from..).and_then(|rest| rest.find(": ")) else { break None };
            let (name, rest) = text.split_at(from + at);
            let rest = rest.get(2..).unwrap_or_default();
            let is_time = take_duration(rest).is_some_and(|(_, rest)| {
                rest.trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || c == '(')
            });
            if is_time {
                break Some((name, rest));
            }
            from += at + 2;
        };
        let Some((name, rest)) = parted else {
            // Held by nobody since the reset.
            found.unread("Wake lock without a time");
            return;
        };
        let tag = Some(names.intern(name));
        for part in rest.split(", ") {
            let Some((ms, kind)) = take_duration(part) else { continue };
            let Some(kind) = kind.trim_start().strip_prefix("partial ") else { continue };
            found.time(Quantity::Wakelock, Some(uid), tag, ms);
            self.partial_ms = Some(self.partial_ms.unwrap_or(0).saturating_add(ms));
            if let Some(count) = kind.strip_prefix('(').and_then(decimal) {
                found.total(Quantity::WakelockCount, Some(uid), tag, count);
            }
        }
    }

    fn by_clock(&mut self, text: &str, uid: Uid, found: &mut Findings) {
        let values: Vec<i64> = text.split(' ').filter_map(|it| it.parse().ok()).collect();
        if values.len() != self.steps.len() {
            found.unread("cpu time per freq without the clocks");
            return;
        }
        for ((cluster, step), ms) in self.steps.iter().zip(values) {
            if ms != 0 {
                let at = Quantity::CpuAt { cluster: *cluster, step: *step };
                found.time(at, Some(uid), None, ms);
            }
        }
    }
}

/// Returns a package of which only the name and the uid are known.
pub(crate) fn package_of(name: wattle_timeline::NameId, uid: Uid) -> Package {
    Package {
        name,
        uid: Uid(uid.app_id()),
        debuggable: false,
        profileable_from_shell: false,
        version_code: 0,
    }
}

/// Lines with a name in them are counted by their kind.
fn kind_of_line(label: &str) -> &str {
    let kinds = ["Proc ", "Service ", "Job Completions", "Cpu times per freq", "Screen-off cpu"];
    let found = kinds.iter().find(|kind| label.starts_with(**kind)).map(|kind| kind.trim_end());
    let digits = label.starts_with(|c: char| c.is_ascii_digit() || c == '*' || c == '(');
    found.unwrap_or(if digits { "starts, crashes, deaths" } else { label })
}

/// `u=13s 390ms s=2m 16s 300ms`.
fn cpu(text: &str, uid: Uid, found: &mut Findings) {
    let part = |mark: &str| text.split_once(mark).and_then(|(_, time)| duration(time));
    if let (Some(user), Some(system)) = (part("u="), part("s=")) {
        found.time(Quantity::Cpu, Some(uid), None, user.saturating_add(system));
    } else {
        found.unparsed(text);
    }
}

/// `14.04KB received, 9.04KB sent (packets 169 received, 155 sent)`.
fn network(text: &str, uid: Uid, quantities: [Quantity; 4], found: &mut Findings) {
    let [received, sent, packets_received, packets_sent] = quantities;
    let after = |mark: &str| text.split_once(mark).map(|(_, after)| after);
    let packets = after("(packets ");
    let values = [
        (received, bytes(text)),
        (sent, after("received, ").and_then(bytes)),
        (packets_received, packets.and_then(decimal)),
        (packets_sent, packets.and_then(|it| decimal(it.split_once("received, ")?.1))),
    ];
    for (quantity, value) in values {
        found.total(quantity, Some(uid), None, value);
    }
}

/// `NAME: 7s 2ms realtime (3 times)[, 1s background (1 times)]`; `NAME: (not used)`.
fn named(text: &str, quantity: Quantity, uid: Uid, names: &mut Names, found: &mut Findings) {
    let end = text.find(" realtime (").unwrap_or(text.len());
    let Some((name, time)) = text.get(..end).and_then(|text| text.rsplit_once(": ")) else {
        return;
    };
    if let Some(ms) = duration(time) {
        found.time(quantity, Some(uid), Some(names.intern(name)), ms);
    }
}
