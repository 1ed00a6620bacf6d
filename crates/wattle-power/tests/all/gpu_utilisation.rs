//! The GPU by its utilisation: integrals computed by hand, and what stands above it.

use wattle_power::{Component, DeviceModel, PowerEstimate, PowerOptions, estimate, library};
use wattle_timeline::{GpuWorkPeriod, RawScope, Timeline, TimelineBuilder, Uid, Window};
use wattle_units::{BootNanos, Hertz, Nanos, Provenance, Volts};

fn seconds(value: f64) -> BootNanos {
    BootNanos::new((value * 1e9).round() as i64)
}

fn model(text: &str) -> DeviceModel {
    let head = "format = 'wattle-device-model/1'\nname = 'test'\nversion = 1\n";
    DeviceModel::parse("test", &format!("{head}{text}")).unwrap()
}

fn figure(name: &str, value: &str, unit: &str) -> String {
    format!("[[figure]]\nname = '{name}'\nvalue = {value}\nunit = '{unit}'\n")
}

fn preset(name: &str) -> DeviceModel {
    library().iter().find(|model| model.name == name).unwrap().clone()
}

/// A recording of so many seconds with one counter.
fn counted(length: f64, name: &str, samples: &[(f64, f64)]) -> TimelineBuilder {
    let mut builder = TimelineBuilder::default();
    builder.extend_to(seconds(0.0));
    builder.extend_to(seconds(length));
    let name = builder.names.intern(name);
    let key = builder.system().counter_track(RawScope::Global, name);
    for (time, value) in samples {
        builder.system().counter(key, seconds(*time), *value);
    }
    builder
}

/// From, until, millijoules.
type Expected = (f64, f64, f64);

#[track_caller]
fn check(timeline: &Timeline, model: &DeviceModel, expected: &[Expected]) -> PowerEstimate {
    let mut options = PowerOptions::default();
    options.device_models.push(model.clone());
    options.voltage = Some(Volts::new(4.0));
    let found = estimate(timeline, &options).unwrap();
    for (from, until, expected) in expected {
        let window = Window::new(seconds(*from), seconds(*until));
        let tracks = found.tracks.iter().filter(|track| track.component == Component::Gpu);
        let energy: f64 = tracks.map(|track| track.energy(window).millijoules()).sum();
        assert!(
            (energy - expected).abs() <= 1e-9 * expected.abs().max(1.0),
            "from {from} to {until} s: {energy} mJ, not {expected}"
        );
    }
    found
}

fn has_note(found: &PowerEstimate, code: &str) -> bool {
    found.notes.iter().any(|note| note.code == code)
}

/// 0, 50, 100 and 100 % at 1, 3, 4 and 5 s.
const SAMPLES: [(f64, f64); 4] = [(1.0, 0.0), (3.0, 50.0), (4.0, 100.0), (5.0, 100.0)];

#[test]
fn power_is_integrated_by_trapezoids() {
    // 100, 600, 1100 and 1100 mW: 2 s of 350 on average, 1 s of 850, 1 s of 1100; nothing outside of the samples.
    let expected = [(0.0, 1.0, 0.0), (1.0, 3.0, 700.0), (3.0, 4.0, 850.0), (0.0, 9.0, 2650.0)];
    let timeline = counted(9.0, "gpu_util", &SAMPLES).finish();
    let of_power = figure("gpu.idle", "100", "mW") + &figure("gpu.active", "1100", "mW");
    let found = check(&timeline, &model(&of_power), &expected);
    assert!(has_note(&found, "gpu-by-utilisation"));
    // 25 and 275 mA at 4 V.
    let of_current = figure("gpu.idle", "25", "mA") + &figure("gpu.active", "275", "mA");
    check(&timeline, &model(&of_current), &expected);
    // A window cuts a trapezoid where its straight line is.
    let mut options = PowerOptions::default();
    options.device_models.push(model(&of_power));
    options.window = Some(Window::new(seconds(2.0), seconds(3.0)));
    let found = estimate(&timeline, &options).unwrap();
    let energy: f64 =
        found.tracks.iter().map(|t| t.energy(options.window.unwrap()).millijoules()).sum();
    assert!((energy - 475.0).abs() < 1e-9, "{energy}: from 350 to 600 mW");
}

#[test]
fn what_cannot_be_known_is_said() {
    let of_power = figure("gpu.idle", "100", "mW") + &figure("gpu.active", "1100", "mW");
    // 60 s without a sample: 1 s of 1100 mW on either side.
    let samples = [(0.0, 100.0), (1.0, 100.0), (61.0, 100.0), (62.0, 100.0)];
    let timeline = counted(62.0, "GPU Utilization", &samples).finish();
    let found = check(&timeline, &model(&of_power), &[(0.0, 62.0, 2200.0)]);
    assert!(has_note(&found, "gpu-utilisation-gaps"));
    let timeline = counted(2.0, "gpubusy", &[(0.0, 1e6), (1.0, 2e6)]).finish();
    let found = check(&timeline, &model(&of_power), &[(0.0, 2.0, 0.0)]);
    assert!(has_note(&found, "gpu-utilisation-unusable"));
    // Without figures there is no track at all, and the figures are named.
    let timeline = counted(9.0, "gpu_util", &SAMPLES).finish();
    let found = check(&timeline, &model(&figure("audio", "50", "mA")), &[(0.0, 9.0, 0.0)]);
    let note = found.notes.iter().find(|note| note.code == "components-without-figures").unwrap();
    assert!(note.text.contains("gpu (gpu.active, gpu.idle)"), "{}", note.text);
    assert!(found.tracks.is_empty());
}

/// Mali of Navitas at every level: each holds for a second, with a second between any two.
#[test]
fn the_preset_of_navitas_is_its_table() {
    let levels = || (0..=255_u32).map(f64::from);
    let samples: Vec<_> = levels().flat_map(|u| [(2.0 * u, u), (2.0 * u + 1.0, u)]).collect();
    let expected: Vec<_> = levels()
        .map(|u| {
            let milliwatts = match u {
                ..159.0 => 5.6 * u + 138.99,
                ..218.0 => 5.0 * u + 298.36,
                ..231.0 => 6.2 * u + 355.17,
                _ => 9.87 * u + 153.1,
            };
            (2.0 * u, 2.0 * u + 1.0, milliwatts)
        })
        .collect();
    let timeline = counted(511.0, "gpu.mali.utilisation", &samples).finish();
    let preset = preset("preset-navitas-mali");
    let found = check(&timeline, &preset, &expected);
    assert!(preset.is_preset() && preset.defects().is_empty(), "{:?}", preset.defects());
    let source = found.errors.sources.iter().find(|of| of.name == "gpu utilisation").unwrap();
    assert_eq!(source.provenance, Provenance::Assumed);
    // Nobody asked for it.
    let found = estimate(&timeline, &PowerOptions::default()).unwrap();
    assert!(found.tracks.is_empty());
}

const CURVE: &str = "[gpu]
    id = 0
    curve = [[200000, 400, 4, 0], [400000, 800, 8, 0]]
    [[figure]]
    name = 'audio'
    value = 50
    unit = 'mA'";

fn clocked(mut builder: TimelineBuilder) -> TimelineBuilder {
    builder.hardware().gpu_frequency(0, seconds(0.0), Hertz::from_kilohertz(200_000));
    builder.hardware().gpu_frequency(0, seconds(2.0), Hertz::from_kilohertz(400_000));
    builder
}

#[test]
fn a_curve_is_scaled_by_utilisation_at_each_clock() {
    let rising = [(0.0, 0.0), (4.0, 100.0)];
    let builder = clocked(counted(4.0, "gpu_busy_percentage", &rising));
    // 4 to 202 mW at 200 MHz, then 404 to 800 mW at 400 MHz.
    let expected = [(0.0, 2.0, 206.0), (2.0, 4.0, 1204.0)];
    check(&builder.finish(), &model(CURVE), &expected);
    // Before the clock is known nothing is claimed.
    let late = [(0.0, 100.0), (4.0, 100.0)];
    let mut builder = counted(4.0, "gpu_busy_percentage", &late);
    builder.hardware().gpu_frequency(0, seconds(3.0), Hertz::from_kilohertz(200_000));
    check(&builder.finish(), &model(CURVE), &[(0.0, 3.0, 0.0), (3.0, 4.0, 400.0)]);
    // Power states say more: the curve alone, and nothing twice.
    let mut builder = clocked(counted(4.0, "gpu_busy_percentage", &rising));
    builder.hardware().gpu_power_state(0, seconds(0.0), 2);
    let found = check(&builder.finish(), &model(CURVE), &[(0.0, 2.0, 800.0), (2.0, 4.0, 1600.0)]);
    assert!(!has_note(&found, "gpu-by-utilisation"));
    // A rail says most: its 3 J, whatever a model says.
    let mut builder = clocked(counted(4.0, "gpu_busy_percentage", &rising));
    let name = builder.names.intern("S2S_VDD_G3D");
    let key = builder.energy().rail(name, 0, None, 0);
    builder.energy().rail_sample(key, seconds(0.0), 0);
    builder.energy().rail_sample(key, seconds(4.0), 3_000_000);
    check(&builder.finish(), &model(CURVE), &[(0.0, 4.0, 3000.0)]);
}

#[test]
fn work_of_apps_stands_in_for_a_counter() {
    let work = |builder: &mut TimelineBuilder, uid, from, until, busy: f64| {
        let window = Window::new(seconds(from), seconds(until));
        let active = Nanos::new((busy * 1e9) as i64);
        builder.hardware().gpu_work(0, GpuWorkPeriod { window, uid: Uid(uid), active });
    };
    let mut builder = clocked(TimelineBuilder::default());
    builder.extend_to(seconds(6.0));
    work(&mut builder, 10_001, 0.0, 2.0, 0.5);
    work(&mut builder, 10_002, 1.0, 3.0, 0.5);
    work(&mut builder, 10_001, 4.0, 5.0, 1.0);
    // Busy 1/4, 1/2, 1/4, 0 and 1: 103 and 202 mW at 200 MHz, 206, 8 and 800 mW at 400 MHz.
    let expected = [
        (0.0, 1.0, 103.0),
        (1.0, 2.0, 202.0),
        (2.0, 3.0, 206.0),
        (3.0, 4.0, 8.0),
        (4.0, 5.0, 800.0),
        (5.0, 6.0, 0.0),
    ];
    check(&builder.finish(), &model(CURVE), &expected);
}

#[test]
fn points_that_cannot_be_used_are_defects() {
    let points = |scale: &str, power: &str, unit: &str| {
        let text = figure("gpu.utilisation", scale, "1") + &figure("gpu.power", power, unit);
        model(&text).defects().iter().any(|defect| defect.place == "figure gpu.utilisation")
    };
    assert!(!points("[0, 100]", "[1, 2]", "mW"));
    assert!(points("[0, 100]", "[1, 2, 3]", "mW"));
    assert!(points("[100, 0]", "[1, 2]", "mW"));
    assert!(points("[0, 100]", "[1, 2]", "s"));
    let alone = model(&figure("gpu.power", "[1, 2]", "mW"));
    assert!(alone.defects().iter().any(|defect| defect.place == "figure gpu.utilisation"));
}
