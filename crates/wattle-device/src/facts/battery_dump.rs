//! `dumpsys battery`.

use wattle_recording::BatteryFacts;

/// The dump of the battery service (`BatteryService.dumpInternal`).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BatteryDump {
    pub(crate) facts: BatteryFacts,
    /// Somebody has set values by hand, and the service does not follow the hardware (`UPDATES STOPPED`).
    pub(crate) frozen: bool,
}

impl BatteryDump {
    /// Reads the text; `None` if it is none. Some vendors print their own lines before and after, with the same keys in
    /// other letters; the first one counts.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let field = |name: &str| {
            text.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                (key.trim() == name).then(|| value.trim())
            })
        };
        let number = |name| field(name).and_then(|value| value.parse::<i64>().ok());
        let sources = [("AC", "ac"), ("USB", "usb"), ("Wireless", "wireless"), ("Dock", "dock")];
        let online = |label: &str| field(&format!("{label} powered")).map(|value| value == "true");
        // Nothing but these lines is in every version.
        online("AC").or(online("USB"))?;
        let plugged = sources
            .iter()
            .filter(|(label, _)| online(label) == Some(true))
            .map(|(_, name)| (*name).to_owned())
            .collect();
        // `scale` is 100 in all versions; with the level it gives percent in any case.
        let scale = number("scale").filter(|scale| *scale > 0).unwrap_or(100);
        Some(Self {
            facts: BatteryFacts {
                level: number("level").map(|level| level as f64 * 100.0 / scale as f64),
                // Millivolts. Values below 100 have been seen where a driver counts in volts.
                voltage: number("voltage")
                    .filter(|volts| *volts > 0)
                    .map(|volts| if volts < 100 { volts as f64 } else { volts as f64 / 1000.0 }),
                temperature: number("temperature").map(|tenths| tenths as f64 / 10.0),
                status: number("status").and_then(status).map(str::to_owned),
                plugged,
                // Absent before Android 7; 0 where the hardware does not count.
                charge_uah: number("Charge counter").filter(|charge| *charge != 0),
            },
            frozen: text.contains("UPDATES STOPPED"),
        })
    }
}

/// `BatteryManager.BATTERY_STATUS_*`.
const fn status(number: i64) -> Option<&'static str> {
    match number {
        1 => Some("unknown"),
        2 => Some("charging"),
        3 => Some("discharging"),
        4 => Some("not-charging"),
        5 => Some("full"),
        _ => None,
    }
}
