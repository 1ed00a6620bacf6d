//! Linear models over recordings whose energies can be said by hand.

use wattle_power::{
    Component, DeviceModel, ModelChoice, PowerEstimate, PowerOptions, Scope, estimate,
};
use wattle_timeline::{
    CounterScope, CounterTrack, CpuId, CpuTimeline, IdleState, Process, Rail, SchedSlice,
    StateKind, StateTrack, Steps, ThreadId, Timeline, Uid, Window,
};
use wattle_units::{BootNanos, Hertz};

const HEAD: &str = "format = 'wattle-device-model/1'\nname = 'linear'\nversion = 1\n[linear]\n";

fn model(text: &str) -> DeviceModel {
    DeviceModel::parse("linear", &format!("{HEAD}{text}")).unwrap()
}

fn term(parameter: &str, component: &str, coefficient: f64, unit: &str) -> String {
    format!(
        "[[linear.term]]\nparameter = '{parameter}'\ncomponent = '{component}'\ncoefficient = {coefficient}\n\
         unit = '{unit}'\n"
    )
}

fn at(milliseconds: i64) -> BootNanos {
    BootNanos::new(milliseconds * 1_000_000)
}

fn steps<T: Copy + PartialEq>(changes: &[(i64, T)]) -> Steps<T> {
    changes.iter().map(|(time, value)| (at(*time), *value)).collect()
}

/// Ten seconds of two cores: core 0 works for 4 s at 1 GHz and 2 s at 2 GHz, core 1 for 3 s at 0.5 GHz. The screen is on
/// for 6 s, one app's camera for 2 s, and another's at the same time for 1 s of them.
fn timeline() -> Timeline {
    let window = Window::new(at(0), at(10_000));
    let mut timeline = Timeline { window, ..Timeline::default() };
    let mut cpu = |khz: &[(i64, u64)], busy: &[(i64, bool)]| {
        let khz: Vec<_> = khz.iter().map(|(t, f)| (*t, Hertz::from_kilohertz(*f))).collect();
        let idle: Vec<_> =
            busy.iter().map(|(t, busy)| (*t, IdleState(if *busy { -1 } else { 1 }))).collect();
        let (frequency, idle) = (steps(&khz), steps(&idle));
        timeline.cpus.push(CpuTimeline { frequency, idle, ..CpuTimeline::default() });
    };
    cpu(&[(0, 1_000_000), (4000, 2_000_000)], &[(0, true), (6000, false)]);
    cpu(&[(0, 500_000)], &[(0, false), (2000, true), (5000, false)]);
    let state = |kind, scope, level: &[(i64, u32)]| StateTrack {
        kind,
        scope,
        tag: None,
        level: steps(level),
    };
    let camera =
        |uid, level: &[(i64, u32)]| state(StateKind::Camera, CounterScope::Uid(Uid(uid)), level);
    timeline.system.states = vec![
        state(StateKind::Screen, CounterScope::Global, &[(0, 0), (1000, 1), (7000, 2)]),
        state(StateKind::ScreenBrightness, CounterScope::Global, &[(0, 51), (5000, 102)]),
        camera(10_001, &[(0, 0), (2000, 1), (4000, 0)]),
        camera(10_002, &[(3000, 1), (4000, 0)]),
    ];
    let name = timeline.names.intern("net.wlan0.rx_bytes");
    timeline.system.counters.push(CounterTrack {
        name,
        scope: CounterScope::Global,
        time: vec![at(0), at(5000), at(10_000)],
        value: vec![100.0, 1_000_100.0, 1_000_100.0],
    });
    timeline
}

fn run(timeline: &Timeline, model: &DeviceModel) -> PowerEstimate {
    let mut options = PowerOptions::default();
    options.device_models.push(model.clone());
    estimate(timeline, &options).unwrap()
}

/// Energies in millijoules by component and scope.
#[track_caller]
fn check(terms: &str, expected: &[(&str, Scope, f64)]) {
    let timeline = timeline();
    let found = run(&timeline, &model(terms));
    assert_eq!(found.tracks.len(), expected.len(), "{:?}", found.tracks);
    for (track, (component, scope, millijoules)) in found.tracks.iter().zip(expected) {
        assert_eq!((track.component.name(), &track.scope), (*component, scope));
        let energy = track.energy(timeline.window).millijoules();
        assert!(
            (energy - millijoules).abs() < 1e-9 * millijoules.max(1.0),
            "{energy} {millijoules}"
        );
    }
    assert_eq!(found.model.unwrap().kind, "linear");
}

#[test]
fn every_parameter_is_power_times_time() {
    let core = |cpu| Scope::Core(CpuId(cpu));
    check(
        &term("cpu.busy", "cpu", 300.0, "mW/core"),
        &[("cpu", core(0), 1800.0), ("cpu", core(1), 900.0)],
    );
    check(
        &term("cpu.busy_ghz", "cpu", 100.0, "mW/GHz"),
        &[("cpu", core(0), 100.0 * (4.0 + 4.0)), ("cpu", core(1), 150.0)],
    );
    check(&term("cpu.policy1.busy", "cpu", 10.0, "mW/core"), &[("cpu", core(1), 30.0)]);
    let cores = Scope::Cores([CpuId(0)].into());
    check(&term("cpu.policy0.ghz", "cpu", 10.0, "mW/GHz"), &[("cpu", cores, 10.0 * (4.0 + 12.0))]);
    check(&term("screen.on", "display", 400.0, "mW"), &[("display", Scope::Device, 2400.0)]);
    // A fifth from 1 s to 5 s, two fifths from 5 s to 7 s.
    check(
        &term("screen.brightness", "display", 500.0, "mW"),
        &[("display", Scope::Device, 400.0 + 400.0)],
    );
    check(&term("state.screen.2", "display", 50.0, "mW"), &[("display", Scope::Device, 150.0)]);
    // A megabyte at 8 nJ a byte, all of it in the first half.
    check(&term("net.wlan0.rx_bytes", "wifi", 8.0, "nJ/B"), &[("wifi", Scope::Device, 8.0)]);
}

/// While both use the camera each has half of it.
#[test]
fn what_apps_use_together_is_shared() {
    let app = |uid| Scope::App(Uid(uid));
    check(
        &term("state.camera", "camera", 1000.0, "mW"),
        &[("camera", app(10_001), 1500.0), ("camera", app(10_002), 500.0)],
    );
}

#[test]
fn the_constant_is_the_floor() {
    let text = "[linear.intercept]\nvalue = 120\nunit = 'mW'\n";
    check(text, &[("baseline", Scope::Floor, 1200.0)]);
}

/// 90 % of what calibration left lies within ±82.24 mW of a mean of 500: a standard deviation of 50, a tenth.
#[test]
fn intervals_are_those_of_the_residuals() {
    let text = format!(
        "freedom = 10\nmean = 500\nresiduals = [[0.05, -82.24268], [0.95, 82.24268]]\n{}",
        term("cpu.busy", "cpu", 300.0, "mW/core")
    );
    let timeline = timeline();
    let found = run(&timeline, &model(&text));
    let energies = found.tracks.iter().flat_map(|track| track.energies(timeline.window));
    let cpu = found.errors.whole(energies);
    assert!((cpu.joules.millijoules() - 2700.0).abs() < 1e-9);
    // Student's t of ten degrees of freedom, two-sided 90 %: 1.8125 (any table).
    let expected = (1.8125_f64 * 0.1).exp();
    let high = cpu.interval.high / cpu.joules;
    assert!((high / expected - 1.0).abs() < 1e-3, "{high} {expected}");
}

#[track_caller]
fn says(found: &PowerEstimate, code: &str, words: &str) {
    let note = found.notes.iter().find(|note| note.code == code);
    let note = note.unwrap_or_else(|| panic!("no {code} in {:?}", found.notes));
    assert!(note.text.contains(words), "{}", note.text);
}

#[test]
fn what_is_missing_or_of_another_unit_is_said() {
    let found = run(&timeline(), &model(&term("gpu.0.ghz", "gpu", 1.0, "mW/GHz")));
    says(&found, "linear-parameter-missing", "gpu.0.ghz");
    assert!(found.tracks.is_empty() && found.model.is_none());
    let found = run(&timeline(), &model(&term("cpu.busy", "cpu", 1.0, "mW/GHz")));
    says(&found, "linear-unit", "mW/core");
    assert!(found.tracks.is_empty());
}

fn rail(timeline: &mut Timeline, name: &str, milliwatts: u64) {
    let name = timeline.names.intern(name);
    timeline.energy.rails.push(Rail {
        name,
        subsystem: None,
        sampling_rate: 0,
        time: vec![at(0), at(10_000)].into(),
        energy: vec![1_000_000, 1_000_000 + milliwatts * 10_000].into(),
    });
}

/// One core works for 3 s and two for 3 s. Between one and three cores a core costs 200 mW: nothing for the first, and what the second
/// costs is shared by both, as both are why. Over stretches of four seconds the means are 1.5, 0.75 and 0 cores.
#[test]
fn a_term_with_knees_counts_the_part_between_them() {
    let core = |cpu| Scope::Core(CpuId(cpu));
    let knees = |every: &str, from: f64, to: f64, coefficient: f64| {
        format!(
            "{every}{}between = [{from:?}, {to:?}]\n",
            term("cpu.busy", "cpu", coefficient, "mW/core")
        )
    };
    check(&knees("", 1.0, 3.0, 200.0), &[("cpu", core(0), 300.0), ("cpu", core(1), 300.0)]);
    check(&knees("", 0.0, 1.0, 100.0), &[("cpu", core(0), 450.0), ("cpu", core(1), 150.0)]);
    // 100 mW over the first 4 s: 4 s of core 0 and 2 s of core 1.
    check(
        &knees("every = 4.0\n", 1.0, 3.0, 200.0),
        &[("cpu", core(0), 800.0 / 3.0), ("cpu", core(1), 400.0 / 3.0)],
    );
}

/// A correction without support points is its level: half a watt while anything is busy, or the geometric mean of that and the terms.
#[test]
fn a_correction_replaces_the_power_of_all_terms_together() {
    let corrected = |share: f64, input: &str| {
        format!(
            "{}[linear.correction]\nshare = {share:?}\nlevel = {:?}\ninputs = [['{input}', 1.0, 2.0]]\npoints = []\n",
            term("cpu.busy", "cpu", 300.0, "mW/core"),
            0.5_f64.ln()
        )
    };
    let core = |cpu| Scope::Core(CpuId(cpu));
    check(&corrected(1.0, "cpu.busy"), &[("cpu", core(0), 2250.0), ("cpu", core(1), 750.0)]);
    let (one, two) = (150_000_f64.sqrt(), 300_000_f64.sqrt());
    check(
        &corrected(0.5, "cpu.busy"),
        &[("cpu", core(0), 3.0 * one + 1.5 * two), ("cpu", core(1), 1.5 * two)],
    );
    // Without one of its inputs it is left out, and that is said.
    let text = corrected(1.0, "gpu.0.ghz");
    check(&text, &[("cpu", core(0), 1800.0), ("cpu", core(1), 900.0)]);
    says(&run(&timeline(), &model(&text)), "linear-correction-left-out", "gpu.0.ghz");
}

/// Energies of whole runs say nothing of power over time.
#[test]
fn a_model_of_runs_gives_no_power() {
    let text = format!(
        "{}[linear.table]\ntarget = 'joules'\nunit = 'J'\ncolumns = [['cpu.busy', 'busy']]\n",
        term("cpu.busy", "cpu", 300.0, "mJ/core")
    );
    let found = run(&timeline(), &model(&text));
    assert!(found.tracks.is_empty());
    says(&found, "linear-of-runs", "--duration");
}

/// A rail, or a curve, is a better word for a component than a linear term; nothing is counted twice.
#[test]
fn a_component_is_counted_once() {
    let both =
        term("cpu.busy", "cpu", 300.0, "mW/core") + &term("screen.on", "display", 400.0, "mW");
    let text = format!("{both}[linear.intercept]\nvalue = 120\nunit = 'mW'\n");
    let mut measured = timeline();
    rail(&mut measured, "VSYS_PWR_DISP", 700);
    let found = run(&measured, &model(&text));
    let of = |found: &PowerEstimate, name: &str| -> f64 {
        let tracks = found.tracks.iter().filter(|track| track.component.name() == name);
        tracks.map(|track| track.energy(measured.window).millijoules()).sum()
    };
    assert_eq!(found.rails[0].component, Component::Display);
    assert!((of(&found, "display") - 7000.0).abs() < 1e-6);
    assert!((of(&found, "cpu") - 2700.0).abs() < 1e-9);
    assert_eq!(of(&found, "baseline"), 0.0);
    says(&found, "linear-intercept-left-out", "rails");

    let curve = "[[policy]]\nid = 0\ncpus = [0, 1]\ncurve = [[1000000, 0, 100, 0, 0]]\n";
    let found = run(&timeline(), &model(&format!("{text}{curve}")));
    assert!((of(&found, "cpu") - 900.0).abs() < 1e-9, "9 s of a core at the curve's 100 mW");
    assert!((of(&found, "display") - 2400.0).abs() < 1e-9);
    assert!((of(&found, "baseline") - 1200.0).abs() < 1e-9);

    // With curves asked for, only curves speak.
    let mut options = PowerOptions::default();
    options.model = ModelChoice::Curves;
    options.device_models.push(model(&text));
    assert!(estimate(&timeline(), &options).unwrap().tracks.is_empty());
}

/// The scheduler says more than idle states: who was on a core is a matter of its slices.
#[test]
fn busy_is_by_the_scheduler_where_there_is_one() {
    let mut timeline = timeline();
    timeline.tasks.processes.push(Process::default());
    let slice = |from, to, thread| SchedSlice {
        window: Window::new(at(from), at(to)),
        thread: ThreadId(thread),
        end_state: None,
    };
    timeline.cpus[0].sched.push(slice(0, 1000, 7));
    timeline.cpus[0].sched.push(slice(1000, 10_000, 0));
    let found = run(&timeline, &model(&term("cpu.policy0.busy", "cpu", 300.0, "mW/core")));
    let energy = found.tracks[0].energy(timeline.window).millijoules();
    assert!((energy - 300.0).abs() < 1e-9, "{energy}");
}
