//! A `power_profile.xml` that fits the phone, with the keys of AOSP's `PowerProfile.java`.

use std::fmt::Write as _;

use wattle_sim::{Device, PhoneSpec};
use wattle_units::Watts;

/// The voltage at which the currents are meant, as Wattle assumes it where nothing is said.
const VOLTS: f64 = 3.85;

fn milliamperes(power: Watts) -> f64 {
    power.value() / VOLTS * 1000.0
}

/// The profile as text.
pub(super) fn profile(spec: &PhoneSpec) -> String {
    let mut text =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<device name=\"Android\">\n".to_owned();
    let items = [
        ("cpu.suspend", 5.0),
        ("cpu.idle", 4.2),
        ("cpu.active", 11.0),
        ("screen.on.display0", milliamperes(Device::Display.idle_power())),
        ("screen.full.display0", milliamperes(Device::FULL_SCREEN)),
        ("ambient.on.display0", 32.0),
        ("wifi.on", 1.4),
        ("wifi.active", 124.0),
        ("wifi.scan", 76.0),
        ("wifi.controller.idle", 2.1),
        ("wifi.controller.rx", 103.0),
        ("wifi.controller.tx", 237.0),
        ("wifi.controller.voltage", 3700.0),
        ("bluetooth.on", 0.9),
        ("bluetooth.active", 23.0),
        ("gps.on", 61.0),
        ("camera.flashlight", 180.0),
        ("camera.avg", 580.0),
        ("audio", 38.0),
        ("video", 46.0),
        ("memory.bandwidths", 22.7),
        ("battery.capacity", 4600.0),
    ];
    for (name, value) in items {
        // A `String` takes everything.
        let _ =
            writeln!(text, "  <item name=\"{name}\">{}</item>", (value * 100.0).round() / 100.0);
    }
    let mut array = |name: &str, values: Vec<String>| {
        let _ = writeln!(text, "  <array name=\"{name}\">");
        for value in values {
            let _ = writeln!(text, "    <value>{value}</value>");
        }
        text.push_str("  </array>\n");
    };
    array(
        "cpu.clusters.cores",
        spec.clusters.iter().map(|cluster| cluster.cores.to_string()).collect(),
    );
    for (index, cluster) in spec.clusters.iter().enumerate() {
        let milliamperes = |watts: Watts| format!("{:.2}", milliamperes(watts));
        let shared = cluster.curve.first().map(|point| milliamperes(point.static_power));
        array(&format!("cpu.cluster_power.cluster{index}"), shared.into_iter().collect());
        let speeds = cluster.curve.iter().map(|point| point.frequency.kilohertz().to_string());
        array(&format!("cpu.core_speeds.cluster{index}"), speeds.collect());
        let powers = cluster.curve.iter().map(|point| milliamperes(point.active));
        array(&format!("cpu.core_power.cluster{index}"), powers.collect());
    }
    text + "</device>\n"
}
