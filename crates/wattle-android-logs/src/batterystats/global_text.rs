//! Lines of the summary that are of the device: times, radios, screen, battery.

use wattle_timeline::{Names, Quantity, Uid};

use super::amount::{bytes, decimal, duration, take_duration};
use super::controller::Controller;
use super::dump_findings::Findings;
use super::history_text::parse_wall;

/// Lists whose lines have names of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum List {
    #[default]
    None,
    Brightness,
    CellSignal,
    Gnss,
    Transmit(Controller),
    /// Known, and of no use here.
    Passed,
}

/// Reads lines of the device.
#[derive(Debug, Default)]
pub(crate) struct GlobalText {
    list: List,
    transmit_level: u8,
}

/// Takes `label:` off a line.
fn labelled<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.strip_prefix(label)?.trim_start().strip_prefix(':').map(str::trim_start)
}

/// Recognises the name of a radio's controller in a line such as `WiFi Idle time:`.
fn controller(text: &str) -> Option<(Controller, &str)> {
    let names = [
        ("WiFi ", Controller::Wifi),
        ("Cellular ", Controller::Modem),
        ("Modem ", Controller::Modem),
        ("Bluetooth ", Controller::Bluetooth),
    ];
    names.into_iter().find_map(|(name, radio)| Some((radio, text.strip_prefix(name)?)))
}

impl GlobalText {
    /// A line of the device, or of a uid where a radio's controller is told. Whether it was understood.
    pub fn controller_line(
        &mut self,
        text: &str,
        uid: Option<Uid>,
        names: &mut Names,
        found: &mut Findings,
    ) -> bool {
        if let List::Transmit(radio) = self.list {
            let is_level = text.contains("dBm:") || text.starts_with("Level ");
            if let (true, Some((_, value))) = (is_level, text.split_once(": ")) {
                if let Some(ms) = duration(value) {
                    found.time(radio.transmit(self.transmit_level), uid, None, ms);
                    self.transmit_level = self.transmit_level.saturating_add(1);
                }
                return true;
            }
            self.list = List::None;
        }
        let Some((radio, rest)) = controller(text) else { return false };
        let time = |label| labelled(rest, label).map(duration);
        if let Some(ms) = time("Idle time") {
            found.time(radio.idle(), uid, None, ms);
        } else if let Some(ms) = time("Rx time") {
            found.time(radio.receive(), uid, None, ms);
        } else if let Some(ms) = time("Tx time") {
            // Without a time the levels follow.
            if ms.is_none() {
                self.list = List::Transmit(radio);
                self.transmit_level = 0;
            }
            found.time(radio.transmit(0), uid, None, ms);
        } else if let Some(ms) = time("Sleep time") {
            match (radio, ms) {
                (Controller::Modem, Some(ms)) => found.time(Quantity::CellSleep, uid, None, ms),
                _ => found.unread("controller's sleep time"),
            }
        } else if let Some(ms) = time("Scan time") {
            // That of the controller, not what apps are blamed for.
            match (radio, ms) {
                (Controller::Wifi, Some(ms)) if uid.is_none() => {
                    found.time(Quantity::WifiScan, uid, None, ms);
                }
                _ => found.unread("controller's scan time"),
            }
        } else if let Some(charge) =
            labelled(rest, "Battery drain").or_else(|| labelled(rest, "Power drain"))
        {
            found.total(radio.charge(), uid, None, decimal(charge));
        } else if let Some(charge) = labelled(rest, "Monitored rail energy drain") {
            let tag = Some(names.intern(radio.rail()));
            found.total(Quantity::MeasuredCharge, uid, tag, decimal(charge));
        } else {
            return false;
        }
        true
    }

    pub fn line(&mut self, line: &str, names: &mut Names, found: &mut Findings) {
        let text = line.trim();
        if self.controller_line(text, None, names, found) || self.listed(text, found) {
            return;
        }
        if let Some(rest) = labelled(text, "Total run time") {
            if let (Some(ms), Some(summary)) = (duration(rest), found.summary()) {
                summary.length_ms = Some(ms);
            }
        } else if let Some(rest) = labelled(text, "Start clock time") {
            match (parse_wall(rest), found.summary()) {
                (Some(wall), Some(summary)) => summary.start = Some(wall),
                _ => found.unparsed(line),
            }
        } else if let Some(rest) = labelled(text, "Time on battery") {
            realtime_uptime(rest, [Quantity::OnBattery, Quantity::OnBatteryAwake], found);
        } else if let Some(rest) = labelled(text, "Time on battery screen off") {
            realtime_uptime(rest, [Quantity::ScreenOff, Quantity::ScreenOffAwake], found);
        } else if let Some(rest) = labelled(text, "Bluetooth total received") {
            let sent = rest.split_once("sent: ").and_then(|(_, sent)| bytes(sent));
            let both = [
                (Quantity::BluetoothReceivedBytes, bytes(rest)),
                (Quantity::BluetoothSentBytes, sent),
            ];
            for (quantity, value) in both {
                found.total(quantity, None, None, value);
            }
        } else if !by_table(text, names, found) {
            self.begin_list(text, found);
        }
    }

    fn begin_list(&mut self, text: &str, found: &mut Findings) {
        let lists = [
            ("Screen brightnesses", List::Brightness),
            ("Cellular Rx signal strength (RSRP)", List::CellSignal),
            ("Phone signal levels", List::CellSignal),
            ("Signal levels", List::CellSignal),
            ("GPS signal quality (Top 4 Average CN0)", List::Gnss),
        ];
        for (label, list) in lists {
            if let Some(rest) = labelled(text, label) {
                self.list = list;
                // Android up to 4 writes all on the line.
                if !rest.is_empty() {
                    for item in rest.split(", ") {
                        self.listed(item, found);
                    }
                    self.list = List::None;
                }
                return;
            }
        }
        let label = text.split_once(':').map_or(text, |(label, _)| label);
        if text.ends_with(':') || text.ends_with("(no activity)") {
            self.list = List::Passed;
        }
        if !text.is_empty() {
            found.unread(label);
        }
    }

    /// A line of the open list.
    fn listed(&mut self, text: &str, found: &mut Findings) -> bool {
        let names: &[&str] = match self.list {
            List::None | List::Transmit(_) => return false,
            List::Passed => {
                // Items begin with a small letter, labels do not.
                let is_item = text.starts_with(|c: char| c.is_ascii_lowercase());
                if is_item {
                    found.unread("lists of other states");
                } else {
                    self.list = List::None;
                }
                return is_item;
            }
            List::Brightness => &["dark", "dim", "medium", "light", "bright"],
            List::CellSignal => &["none", "poor", "moderate", "good", "great"],
            List::Gnss => &["poor", "good"],
        };
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (name, rest) = if name == "very" { ("none", rest) } else { (name, rest) };
        let Some(level) = names.iter().position(|known| *known == name) else {
            self.list = List::None;
            return false;
        };
        // `poor (-88.75 to -77.5dBm): 24s 645ms`, `dark 1h 11m 49s 771ms (25,5%)`.
        let value = rest.rsplit_once("):").map_or(rest, |(_, value)| value).trim_start();
        let Some((ms, _)) = take_duration(value) else { return false };
        let level = level as u8;
        let quantity = match self.list {
            List::Brightness => Quantity::ScreenClass(level),
            List::CellSignal => Quantity::CellSignal(level),
            _ => Quantity::GnssSignal(level),
        };
        found.time(quantity, None, None, ms);
        true
    }
}

/// Lines that are a label and a number.
fn by_table(text: &str, names: &mut Names, found: &mut Findings) -> bool {
    const TIMES: [(&str, Quantity); 11] = [
        ("Time on battery screen doze", Quantity::ScreenDoze),
        ("Cellular kernel active time", Quantity::CellActive),
        ("Mobile radio active time", Quantity::CellActive),
        ("Total partial wakelock time", Quantity::Wakelock),
        // As Android 2 spells it.
        ("Total partial waklock time", Quantity::Wakelock),
        ("Signal scanning time", Quantity::CellScan),
        ("Bluetooth scan time", Quantity::BluetoothScan),
        ("Active phone call", Quantity::PhoneCall),
        ("Wifi on", Quantity::Wifi),
        ("Wifi running", Quantity::WifiRunning),
        ("Screen on", Quantity::Screen),
    ];
    const SIZES: [(&str, Quantity); 8] = [
        ("Cellular data received", Quantity::CellReceivedBytes),
        ("Cellular data sent", Quantity::CellSentBytes),
        ("Wifi data received", Quantity::WifiReceivedBytes),
        ("Wifi data sent", Quantity::WifiSentBytes),
        ("Mobile total received", Quantity::CellReceivedBytes),
        ("Mobile total sent", Quantity::CellSentBytes),
        ("Wi-Fi total received", Quantity::WifiReceivedBytes),
        ("Wi-Fi total sent", Quantity::WifiSentBytes),
    ];
    const COUNTS: [(&str, Quantity); 4] = [
        ("Cellular packets received", Quantity::CellReceivedPackets),
        ("Cellular packets sent", Quantity::CellSentPackets),
        ("Wifi packets received", Quantity::WifiReceivedPackets),
        ("Wifi packets sent", Quantity::WifiSentPackets),
    ];
    const CHARGES: [(&str, Quantity, Option<&str>); 10] = [
        ("Discharge", Quantity::BatteryCharge, None),
        ("Screen off discharge", Quantity::BatteryCharge, Some("screen-off")),
        ("Screen doze discharge", Quantity::BatteryCharge, Some("screen-doze")),
        ("Screen on discharge", Quantity::BatteryCharge, Some("screen-on")),
        ("Device light doze discharge", Quantity::BatteryCharge, Some("light-doze")),
        ("Device deep doze discharge", Quantity::BatteryCharge, Some("deep-doze")),
        ("Estimated battery capacity", Quantity::BatteryCapacity, Some("estimated")),
        ("Min learned battery capacity", Quantity::BatteryCapacity, Some("learned-min")),
        ("Max learned battery capacity", Quantity::BatteryCapacity, Some("learned-max")),
        ("GPS Battery Drain", Quantity::GnssCharge, None),
    ];
    let mut is_any = false;
    // Android up to 4 writes several to a line: `Wifi on: 0ms (---%), Wifi running: 0ms (---%), Bluetooth on: …`.
    for part in text.split(", ") {
        let find = |label: &str| labelled(part, label);
        if let Some((quantity, value)) =
            TIMES.iter().find_map(|(label, q)| Some((*q, find(label)?)))
        {
            is_any = true;
            found.time(quantity, None, None, duration(value));
            if quantity == Quantity::CellActive
                && let Some(count) = times(value)
            {
                found.total(Quantity::CellActiveCount, None, None, count);
            }
        } else if let Some((quantity, value)) =
            SIZES.iter().find_map(|(label, q)| Some((*q, find(label)?)))
        {
            is_any = true;
            found.total(quantity, None, None, bytes(value));
        } else if let Some((quantity, value)) =
            COUNTS.iter().find_map(|(label, q)| Some((*q, find(label)?)))
        {
            is_any = true;
            found.total(quantity, None, None, decimal(value));
        } else if let Some((quantity, tag, value)) =
            CHARGES.iter().find_map(|(label, q, tag)| Some((*q, *tag, find(label)?)))
        {
            is_any = true;
            let tag = tag.map(|tag| names.intern(tag));
            found.total(quantity, None, tag, decimal(value));
        }
    }
    is_any
}

/// `1d 1h (95,1%) realtime, 8h 15m (32,8%) uptime`.
fn realtime_uptime(text: &str, quantities: [Quantity; 2], found: &mut Findings) {
    let [realtime, uptime] = quantities;
    found.time(realtime, None, None, duration(text));
    let after = text.split_once("realtime, ").map(|(_, after)| after);
    found.time(uptime, None, None, after.and_then(duration));
}

/// `(31,6%) 12x`: 12.
pub(crate) fn times(text: &str) -> Option<f64> {
    let (_, after) = text.split_once(") ")?;
    let count = after.split(' ').next()?.strip_suffix('x')?;
    count.parse::<u32>().ok().map(f64::from)
}
