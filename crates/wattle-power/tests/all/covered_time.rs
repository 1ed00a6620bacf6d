//! Coverage of an estimate: components, time, and what each part rests on.

use wattle_power::{
    Component, Coverage, DeviceModel, EstimatedFrom, ModelChoice, PowerOptions, PowerProfile,
    WindowSet, estimate,
};
use wattle_timeline::{
    CounterScope, CounterTrack, CpuTimeline, IdleState, Quantity, Rail, StateKind, StateTrack,
    Timeline, Usage, Window,
};
use wattle_units::{BootNanos, Hertz, Provenance};

fn at(millis: i64) -> BootNanos {
    BootNanos::new(millis * 1_000_000)
}

fn window(from: i64, until: i64) -> Window {
    Window::new(at(from), at(until))
}

fn windows(all: &[(i64, i64)]) -> WindowSet {
    all.iter().map(|(from, until)| window(*from, *until)).collect()
}

/// A Pixel 6 whose first core works for a second.
fn pixel6() -> Timeline {
    let mut timeline = Timeline { window: window(0, 1000), ..Timeline::default() };
    timeline.device.soc = Some("Tensor".to_owned());
    for cpu in 0..8 {
        timeline.cpus.push(CpuTimeline {
            frequency: [(at(0), Hertz::from_kilohertz(300_000))].into_iter().collect(),
            idle: [(at(0), IdleState(if cpu == 0 { -1 } else { 1 }))].into_iter().collect(),
            ..CpuTimeline::default()
        });
    }
    timeline
}

/// A component's name, what its energy is from, and its covered windows, nanoseconds.
type Expected<'a> = (&'a str, EstimatedFrom, Provenance, &'a [(i64, i64)]);

/// Component, data, provenance and time of every part, which must be all there is.
#[track_caller]
fn check(coverage: &Coverage, expected: &[Expected<'_>]) {
    let parts = coverage.components.iter().flat_map(|component| {
        let name = component.component.name();
        component.parts.iter().map(move |part| (name, part.from, part.provenance, &part.windows))
    });
    let found: Vec<_> = parts.collect();
    let sets: Vec<WindowSet> = expected.iter().map(|(.., all)| windows(all)).collect();
    let expected: Vec<_> = expected
        .iter()
        .zip(&sets)
        .map(|((name, from, provenance, _), set)| (*name, *from, *provenance, set))
        .collect();
    assert_eq!(found, expected);
}

/// Leakage follows the zone of its cluster, whatever says when CPUs were busy; counts as Wattson has them do not.
#[test]
fn static_power_follows_thermal_zones() {
    let mut timeline = pixel6();
    let joules = |timeline: &Timeline, model: ModelChoice| {
        let mut options = PowerOptions::default();
        options.model = model;
        let tracks = estimate(timeline, &options).unwrap().tracks;
        let all = tracks.iter().flat_map(|track| track.energies(timeline.window));
        all.map(|(_, joules)| joules.value()).sum::<f64>()
    };
    let [plain, wattson] =
        [ModelChoice::Auto, ModelChoice::Curves].map(|model| joules(&timeline, model));
    let name = timeline.names.intern("LITTLE Temperature");
    timeline.system.counters.push(CounterTrack {
        name,
        scope: CounterScope::Global,
        time: vec![at(0)],
        value: vec![75_000.0],
    });
    let hot = joules(&timeline, ModelChoice::Auto);
    assert!(hot > 1.01 * plain && hot < 1.6 * plain, "{plain} {hot}");
    assert_eq!(joules(&timeline, ModelChoice::Curves), wattson);
}

#[test]
fn rails_cover_the_time_between_their_samples() {
    let mut timeline = pixel6();
    let curves = ("cpu", EstimatedFrom::Curves, Provenance::Modelled);
    let found = estimate(&timeline, &PowerOptions::default()).unwrap().coverage;
    check(&found, &[(curves.0, curves.1, curves.2, &[(0, 1000)])]);
    assert_eq!((found.window, found.is_whole_device), (timeline.window, false));
    let display = timeline.names.intern("VSYS_PWR_DISPLAY");
    let little = timeline.names.intern("S4M_VDD_CPUCL0");
    let big = timeline.names.intern("S2M_VDD_CPUCL2");
    let times = [(little, [200, 600]), (big, [200, 600]), (display, [300, 700])];
    for (name, times) in times {
        timeline.energy.rails.push(Rail {
            name,
            subsystem: None,
            sampling_rate: 0,
            time: times.iter().map(|time| at(*time)).collect(),
            energy: vec![1000, 9000].into(),
        });
    }
    let found = estimate(&timeline, &PowerOptions::default()).unwrap().coverage;
    // The middle cluster has no rail: the model covers it throughout, the others around their rails.
    check(
        &found,
        &[
            (curves.0, curves.1, curves.2, &[(0, 1000)]),
            ("cpu", EstimatedFrom::Rails, Provenance::Measured, &[(200, 600)]),
            ("display", EstimatedFrom::Rails, Provenance::Measured, &[(300, 700)]),
        ],
    );
    let mut options = PowerOptions::default();
    options.window = Some(window(100, 500));
    let found = estimate(&timeline, &options).unwrap().coverage;
    assert_eq!(found.window, window(100, 500));
    let cpu = found.get(&Component::Cpu).unwrap();
    assert_eq!(cpu.windows(), windows(&[(100, 500)]));
    assert_eq!(cpu.provenance(), Provenance::Modelled);
    assert_eq!(found.get(&Component::Display).unwrap().windows(), windows(&[(300, 500)]));
    assert_eq!(found.get(&Component::Wifi), None);
}

#[test]
fn nothing_is_covered_by_an_empty_recording() {
    let timeline = Timeline { window: window(0, 1000), ..Timeline::default() };
    let found = estimate(&timeline, &PowerOptions::default()).unwrap().coverage;
    check(&found, &[]);
}

/// The system counted the first half: there the camera's 0 J are known, after it its state is.
#[test]
fn totals_cover_their_time_whether_anything_was_drawn() {
    let mut timeline = pixel6();
    let usage =
        |quantity, value| Usage { quantity, uid: None, tag: None, window: window(0, 500), value };
    timeline.system.usage = vec![usage(Quantity::Camera, 0.0), usage(Quantity::Flashlight, 0.0)];
    timeline.system.states.push(StateTrack {
        kind: StateKind::Camera,
        scope: CounterScope::Global,
        tag: None,
        level: [(at(0), 0), (at(400), 1), (at(800), 0)].into_iter().collect(),
    });
    let profile = "<device name='Android'><item name='camera.avg'>300</item></device>";
    let mut options = PowerOptions::default();
    options.profiles.push(PowerProfile::parse("test", profile).unwrap());
    let found = estimate(&timeline, &options).unwrap().coverage;
    let camera = found.get(&Component::Camera).unwrap();
    assert_eq!(camera.windows(), windows(&[(0, 800)]));
    let of_totals = camera.parts.iter().find(|part| part.from == EstimatedFrom::Totals).unwrap();
    assert_eq!(of_totals.windows, windows(&[(0, 500)]));
}

#[test]
fn a_linear_model_with_its_constant_covers_the_whole_device() {
    let timeline = pixel6();
    let model = |constant: &str| {
        let text = format!(
            "format = 'wattle-device-model/1'\nname = 'linear'\nversion = 1\n[match]\nsoc = ['Tensor']\n{constant}\n\
             [[linear.term]]\nparameter = 'cpu.busy'\ncomponent = 'cpu'\ncoefficient = 300\nunit = 'mW/core'\n"
        );
        let mut options = PowerOptions::default();
        options.device_models.push(DeviceModel::parse("linear", &text).unwrap());
        estimate(&timeline, &options).unwrap()
    };
    let found = model("[linear.intercept]\nvalue = 500\nunit = 'mW'");
    assert!(found.coverage.is_whole_device);
    let terms = (EstimatedFrom::LinearTerms, Provenance::Modelled);
    check(
        &found.coverage,
        &[("cpu", terms.0, terms.1, &[(0, 1000)]), ("baseline", terms.0, terms.1, &[(0, 1000)])],
    );
    // The CPU has an estimate: nothing says that it has none.
    assert!(
        found.notes.iter().all(|note| note.code != "cpu-activity-unknown"),
        "{:?}",
        found.notes
    );
    let found = model("");
    assert!(!found.coverage.is_whole_device);
    check(&found.coverage, &[("cpu", terms.0, terms.1, &[(0, 1000)])]);
}
