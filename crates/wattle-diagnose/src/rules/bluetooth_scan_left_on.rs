//! `bluetooth-scan-left-on`.

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind};

use super::left_on::{self, Device};
use super::look::Look;
use super::outcome::Outcome;
use crate::{FindingSeverity, Rule};

pub(super) const RULE: Rule = Rule {
    id: "bluetooth-scan-left-on",
    title: "A Bluetooth scan runs while nobody looks, or is never stopped",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "`startScan` with SCAN_MODE_LOW_LATENCY and no `stopScan`, after the device was found.",
    counter_example: "A scan of ten seconds while the user pairs a device.",
    looks_for: "Time with a low-energy scan while the screen is off or the app not in front, and scans that are started and that no call stops. In batterystats' history and totals, and in calls that probes record.",
    why: "While it scans the controller listens, and each advertisement that it hears wakes the CPU.",
    remedy: "Stop the scan once the device is found, and after a time in any case; filter, use SCAN_MODE_LOW_POWER, batch results (setReportDelay), or scan with a PendingIntent and companion device pairing.",
    references: &[
        "https://developer.android.com/develop/connectivity/bluetooth/ble/find-ble-devices",
        "creedengo Android: Power: Bluetooth Low-Energy",
    ],
    thresholds: &left_on::thresholds(60.0),
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    left_on::find(
        look,
        &Device {
            rule: &RULE,
            noun: "a Bluetooth scan",
            state: StateKind::BluetoothScan,
            component: Some(Component::Bluetooth),
            is_counted: |quantity| matches!(quantity, Quantity::BluetoothScan),
            in_background: FindingSeverity::Warning,
            without: "word of Bluetooth scans: no state of them, no total, no call that starts one",
        },
    )
}
