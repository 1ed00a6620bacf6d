//! Curves that learn from rails of recordings.

use wattle_calibrate::{CalibrateError, RailUpdate};
use wattle_power::{DeviceModel, RailCurve, RailNumber, RailRecording};
use wattle_timeline::CpuId;

const MODEL: &str = "format = 'wattle-device-model/1'
    name = 'x'
    version = 3
    [[policy]]
    id = 0
    cpus = [0, 1]
    curve = [[1000, 0, 10, 0, 0]]
    [[policy]]
    id = 2
    cpus = [2]
    curve = [[1000, 0, 20, 0, 0]]";

fn model() -> DeviceModel {
    DeviceModel::parse("x", MODEL).unwrap()
}

/// Numbers of a rail: a slope while executing, and a floor in watts, with these deviations; nothing of the others.
fn told(rail: &str, recording: &str, active: (f64, f64), floor: (f64, f64)) -> RailCurve {
    let number = |(value, deviation)| RailNumber { value, deviation };
    let expected = [(1.0, 0.5), (1.0, 0.5), (1.0, 0.5), (0.0, 0.02), (0.0, 0.02)].map(number);
    let mut found = expected;
    found[0] = number(active);
    found[3] = number(floor);
    RailCurve {
        rail: rail.to_owned(),
        cpus: vec![CpuId(if rail == "BIG" { 2 } else { 1 })],
        recording: RailRecording {
            name: recording.to_owned(),
            device: "oriole".to_owned(),
            periods: 40,
            expected,
            found,
            correlations: [0.0; 10],
        },
    }
}

#[test]
fn a_model_learns_recording_by_recording() {
    let (first, second) = (
        told("BIG", "first", (1.5, 0.02), (0.012, 0.001)),
        told("BIG", "second", (1.3, 0.02), (0.010, 0.001)),
    );
    let once = RailUpdate::new(&model(), std::slice::from_ref(&first)).unwrap().model;
    let by_steps = RailUpdate::new(&once, std::slice::from_ref(&second)).unwrap();
    let at_once = RailUpdate::new(&model(), &[first.clone(), second]).unwrap();
    assert_eq!(by_steps.model.rails, at_once.model.rails);
    assert_eq!((once.version, by_steps.model.version), (4, 5));
    let [rail] = &by_steps.rails[..] else { panic!("{:?}", by_steps.rails) };
    assert_eq!((rail.recordings, rail.periods, &rail.policies[..]), (2, 80, &[2][..]));
    let active = rail.numbers[0];
    assert!((active.value - 1.4).abs() < 0.02, "{active:?}");
    // The two are 0.14 apart (standard deviation); a tenth is expected, and counts as two recordings.
    assert!((0.09..0.16).contains(&active.between), "{active:?}");
    assert!(active.deviation > active.between);
    let floor = rail.numbers[3];
    assert!((floor.value - 11.0).abs() < 0.6, "{floor:?}");
    // Another recording of the same name replaces the one before.
    let again = RailUpdate::new(&once, &[first]).unwrap();
    assert_eq!(again.model.rails, once.rails);
    // What was written is read as the same.
    let read = DeviceModel::parse("read", &by_steps.model.to_toml()).unwrap();
    assert_eq!(read, by_steps.model);
}

#[test]
fn the_newest_recordings_are_kept() {
    let told: Vec<RailCurve> = (0..60)
        .map(|nth| {
            let name = format!("run {nth}");
            told("BIG", &name, (1.2 + 1e-3 * f64::from(nth), 0.02), (0.01, 0.001))
        })
        .collect();
    let model = RailUpdate::new(&model(), &told).unwrap().model;
    let names: Vec<&str> = model.rails[0].recordings.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[49]), (50, "run 10", "run 59"));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let one = told("BIG", "first", (1.5, 0.02), (0.01, 0.001));
    let check = |told: &[RailCurve], part: &str| {
        let error = RailUpdate::new(&model(), told).unwrap_err();
        assert!(matches!(error, CalibrateError::Request { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    let mut other = told("BIG", "second", (1.5, 0.02), (0.01, 0.001));
    other.recording.device = "bluejay".to_owned();
    check(&[one.clone(), other], "one device");
    let mut twice = one.clone();
    twice.rail = "CPU".to_owned();
    check(&[one, twice], "rail BIG");
    check(&[], "read at least 8 times");
}
