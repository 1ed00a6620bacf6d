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
    assert!(by_steps.changed);
    let [rail] = &by_steps.rails[..] else { panic!("{:?}", by_steps.rails) };
    assert_eq!((rail.recordings, rail.periods, &rail.policies[..]), (2, 80, &[2][..]));
    let active = rail.numbers[0];
    assert!((active.value - 1.4).abs() < 0.02, "{active:?}");
    // The two are 0.14 apart (standard deviation); a tenth is expected, and counts as two recordings.
    assert!((0.09..0.16).contains(&active.between), "{active:?}");
    assert!(active.deviation > active.between);
    let floor = rail.numbers[3];
    assert!((floor.value - 11.0).abs() < 0.6, "{floor:?}");
    // Before: what the first recording said; of the first one, curves as they are.
    assert_eq!(active.before, once.rails[0].numbers[0].value);
    assert!((floor.before - once.rails[0].numbers[3].value * 1e3).abs() < 1e-9, "{floor:?}");
    let started = RailUpdate::new(&model(), std::slice::from_ref(&first)).unwrap();
    let before: Vec<f64> = started.rails[0].numbers.iter().map(|number| number.before).collect();
    assert_eq!(before, [1.0, 1.0, 1.0, 0.0, 0.0]);
    // Another recording of the same name replaces the one before.
    let again = RailUpdate::new(&once, &[first]).unwrap();
    assert_eq!(again.model.rails, once.rails);
    // What was written is read as the same.
    let read = DeviceModel::parse("read", &by_steps.model.to_toml()).unwrap();
    assert_eq!(read, by_steps.model);
}

/// Updates a model that learnt from `first` and `second`: whether it is another model then, the versions that it rises by, and the
/// names of its recordings.
#[track_caller]
fn check_news(told: &[RailCurve], changed: bool, versions: u32, names: &[&str]) {
    let known = [told_first(), told_second()];
    let known = RailUpdate::new(&model(), &known).unwrap().model;
    let found = RailUpdate::new(&known, told).unwrap();
    assert_eq!((found.changed, found.model.version - known.version), (changed, versions));
    assert_eq!(found.model == known, !changed);
    let recordings = &found.model.rails[0].recordings;
    let found: Vec<&str> = recordings.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(found, names);
}

fn told_first() -> RailCurve {
    told("BIG", "first", (1.5, 0.02), (0.012, 0.001))
}

fn told_second() -> RailCurve {
    told("BIG", "second", (1.3, 0.02), (0.010, 0.001))
}

#[test]
fn only_news_change_a_model() {
    let both = ["first", "second"];
    check_news(&[told_first()], false, 0, &both);
    check_news(&[told_second(), told_first(), told_first()], false, 0, &both);
    // A file of another name is the same recording, and figures stay what they are.
    let renamed = told("BIG", "renamed", (1.5, 0.02), (0.012, 0.001));
    check_news(&[renamed], true, 0, &["renamed", "second"]);
    let other = told("BIG", "first", (1.4, 0.02), (0.012, 0.001));
    check_news(&[other], true, 1, &["second", "first"]);
    // As a file, whose milliwatts may be read as the next number of watts.
    for nth in 0..200 {
        let floor = (1e-3 * f64::from(nth) + 0.012_345_67, 0.001_234_567);
        let curve = told("BIG", "first", (1.234_567, 0.021_234_5), floor);
        let learnt = RailUpdate::new(&model(), std::slice::from_ref(&curve)).unwrap().model;
        let read = DeviceModel::parse("read", &learnt.to_toml()).unwrap();
        let again = RailUpdate::new(&read, &[curve]).unwrap();
        assert!(!again.changed && again.model == read, "{floor:?}");
    }
    let third = told("BIG", "third", (1.4, 0.02), (0.012, 0.001));
    check_news(&[third], true, 1, &["first", "second", "third"]);
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
    check(&[one.clone(), other.clone()], "one device");
    let mut twice = one.clone();
    twice.rail = "CPU\n\u{1b}[31m".to_owned();
    // Names of traces and files stay on one line of a message.
    check(
        &[one.clone(), twice],
        r#"rail "BIG", which the model already has, for these cores, found rail "CPU\n\u{1b}[31m""#,
    );
    other.recording.device = "blue\njay".to_owned();
    check(&[one, other], r#""second" of "blue\njay""#);
    check(&[], "at least 8 periods");
}
