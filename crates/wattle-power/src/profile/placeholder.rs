//! Figures that nobody measured.
//!
//! AOSP's `core/res/res/xml/power_profile.xml` says of its own figures that they are "deliberately incorrect dummy
//! values": 0.1 mA each, 1000 mAh, one clock of 400 MHz. Builds ship them whole or in part, and vendors copy
//! figures of other phones.

use std::collections::BTreeMap;

use super::{PowerProfile, canonical_names};

/// Capacity in AOSP's default profile for a battery nobody has measured, in mAh.
const CAPACITY: f64 = 1000.0;
/// Current in AOSP's default profile for every current nobody has measured, in mA.
const CURRENT: f64 = 0.1;
/// The one clock of AOSP's default profile, in kHz.
const CLOCK: f64 = 400_000.0;
/// The one bandwidth current of AOSP's default profile, in mA.
const MEMORY: [f64; 1] = [22.7];
/// AOSP's default currents of batched scans, in mA.
const BATCHED_SCAN: [f64; 5] = [0.0002, 0.002, 0.02, 0.2, 2.0];
/// Currents that real hardware does not go below: where one is exactly [`CURRENT`], it was never measured. (Wi-Fi
/// or Bluetooth that is merely on can truly draw so little.)
const LARGE: [(&str, &str); 14] = [
    ("screen", "screen.on.display0"),
    ("screen", "screen.full.display0"),
    ("wifi", "wifi.active"),
    ("wifi", "wifi.scan"),
    ("bluetooth", "bluetooth.active"),
    ("radio", "radio.active"),
    ("radio", "radio.scanning"),
    ("gps", "gps.on"),
    ("camera", "camera.avg"),
    ("flashlight", "camera.flashlight"),
    ("audio", "audio"),
    ("video", "video"),
    ("memory", "memory.bandwidths"),
    ("battery", "battery.capacity"),
];

/// Figures of one part of a profile that are placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// The part: `screen`, `wifi`, `audio`, `memory`, `battery` …
    pub part: &'static str,
    /// The figures, by the names of [`crate::Figures`].
    pub figures: Vec<&'static str>,
    /// Evidence that they are placeholders.
    pub why: String,
}

impl PowerProfile {
    /// Parts whose figures nobody measured, though others of the profile may be real. They are not among
    /// [`PowerProfile::figures`].
    pub fn placeholders(&self) -> Vec<Placeholder> {
        let mut found: Vec<Placeholder> = Vec::new();
        for (part, name) in LARGE {
            let values = self.values(name);
            let why = match name {
                "battery.capacity" => (values == [CAPACITY]).then(|| format!("{CAPACITY} mAh")),
                "memory.bandwidths" => (values == MEMORY).then(|| "22.7 mA".to_owned()),
                _ => (values == [CURRENT]).then(|| format!("{CURRENT} mA")),
            };
            let Some(why) = why else { continue };
            match found.iter_mut().find(|known| known.part == part) {
                Some(known) => known.figures.push(name),
                None => found.push(Placeholder { part, figures: vec![name], why }),
            }
        }
        if self.values("wifi.batchedscan") == BATCHED_SCAN {
            let why = "0.0002 to 2 mA".to_owned();
            let figures = vec!["wifi.batchedscan"];
            found.push(Placeholder { part: "batched scans", figures, why });
        }
        found
    }

    /// Returns the values written under a name of [`crate::Figures`] or one that stands for it.
    fn values(&self, name: &str) -> Vec<f64> {
        let item = |written: &str| self.items.get(written).map(|value| vec![*value]);
        let array = |written: &str| self.arrays.get(written).cloned();
        let mut written = std::iter::once(name).chain(
            canonical_names::ALIASES
                .iter()
                .filter_map(|(old, kept)| (*kept == name).then_some(*old)),
        );
        written.find_map(|written| item(written).or_else(|| array(written))).unwrap_or_default()
    }
}

/// Why the profile's CPU figures are those of AOSP's default and not of a device, if they are.
pub(super) fn of_cpu(
    items: &BTreeMap<String, f64>,
    arrays: &BTreeMap<String, Vec<f64>>,
) -> Option<String> {
    let starting = |prefixes: &'static [&str]| {
        let of_any = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
        arrays.iter().filter(move |(name, _)| of_any(name)).flat_map(|(_, values)| values)
    };
    let core = || starting(&["cpu.active", "cpu.core_power", "cpu.scaling_step_power"]);
    if core().next().is_some() && core().all(|current| *current <= CURRENT) {
        return Some(format!("every CPU current is at most {CURRENT} mA"));
    }
    let clocks: Vec<f64> =
        starting(&["cpu.speeds", "cpu.core_speeds", "cpu.scaling_speeds"]).copied().collect();
    if clocks == [CLOCK] {
        return Some("the CPU has the one clock of AOSP's default, 400 MHz".to_owned());
    }
    let mut all = core();
    if let Some(first) = all.next()
        && core().count() > 2
        && all.all(|current| current == first)
    {
        return Some(format!("every CPU current is {first} mA, whatever the clock"));
    }
    let same = items.values().filter(|value| **value == CURRENT).count();
    if items.get("battery.capacity") == Some(&CAPACITY) && same * 2 > items.len() {
        return Some(format!(
            "battery.capacity is {CAPACITY} mAh and {same} of {} items are {CURRENT} mA",
            items.len()
        ));
    }
    None
}
