//! `gnss-left-on`.

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind};

use super::left_on::{self, Device};
use super::look::Look;
use super::outcome::Outcome;
use crate::{FindingSeverity, Rule};

pub(super) const RULE: Rule = Rule {
    id: "gnss-left-on",
    title: "Satellite positioning is on while nobody looks, or is never switched off",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "`requestLocationUpdates` in `onCreate`, no `removeUpdates`: the receiver is on for an hour with the screen off.",
    counter_example: "Navigation with the screen on and the app in front.",
    looks_for: "Time with the receiver on while the screen is off or the app not in front, and requests for positions (requestLocationUpdates) that no call removes. In batterystats' history and totals, and in calls that probes record.",
    why: "The receiver draws some 30 to 300 mW as long as it searches or tracks, and each fix wakes the CPU.",
    remedy: "Remove the request when the activity stops (removeLocationUpdates in onStop, or a lifecycle observer). Ask for balanced power instead of high accuracy, with a long interval and batching, and use geofences or the last known position where that is enough.",
    references: &[
        "https://developer.android.com/develop/sensors-and-location/location/battery",
        "creedengo Android: Leakage of location requests; Android lint has none",
    ],
    thresholds: &left_on::thresholds(60.0),
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    left_on::find(
        look,
        &Device {
            rule: &RULE,
            noun: "satellite positioning",
            state: StateKind::Gnss,
            component: Some(Component::Gnss),
            is_counted: |quantity| matches!(quantity, Quantity::Gnss),
            in_background: FindingSeverity::Warning,
            without: "word of satellite positioning: no state of it, no total, no call that requests positions",
        },
    )
}
