//! `wifi-scan-left-on`.

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind};

use super::left_on::{self, Device};
use super::look::Look;
use super::outcome::Outcome;
use crate::{FindingSeverity, Rule};

pub(super) const RULE: Rule = Rule {
    id: "wifi-scan-left-on",
    title: "Wi-Fi scans while nobody looks",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A scan every 30 s on a timer while the phone is in a pocket.",
    counter_example: "A scan when the user opens the list of networks.",
    looks_for: "Time with Wi-Fi scans while the screen is off or the app not in front. In batterystats' history and totals.",
    why: "A scan listens on every channel for a tenth of a second each, and its results wake the CPU.",
    remedy: "Scan when the user asks, not on a timer; use the results of the system's own scans.",
    references: &[
        "https://developer.android.com/topic/performance/vitals/bg-wifi: Play counts more than 4 background scans an hour as bad",
        "https://developer.android.com/develop/connectivity/wifi/wifi-scan",
    ],
    thresholds: &left_on::thresholds(60.0),
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    left_on::find(
        look,
        &Device {
            rule: &RULE,
            noun: "Wi-Fi scanning",
            state: StateKind::WifiScan,
            component: Some(Component::Wifi),
            is_counted: |quantity| {
                matches!(quantity, Quantity::WifiScan | Quantity::WifiBatchScan(_))
            },
            in_background: FindingSeverity::Warning,
            without: "word of Wi-Fi scans: no state of them and no total",
        },
    )
}
