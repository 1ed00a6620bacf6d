//! `sensor-left-on`.

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind};

use super::left_on::{self, Device};
use super::look::Look;
use super::outcome::Outcome;
use crate::{FindingSeverity, Rule};

pub(super) const RULE: Rule = Rule {
    id: "sensor-left-on",
    title: "Sensors are on while nobody looks, or their listeners are never removed",
    severity: FindingSeverity::Note,
    keeps_severity: false,
    example: "An accelerometer listener of a shake detector that is registered for the life of the process.",
    counter_example: "A step counter of the sensor hub, batched: it wakes the CPU rarely. Totals do not tell such sensors apart, so totals alone are a note.",
    looks_for: "Time with sensors while the screen is off or the app not in front, and listeners (registerListener) that no call removes. In batterystats' history and totals, and in calls that probes record.",
    why: "A sensor draws some milliwatts; what costs is that each event wakes the CPU, at the fastest rate up to two hundred times a second.",
    remedy: "Unregister the listener in onPause, ask for the slowest rate that does, batch (maxReportLatencyUs), and use the sensor hub's own detectors (step counter, significant motion) in the background.",
    references: &[
        "https://developer.android.com/develop/sensors-and-location/sensors/sensors_overview#sensors-practices",
        "creedengo Android: Leakage: Sensor Leak",
    ],
    thresholds: &left_on::thresholds(600.0),
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    left_on::find(
        look,
        &Device {
            rule: &RULE,
            noun: "sensors",
            state: StateKind::Sensor,
            component: Some(Component::Sensors),
            is_counted: |quantity| matches!(quantity, Quantity::Sensor(_)),
            in_background: FindingSeverity::Note,
            without: "word of sensors: no state of them, no total, no call that registers a listener",
        },
    )
}
