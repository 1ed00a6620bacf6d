//! `wifi-lock-held`.

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind};

use super::left_on::{self, Device};
use super::look::Look;
use super::outcome::Outcome;
use crate::{FindingSeverity, Rule};

pub(super) const RULE: Rule = Rule {
    id: "wifi-lock-held",
    title: "Wi-Fi is held awake while nobody looks",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A WifiLock that is taken in `Application.onCreate` and never released.",
    counter_example: "A lock for the length of a video call.",
    looks_for: "Time with a full or low-latency Wi-Fi lock, or with multicast let through, while the screen is off or the app not in front. In batterystats' history and totals.",
    why: "With a lock the radio does not fall into power-save mode, or not as deep; with multicast every packet of the network wakes the device.",
    remedy: "Release the lock when the transfer or call ends; hold a multicast lock only while services are looked for.",
    references: &["https://developer.android.com/reference/android/net/wifi/WifiManager.WifiLock"],
    thresholds: &left_on::thresholds(600.0),
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    left_on::find(
        look,
        &Device {
            rule: &RULE,
            noun: "a Wi-Fi lock",
            state: StateKind::WifiLock,
            component: Some(Component::Wifi),
            is_counted: |quantity| matches!(quantity, Quantity::WifiMulticast),
            in_background: FindingSeverity::Warning,
            without: "word of Wi-Fi locks: no state of them and no total",
        },
    )
}
