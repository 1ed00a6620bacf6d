//! `camera-left-on`.

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind};

use super::left_on::{self, Device};
use super::look::Look;
use super::outcome::Outcome;
use crate::{FindingSeverity, Rule};

pub(super) const RULE: Rule = Rule {
    id: "camera-left-on",
    title: "The camera is on while nobody looks, or is never closed",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A QR scanner that opens the camera in `onResume` and closes it in `onDestroy` only.",
    counter_example: "A video call with the screen on.",
    looks_for: "Time with a camera open while the screen is off or the app not in front, and calls that open one (openCamera, Camera.open) that no call closes. In batterystats' history and totals, and in calls that probes record.",
    why: "An open camera draws hundreds of milliwatts for sensor, image processor and memory, even if no picture is taken.",
    remedy: "Close the camera in onPause or onStop, also on the paths of errors; with CameraX bind it to a lifecycle.",
    references: &[
        "https://developer.android.com/media/camera/camera2/camera-preview",
        "creedengo Android: Leakage: Camera Leak (https://github.com/green-code-initiative/creedengo-android)",
    ],
    thresholds: &left_on::thresholds(10.0),
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    left_on::find(
        look,
        &Device {
            rule: &RULE,
            noun: "the camera",
            state: StateKind::Camera,
            component: Some(Component::Camera),
            is_counted: |quantity| matches!(quantity, Quantity::Camera),
            in_background: FindingSeverity::Warning,
            without: "word of a camera: no state of it, no total, no call that opens one",
        },
    )
}
