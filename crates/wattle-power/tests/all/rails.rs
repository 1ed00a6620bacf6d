//! Rails: what is measured is booked, exactly; the model only says where.

use proptest::prelude::*;
use wattle_power::{
    Component, ModelChoice, PowerEstimate, PowerOptions, Scope, SourceTotals, estimate,
};
use wattle_timeline::{
    CpuTimeline, GpuTimeline, GpuWorkPeriod, IdleState, Rail, Steps, Timeline, Uid, Window,
};
use wattle_units::{BootNanos, Hertz, Joules, Nanos, Provenance};

const MILLI: i64 = 1_000_000;

fn at(millis: i64) -> BootNanos {
    BootNanos::new(millis * MILLI)
}

/// A Pixel 6 for a second, all CPUs in deep idle but for those with a list of (ms, idle state).
fn pixel6(activity: &[(usize, &[(i64, i8)])]) -> Timeline {
    let mut timeline = Timeline { window: Window::new(at(0), at(1000)), ..Timeline::default() };
    timeline.device.soc = Some("Tensor".to_owned());
    for cpu in 0..8 {
        let khz = [300_000, 400_000, 500_000][usize::from(cpu >= 4) + usize::from(cpu >= 6)];
        let states = activity.iter().find(|(of, _)| *of == cpu).map_or(&[(0, 1)][..], |(_, s)| s);
        let changes = states.iter().map(|(time, state)| (at(*time), IdleState(*state)));
        timeline.cpus.push(CpuTimeline {
            frequency: [(at(0), Hertz::from_kilohertz(khz))].into_iter().collect(),
            idle: changes.collect(),
            ..CpuTimeline::default()
        });
    }
    timeline
}

fn add_rail(timeline: &mut Timeline, name: &str, samples: &[(i64, u64)]) {
    let name = timeline.names.intern(name);
    timeline.energy.rails.push(Rail {
        name,
        subsystem: None,
        sampling_rate: 0,
        time: samples.iter().map(|(time, _)| at(*time)).collect(),
        energy: samples.iter().map(|(_, energy)| *energy).collect(),
    });
}

fn run(timeline: &Timeline, model: ModelChoice) -> PowerEstimate {
    let mut options = PowerOptions::default();
    options.model = model;
    estimate(timeline, &options).unwrap()
}

/// Energy of the tracks that match, in microjoules.
fn energy(
    estimate: &PowerEstimate,
    window: (i64, i64),
    wanted: impl Fn(&Component, &Scope) -> bool,
) -> f64 {
    let window = Window::new(at(window.0), at(window.1));
    let tracks = estimate.tracks.iter().filter(|track| wanted(&track.component, &track.scope));
    tracks.map(|track| track.energy(window).value() * 1e6).sum()
}

fn near(found: f64, expected: f64) {
    let error = (found - expected).abs() / expected.abs().max(1e-3);
    assert!(error < 1e-9, "{found} is not {expected}");
}

fn big(_: &Component, scope: &Scope) -> bool {
    match scope {
        Scope::Core(cpu) => cpu.0 >= 6,
        Scope::Cores(cpus) => cpus[0].0 == 6,
        _ => false,
    }
}

/// CPU 6 works in the first 500 ms, CPU 7 all the time.
fn working() -> Timeline {
    pixel6(&[(6, &[(0, -1), (500, 1)]), (7, &[(0, -1)])])
}

#[test]
fn every_interval_is_the_rails_and_the_model_stands_outside() {
    let mut timeline = working();
    let modelled = run(&timeline, ModelChoice::Curves);
    add_rail(&mut timeline, "S2M_VDD_CPUCL2", &[(100, 500), (300, 900_500), (800, 1_000_500)]);
    let scaled = run(&timeline, ModelChoice::Auto);
    near(energy(&scaled, (100, 300), big), 900_000.0);
    near(energy(&scaled, (300, 800), big), 100_000.0);
    for outside in [(0, 100), (800, 1000)] {
        near(energy(&scaled, outside, big), energy(&modelled, outside, big));
    }
    // Within an interval the model's proportions hold: both cores work alike until 500 ms.
    let core = |number: u32| {
        move |_: &Component, scope: &Scope| *scope == Scope::Core(wattle_timeline::CpuId(number))
    };
    near(energy(&scaled, (100, 300), core(6)), energy(&scaled, (100, 300), core(7)));
    near(
        energy(&scaled, (300, 800), core(7)) / energy(&scaled, (300, 800), core(6)),
        energy(&modelled, (300, 800), core(7)) / energy(&modelled, (300, 800), core(6)),
    );
    // Other clusters are as modelled.
    let others = |c: &Component, s: &Scope| !big(c, s);
    near(energy(&scaled, (0, 1000), others), energy(&modelled, (0, 1000), others));
    let rail = &scaled.rails[0];
    assert_eq!(rail.joules, Joules::from_microjoules(1_000_000.0));
    near(rail.modelled.unwrap().joules.value() * 1e6, energy(&modelled, (100, 800), big));
    near(rail.covered_s, 0.7);
    assert!(rail.booked && rail.samples == 3);
    assert_eq!(rail.label.as_deref(), Some("cpu.big"));
}

/// Checks that the measurement of a meter is measured; a share of it, and what lies outside, is modelled.
#[test]
fn provenance_follows_the_meter() {
    let mut timeline = working();
    add_rail(&mut timeline, "S2M_VDD_CPUCL2", &[(0, 0), (1000, 700_000)]);
    let scaled = run(&timeline, ModelChoice::Auto);
    let sources = |wanted: &dyn Fn(&Scope) -> bool| {
        let tracks = scaled.tracks.iter().filter(|track| wanted(&track.scope));
        let segments = tracks.flat_map(wattle_power::PowerTrack::segments);
        segments.map(|s| (s.source, s.power * s.window.duration())).collect::<Vec<_>>()
    };
    let all = sources(&|scope| big(&Component::Cpu, scope));
    let totals: SourceTotals = all.iter().copied().collect();
    let whole = scaled.errors.estimate(all, &totals);
    assert_eq!(whole.provenance, Provenance::Measured);
    let reach = (whole.interval.high / whole.joules).ln();
    assert!((0.01..0.06).contains(&reach), "only the meter's own error is left: {reach}");
    let share = sources(&|scope| *scope == Scope::Core(wattle_timeline::CpuId(6)));
    let share = scaled.errors.estimate(share, &totals);
    assert_eq!(share.provenance, Provenance::Modelled);
}

/// A window between two samples gets what the model says of it, scaled by all that lies between them: not
/// the mean power of the rail, and not as something measured.
#[test]
fn a_window_that_cuts_an_interval_is_a_share_by_the_model() {
    let mut timeline = working();
    add_rail(&mut timeline, "S2M_VDD_CPUCL2", &[(0, 0), (1000, 700_000)]);
    add_rail(&mut timeline, "VSYS_PWR_DISPLAY", &[(0, 0), (1000, 400_000)]);
    let whole = run(&timeline, ModelChoice::Auto);
    let display = |c: &Component, _: &Scope| *c == Component::Display;
    let check = |from: i64, to: i64, expected: Provenance| {
        let window = Window::new(at(from), at(to));
        let mut options = PowerOptions::default();
        options.window = Some(window);
        let part = estimate(&timeline, &options).unwrap();
        near(energy(&part, (0, 1000), big), energy(&whole, (from, to), big));
        near(energy(&part, (0, 1000), display), 400.0 * (to - from) as f64);
        for wanted in [&big as &dyn Fn(&Component, &Scope) -> bool, &display] {
            let tracks = part.tracks.iter().filter(|track| wanted(&track.component, &track.scope));
            let segments = tracks.flat_map(wattle_power::PowerTrack::segments);
            let all: Vec<_> = segments.map(|s| (s.source, s.power * s.window.duration())).collect();
            let totals: SourceTotals = all.iter().copied().collect();
            assert_eq!(part.errors.estimate(all, &totals).provenance, expected, "{from} to {to}");
        }
    };
    check(0, 1000, Provenance::Measured);
    check(0, 500, Provenance::Modelled);
    check(300, 900, Provenance::Modelled);
    let first = energy(&whole, (0, 500), big);
    assert!(first > 1.3 * (700_000.0 - first), "two cores work at first, then one");
}

#[test]
fn a_rail_above_zero_where_the_model_says_zero_is_unexplained() {
    let mut timeline = pixel6(&[(7, &[(0, 1), (450, -1)])]);
    add_rail(&mut timeline, "power.rails.cpu.big", &[(0, 0), (200, 50), (400, 80), (1000, 9000)]);
    let found = run(&timeline, ModelChoice::Auto);
    let unexplained = |_: &Component, scope: &Scope| *scope == Scope::Unexplained;
    near(energy(&found, (0, 200), unexplained), 50.0);
    near(energy(&found, (200, 400), unexplained), 30.0);
    near(energy(&found, (0, 1000), unexplained), 80.0);
    near(energy(&found, (0, 1000), big), 8920.0);
}

#[test]
fn curves_never_scale_but_compare() {
    let mut timeline = working();
    let without = run(&timeline, ModelChoice::Curves);
    add_rail(&mut timeline, "S2M_VDD_CPUCL2", &[(0, 0), (1000, 5)]);
    add_rail(&mut timeline, "VSYS_PWR_DISPLAY", &[(0, 0), (1000, 600_000)]);
    let with = run(&timeline, ModelChoice::Curves);
    assert_eq!(with.tracks, without.tracks);
    assert!(with.rails.iter().all(|rail| !rail.booked));
    assert!(with.rails[0].modelled.is_some() && with.rails[1].modelled.is_none());
    // Both figures are shown beside each other where rails are booked.
    let auto = run(&timeline, ModelChoice::Auto);
    let kinds: Vec<&str> = auto.spread.iter().map(|spread| spread.model.kind.as_str()).collect();
    assert_eq!(kinds, ["rails", "curves"]);
}

#[test]
fn rails_without_a_model_cover_only_what_was_measured() {
    let mut timeline = working();
    add_rail(&mut timeline, "VSYS_PWR_DISPLAY", &[(100, 7), (300, 200_007), (900, 200_007)]);
    add_rail(&mut timeline, "S1M_VDD_NEW", &[(0, 0), (1000, 1000)]);
    let found = run(&timeline, ModelChoice::Auto);
    let display: Vec<_> =
        found.tracks.iter().filter(|t| t.component == Component::Display).collect();
    assert_eq!(display.len(), 1);
    assert_eq!(display[0].scope, Scope::Device);
    assert_eq!(display[0].window(), Window::new(at(100), at(900)));
    near(display[0].energy(display[0].window()).value(), 0.2);
    let own = |c: &Component, _: &Scope| *c == Component::Other("S1M_VDD_NEW".to_owned());
    near(energy(&found, (0, 1000), own), 1000.0);
    assert!(found.notes.iter().any(|note| note.code == "rail-unknown"));
}

#[test]
fn a_gpu_rail_belongs_to_its_users_where_they_are_known() {
    let mut timeline = working();
    add_rail(&mut timeline, "S2S_VDD_G3D", &[(0, 0), (1000, 1000)]);
    let scope = |timeline: &Timeline| {
        let found = run(timeline, ModelChoice::Auto);
        found.tracks.into_iter().find(|t| t.component == Component::Gpu).unwrap().scope
    };
    assert_eq!(scope(&timeline), Scope::Device);
    let work = GpuWorkPeriod {
        window: Window::new(at(0), at(10)),
        uid: Uid(10_001),
        active: Nanos::new(MILLI),
    };
    timeline.hardware.gpus.push(GpuTimeline { id: 3, work: vec![work], ..GpuTimeline::default() });
    assert_eq!(scope(&timeline), Scope::Gpu(3));
}

/// Without scheduler and idle states a CPU rail is still a measurement.
#[test]
fn a_cpu_rail_without_known_activity_is_the_devices() {
    let mut timeline = pixel6(&[]);
    for cpu in &mut timeline.cpus {
        cpu.idle = Steps::default();
    }
    add_rail(&mut timeline, "S4M_VDD_CPUCL0", &[(0, 0), (1000, 12_345)]);
    let found = run(&timeline, ModelChoice::Auto);
    assert_eq!(found.tracks.len(), 1);
    assert_eq!(
        (&found.tracks[0].component, &found.tracks[0].scope),
        (&Component::Cpu, &Scope::Device)
    );
    assert!(found.notes.iter().any(|note| note.code == "cpu-activity-unknown"));
    near(energy(&found, (0, 1000), |_, _| true), 12_345.0);
}

#[test]
fn without_rails_measured_means_nothing() {
    let found = run(&working(), ModelChoice::Rails);
    assert!(found.tracks.is_empty() && found.model.is_none());
    assert!(found.notes.iter().any(|note| note.text.contains("no power rails")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the cores do and whenever the rail is sampled: what it counted is booked, no more, no less.
    #[test]
    fn what_was_counted_is_booked(
        changes in prop::collection::vec((0_i64..1000, 0_usize..8, -1_i8..2), 0..40),
        samples in prop::collection::btree_map(0_i64..1000, 0_u64..50_000, 2..12),
    ) {
        let mut timeline = pixel6(&[]);
        for (cpu, timeline) in timeline.cpus.iter_mut().enumerate() {
            let of_cpu = changes.iter().filter(|(_, of, _)| *of == cpu);
            timeline.idle = of_cpu.map(|(time, _, state)| (at(*time), IdleState(*state))).collect();
            if timeline.idle.is_empty() {
                timeline.idle = [(at(0), IdleState(1))].into_iter().collect();
            }
        }
        let modelled = run(&timeline, ModelChoice::Auto);
        let mut counter = 0;
        let samples: Vec<(i64, u64)> = samples
            .into_iter()
            .map(|(time, energy)| {
                counter += energy;
                (time, counter)
            })
            .collect();
        add_rail(&mut timeline, "S2M_VDD_CPUCL2", &samples);
        let scaled = run(&timeline, ModelChoice::Auto);
        let supplied =
            |c: &Component, s: &Scope| big(c, s) || *s == Scope::Unexplained;
        for (from, to) in scaled_intervals(&samples, &scaled) {
            let counted = to.1 - from.1;
            let found = energy(&scaled, (from.0, to.0), supplied);
            prop_assert!((found - counted as f64).abs() < 1e-6, "{found} is not {counted}");
        }
        let (first, last) = (samples[0].0, samples[samples.len() - 1].0);
        for outside in [(0, first), (last, 1000)] {
            let (a, b) = (energy(&scaled, outside, supplied), energy(&modelled, outside, supplied));
            prop_assert!((a - b).abs() < 1e-6 * b.max(1.0));
        }
    }
}

type Sample = (i64, u64);

/// The intervals, but for a first one that was taken for a left-over.
fn scaled_intervals(samples: &[Sample], found: &PowerEstimate) -> Vec<(Sample, Sample)> {
    let pairs = samples.windows(2).map(|pair| (pair[0], pair[1]));
    pairs.skip(found.rails[0].mended as usize).collect()
}
