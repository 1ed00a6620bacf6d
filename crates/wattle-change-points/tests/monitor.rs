//! A monitor on simulated series: decisions that stay, sizes that are right, causes of noise, values without sense.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

use wattle_change_points::{
    Conditions, Confirmation, Direction, FlakyCause, Monitor, MonitorOptions, Point, Rerun, Run,
    Verdict,
};
use wattle_random::SplitMix64;

const RUNS: usize = 5;

/// A series around 100 with independent noise of 2 %, and a step by a share at one commit.
fn stepped(seed: u64, commits: u64, at: u64, share: f64) -> Vec<Point> {
    let mut random = SplitMix64::new(seed);
    (0..commits)
        .map(|order| {
            let level = if order < at { 100.0 } else { 100.0 * (1.0 + share) };
            Point::from_values(order, (0..RUNS).map(|_| level * (1.0 + 0.02 * random.normal())))
        })
        .collect()
}

fn watch(points: &[Point]) -> Monitor {
    Monitor::from_series(points, &[], MonitorOptions::default())
}

#[test]
fn further_commits_change_no_decision() {
    for seed in 0..10 {
        let points = stepped(seed, 90, 45, 0.04);
        let whole = watch(&points);
        let mut grown = Monitor::new(MonitorOptions::default());
        for (count, point) in points.iter().enumerate() {
            grown.push(point);
            let fresh = watch(&points[..=count]);
            assert_eq!(fresh.change_points(), grown.change_points());
            let so_far = grown.change_points();
            assert_eq!(&whole.change_points()[..so_far.len()], so_far, "seed {seed}");
        }
        assert_eq!(whole.change_points().len(), 1, "seed {seed}");
    }
}

#[test]
fn place_size_and_direction_of_a_step_are_right() {
    let (mut found, mut further, mut covered, mut in_range, series) = (0, 0, 0, 0, 200);
    for seed in 0..series {
        let share = if seed % 2 == 0 { 0.05 } else { -0.05 };
        let monitor = watch(&stepped(1000 + seed, 80, 50, share));
        let [change, others @ ..] = monitor.change_points() else {
            // A step between commits that happen to rise evenly may be a drift, and waits for re-runs.
            assert!(monitor.suspected().is_some(), "seed {seed}");
            continue;
        };
        found += 1;
        further += others.len();
        let expected = if share > 0.0 { Direction::Up } else { Direction::Down };
        assert_eq!(change.direction(), expected, "seed {seed}");
        assert_eq!(change.confirmation, Confirmation::FollowingCommits);
        assert!(change.confidence > 0.9, "{change:?}");
        covered += u32::from((change.size.low..=change.size.high).contains(&(100.0 * share)));
        in_range += u32::from(change.range.last_good < 50 && change.range.surely_bad >= 50);
    }
    assert!(found >= 190, "{found} of {series} steps");
    // 6,000 commits after the step: one false alarm would be usual.
    assert!(further <= 4, "{further} further changes");
    // Intervals of 90 %; the binomial distribution allows 84 %.
    assert!(covered * 100 >= 84 * found, "{covered} of {found} sizes");
    assert!(in_range >= 180, "{in_range} of {series} ranges");
}

#[test]
fn noise_alone_raises_no_alarm() {
    let changes: usize = (0..200)
        .map(|seed| watch(&stepped(5000 + seed, 100, 1000, 0.0)).change_points().len())
        .sum();
    // 200 metrics over 90 judged commits; with 50 metrics, one alarm in 100 commits would be 3.6.
    assert!(changes <= 3, "{changes}");
}

#[test]
fn a_suspected_step_waits_and_reruns_decide_it() {
    let (mut confirmed, mut denied, mut asked) = (0, 0, 0);
    for seed in 0..60 {
        let points = stepped(9000 + seed, 51, 50, 0.06);
        let mut monitor = watch(&points[..50]);
        let Verdict::Suspected { change, request } = monitor.push(&points[50]) else { continue };
        asked += 1;
        assert_eq!(change.confirmation, Confirmation::Waiting);
        assert_eq!(request.after, 50);
        assert!(request.before < 50 && request.earliest <= request.before, "{request:?}");
        let rerun = |share: f64, random: &mut SplitMix64| Rerun {
            before: request.before,
            after: request.after,
            differences: (0..10).map(|_| 100.0 * share + 2.83 * random.normal()).collect(),
        };
        let mut random = SplitMix64::new(seed);
        let mut other = monitor.clone();
        if let Verdict::Changed(change) = monitor.push_rerun(&rerun(0.06, &mut random)) {
            assert_eq!(change.confirmation, Confirmation::Reruns);
            confirmed += 1;
        }
        denied +=
            u32::from(!matches!(other.push_rerun(&rerun(0.0, &mut random)), Verdict::Changed(_)));
    }
    assert!(asked >= 50, "{asked}");
    assert!(f64::from(confirmed) >= 0.9 * f64::from(asked), "{confirmed} of {asked}");
    assert!(f64::from(denied) >= 0.95 * f64::from(asked), "{denied} of {asked}");
}

#[test]
fn one_spiked_commit_is_outside_and_no_change() {
    let mut points = stepped(3, 60, 1000, 0.0);
    points[55].runs.iter_mut().for_each(|run| run.value *= 1.4);
    let mut monitor = watch(&points[..55]);
    let verdict = monitor.push(&points[55]);
    assert!(matches!(verdict, Verdict::Outside | Verdict::Suspected { .. }), "{verdict:?}");
    for point in &points[56..] {
        monitor.push(point);
    }
    assert_eq!(monitor.change_points(), []);
}

/// Runs of a commit of energy 1 that goes to 20 times as much, as does half of the scatter; the rest of the device follows nothing before it.
fn twentyfold(commits: u64, first_bad: u64, random: &mut SplitMix64) -> Vec<Point> {
    let run = |level: f64, random: &mut SplitMix64| Run {
        conditions: Conditions {
            background: Some(40.0 + 0.1 * random.normal() + 0.1 * level),
            ..Conditions::default()
        },
        ..Run::from_value(level * (1.0 + 0.07 * random.normal()))
    };
    (0..commits)
        .map(|order| {
            let level = if order < first_bad { 1.0 } else { 20.0 };
            Point { order, runs: (0..3).map(|_| run(level, random)).collect() }
        })
        .collect()
}

#[test]
fn a_great_step_has_an_interval_of_its_own_scatter_and_no_guessed_cause() {
    let (mut found, mut covered) = (0_u32, 0_u32);
    for seed in 0..200 {
        let points = twentyfold(24, 20, &mut SplitMix64::new(77 + seed));
        let mut monitor = watch(&points[..20]);
        for point in &points[20..] {
            let verdict = monitor.push(point);
            assert!(!matches!(verdict, Verdict::Flaky(_)), "{seed}: {verdict:?}");
        }
        let [change] = monitor.change_points() else { continue };
        found += 1;
        covered += u32::from((change.size.low..=change.size.high).contains(&19.0));
    }
    assert!(found >= 198, "{found}");
    // 90 % and, of 200, three standard deviations less.
    assert!(covered >= found * 83 / 100, "{covered} of {found}");
}

#[test]
fn heat_is_named_where_the_temperature_is_known() {
    let mut random = SplitMix64::new(11);
    let mut monitor =
        Monitor::new(MonitorOptions { needs_reruns: true, ..MonitorOptions::default() });
    let mut causes = Vec::new();
    for order in 0..80 {
        // One commit in eleven is measured on a hot device.
        let temperature = if order % 11 == 10 { 41.0 } else { 30.0 + random.normal() };
        let runs = (0..RUNS)
            .map(|_| Run {
                conditions: Conditions { temperature: Some(temperature), ..Conditions::default() },
                ..Run::from_value(100.0 + 1.5 * (temperature - 30.0) + 0.3 * random.normal())
            })
            .collect();
        if let Verdict::Flaky(cause) = monitor.push(&Point { order, runs }) {
            causes.push(cause);
        }
    }
    assert!(
        causes.len() >= 3 && causes.iter().all(|cause| *cause == FlakyCause::Heat),
        "{causes:?}"
    );
}

#[test]
fn the_noise_band_holds_what_it_states() {
    let (mut inside, mut judged) = (0, 0);
    for seed in 0..40 {
        let points = stepped(20_000 + seed, 80, 1000, 0.0);
        let mut monitor = Monitor::new(MonitorOptions::default());
        for (index, point) in points.iter().enumerate() {
            if let (true, Some(band)) = (index >= 30, monitor.noise_band()) {
                let mean = point.runs.iter().map(|run| run.value).sum::<f64>() / RUNS as f64;
                inside += u32::from(band.contains(mean));
                judged += 1;
            }
            monitor.push(point);
        }
    }
    let share = f64::from(inside) / f64::from(judged);
    assert!((0.93..0.975).contains(&share), "{share} of {judged}");
}

#[test]
fn values_without_noise_or_sense_do_no_harm() {
    let flat = |value: f64| (0..40).map(move |order| Point::from_values(order, [value, value]));
    for value in [0.0, 5.0, -3.0, 1e-200, 1e140, f64::NAN, f64::INFINITY, 1e300] {
        let points: Vec<Point> = flat(value).collect();
        assert_eq!(watch(&points).change_points(), [], "{value}");
    }
    // A method that appears: from nothing to something.
    let points: Vec<Point> = (0..40)
        .map(|order| Point::from_values(order, [if order < 25 { 0.0 } else { 2.0 }; 2]))
        .collect();
    let changes = watch(&points).change_points().to_vec();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!((changes[0].range.first_bad, changes[0].size.relative()), (25, None));
    let mut monitor = Monitor::new(MonitorOptions::default());
    assert_eq!(monitor.push(&Point { order: 0, runs: Vec::new() }), Verdict::NoRuns);
    assert_eq!(monitor.noise_band(), None);
    let strange = Rerun { before: 7, after: 3, differences: vec![f64::NAN] };
    assert!(matches!(monitor.push_rerun(&strange), Verdict::TooFewCommits(_) | Verdict::Flat));
}

/// Runs of two modes, as those of stretches of one trace are, at a level; noise grows with it.
fn two_modes(level: f64, commit: usize) -> [f64; 2] {
    const LOW: [[f64; 2]; 6] =
        [[0.86, 0.91], [1.08, 1.06], [0.92, 1.10], [1.03, 0.95], [1.07, 1.06], [0.94, 1.05]];
    LOW[commit % LOW.len()].map(|value| value * level)
}

/// Changes found in a series of levels, 14 commits before and 6 after: at which commit each, by which factor, found when.
#[track_caller]
fn check_great_step(factor: f64, runs: usize) {
    let mut monitor = Monitor::new(MonitorOptions::default());
    for order in 0..20_usize {
        let level = if order < 14 { 0.2 } else { 0.2 * factor };
        let values = two_modes(level, order).into_iter().take(runs);
        monitor.push(&Point::from_values(order as u64, values));
    }
    let [change] = monitor.change_points() else {
        panic!("{factor}, {runs} runs: {:?}", monitor.change_points());
    };
    let named = (change.range.last_good, change.range.first_bad);
    assert_eq!(named, (13, 14), "{factor}, {runs} runs: {change:?}");
    assert!(change.found_at <= 16, "{factor}, {runs} runs: {change:?}");
    let truth = 0.2 * (factor - 1.0);
    assert!(change.size.low <= truth && truth <= change.size.high, "{factor}: {change:?}");
    // No surer than values that scatter by a twentieth of the level.
    let width = change.size.high - change.size.low;
    assert!(width >= 0.02 * truth.abs(), "{factor}: {change:?}");
    let band = monitor.noise_band().expect("a band");
    assert!((band.level / (0.2 * factor) - 1.0).abs() < 0.1, "{factor}: {band:?}");
    let width = (band.high - band.low) / band.level;
    assert!((0.05..0.8).contains(&width), "{factor}, {runs} runs: {band:?}");
}

#[test]
fn great_steps_are_found_at_their_commit_whatever_scatters_with_them() {
    for factor in [2.0, 5.0, 20.0, 1000.0, 0.4, 0.05] {
        for runs in [1, 2] {
            check_great_step(factor, runs);
        }
    }
}

#[test]
fn three_spikes_in_a_row_are_no_step() {
    let mut monitor = Monitor::new(MonitorOptions::default());
    for order in 0..60_usize {
        // Of unlike sizes, as what happens by chance is.
        let spike = match order {
            30 => 3.0,
            31 => 0.8,
            32 => 9.0,
            _ => 0.0,
        };
        let values = two_modes(1.0, order).map(|value| value + spike);
        monitor.push(&Point::from_values(order as u64, values));
    }
    assert!(monitor.change_points().is_empty(), "{:?}", monitor.change_points());
}
