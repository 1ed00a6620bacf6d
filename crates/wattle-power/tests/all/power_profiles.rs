//! Real power profiles of all eras: every file of the real data is read, and its figures are those that an
//! independent XML reader (Python's ElementTree) gives. Expected values of AOSP's and PETrA's own unit tests
//! are marked.

use wattle_power::{
    DependsOn, FigureUnit, ModelChoice, PowerOptions, PowerProfile, Scope, estimate, library,
};
use wattle_testdata::requires;
use wattle_timeline::{CpuTimeline, IdleState, SchedSlice, Steps, ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Hertz, Provenance, Volts};

/// A cluster: cores, steps, first (kHz, mA), last (kHz, mA).
type Cluster = (Option<u32>, usize, (u64, f64), (u64, f64));

/// Suspend, awake and active in mA; clusters.
#[track_caller]
fn check(file: &str, base: [f64; 3], capacity: f64, clusters: &[Cluster]) {
    let bytes = wattle_testdata::bytes(&format!("power_profile/power_profile-{file}.xml"));
    let text = String::from_utf8(bytes).unwrap();
    let profile = PowerProfile::parse(file, &text).unwrap();
    assert_eq!(profile.placeholder, None, "{file}");
    assert_eq!(profile.items.get("battery.capacity"), Some(&capacity), "{file}");
    let cpu = profile.cpu.as_ref().unwrap();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{file}: {a} is not {b}");
    for (found, expected) in [cpu.suspend, cpu.awake, cpu.active].into_iter().zip(base) {
        near(found.milliamperes(), expected);
    }
    assert_eq!(cpu.clusters.len(), clusters.len(), "{file}");
    for (found, (cores, steps, first, last)) in cpu.clusters.iter().zip(clusters) {
        assert_eq!(found.cores, *cores, "{file}");
        assert_eq!((found.frequencies.len(), found.core.len()), (*steps, *steps), "{file}");
        for (at, (khz, milliamperes)) in [(0, first), (steps - 1, last)] {
            assert_eq!(found.frequencies[at].kilohertz(), *khz, "{file}");
            near(found.core[at].milliamperes(), *milliamperes);
        }
    }
}

#[requires(data)]
#[test]
fn api_26_and_later() {
    // AOSP's PowerProfileTest.
    check(
        "aosp-test-clusters",
        [5.0, 1.11, 2.55],
        3000.0,
        &[
            (Some(4), 3, (300_000, 10.0), (2_000_000, 30.0)),
            (Some(4), 4, (300_000, 25.0), (3_000_000, 60.0)),
        ],
    );
    let pixel6 = [
        (Some(4), 11, (300_000, 1.89), (1_803_000, 58.45)),
        (Some(2), 14, (400_000, 3.71), (2_253_000, 79.04)),
        (Some(2), 17, (500_000, 8.36), (2_802_000, 254.25)),
    ];
    check("pixel6-oriole", [10.0, 28.6, 12.37], 4614.0, &pixel6);
    check("pixel6a-bluejay", [10.0, 28.6, 12.37], 4410.0, &pixel6);
    check(
        "pixel7-panther",
        [13.3, 35.6, 8.2],
        4356.0,
        &[
            (Some(4), 11, (300_000, 4.71), (1_803_000, 60.01)),
            (Some(2), 15, (400_000, 8.03), (2_348_000, 81.0)),
            (Some(2), 18, (500_000, 13.16), (2_850_000, 202.77)),
        ],
    );
    check(
        "pixel3-blueline",
        [5.6, 5.2, 21.89],
        2915.0,
        &[
            (Some(4), 18, (300_000, 2.27), (1_766_400, 26.45)),
            (Some(4), 23, (825_600, 28.88), (2_649_600, 253.77)),
        ],
    );
    check(
        "pixel3a",
        [5.25, 5.25, 21.89],
        3000.0,
        &[
            (Some(6), 8, (300_000, 42.52), (1_708_800, 181.24)),
            (Some(2), 10, (300_000, 31.4), (1_996_800, 135.31)),
        ],
    );
    check(
        "mi9lite",
        [4.47, 8.93, 0.0],
        4030.0,
        &[
            (Some(6), 9, (300_000, 33.59), (1_708_800, 72.77)),
            (Some(2), 13, (300_000, 44.23), (2_208_000, 275.48)),
        ],
    );
    check(
        "mi9t-davinci",
        [4.48, 7.44, 0.0],
        4000.0,
        &[
            (Some(6), 10, (300_000, 120.09), (1_804_800, 285.67)),
            (Some(2), 13, (300_000, 199.52), (2_208_000, 1583.92)),
        ],
    );
    let klte = [(Some(4), 15, (2_457_600, 348.0), (300_000, 56.0))];
    check("galaxys5-klte", [3.1, 0.0, 0.0], 2800.0, &klte);
}

#[requires(data)]
#[test]
fn api_23_to_25() {
    check(
        "nexus5x-bullhead",
        [0.075, 4.397, 0.0],
        2700.0,
        &[
            (Some(4), 9, (384_000, 77.358), (1_440_000, 165.514)),
            (Some(2), 13, (384_000, 132.714), (1_824_000, 496.031)),
        ],
    );
    check(
        "oneplus3",
        [4.9, 8.0, 0.0],
        3000.0,
        &[
            (Some(2), 16, (307_200, 50.0), (1_593_600, 356.0)),
            (Some(2), 25, (307_200, 53.0), (2_150_400, 655.0)),
        ],
    );
    check(
        "petra-w_clusters",
        [4.3, 40.1, 0.0],
        2550.0,
        &[
            (Some(4), 12, (1_500_000, 102.0), (400_000, 48.0)),
            (Some(4), 13, (2_100_000, 484.0), (900_000, 82.0)),
        ],
    );
}

#[requires(data)]
#[test]
fn api_22_and_before() {
    let one = |steps, first, last| [(None, steps, first, last)];
    let honor = one(9, (480_000, 107.0), (2_304_000, 2266.0));
    check("honor8-frd-l09", [4.0, 43.0, 0.0], 3000.0, &honor);
    let nexus = one(8, (216_000, 100.0), (1_000_000, 148.0));
    check("nexus7-2012-grouper", [3.8, 54.6, 0.0], 3260.0, &nexus);
    let shield = one(19, (51_000, 4.0), (1_912_500, 689.0));
    check("shieldtv-foster", [0.0, 0.5, 0.0], 6750.0, &shield);
    let xperia = one(14, (300_000, 70.82), (2_150_400, 179.34));
    check("xperiaz1-honami", [2.94, 16.02, 0.0], 3000.0, &xperia);
}

/// PETrA's unit tests: core 3 is in cluster 0 and core 5 in cluster 1, which draw 98 mA at 1.4 GHz and
/// 362 mA at 1.896 GHz.
#[requires(data)]
#[test]
fn petra_finds_clusters_and_currents() {
    let bytes = wattle_testdata::bytes("power_profile/power_profile-petra-w_clusters.xml");
    let profile = PowerProfile::parse("petra", &String::from_utf8(bytes).unwrap()).unwrap();
    let model = profile.device_model(&Timeline::default()).unwrap();
    let milliamperes = |cpu: u32, khz: u64| {
        let policy = model.policy_of(wattle_timeline::CpuId(cpu)).unwrap();
        let power = model.policies[policy].power(Hertz::from_kilohertz(khz), DependsOn::default());
        (policy, (power.core[0].milliwatts() * 1e6).round() / 1e6)
    };
    assert_eq!(milliamperes(3, 1_400_000), (0, 98.0));
    assert_eq!(milliamperes(5, 1_896_000), (1, 362.0));
}

/// The newest names leave clocks to the device.
#[test]
fn policies_take_their_clocks_from_the_recording() {
    let text = r#"<device name="Android">
        <item name="cpu.suspend">5</item>
        <item name="cpu.idle">1</item>
        <item name="cpu.scaling_policy_power.policy0">2.11</item>
        <item name="cpu.scaling_policy_power.policy4">2.22</item>
        <array name="cpu.scaling_step_power.policy0"><value>10</value><value>20</value></array>
        <array name="cpu.scaling_step_power.policy4"><value>25</value><value>35</value></array>
    </device>"#;
    let profile = PowerProfile::parse("new", text).unwrap();
    assert_eq!(profile.device_model(&Timeline::default()), None, "no clocks, no model");
    let mut timeline = Timeline::default();
    let facts = |khz: [u64; 2]| wattle_timeline::CpuFacts {
        frequencies: khz.map(Hertz::from_kilohertz).to_vec(),
        ..Default::default()
    };
    timeline.cpus.resize_with(6, CpuTimeline::default);
    timeline.device.cpus = vec![facts([300_000, 900_000]); 4];
    timeline.device.cpus.extend(vec![facts([500_000, 2_000_000]); 2]);
    let model = profile.device_model(&timeline).unwrap();
    assert_eq!(model.unit, FigureUnit::Current);
    let cpus: Vec<usize> = model.policies.iter().map(|policy| policy.cpus.len()).collect();
    assert_eq!(cpus, [4, 2]);
    let power = model.policies[1].power(Hertz::from_kilohertz(1_250_000), DependsOn::default());
    assert!((power.core[0].milliwatts() - 30.0).abs() < 1e-9, "half way between 25 and 35");
    assert!((power.shared.milliwatts() - 2.22).abs() < 1e-9);
}

/// The recorded device's own profile is better than another phone's, and worse than measured curves of its SoC.
#[test]
fn the_recorded_devices_own_profile_is_taken_after_curves_and_before_strangers() {
    let text = r#"<device name="Android">
        <item name="cpu.idle">1</item>
        <array name="cpu.clusters.cores"><value>4</value></array>
        <array name="cpu.core_speeds.cluster0"><value>300000</value><value>900000</value></array>
        <array name="cpu.core_power.cluster0"><value>10</value><value>20</value></array>
    </device>"#;
    let check = |soc: Option<&str>, own: bool, kind: &str, chosen: &str| {
        let window = Window::new(BootNanos::new(0), BootNanos::new(1_000_000_000));
        let mut timeline = Timeline { window, ..Timeline::default() };
        timeline.device.soc = soc.map(str::to_owned);
        for _ in 0..4 {
            let mut cpu = CpuTimeline { idle: always(IdleState(-1)), ..CpuTimeline::default() };
            cpu.frequency = always(Hertz::from_kilohertz(300_000));
            cpu.sched.push(SchedSlice { window, thread: ThreadId(0), end_state: None });
            timeline.cpus.push(cpu);
        }
        let mut options = PowerOptions::default();
        options.recorded_profile = own.then(|| PowerProfile::parse("own", text).unwrap());
        let model = estimate(&timeline, &options).unwrap().model.unwrap();
        assert_eq!((model.kind.as_str(), model.chosen.as_str()), (kind, chosen), "{soc:?} {own}");
    };
    check(None, false, "curves", "its CPUs (at least 4), the most similar in the library");
    check(None, true, "profile", "the recorded device's own");
    check(Some("Tensor"), true, "curves", "SoC \"Tensor\" of the recording");
}

#[test]
fn placeholders_are_told() {
    let text = r#"<device name="Android">
        <item name="screen.on">0.1</item><item name="wifi.on">0.1</item>
        <item name="gps.on">0.1</item><item name="cpu.idle">0.1</item>
        <array name="cpu.clusters.cores"><value>1</value></array>
        <array name="cpu.core_speeds.cluster0"><value>400000</value></array>
        <array name="cpu.core_power.cluster0"><value>0.1</value></array>
        <item name="battery.capacity">1000</item>
    </device>"#;
    let profile = PowerProfile::parse("default", text).unwrap();
    assert!(profile.placeholder.unwrap().contains("0.1 mA"));
}

fn always<T: Copy + PartialEq>(value: T) -> Steps<T> {
    [(BootNanos::new(0), value)].into_iter().collect()
}

/// The additive model on a Pixel 3, by hand: one little core at 300 MHz for a second.
/// Base 5.6 + 5.2 + 21.89, cluster 1.30, core 2.27 mA, at 4 V.
#[test]
fn currents_add_and_become_watts() {
    let second = BootNanos::new(1_000_000_000);
    let window = Window::new(BootNanos::new(0), second);
    let mut timeline = Timeline { window, ..Timeline::default() };
    timeline.device.codename = Some("blueline".to_owned());
    for cpu in 0..8 {
        let idle = IdleState(if cpu == 0 { -1 } else { 2 });
        let mut cpu = CpuTimeline { idle: always(idle), ..CpuTimeline::default() };
        cpu.frequency = always(Hertz::from_kilohertz(300_000));
        let slice = SchedSlice { window, thread: ThreadId(0), end_state: None };
        cpu.sched.push(slice);
        timeline.cpus.push(cpu);
    }
    let mut options = PowerOptions::default();
    options.voltage = Some(Volts::new(4.0));
    // Its SoC has curves, which come before profiles.
    options.model = ModelChoice::Profile;
    let found = estimate(&timeline, &options).unwrap();
    let mut by_scope: Vec<(String, f64)> = found
        .tracks
        .iter()
        .map(|track| (format!("{:?}", track.scope), track.energy(window).millijoules()))
        .filter(|(_, energy)| *energy > 0.0)
        .collect();
    by_scope.sort_by(|a, b| a.1.total_cmp(&b.1));
    let energies: Vec<f64> = by_scope.iter().map(|(_, e)| (e * 1e6).round() / 1e6).collect();
    assert_eq!(energies, [1.30 * 4.0, 2.27 * 4.0, (5.6 + 5.2 + 21.89) * 4.0]);
    assert_eq!(by_scope[1].0, format!("{:?}", Scope::Core(wattle_timeline::CpuId(0))));
    assert_eq!(found.model.unwrap().kind, "profile");

    // Without any voltage 3.85 V are assumed, and said.
    options.voltage = None;
    let found = estimate(&timeline, &options).unwrap();
    assert!(found.notes.iter().any(|note| note.code == "voltage-assumed"));
    let total: f64 = found.tracks.iter().map(|track| track.energy(window).millijoules()).sum();
    assert!((total - (5.6 + 5.2 + 21.89 + 1.30 + 2.27) * 3.85).abs() < 1e-9);
    let sources = &found.errors.sources;
    assert!(sources.iter().all(|source| source.provenance == Provenance::Assumed));

    // Suspended: what the profile says of suspend, and nothing else.
    timeline.suspend.suspended = always(true);
    let found = estimate(&timeline, &options).unwrap();
    let drawing = found.tracks.iter().filter(|t| t.energy(window).value() > 0.0);
    let drawing: Vec<_> = drawing.map(|t| (t.scope.clone(), t.energy(window))).collect();
    assert_eq!(drawing.len(), 1);
    assert_eq!(drawing[0].0, Scope::Suspended);
    assert!((drawing[0].1.millijoules() - 5.6 * 3.85).abs() < 1e-9);
}

/// The library's profiles are the figures of the files they name.
#[requires(data)]
#[test]
fn library_profiles_are_the_files_figures() {
    for (file, device) in [
        ("pixel6-oriole", "oriole"),
        ("pixel6a-bluejay", "bluejay"),
        ("pixel7-panther", "panther"),
        ("pixel3-blueline", "blueline"),
        ("nexus5x-bullhead", "bullhead"),
        ("oneplus3", "oneplus3"),
        ("mi9t-davinci", "davinci"),
        ("galaxys5-klte", "klte"),
    ] {
        let path = format!("power_profile/power_profile-{file}.xml");
        let bytes = wattle_testdata::bytes(&path);
        let profile = PowerProfile::parse(file, &String::from_utf8(bytes).unwrap()).unwrap();
        let of_file = profile.device_model(&Timeline::default()).unwrap();
        let of_library = library()
            .iter()
            .find(|model| {
                model.unit == FigureUnit::Current
                    && model.matching.devices.iter().any(|d| d == device)
            })
            .unwrap();
        assert_eq!(of_library.policies, of_file.policies, "{file}");
        assert_eq!(of_library.base, of_file.base, "{file}");
        assert!(!of_library.source.is_empty() && of_library.licence == "Apache-2.0");
    }
}

/// Figures of other components under one set of names, as ElementTree reads the files. A name with a number is a level.
#[track_caller]
fn check_figures(file: &str, count: usize, expected: &[(&str, usize, f64)], dummies: &[&str]) {
    let bytes = wattle_testdata::bytes(&format!("power_profile/power_profile-{file}.xml"));
    let profile = PowerProfile::parse(file, &String::from_utf8(bytes).unwrap()).unwrap();
    let figures = profile.figures();
    for (name, level, value) in expected {
        let found = figures.get(name).map(|figure| figure.values[*level]);
        assert_eq!(found, Some(*value), "{file}: {name}");
    }
    let parts: Vec<&str> = profile.placeholders().iter().map(|found| found.part).collect();
    assert_eq!(parts, dummies, "{file}");
    assert_eq!(
        figures.len(),
        count,
        "{file}: {:?}",
        figures.iter().map(|f| f.0).collect::<Vec<_>>()
    );
}

#[requires(data)]
#[test]
fn figures_of_all_eras_have_one_set_of_names() {
    check_figures(
        "pixel6-oriole",
        23,
        &[
            ("screen.on.display0", 0, 98.0),
            ("screen.full.display0", 0, 470.0),
            ("ambient.on.display0", 0, 32.0),
            ("modem.controller.tx", 4, 668.0),
            ("modem.controller.voltage", 0, 3.7),
            ("bluetooth.controller.voltage", 0, 3.85),
            ("gps.signalqualitybased", 1, 21.3),
            ("battery.capacity", 0, 4614.0),
        ],
        &[],
    );
    check_figures("pixel3-blueline", 23, &[("bluetooth.controller.idle", 0, 0.01)], &[]);
    check_figures("pixel6a-bluejay", 23, &[("modem.controller.idle", 0, 156.0)], &[]);
    check_figures("pixel7-panther", 23, &[("modem.controller.sleep", 0, 2.5)], &[]);
    check_figures(
        "nexus5x-bullhead",
        16,
        &[("audio", 0, 34.523), ("radio.on", 3, 10.966_472_465_532_9), ("video", 0, 187.86)],
        &[],
    );
    check_figures("honor8-frd-l09", 15, &[("wifi.scan", 0, 146.0), ("radio.on", 0, 13.0)], &[]);
    // Zeros throughout say nothing: the Wi-Fi and modem controllers of this one, and its GPS by quality.
    check_figures(
        "mi9lite",
        16,
        &[("wifi.active", 0, 231.39), ("gps.on", 0, 110.12), ("audio", 0, 15.08)],
        &["memory", "batched scans"],
    );
    check_figures("mi9t-davinci", 16, &[("audio", 0, 20.71), ("video", 0, 40.63)], &[]);
    // Copied from AOSP's default and never measured, beside figures that were.
    check_figures(
        "xperiaz1-honami",
        11,
        &[("wifi.active", 0, 25.88), ("gps.on", 0, 42.12)],
        &["wifi", "bluetooth", "audio", "video"],
    );
    for file in ["galaxys5-klte", "oneplus3", "petra-w_clusters"] {
        let count = match file {
            "oneplus3" => 16,
            "petra-w_clusters" => 15,
            _ => 14,
        };
        check_figures(file, count, &[], &["batched scans"]);
    }
    for (file, count) in [
        ("nexus7-2012-grouper", 14),
        ("shieldtv-foster", 14),
        ("pixel3a", 21),
        ("aosp-test-clusters", 16),
    ] {
        check_figures(file, count, &[], &[]);
    }
}

#[test]
fn a_profile_that_nobody_touched_is_not_used() {
    let check = |text: &str, because: &str| {
        let profile = PowerProfile::parse("default", text).unwrap();
        let why = profile.placeholder.unwrap();
        assert!(why.contains(because), "{why:?} does not say {because:?}");
    };
    let clusters = |speeds: &str, powers: &str| {
        format!(
            "<device name=\"Android\"><array name=\"cpu.clusters.cores\"><value>1</value></array>\
             <array name=\"cpu.core_speeds.cluster0\">{speeds}</array>\
             <array name=\"cpu.core_power.cluster0\">{powers}</array></device>"
        )
    };
    let value = |value: f64| format!("<value>{value}</value>");
    check(&clusters(&value(400_000.0), &value(100.0)), "400 MHz");
    let speeds = [300_000.0, 600_000.0, 900_000.0].map(value).concat();
    check(&clusters(&speeds, &[100.0; 3].map(value).concat()), "every CPU current is 100 mA");
}

/// Checks that a profile's other figures are still used if it has no CPU and none is modelled.
#[test]
fn a_profile_without_a_cpu_still_has_figures() {
    let text = r#"<device name="x"><item name="battery.capacity">3000</item></device>"#;
    let profile = PowerProfile::parse("x", text).unwrap();
    assert_eq!(profile.cpu, None);
    assert_eq!(profile.figures().value("battery.capacity"), Some(3000.0));
}

/// The file on a device: whose profile it is said to be, if anybody else's.
#[track_caller]
fn check_copied(file: &str, edit: &[(&str, &str)], device: Option<&str>, expected: Option<&str>) {
    let bytes = wattle_testdata::bytes(&format!("power_profile/power_profile-{file}.xml"));
    let mut text = String::from_utf8(bytes).unwrap();
    for (from, to) in edit {
        assert!(text.contains(from), "{file} has no {from}");
        text = text.replace(from, to);
    }
    let mut timeline = Timeline::default();
    timeline.device.codename = device.map(str::to_owned);
    timeline.cpus = vec![CpuTimeline::default(); 4];
    let mut options = PowerOptions::default();
    options.recorded_profile = Some(PowerProfile::parse(file, &text).unwrap());
    let found = estimate(&timeline, &options).unwrap();
    let note = found.notes.iter().find(|note| note.code == "profile-copied");
    let names = |name: &str| note.is_some_and(|note| note.text.contains(&format!("{name:?}")));
    assert!(
        expected.map_or(note.is_none(), names),
        "{file} on {device:?}: {note:?}, not {expected:?}"
    );
}

/// No two of the real profiles are alike: ElementTree finds equal CPU arrays in those of Pixel 6 and 6a only, and of
/// their other figures 23 of 29 equal.
#[requires(data)]
#[test]
fn a_profile_of_another_phone_is_told() {
    for (file, device, name) in [
        ("pixel6-oriole", "oriole", "Pixel 6 power profile"),
        ("pixel6a-bluejay", "bluejay", "Pixel 6a power profile"),
        ("pixel7-panther", "panther", "Pixel 7 power profile"),
        ("pixel3-blueline", "blueline", "Pixel 3 power profile"),
        ("nexus5x-bullhead", "bullhead", "Nexus 5X power profile"),
        ("oneplus3", "OnePlus3T", "OnePlus 3 power profile"),
        ("mi9t-davinci", "davinci", "Mi 9T power profile"),
        ("galaxys5-klte", "klte", "Galaxy S5 power profile"),
    ] {
        check_copied(file, &[], Some(device), None);
        check_copied(file, &[], Some("another"), Some(name));
        check_copied(file, &[], None, None);
    }
    for file in ["honor8-frd-l09", "mi9lite", "petra-w_clusters", "aosp-test-clusters"] {
        check_copied(file, &[], Some("another"), None);
    }
    // One SoC, one family.
    check_copied("pixel6-oriole", &[], Some("raven"), None);
    check_copied("pixel6-oriole", &[], Some("bluejay"), None);
    // Another battery is no other profile; another CPU is.
    let battery = [(">4614<", ">5003<")];
    check_copied("pixel6-oriole", &battery, Some("another"), Some("Pixel 6 power profile"));
    check_copied("pixel6-oriole", &[(">254.25<", ">254.26<")], Some("another"), None);
}
