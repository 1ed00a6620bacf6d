//! Presets: figures of older tools, used only where they are named, and then beside any other model.

use wattle_power::{
    DeviceModel, FigureUnit, PowerEstimate, PowerOptions, Scope, estimate, library,
};
use wattle_timeline::{Direction, NetworkPacket, Timeline, TimelineBuilder, Uid, Window};
use wattle_units::{BootNanos, Provenance, Volts};

const APP: Uid = Uid(10_001);
/// AOSP's time of a packet on the air.
const ON_AIR: f64 = 0.016_384;

fn seconds(value: f64) -> BootNanos {
    BootNanos::new((value * 1e9).round() as i64)
}

fn preset(name: &str) -> DeviceModel {
    library().iter().find(|model| model.name == name).unwrap().clone()
}

/// One packet sent after a second, of 30.
fn one_packet(interface: &str) -> Timeline {
    let mut builder = TimelineBuilder::default();
    builder.extend_to(seconds(0.0));
    builder.extend_to(seconds(30.0));
    let interface = builder.names.intern(interface);
    let time = seconds(1.0);
    let (direction, uid) = (Direction::Egress, Some(APP));
    builder.hardware().packet(NetworkPacket {
        time,
        end: time,
        bytes: 1000,
        packets: 1,
        interface,
        direction,
        uid,
    });
    builder.finish()
}

/// Millijoules of the packet and of its tail.
#[track_caller]
fn check(interface: &str, models: &[DeviceModel], expected: Option<(f64, f64)>) -> PowerEstimate {
    let mut options = PowerOptions::default();
    options.device_models = models.to_vec();
    options.voltage = Some(Volts::new(4.0));
    let found = estimate(&one_packet(interface), &options).unwrap();
    let of = |scope: Scope| -> f64 {
        let window = Window::new(seconds(0.0), seconds(30.0));
        let tracks = found.tracks.iter().filter(|track| track.scope == scope);
        tracks.map(|track| track.energy(window).millijoules()).sum()
    };
    let Some((packet, tail)) = expected else {
        assert!(found.tracks.is_empty(), "{:?}", found.tracks);
        return found;
    };
    for (energy, expected) in [(of(Scope::App(APP)), packet), (of(Scope::Tail(APP)), tail)] {
        assert!((energy - expected).abs() < 1e-9 * expected.max(1.0), "{energy} is not {expected}");
    }
    found
}

#[test]
fn presets_are_used_where_they_are_named() {
    let third_generation = preset("preset-powertutor-3g");
    let (wifi, tail) = (preset("preset-powertutor-wifi"), preset("preset-orka-wifi-tail"));
    let (dch, fach) = (570.0, 401.0);
    let cellular = Some((dch * ON_AIR, dch * 6.0 + fach * 4.0));
    let found = check("rmnet0", std::slice::from_ref(&third_generation), cellular);
    let source = found.errors.sources.iter().find(|of| of.name == "cellular traffic").unwrap();
    assert_eq!(source.provenance, Provenance::Assumed);
    check("wlan0", std::slice::from_ref(&wifi), Some((720.0 * ON_AIR, 0.0)));
    // Orka says how long; at which power, the device's own figures: 100 mA, and 10 mA listening, at 4 V.
    let own = "format = 'wattle-device-model/1'
        name = 'own'
        version = 1
        [match]
        devices = ['x']
        [[figure]]
        name = 'wifi.controller.rx'
        value = 100
        unit = 'mA'
        [[figure]]
        name = 'wifi.controller.tx'
        value = 100
        unit = 'mA'
        [[figure]]
        name = 'wifi.controller.idle'
        value = 10
        unit = 'mA'";
    let own = DeviceModel::parse("own", own).unwrap();
    let expected = Some((400.0 * ON_AIR, 40.0 * 0.22));
    for models in [[own.clone(), tail.clone()], [tail.clone(), own.clone()]] {
        let found = check("wlan0", &models, expected);
        assert!(found.notes.iter().all(|note| note.code != "radio-tail-assumed"));
    }
    // Two presets together.
    check("rmnet0", &[tail.clone(), third_generation.clone()], cellular);
    // What the user's own model says stands above presets.
    let mut longer = tail.clone();
    longer.matching.devices.push("x".to_owned());
    let mut figure = longer.figures.get("wifi.tail").unwrap().clone();
    figure.values = vec![1.0];
    longer.figures.insert("wifi.tail", figure);
    check("wlan0", &[wifi, tail, longer], Some((720.0 * ON_AIR, 720.0)));
    check("rmnet0", &[], None);
    check("wlan0", &[], None);
}

#[test]
fn presets_are_for_no_device_and_assumed() {
    let presets: Vec<_> =
        library().iter().filter(|model| model.name.starts_with("preset-")).collect();
    assert_eq!(presets.len(), 4);
    for model in presets {
        assert!(model.is_preset() && model.unit == FigureUnit::Power, "{}", model.name);
        assert!(!model.source.is_empty());
        for (name, figure) in model.figures.iter() {
            assert_eq!(figure.provenance, Provenance::Assumed, "{}: {name}", model.name);
            assert!(!figure.source.is_empty(), "{}: {name}", model.name);
        }
        // As it is written by `wattle model show --toml`.
        assert_eq!(&DeviceModel::parse("written", &model.to_toml()).unwrap(), model);
    }
    assert_eq!(library().iter().filter(|model| model.is_preset()).count(), 4);
}
