//! Components other than the CPU's curves: how totals and states become power tracks.

use proptest::prelude::*;
use wattle_power::{
    Component, DeviceModel, PowerEstimate, PowerOptions, PowerProfile, Scope, component_charges,
    estimate,
};
use wattle_timeline::{
    CounterScope, Direction, NetworkPacket, Quantity, RawScope, StateKind, Timeline,
    TimelineBuilder, Uid, Usage, Window,
};
use wattle_units::{BootNanos, Joules, Provenance, Volts};

const A: Uid = Uid(10_001);
const B: Uid = Uid(10_002);
/// Battery volts in these tests.
const VOLTS: f64 = 4.0;

fn seconds(value: f64) -> BootNanos {
    BootNanos::new((value * 1e9).round() as i64)
}

fn window(from: f64, until: f64) -> Window {
    Window::new(seconds(from), seconds(until))
}

fn profile(items: &str) -> PowerOptions {
    let text = format!("<device name=\"test\">{items}</device>");
    let mut options = PowerOptions::default();
    options.profiles.push(PowerProfile::parse("test", &text).unwrap());
    options.voltage = Some(Volts::new(VOLTS));
    options
}

fn items(of: &[(&str, f64)]) -> String {
    let items = of.iter().map(|(name, value)| format!("<item name=\"{name}\">{value}</item>"));
    items.collect::<Vec<_>>().concat()
}

fn usage(quantity: Quantity, uid: Option<Uid>, window: Window, value: f64) -> Usage {
    Usage { quantity, uid, tag: None, window, value }
}

/// A state with its changes.
type State<'a> = (StateKind, Option<Uid>, &'a [(f64, u32)]);

fn timeline(length: f64, totals: &[Usage], states: &[State<'_>]) -> Timeline {
    let mut builder = TimelineBuilder::default();
    builder.extend_to(seconds(0.0));
    builder.extend_to(seconds(length));
    for total in totals {
        builder.system().usage(*total);
    }
    for (kind, uid, changes) in states {
        let scope = uid.map_or(CounterScope::Global, CounterScope::Uid);
        for (time, level) in *changes {
            builder.system().state(*kind, scope, None, seconds(*time), *level);
        }
    }
    builder.finish()
}

/// Millijoules of one account in a stretch.
fn energy(
    found: &PowerEstimate,
    component: &Component,
    scope: &Scope,
    from: f64,
    until: f64,
) -> f64 {
    let tracks = found.tracks.iter().filter(|t| t.component == *component && t.scope == *scope);
    tracks.map(|track| track.energy(window(from, until)).millijoules()).sum()
}

/// Account, from, until, millijoules.
type Expected<'a> = (Scope, f64, f64, f64);

#[track_caller]
fn check(
    timeline: &Timeline,
    options: &PowerOptions,
    component: &Component,
    expected: &[Expected<'_>],
) -> PowerEstimate
where
{
    let found = estimate(timeline, options).unwrap();
    for (scope, from, until, expected) in expected {
        let found = energy(&found, component, scope, *from, *until);
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
            "{component} of {scope:?} from {from} to {until} s: {found} mJ, not {expected}"
        );
    }
    found
}

fn has_note(found: &PowerEstimate, code: &str) -> bool {
    found.notes.iter().any(|note| note.code == code)
}

#[test]
fn totals_are_spread_by_the_states_that_are_known() {
    let options = profile(&items(&[("audio", 50.0)]));
    let total = usage(Quantity::Audio, Some(A), window(0.0, 10.0), 4.0);
    // 50 mA for 4 s at 4 V: 800 mJ, evenly over 10 s.
    let even = timeline(10.0, &[total], &[]);
    let found = check(
        &even,
        &options,
        &Component::Audio,
        &[(Scope::App(A), 0.0, 10.0, 800.0), (Scope::App(A), 0.0, 5.0, 400.0)],
    );
    assert!(has_note(&found, "components-by-totals"));
    // While it played; what is not known before the first word weighs as the mean of the rest (half).
    let states: [State<'_>; 1] = [(StateKind::Audio, Some(A), &[(0.0, 0), (2.0, 1), (4.0, 0)])];
    check(
        &timeline(10.0, &[total], &states),
        &options,
        &Component::Audio,
        &[
            (Scope::App(A), 0.0, 2.0, 0.0),
            (Scope::App(A), 2.0, 3.0, 400.0),
            (Scope::App(A), 2.0, 4.0, 800.0),
            (Scope::App(A), 4.0, 10.0, 0.0),
        ],
    );
    // The totals stand above the states: nothing is counted twice.
    let found = estimate(&timeline(10.0, &[total], &states), &options).unwrap();
    let all: Joules = found.tracks.iter().map(|t| t.energy(window(0.0, 10.0))).sum();
    assert!((all.millijoules() - 800.0).abs() < 1e-9, "{all}");
    // Outside of the stretch that the totals are of, states are all there is.
    let states: [State<'_>; 1] =
        [(StateKind::Audio, Some(A), &[(0.0, 0), (2.0, 1), (4.0, 0), (12.0, 1), (13.0, 0)])];
    check(
        &timeline(20.0, &[total], &states),
        &options,
        &Component::Audio,
        &[(Scope::App(A), 0.0, 10.0, 800.0), (Scope::App(A), 10.0, 20.0, 200.0)],
    );
}

#[test]
fn packets_are_on_the_air_for_all_of_the_time_at_most() {
    let options = profile(&items(&[("wifi.active", 100.0)]));
    let stretch = window(0.0, 10.0);
    let of = |packets: f64| {
        let received = usage(Quantity::WifiReceivedPackets, Some(A), stretch, packets);
        let sent = usage(Quantity::WifiSentPackets, Some(B), stretch, packets);
        timeline(10.0, &[received, sent], &[])
    };
    // 100 packets of 16.384 ms at 400 mW.
    let few = [(Scope::App(A), 0.0, 10.0, 655.36), (Scope::App(B), 0.0, 10.0, 655.36)];
    let found = check(&of(100.0), &options, &Component::Wifi, &few);
    assert!(!has_note(&found, "wifi-packets-limited"));
    // A million would take hours: each app's had half of the time.
    let many = [(Scope::App(A), 0.0, 10.0, 2000.0), (Scope::App(B), 0.0, 10.0, 2000.0)];
    let found = check(&of(1e6), &options, &Component::Wifi, &many);
    assert!(has_note(&found, "wifi-packets-limited"));
}

#[test]
fn the_panel_is_lit_by_its_class_of_brightness() {
    let options = profile(&items(&[("screen.on", 100.0), ("screen.full", 200.0)]));
    // 100 mA · 4 s + 200 mA · (0.9 · 2 s + 0.1 · 2 s), at 4 V: 3200 mJ.
    let totals = [
        usage(Quantity::Screen, None, window(0.0, 10.0), 4.0),
        usage(Quantity::ScreenClass(4), None, window(0.0, 10.0), 2.0),
        usage(Quantity::ScreenClass(0), None, window(0.0, 10.0), 2.0),
    ];
    let states: [State<'_>; 2] = [
        (StateKind::Screen, None, &[(0.0, 0), (1.0, 1), (5.0, 0)]),
        (StateKind::ScreenClass, None, &[(0.0, 4), (3.0, 0)]),
    ];
    let bright = (100.0 + 200.0 * 0.9) * VOLTS;
    let dark = (100.0 + 200.0 * 0.1) * VOLTS;
    let expected = [
        (Scope::Device, 0.0, 1.0, 0.0),
        (Scope::Device, 1.0, 3.0, 2.0 * bright),
        (Scope::Device, 3.0, 5.0, 2.0 * dark),
        (Scope::Device, 0.0, 10.0, 3200.0),
    ];
    check(&timeline(10.0, &totals, &states), &options, &Component::Display, &expected);
    // By the states alone it is the same.
    let found = check(&timeline(10.0, &[], &states), &options, &Component::Display, &expected);
    assert!(has_note(&found, "components-by-states"));
    // The app in front pays, while one is known.
    let states: [State<'_>; 4] = [
        states[0],
        states[1],
        (StateKind::TopApp, Some(A), &[(0.0, 1), (2.0, 0)]),
        (StateKind::TopApp, Some(B), &[(0.0, 0), (4.0, 1)]),
    ];
    check(
        &timeline(10.0, &[], &states),
        &options,
        &Component::Display,
        &[
            (Scope::App(A), 0.0, 10.0, bright),
            (Scope::Device, 0.0, 10.0, bright + dark),
            (Scope::App(B), 0.0, 10.0, dark),
        ],
    );
}

#[test]
fn the_panel_of_a_trace_is_known_by_its_counters() {
    let options =
        profile(&items(&[("screen.on", 100.0), ("screen.full", 200.0), ("ambient.on", 10.0)]));
    let mut builder = TimelineBuilder::default();
    builder.extend_to(seconds(10.0));
    for (name, samples) in [
        ("ScreenState", [(0.0, 2.0), (4.0, 3.0), (6.0, 1.0)]),
        ("ScreenBrightness", [(0.0, 0.5), (2.0, 1.0), (3.0, 0.0)]),
    ] {
        let name = builder.names.intern(name);
        let key = builder.system().counter_track(RawScope::Global, name);
        for (time, value) in samples {
            builder.system().counter(key, seconds(time), value);
        }
    }
    check(
        &builder.finish(),
        &options,
        &Component::Display,
        &[
            (Scope::Device, 0.0, 2.0, 200.0 * VOLTS * 2.0),
            (Scope::Device, 2.0, 3.0, 300.0 * VOLTS),
            (Scope::Device, 3.0, 4.0, 100.0 * VOLTS),
            (Scope::Device, 4.0, 6.0, 10.0 * VOLTS * 2.0),
            (Scope::Device, 6.0, 10.0, 0.0),
        ],
    );
}

#[test]
fn holders_pay_equally() {
    let options = profile(&items(&[("camera.avg", 600.0)]));
    let states: [State<'_>; 3] = [
        (StateKind::Camera, Some(A), &[(0.0, 1), (4.0, 0)]),
        (StateKind::Camera, Some(B), &[(2.0, 1), (6.0, 0)]),
        (StateKind::Camera, None, &[(0.0, 1), (8.0, 0)]),
    ];
    let watts = 600.0 * VOLTS;
    check(
        &timeline(10.0, &[], &states),
        &options,
        &Component::Camera,
        &[
            (Scope::App(A), 0.0, 10.0, 3.0 * watts),
            (Scope::App(B), 0.0, 10.0, 3.0 * watts),
            (Scope::Device, 6.0, 8.0, 2.0 * watts),
            (Scope::Device, 0.0, 6.0, 0.0),
        ],
    );
}

#[test]
fn awake_is_paid_by_those_who_hold_wakelocks() {
    let options = profile(&items(&[("cpu.suspend", 5.0), ("cpu.idle", 10.0)]));
    let model = "format = 'wattle-device-model/1'\nname = 'base'\nversion = 1\n\
        [[figure]]\nname = 'cpu.suspend'\nvalue = 5\nunit = 'mA'\nsource = 'test'\nprovenance = 'measured'\n\
        [[figure]]\nname = 'cpu.idle'\nvalue = 10\nunit = 'mA'\nsource = 'test'\nprovenance = 'measured'\n";
    let states: [State<'_>; 2] = [
        (StateKind::CpuRunning, None, &[(0.0, 1), (6.0, 0)]),
        (StateKind::Wakelock, Some(A), &[(0.0, 0), (2.0, 1), (5.0, 0)]),
    ];
    let recording = timeline(10.0, &[], &states);
    // A profile without a CPU has no such figures of its own.
    assert!(estimate(&recording, &options).unwrap().tracks.is_empty());
    let mut options = PowerOptions::default();
    options.voltage = Some(Volts::new(VOLTS));
    options.device_models.push(DeviceModel::parse("base", model).unwrap());
    check(
        &recording,
        &options,
        &Component::Cpu,
        &[
            (Scope::App(A), 0.0, 10.0, 3.0 * 10.0 * VOLTS),
            (Scope::Floor, 0.0, 10.0, (3.0 * 10.0 + 10.0 * 5.0) * VOLTS),
        ],
    );
}

fn packet(
    builder: &mut TimelineBuilder,
    time: f64,
    uid: Option<Uid>,
    direction: Direction,
    interface: &str,
) -> NetworkPacket {
    let interface = builder.names.intern(interface);
    let time = seconds(time);
    NetworkPacket { time, end: time, bytes: 1000, packets: 1, interface, direction, uid }
}

/// A packet keeps the radio active for 16.384 ms, then the tail is its user's.
#[test]
fn radios_have_tails() {
    let mut options = profile(&items(&[
        ("wifi.controller.idle", 40.0),
        ("wifi.controller.rx", 100.0),
        ("wifi.controller.tx", 400.0),
        ("modem.controller.rx", 200.0),
    ]));
    let mut builder = TimelineBuilder::default();
    let packets = [
        packet(&mut builder, 1.0, Some(A), Direction::Egress, "wlan0"),
        packet(&mut builder, 1.1, Some(B), Direction::Ingress, "wlan0"),
        packet(&mut builder, 3.0, None, Direction::Ingress, "rmnet_data1"),
    ];
    builder.extend_to(seconds(0.0));
    builder.extend_to(seconds(20.0));
    let mut recording = builder.finish();
    recording.hardware.packets = packets.to_vec();
    let air = 0.016_384;
    let wifi = [
        (Scope::App(A), 0.0, 20.0, 400.0 * VOLTS * air),
        (Scope::App(B), 0.0, 20.0, 100.0 * VOLTS * air),
        (Scope::Tail(A), 0.0, 20.0, 40.0 * VOLTS * (0.1 - air)),
        (Scope::Tail(B), 0.0, 20.0, 40.0 * VOLTS * 0.22),
    ];
    let found = check(&recording, &options, &Component::Wifi, &wifi);
    assert!(has_note(&found, "radio-tail-assumed"));
    let tail = 200.0 * VOLTS * (6.0 + 4.0 * 401.0 / 570.0);
    let cell = [
        (Scope::Device, 0.0, 3.0 + air, 200.0 * VOLTS * air),
        (Scope::Device, 3.0 + air, 20.0, tail),
    ];
    check(&recording, &options, &Component::Cellular, &cell);
    // The device's own tail, and energies of bytes and packets, take the place of what is assumed.
    let model = "format = 'wattle-device-model/1'\nname = 'radio'\nversion = 1\n".to_owned();
    let figure = |name: &str, value: &str, unit: &str| {
        format!(
            "[[figure]]\nname = '{name}'\nvalue = {value}\nunit = '{unit}'\nsource = 'test'\nprovenance = 'measured'\n"
        )
    };
    let model = model
        + &figure("wifi.base", "0", "mW")
        + &figure("wifi.tx.byte", "500", "nJ/B")
        + &figure("wifi.rx.packet", "300", "uJ")
        + &figure("wifi.tail", "[0.01, 0.02]", "s")
        + &figure("wifi.tail.power", "[100, 50]", "mW");
    options.device_models.push(DeviceModel::parse("radio", &model).unwrap());
    let wifi = [
        (Scope::App(A), 0.0, 20.0, 500e-6 * 1000.0),
        (Scope::App(B), 0.0, 20.0, 0.3),
        (Scope::Tail(A), 0.0, 20.0, 100.0 * 0.01 + 50.0 * 0.02),
    ];
    let found = check(&recording, &options, &Component::Wifi, &wifi);
    let assumed = found.notes.iter().filter(|note| note.code == "radio-tail-assumed");
    assert!(assumed.clone().all(|note| note.text.contains("cellular")));
}

#[test]
fn counters_of_bytes_are_traffic_too() {
    let options = profile(&items(&[("wifi.active", 100.0), ("wifi.on", 1.0)]));
    let mut builder = TimelineBuilder::default();
    builder.extend_to(seconds(10.0));
    let name = builder.names.intern("net.wlan0.rx_bytes");
    let key = builder.system().counter_track(RawScope::Global, name);
    for (time, value) in [(0.0, 500.0), (1.0, 500.0), (2.0, 500.0 + 10.0 * 2048.0), (3.0, 20_980.0)]
    {
        builder.system().counter(key, seconds(time), value);
    }
    // Ten packets of 16.384 ms right after the first of the two samples, then Orka's tail.
    let active = 100.0 * VOLTS * 0.163_84;
    check(
        &builder.finish(),
        &options,
        &Component::Wifi,
        &[
            (Scope::Device, 0.0, 1.0, 0.0),
            (Scope::Device, 1.0, 1.163_84, active),
            (Scope::Device, 1.163_84, 3.0, 100.0 * VOLTS * 0.22),
        ],
    );
}

#[test]
fn bytes_of_storage_have_a_price_only_if_the_model_says_it() {
    let mut builder = TimelineBuilder::default();
    builder.extend_to(seconds(10.0));
    let name = builder.names.intern("disk.sda.write_bytes");
    let key = builder.system().counter_track(RawScope::Global, name);
    for (time, value) in [(0.0, 0.0), (1.0, 0.0), (2.0, 4e6)] {
        builder.system().counter(key, seconds(time), value);
    }
    let recording = builder.finish();
    let mut options = profile(&items(&[("audio", 50.0)]));
    let found = estimate(&recording, &options).unwrap();
    assert!(found.tracks.is_empty(), "no figures, no row");
    let note = found.notes.iter().find(|n| n.code == "components-without-figures").unwrap();
    assert!(note.text.contains("storage.write.byte"), "{}", note.text);
    let model = "format = 'wattle-device-model/1'\nname = 'flash'\nversion = 1\n[[figure]]\n\
        name = 'storage.write.byte'\nvalue = 25\nunit = 'nJ/B'\nsource = 'test'\nprovenance = 'measured'\nerror = 0.2\n";
    options.device_models.push(DeviceModel::parse("flash", model).unwrap());
    let found = check(
        &recording,
        &options,
        &Component::Storage,
        &[(Scope::Device, 0.0, 1.0, 0.0), (Scope::Device, 1.0, 2.0, 100.0)],
    );
    let sizes: Vec<f64> = found.errors.groups.iter().map(|group| group.shared).collect();
    assert_eq!(sizes, [0.2], "the figure says how wrong it is");
}

/// Radios by their controller's voltage where the battery does not say its own, and the error by provenance.
#[test]
fn a_controller_has_its_own_voltage() {
    let mut options = profile(&items(&[
        ("bluetooth.controller.idle", 2.0),
        ("bluetooth.controller.rx", 6.0),
        ("bluetooth.controller.tx", 20.0),
        ("bluetooth.controller.voltage", 3700.0),
    ]));
    let total = usage(Quantity::BluetoothTransmit, None, window(0.0, 10.0), 1.0);
    let recording = timeline(10.0, &[total], &[]);
    let expected = [(Scope::Device, 0.0, 10.0, 20.0 * 3.7)];
    check(&recording, &options, &Component::Bluetooth, &expected);
    options.voltage = None;
    let found = check(&recording, &options, &Component::Bluetooth, &expected);
    let source = &found.errors.sources[0];
    assert_eq!(source.provenance, Provenance::Assumed);
    assert_eq!(found.errors.groups[0].shared, 0.5, "a profile's own figures");
}

#[test]
fn measured_consumers_are_measured() {
    let options = profile(&items(&[("camera.avg", 600.0)]));
    let mut builder = TimelineBuilder::default();
    let tag = Some(builder.names.intern("camera"));
    for (quantity, uid, tag, value) in [
        (Quantity::MeasuredCharge, None, tag, 1.0),
        (Quantity::Camera, Some(A), None, 1.0),
        (Quantity::Camera, Some(B), None, 3.0),
    ] {
        builder.system().usage(Usage { quantity, uid, tag, window: window(0.0, 10.0), value });
    }
    let joules = 3.6 * VOLTS * 1e3;
    let found = check(
        &builder.finish(),
        &options,
        &Component::Camera,
        &[(Scope::App(A), 0.0, 10.0, joules / 4.0), (Scope::App(B), 0.0, 10.0, joules * 0.75)],
    );
    let all = window(0.0, 10.0);
    let whole = found.errors.whole(found.tracks.iter().flat_map(|t| t.energies(all)));
    assert_eq!(whole.provenance, Provenance::Measured);
    let part = found.tracks.iter().filter(|t| t.scope == Scope::App(A));
    let totals = found.tracks.iter().flat_map(|t| t.energies(all)).collect();
    let part = found.errors.estimate(part.flat_map(|t| t.energies(all)), &totals);
    assert_eq!(part.provenance, Provenance::Modelled, "a share of it is modelled");
    assert!(part.interval.high > part.joules);
}

const KINDS: [(Quantity, &str, StateKind); 4] = [
    (Quantity::Audio, "audio", StateKind::Audio),
    (Quantity::Video, "video", StateKind::Video),
    (Quantity::Camera, "camera.avg", StateKind::Camera),
    (Quantity::Gnss, "gps.on", StateKind::Gnss),
];

proptest! {
    /// Whatever states say, tracks hold what the rules gave: Σ tracks = Σ charges × voltage, and no app gets
    /// another's.
    #[test]
    fn energy_of_totals_is_conserved(
        totals in prop::collection::vec((0..4_usize, 0..3_u32, 0.0..100.0_f64), 1..20),
        states in prop::collection::vec((0..4_usize, 0..3_u32, 0..100_u32, 0..2_u32), 0..60),
    ) {
        let all = window(0.0, 100.0);
        // Of every kind something is counted: of what is not, states have a word.
        let every = (0..KINDS.len()).map(|kind| (kind, 0, 1.0));
        let usages: Vec<Usage> = every
            .chain(totals)
            .map(|(kind, uid, value)| usage(KINDS[kind].0, Some(Uid(uid)), all, value))
            .collect();
        let mut recording = timeline(100.0, &usages, &[]);
        let mut builder = TimelineBuilder::default();
        for (kind, uid, time, level) in states {
            let scope = CounterScope::Uid(Uid(uid));
            builder.system().state(KINDS[kind].2, scope, None, seconds(f64::from(time)), level);
        }
        recording.system.states = builder.finish().system.states;
        let figures: Vec<_> = KINDS.iter().map(|(_, name, _)| (*name, 100.0)).collect();
        let options = profile(&items(&figures));
        let found = estimate(&recording, &options).unwrap();
        let charges = component_charges(&recording, &options.profiles[0].figures());
        for (component, uid) in charges.iter().map(|c| (&c.component, c.uid)) {
            let expected: f64 = charges
                .iter()
                .filter(|c| c.component == *component && c.uid == uid)
                .map(|c| c.charge.value() * VOLTS)
                .sum();
            let scope = uid.map_or(Scope::Device, Scope::App);
            let energy = energy(&found, component, &scope, 0.0, 100.0) * 1e-3;
            prop_assert!((energy - expected).abs() <= 1e-9 * expected.max(1e-9), "{energy} {expected}");
        }
        let sum: f64 = charges.iter().map(|c| c.charge.value() * VOLTS).sum();
        let tracks: f64 = found.tracks.iter().map(|t| t.energy(all).value()).sum();
        prop_assert!((sum - tracks).abs() <= 1e-9 * sum.max(1e-9));
    }

    /// At each instant the holders of a device draw its power together, each the same part.
    #[test]
    fn holders_split_equally_at_each_instant(
        changes in prop::collection::vec((0..4_u32, 0..50_u32, 0..2_u32), 1..60),
    ) {
        let mut builder = TimelineBuilder::default();
        builder.extend_to(seconds(50.0));
        for (uid, time, level) in &changes {
            let scope = CounterScope::Uid(Uid(*uid));
            builder.system().state(StateKind::Camera, scope, None, seconds(f64::from(*time)), *level);
        }
        let recording = builder.finish();
        let options = profile(&items(&[("camera.avg", 100.0)]));
        let found = estimate(&recording, &options).unwrap();
        for second in 0..50 {
            let at = seconds(f64::from(second) + 0.5);
            let holds = |uid: u32| {
                let mut tracks = recording.system.states.iter();
                let track = tracks.find(|t| t.scope == CounterScope::Uid(Uid(uid)));
                track.and_then(|t| t.level.at(at)).unwrap_or(0) > 0
            };
            let holders = (0..4).filter(|uid| holds(*uid)).count();
            for uid in 0..4 {
                let (from, until) = (f64::from(second), f64::from(second) + 1.0);
                let energy = energy(&found, &Component::Camera, &Scope::App(Uid(uid)), from, until);
                let expected = if holds(uid) { 100.0 * VOLTS / holders as f64 } else { 0.0 };
                prop_assert!((energy - expected).abs() < 1e-9, "{second} {uid}: {energy} {expected}");
            }
        }
    }
}
