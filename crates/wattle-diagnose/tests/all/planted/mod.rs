//! Regions against planted truth.
//!
//! Two hundred idle runs of simulated machines (`wattle_sim::idle`) are written as traces, three of five as Perfetto traces, two of
//! five as Windows event logs (of 64 and of 32 bits), read by the readers that every trace goes through, and diagnosed. What was
//! planted is known; [`score`] says what counts as found and as right.
//!
//! The seeds and the make-up of the machines here are held out: whoever tunes options or the finder does so on other seeds and other
//! machines (`tuning_machines_are_others` shows how, and prints what it finds).
#![expect(clippy::print_stdout, reason = "the scores are what a reader of the test wants")]

mod score;
pub mod traces;

use wattle_diagnose::RegionOptions;
use wattle_sim::idle::{IdleMachine, IdlePopulation, PointerSize};
use wattle_units::Nanos;

use self::score::{Scores, ratio};
use self::traces::{Form, Trace, make};

/// Number of traces that are scored, and their first seed.
const TRACES: u64 = 200;
const FIRST_SEED: u64 = 770_000;
/// Required precision and recall, of all and of each kind.
const GOAL: f64 = 0.95;

#[track_caller]
fn check(what: &str, scores: &Scores) {
    for failure in scores.failures.iter().take(12) {
        println!("  {failure}");
    }
    println!("{what}\n{scores}\n");
    let total = scores.total();
    let kinds = scores.kinds.iter().map(|(kind, score)| (kind.name(), *score));
    for (name, score) in kinds.chain([("all", total)]) {
        assert!(score.recall() >= GOAL, "{what}: recall of {name}: {}", score.recall());
        assert!(score.precision() >= GOAL, "{what}: precision of {name}: {}", score.precision());
    }
    let beats = ratio(total.beats_right, total.beats);
    assert!(total.beats > 0 && beats >= GOAL, "{what}: periods: {beats}");
    let stacks = ratio(total.stacks_right, total.stacks);
    assert!(total.stacks > 0 && stacks >= GOAL, "{what}: stacks: {stacks}");
}

/// Options with numbers larger or smaller by a factor: the one of this name, or all.
fn perturbed(name: Option<&str>, factor: f64) -> RegionOptions {
    let mut value = serde_json::to_value(RegionOptions::default()).unwrap();
    for (key, number) in value.as_object_mut().unwrap() {
        if name.is_some_and(|name| name != key) {
            continue;
        }
        let by = number.as_f64().unwrap() * factor;
        *number = if number.is_f64() { by.into() } else { (by.round() as u64).into() };
    }
    serde_json::from_value(value).unwrap()
}

fn option_names() -> Vec<String> {
    let value = serde_json::to_value(RegionOptions::default()).unwrap();
    value.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn planted_stretches_are_found_whatever_the_defaults_exactly_are() {
    let traces = make(FIRST_SEED..FIRST_SEED + TRACES, &IdlePopulation::default());
    check("defaults", &traces::score(&traces, &RegionOptions::default()));
    for factor in [0.8, 1.2] {
        check(
            &format!("all options by {factor}"),
            &traces::score(&traces, &perturbed(None, factor)),
        );
        for name in option_names() {
            let options = perturbed(Some(&name), factor);
            check(&format!("{name} by {factor}"), &traces::score(&traces, &options));
        }
    }
}

/// For whoever changes the finder: other machines, other seeds. `cargo test -p wattle-diagnose --test all tuning -- --ignored --nocapture`.
#[test]
#[ignore = "for tuning; nothing is asked of it"]
fn tuning_machines_are_others() {
    let population = IdlePopulation {
        duration: Nanos::from_seconds(15.0),
        background_rates: (0.5, 30.0),
        background_micros: (20.0, 200.0),
        periods: vec![1.5, 3.0, 4.0, 7.0, 8.0, 12.0, 20.0],
        timer_use: (0.03, 0.25),
        busy_seconds: (0.2, 2.0),
        disk_seconds: (0.3, 2.0),
        ..IdlePopulation::default()
    };
    let traces = make(1..81, &population);
    let scores = traces::score(&traces, &RegionOptions::default());
    for failure in &scores.failures {
        println!("  {failure}");
    }
    println!("{scores}");
}

/// The article's example, in each form that it could be recorded in.
#[track_caller]
fn check_article(form: Form) {
    let trace = Trace::new(format!("{form:?}"), &IdleMachine::article(3), form);
    let found = trace.diagnose(&RegionOptions::default());
    let scores = Scores::new(&trace.name, &trace.planted, &found);
    assert_eq!(scores.failures, Vec::<String>::new());
    assert_eq!(found.regions.len(), trace.planted.len());
    for region in &found.regions {
        let thread = &found.threads[region.thread as usize];
        let subject = &found.subjects[thread.subject as usize];
        assert_eq!((subject.pid.0, thread.tid.0), (1464, 2084));
        assert_eq!(subject.name.as_deref(), Some("AfterMouse.race"));
        for interval in [region.mean_interval, region.period] {
            let milliseconds = interval.unwrap().milliseconds();
            assert!((milliseconds - 5.0).abs() < 0.25, "{milliseconds} ms");
        }
        assert!(region.interval_variation.unwrap() < 0.25);
        assert!((region.wakeups_per_second - 200.0).abs() < 10.0);
        assert!(region.share_of_process > 0.9);
    }
}

#[test]
fn the_peaks_of_the_article_are_found() {
    check_article(Form::Perfetto);
    check_article(Form::Etl(PointerSize::Eight, 4));
    check_article(Form::Etl(PointerSize::Eight, 2));
}
