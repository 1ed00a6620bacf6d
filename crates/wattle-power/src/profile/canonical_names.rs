//! The names of power profiles over the years, brought to one.
//!
//! Source of the names: AOSP `PowerProfile.java` of API 3 to 34 and the profiles that makers ship.

use crate::Measure;

/// A name that stands for another: as written, as [`crate::Figures`] has it.
pub(super) const ALIASES: [(&str, &str); 12] = [
    // Displays got numbers with Android 12.
    ("screen.on", "screen.on.display0"),
    ("screen.full", "screen.full.display0"),
    ("ambient.on", "ambient.on.display0"),
    // "dsp" was dropped with Android 9.
    ("dsp.audio", "audio"),
    ("dsp.video", "video"),
    // The modem's own element of Android 13 has shorter names.
    ("modem.sleep", "modem.controller.sleep"),
    ("modem.idle", "modem.controller.idle"),
    ("modem.active.rx", "modem.controller.rx"),
    ("modem.active.tx", "modem.controller.tx"),
    // Slips of makers.
    ("wifi.controller.operating_voltage", "wifi.controller.voltage"),
    ("bluetooth.controller.operating_voltage", "bluetooth.controller.voltage"),
    ("camera.flash", "camera.flashlight"),
];

/// The name under which a figure is kept.
pub(super) fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(written, _)| *written == name).map_or(name, |(_, kept)| kept)
}

/// Returns the measure of a figure of this name, and the factor for its written number: voltages are written in
/// millivolts. `None` for what is no figure of a component: the CPU's tables and counts.
pub(super) fn measure(name: &str) -> Option<(Measure, f64)> {
    if name == "none" || name.starts_with("cpu.") {
        return None;
    }
    if name == "battery.capacity" {
        return Some((Measure::MilliampereHours, 1.0));
    }
    if name.ends_with(".voltage") {
        return Some((Measure::Volts, 1e-3));
    }
    Some((Measure::Milliamperes, 1.0))
}

/// Figures of which AOSP writes 0 where nobody measured them: a group that is 0 throughout says nothing.
pub(super) const GROUPS: [&[&str]; 4] = [
    &["wifi.controller.idle", "wifi.controller.rx", "wifi.controller.tx"],
    &["bluetooth.controller.idle", "bluetooth.controller.rx", "bluetooth.controller.tx"],
    &[
        "modem.controller.sleep",
        "modem.controller.idle",
        "modem.controller.rx",
        "modem.controller.tx",
    ],
    &["gps.signalqualitybased"],
];
