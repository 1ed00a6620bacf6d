//! `flashlight-left-on`.

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind};

use super::left_on::{self, Device};
use super::look::Look;
use super::outcome::Outcome;
use crate::{FindingSeverity, Rule};

pub(super) const RULE: Rule = Rule {
    id: "flashlight-left-on",
    title: "The flashlight is on while nobody looks, or is never switched off",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A torch widget without a timeout, on in a pocket.",
    counter_example: "A torch that the user switches off after half a minute.",
    looks_for: "Time with the torch on while the screen is off or the app not in front. In batterystats' history and totals. Calls do not tell: one and the same call switches it on and off.",
    why: "The torch draws half a watt to a watt.",
    remedy: "Switch it off after a time without any input, and when the app goes away.",
    references: &[
        "https://developer.android.com/reference/android/hardware/camera2/CameraManager#setTorchMode(java.lang.String,%20boolean)",
    ],
    thresholds: &left_on::thresholds(60.0),
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    left_on::find(
        look,
        &Device {
            rule: &RULE,
            noun: "the flashlight",
            state: StateKind::Flashlight,
            component: Some(Component::Other("flashlight".to_owned())),
            is_counted: |quantity| matches!(quantity, Quantity::Flashlight),
            in_background: FindingSeverity::Warning,
            without: "word of a flashlight: no state of it and no total",
        },
    )
}
