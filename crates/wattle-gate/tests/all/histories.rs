//! Verdicts by a history of commits.

use wattle_gate::{CheckVerdict, GateRun, HistoryFinding};
use wattle_gate_bench::{SeriesKind, SimulatedSuite, SuitePlan};
use wattle_random::SplitMix64;

use crate::support::{judged, row, run};

const GROWTH: &str = "[[rule]]\nsubject = \"app\"\ngrow-at-most = \"3%\"";
/// Milliseconds between the commits of a day.
const HOUR: i64 = 3_600_000;

/// Runs of a commit around a mean, with 1 % noise.
fn commit(number: i64, count: usize, mean: f64) -> Vec<GateRun> {
    let mut random = SplitMix64::new(number as u64);
    let noisy = |_| mean * (1.0 + 0.01 * random.normal());
    of_commit(number, (0..count).map(noisy).collect::<Vec<f64>>().as_slice())
}

fn of_commit(number: i64, energies: &[f64]) -> Vec<GateRun> {
    let make = |(at, joules): (usize, &f64)| {
        let mut run = run(&format!("c{number}.{at}"), *joules);
        run.facts.code.commit = Some(format!("{number:03}abcdef{number:031x}"));
        run.facts.code.branch = Some("main".to_owned());
        run.facts.circumstances.started_ms = Some(number * HOUR + at as i64 * 60_000);
        run
    };
    energies.iter().enumerate().map(make).collect()
}

/// A history in which the app draws 300 mJ, and so much more from one commit on.
fn history(commits: i64, changed: i64, share: f64) -> Vec<GateRun> {
    let level = |number| if number < changed { 0.3 } else { 0.3 * (1.0 + share) };
    (0..commits).flat_map(|number| commit(number, 5, level(number))).collect()
}

#[test]
fn a_change_that_was_there_before_is_not_blamed_on_this_commit() {
    let before = history(40, 30, 0.08);
    let report = judged(GROWTH, &commit(40, 5, 0.324), &before);
    let found = row(&report);
    assert_eq!(found.verdict, CheckVerdict::Passed, "{}", found.text);
    let history = found.history.as_ref().expect("a history");
    assert_eq!(history.commits, 40);
    let since = history.since.as_ref().expect("a change");
    assert_eq!((since.commit.as_str(), since.commits_ago), ("030abcdef", 10));
    assert!(found.text.contains("since 030abcdef (10 commits before)"), "{}", found.text);
    // Without commits, ten runs of which some are from before would blame it.
    assert!((since.share().expect("a share") - 0.08).abs() < 0.02, "{since:?}");
}

#[test]
fn one_change_is_one_alert() {
    // So small that it needs further commits, and so large that it does not.
    for (share, runs) in [(0.04, 2), (0.05, 5), (0.3, 5)] {
        one_alert(share, runs);
    }
}

#[track_caller]
fn one_alert(share: f64, runs: usize) {
    let (mut failed, mut asked) = (Vec::new(), 0);
    for judged_commit in 28..44 {
        let before = history(judged_commit, 30, share);
        let level = if judged_commit < 30 { 0.3 } else { 0.3 * (1.0 + share) };
        let report = judged(GROWTH, &commit(judged_commit, runs, level), &before);
        let found = row(&report);
        if found.verdict == CheckVerdict::Failed {
            failed.push((judged_commit, found.text.clone()));
        }
        let finding = found.history.as_ref().map(|it| it.finding.clone());
        asked += usize::from(matches!(finding, Some(HistoryFinding::Suspected { .. })));
    }
    let [(at, text)] = failed.as_slice() else { panic!("{failed:?}") };
    assert!((30..=35).contains(at), "{at}: {text}");
    assert!(asked >= 1, "no re-runs were asked for");
}

#[test]
fn a_suspicion_asks_for_runs_in_turns_and_they_decide() {
    let before = history(30, 30, 0.0);
    let report = judged(GROWTH, &commit(30, 2, 0.3175), &before);
    let found = row(&report);
    assert_eq!(found.verdict, CheckVerdict::Inconclusive, "{}", found.text);
    let history = found.history.as_ref().expect("a history");
    let HistoryFinding::Suspected { rerun, .. } = &history.finding else { panic!("{history:?}") };
    assert!(rerun.pairs >= 4 && found.text.contains("in turns would decide"), "{}", found.text);
    for (level, expected) in [(0.3175, CheckVerdict::Failed), (0.3, CheckVerdict::Passed)] {
        let mut random = SplitMix64::new(7);
        let mut noisy = |mean: f64| mean * (1.0 + 0.01 * random.normal());
        let (mut current, mut earlier) = (commit(30, 2, 0.3175), before.clone());
        for pair in 0..12_i64 {
            for (number, mean) in [(28, 0.3), (30, level)] {
                let mut again = of_commit(number, &[noisy(mean)]);
                again[0].facts.circumstances.started_ms = Some((31 + pair) * HOUR + number * 1000);
                again[0].name = format!("again{number}.{pair}");
                if number == 30 { current.extend(again) } else { earlier.extend(again) }
            }
        }
        let report = judged(GROWTH, &current, &earlier);
        let found = row(&report);
        assert_eq!(found.verdict, expected, "{level}: {}", found.text);
    }
}

#[test]
fn what_is_far_beyond_all_runs_fails_at_once() {
    let before = history(30, 30, 0.0);
    let found = row(&judged(GROWTH, &commit(30, 3, 0.6), &before)).clone();
    assert_eq!(found.verdict, CheckVerdict::Failed, "{}", found.text);
    assert!(found.text.contains("far beyond every run"), "{}", found.text);
    // One run may be disturbed.
    let single = row(&judged(GROWTH, &commit(30, 1, 0.6), &before)).clone();
    assert_ne!(single.verdict, CheckVerdict::Failed, "{}", single.text);
    assert!(!single.verdict.is_settled(), "{}", single.text);
}

#[test]
fn what_never_was_so_before_is_open_and_not_flaky() {
    let mut before = history(30, 30, 0.0);
    for (runs, verdict) in [(1, CheckVerdict::Inconclusive), (3, CheckVerdict::Failed)] {
        let found = row(&judged(GROWTH, &commit(30, runs, 6.0), &before)).clone();
        assert_eq!(found.verdict, verdict, "{}", found.text);
        assert_eq!(found.cause, None, "{}", found.text);
        assert!(!found.text.contains("scatter"), "{}", found.text);
    }
    // The commit after it is no spike among others, either.
    before.extend(commit(30, 1, 6.0));
    let found = row(&judged(GROWTH, &commit(31, 1, 6.0), &before)).clone();
    assert_eq!((found.verdict, found.cause), (CheckVerdict::Inconclusive, None), "{}", found.text);
}

#[test]
fn short_histories_are_compared_directly() {
    let before = history(8, 30, 0.0);
    let found = row(&judged(GROWTH, &commit(8, 5, 0.36), &before)).clone();
    assert_eq!((found.verdict, found.history), (CheckVerdict::Failed, None));
}

/// Suites without a change, of every kind of noise and with five runs of each commit: a check of ten rules fails once in 100 commits at
/// most. With a step of 10 % in each, the commit is not passed, and it fails within five commits.
#[test]
fn noise_of_every_kind_fails_rarely_and_steps_are_found() {
    // Every commit where many suites are asked for, else a part of them: each check reads its whole history anew.
    let every = if suites() > 1 { 1 } else { 3 };
    let plan = |with_step| SuitePlan { metrics: 10, with_step, commits: 60, history: 20, runs: 5 };
    for kind in SeriesKind::ALL {
        let (mut checks, mut failed) = (0, 0);
        for seed in 0..suites() {
            let suite = SimulatedSuite::new(kind, plan(0), 900 + seed);
            for at in (20..60).step_by(every) {
                checks += 1;
                let fails = suite.series.iter().any(|series| is_failed(&series.runs, at, 10));
                failed += usize::from(fails);
            }
        }
        println!("{kind:?}: {failed} of {checks} checks without a change fail");
        assert!(failed * 50 <= checks, "{kind:?}: {failed} of {checks}");
        let suite = SimulatedSuite::new(kind, plan(10), 77);
        let step_at = suite.step_at.expect("a step");
        let large = suite.series.iter().filter(|it| it.step.is_some_and(|it| it.relative > 0.09));
        for series in large {
            let found = (step_at..(step_at + 5).min(60)).any(|at| is_failed(&series.runs, at, 10));
            assert!(found, "{kind:?}: 10 % at {step_at}");
        }
    }
}

/// Suites of each kind, unless `WATTLE_GATE_SUITES` says another number.
fn suites() -> u64 {
    let number = std::env::var("WATTLE_GATE_SUITES").ok();
    number.map_or(1, |text| text.parse().expect("a number of suites"))
}

/// Whether a check of one commit of a series fails, as one of so many rules.
fn is_failed(runs: &[Vec<f64>], at: usize, rules: usize) -> bool {
    let before: Vec<GateRun> =
        (0..at).flat_map(|number| of_commit(number as i64, &runs[number])).collect();
    let mut policy = GROWTH.to_owned();
    for _ in 1..rules {
        policy.push_str("\n[[rule]]\nsubject = \"component:none\"\ngrow-at-most = \"3%\"");
    }
    let report = judged(&policy, &of_commit(at as i64, &runs[at]), &before);
    !report.passes(false)
}
