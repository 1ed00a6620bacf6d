//! Bisection against simulated noise: right as often as it claims, with few runs.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

use wattle_change_points::{Bisection, BisectionOptions, BisectionOutcome, BisectionStep};
use wattle_random::SplitMix64;

const COMMITS: usize = 64;

/// Runs a search to its end; `run` measures one commit.
fn search(mut bisection: Bisection, mut run: impl FnMut(usize) -> f64) -> BisectionOutcome {
    for _ in 0..10_000 {
        match bisection.next_step() {
            BisectionStep::Run { commit, repeats } => {
                assert!(repeats >= 1);
                (0..repeats).for_each(|_| bisection.add_run(commit, run(commit)));
            }
            BisectionStep::Done(outcome) => return outcome,
        }
    }
    panic!("the search does not end");
}

/// Share of right answers and mean number of runs for a change of `size` at noise of 2 %.
fn quality(size: f64, noise: impl Fn(&mut SplitMix64) -> f64) -> (f64, f64) {
    let searches = 300;
    let (mut right, mut runs) = (0, 0);
    for seed in 0..searches {
        let mut random = SplitMix64::new(seed);
        let truth = 1 + random.below(COMMITS as u64 - 1) as usize;
        let outcome = search(Bisection::new(COMMITS, BisectionOptions::default()), |commit| {
            (if commit < truth { 1.0 } else { 1.0 + size }) * (1.0 + noise(&mut random))
        });
        if let BisectionOutcome::Found { first_bad, last_good, runs: count, .. } = outcome {
            right += usize::from(first_bad == truth && last_good + 1 == truth);
            runs += count;
        }
    }
    (right as f64 / searches as f64, runs as f64 / searches as f64)
}

#[test]
fn a_change_is_found_with_the_stated_confidence_and_few_runs() {
    let gaussian = |random: &mut SplitMix64| 0.02 * random.normal();
    let (right, runs) = quality(0.05, gaussian);
    println!("5 %: right {right}, {runs} runs");
    assert!(right >= 0.93, "5 %: right {right}, {runs} runs");
    // Three runs of each of the 64 commits would be 192.
    assert!(runs <= 40.0, "5 %: {runs} runs");
    let (right, runs) = quality(0.10, gaussian);
    println!("10 %: right {right}, {runs} runs");
    assert!(right >= 0.93 && runs <= 24.0, "10 %: right {right}, {runs} runs");
}

#[test]
fn two_modes_and_spikes_cost_runs_but_not_the_answer() {
    let bimodal = |random: &mut SplitMix64| {
        (if random.chance(0.5) { 0.018 } else { -0.018 }) + 0.0087 * random.normal()
    };
    let (right, runs) = quality(0.06, bimodal);
    println!("bimodal: right {right}, {runs} runs");
    assert!(right >= 0.90, "bimodal: right {right}, {runs} runs");
    let spiked = |random: &mut SplitMix64| {
        0.02 * random.normal() + if random.chance(0.04) { 0.15 } else { 0.0 }
    };
    let (right, runs) = quality(0.06, spiked);
    println!("spiked: right {right}, {runs} runs");
    assert!(right >= 0.90, "spiked: right {right}, {runs} runs");
}

#[test]
fn equal_ends_are_said_to_be_equal() {
    let equal = (0..200)
        .filter(|seed| {
            let mut random = SplitMix64::new(1000 + seed);
            let bisection = Bisection::new(COMMITS, BisectionOptions::default());
            let outcome = search(bisection, |_| 1.0 + 0.02 * random.normal());
            matches!(outcome, BisectionOutcome::NoDifference { .. })
        })
        .count();
    assert!(equal >= 190, "{equal} of 200");
}

#[test]
fn commits_that_cannot_be_built_widen_the_answer() {
    let mut bisection = Bisection::new(10, BisectionOptions::default());
    for commit in [0, 4, 5, 6, 9] {
        bisection.skip(commit);
    }
    let mut random = SplitMix64::new(5);
    let outcome = search(bisection, |commit| {
        assert!(![4, 5, 6].contains(&commit), "{commit} cannot be built");
        (if commit < 5 { 1.0 } else { 1.2 }) + 0.01 * random.normal()
    });
    match outcome {
        BisectionOutcome::Found { last_good, first_bad, .. } => {
            assert_eq!((last_good, first_bad), (3, 7));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_without_noise_and_without_sense_end_the_search() {
    let exact =
        search(
            Bisection::new(16, BisectionOptions::default()),
            |commit| {
                if commit < 3 { 5.0 } else { 6.0 }
            },
        );
    assert!(matches!(exact, BisectionOutcome::Found { first_bad: 3, .. }), "{exact:?}");
    let constant = search(Bisection::new(2, BisectionOptions::default()), |_| 0.0);
    assert!(matches!(constant, BisectionOutcome::NoDifference { .. }), "{constant:?}");
    let mut bisection = Bisection::new(0, BisectionOptions::default());
    bisection.add_run(7, 1.0);
    bisection.add_run(0, f64::NAN);
    assert_eq!(bisection.run_count(), 0);
}
