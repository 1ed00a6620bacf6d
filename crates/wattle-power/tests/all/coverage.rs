//! Do 90 % intervals hold the truth in about 90 % of cases, when the sizes of errors have to be learnt?

use std::fmt::Write as _;

use wattle_power::{
    DeviceModel, ModelChoice, PowerEstimate, PowerOptions, PowerTrack, Scope, SourceTotals,
    estimate,
};
use wattle_random::SplitMix64;
use wattle_timeline::{CpuTimeline, IdleState, Timeline, Window};
use wattle_units::{BootNanos, Hertz, Joules};

/// Three policies of two cores; active power by clock, in mW.
const CURVES: [[(u64, f64); 4]; 3] = [
    [(300_000, 20.0), (800_000, 60.0), (1_400_000, 120.0), (1_800_000, 190.0)],
    [(400_000, 40.0), (1_000_000, 130.0), (1_600_000, 300.0), (2_200_000, 600.0)],
    [(500_000, 90.0), (1_200_000, 350.0), (2_000_000, 900.0), (2_800_000, 1900.0)],
];
const STATIC: [f64; 3] = [8.0, 12.0, 20.0];

/// Deviation between a bench and a phone in use, as `docs/device-model.md` has it.
const IN_USE: f64 = 0.1;

/// Ratios of one phone's policy to the model: static, then each clock.
fn ratios(random: &mut SplitMix64, shared: f64, own: f64) -> [f64; 5] {
    let common = shared * random.normal();
    std::array::from_fn(|_| (common + own * random.normal()).exp())
}

fn model(random: &mut SplitMix64, shared: f64, own: f64, specimens: usize) -> DeviceModel {
    let mut text = "format = \"wattle-device-model/1\"\nname = \"m\"\nversion = 1\n".to_owned();
    for (policy, curve) in CURVES.iter().enumerate() {
        let (id, leak) = (policy * 2, STATIC[policy]);
        write!(text, "[[policy]]\nid = {id}\ncpus = [{id}, {}]\ncurve = [", id + 1).unwrap();
        for (khz, active) in curve {
            write!(text, "[{khz}, {leak}, {active}, 0, 0],").unwrap();
        }
        text.push_str("]\n");
    }
    for specimen in 0..specimens {
        for (policy, curve) in CURVES.iter().enumerate() {
            let drawn = ratios(random, shared, own);
            let head =
                format!("[[residual]]\npolicy = {}\nspecimen = \"{specimen}\"\n", policy * 2);
            writeln!(text, "{head}kind = \"static\"\nratio = {}", drawn[0]).unwrap();
            for ((khz, _), ratio) in curve.iter().zip(&drawn[1..]) {
                writeln!(text, "{head}khz = {khz}\nratio = {ratio}").unwrap();
            }
        }
    }
    DeviceModel::parse("m", &text).unwrap()
}

/// A second in which all cores change clocks and sleep, at random.
fn timeline(random: &mut SplitMix64) -> Timeline {
    let at = |millis: f64| BootNanos::new((millis * 1e6) as i64);
    let mut timeline = Timeline { window: Window::new(at(0.0), at(1000.0)), ..Timeline::default() };
    for cpu in 0..6 {
        let curve = CURVES[cpu / 2];
        let mut of = CpuTimeline::default();
        for millis in (0..1000).step_by(50) {
            let khz = curve[(random.unit() * 4.0) as usize].0;
            of.frequency.push(at(f64::from(millis)), Hertz::from_kilohertz(khz));
            let state = IdleState(if random.unit() < 0.5 { -1 } else { 1 });
            of.idle.push(at(f64::from(millis)), state);
        }
        timeline.cpus.push(of);
    }
    timeline
}

/// Computes the true energy of one phone: the model's energy, each figure times its ratio.
fn truth(found: &PowerEstimate, drawn: &[[f64; 5]; 3], wanted: Wanted) -> f64 {
    let mut joules = 0.0;
    for track in found.tracks.iter().filter(|track| wanted(&track.scope)) {
        let policy = match &track.scope {
            Scope::Core(cpu) => cpu.index() / 2,
            Scope::Cores(cpus) => cpus[0].index() / 2,
            _ => continue,
        };
        for segment in track.segments() {
            let energy = (segment.power * segment.window.duration()).value();
            let milliwatts = segment.power.milliwatts();
            let clock = CURVES[policy].iter().position(|(_, mw)| (mw - milliwatts).abs() < 1e-9);
            let ratio = match (&track.scope, clock) {
                (Scope::Core(_), Some(clock)) => drawn[policy][1 + clock],
                _ => drawn[policy][0],
            };
            joules += energy * ratio;
        }
    }
    joules
}

/// Which tracks a figure is of.
type Wanted = fn(&Scope) -> bool;

const FIGURES: [(&str, Wanted); 3] = [
    ("total", |_| true),
    ("one core", |scope| *scope == Scope::Core(wattle_timeline::CpuId(4))),
    ("cores only", |scope| matches!(scope, Scope::Core(_))),
];

/// New phones, new calibrations and new work: how often does the interval of each figure hold the truth?
#[track_caller]
fn check(shared: f64, own: f64, specimens: usize) {
    let mut random = SplitMix64::new(7);
    let runs = 1000;
    let mut held = [0; 3];
    for _ in 0..runs {
        let mut options = PowerOptions::default();
        options.model = ModelChoice::Auto;
        options.device_models.push(model(&mut random, shared, own, specimens));
        let timeline = timeline(&mut random);
        let found = estimate(&timeline, &options).unwrap();
        // A phone in use is farther from the bench than the specimens were from each other.
        let drawn = std::array::from_fn(|_| ratios(&mut random, shared.hypot(IN_USE), own));
        for ((_, wanted), held) in FIGURES.iter().zip(&mut held) {
            let tracks = found.tracks.iter().filter(|track| wanted(&track.scope));
            let segments = tracks.flat_map(PowerTrack::segments);
            let energies = segments.map(|s| (s.source, s.power * s.window.duration()));
            let figure = found.errors.estimate(energies, &SourceTotals::default());
            let truth = Joules::new(truth(&found, &drawn, *wanted));
            *held += i32::from(figure.interval.contains(truth));
        }
    }
    for ((name, _), held) in FIGURES.iter().zip(held) {
        let coverage = f64::from(held) / f64::from(runs);
        assert!(
            (0.85..=0.95).contains(&coverage),
            "{name} with {shared}, {own} and {specimens} specimens: {coverage}"
        );
    }
}

#[test]
fn ninety_percent_intervals_hold_ninety_percent() {
    check(0.10, 0.05, 3);
    check(0.20, 0.05, 5);
    check(0.05, 0.10, 8);
    check(0.30, 0.02, 2);
}
