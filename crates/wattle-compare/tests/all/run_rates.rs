//! Rates of verdicts and intervals over many series.

use wattle_compare::{
    Arrangement, Build, CommonError, Outlook, Run, RunComparison, Threshold, Verdict,
};
use wattle_random::SplitMix64;
use wattle_units::Joules;

use crate::worlds::{ENERGY, Noise, Order, series};

/// Series of each kind: rates of 5 % and 90 % are known to 0.6 % and 0.8 %. The documentation states rates of 20,000.
const SERIES: u32 = 1500;

/// Rates over many series of one kind.
#[derive(Debug, Default)]
struct Rates {
    count: f64,
    /// Series whose interval holds the true difference.
    covered: f64,
    higher: f64,
    lower: f64,
    equal: f64,
    /// Series of which a run was left out.
    left_out: f64,
}

impl Rates {
    fn new(noise: Noise, order: Order, of_each: usize, change: f64) -> Self {
        let mut random = SplitMix64::new(20_261_127).fork(noise as u64);
        let mut rates = Self::default();
        for _ in 0..SERIES {
            let runs = series(noise, order, of_each, change, &mut random);
            rates.add(&runs, change);
        }
        rates
    }

    fn add(&mut self, runs: &[Run], change: f64) {
        let found = RunComparison::new(runs, CommonError::NONE, &Threshold::default());
        let found = found.expect("a comparison");
        let is = |flag: bool| f64::from(u32::from(flag));
        self.count += 1.0;
        self.covered += is(found.change.interval.contains(Joules::new(change * ENERGY)));
        let verdict = found.change.verdict();
        self.higher += is(verdict == Verdict::Higher);
        self.lower += is(verdict == Verdict::Lower);
        self.equal += is(verdict == Verdict::Equal);
        self.left_out += is(found.left_out.is_some());
    }

    fn rate(&self, count: f64) -> f64 {
        count / self.count
    }
}

/// Rates that the documentation states, for five runs of each build.
#[test]
fn five_runs_of_each_build() {
    for order in [Order::Mirrored, Order::Alternating] {
        for noise in Noise::ALL {
            let null = Rates::new(noise, order, 5, 0.0);
            let change = Rates::new(noise, order, 5, 0.03);
            let found = change.rate(change.higher);
            let wrong = null.rate(null.higher + null.lower);
            println!(
                "{order:?} {noise:?}: covered {:.3} {:.3}, no change: definite {wrong:.3}, equal {:.3}; 3 %: higher {found:.3}, lower {:.4}; left out {:.3}",
                null.rate(null.covered),
                change.rate(change.covered),
                null.rate(null.equal),
                change.rate(change.lower),
                null.rate(null.left_out),
            );
            assert!(wrong <= 0.06, "{order:?} {noise:?}: {null:?}");
            for rates in [&null, &change] {
                let covered = rates.rate(rates.covered);
                assert!((0.875..=0.99).contains(&covered), "{order:?} {noise:?}: {rates:?}");
            }
            assert!(change.lower <= change.higher * 0.01, "{order:?} {noise:?}: {change:?}");
            if noise.is_slow() {
                assert!(found >= 0.90, "{order:?} {noise:?}: {change:?}");
            }
        }
    }
}

/// The number of further runs that is stated settles the comparison in about three of four series that are continued, and in more of them if there is a change.
#[test]
fn so_many_further_runs_settle_it() {
    for (noise, change) in [
        (Noise::Independent, 0.03),
        (Noise::HeavyTails, 0.03),
        (Noise::Bimodal, 0.03),
        (Noise::Modes, 0.02),
        (Noise::Correlated, 0.03),
        (Noise::Independent, 0.0),
        (Noise::Correlated, 0.0),
    ] {
        let mut random = SplitMix64::new(31).fork(noise as u64);
        let (mut stated, mut settled) = (Vec::new(), 0.0);
        for _ in 0..300 {
            let runs = series(noise, Order::Mirrored, 205, change, &mut random);
            let compare = |runs: &[Run]| {
                let found = RunComparison::new(runs, CommonError::NONE, &Threshold::default());
                found.expect("a comparison").change
            };
            let Outlook::MoreRuns(more) = compare(&runs[..10]).outlook else { continue };
            let verdict = compare(&runs[..10 + 2 * more as usize]).verdict();
            stated.push(more);
            settled += f64::from(u32::from(verdict != Verdict::Inconclusive));
        }
        stated.sort_unstable();
        let (median, rate) = (stated[stated.len() / 2], settled / stated.len() as f64);
        println!("{noise:?} {change}: {} series, median {median}, settled {rate:.3}", stated.len());
        assert!(stated.len() >= 60, "{noise:?} {change}: {}", stated.len());
        assert!((0.55..=0.99).contains(&rate), "{noise:?} {change}: {rate}");
    }
}

/// An effect of the detectable size is found in nine series of ten.
#[test]
fn detectable_effects_are_found() {
    for noise in [Noise::Independent, Noise::Bimodal, Noise::Drift] {
        let mut random = SplitMix64::new(5).fork(noise as u64);
        let mut sum = 0.0;
        for _ in 0..400 {
            let runs = series(noise, Order::Mirrored, 8, 0.0, &mut random);
            let found = RunComparison::new(&runs, CommonError::NONE, &Threshold::default());
            sum += found.expect("a comparison").change.detectable.value() / ENERGY;
        }
        let effect = sum / 400.0;
        let rates = Rates::new(noise, Order::Mirrored, 8, effect);
        println!("{noise:?}: {effect:.4} found in {:.3}", rates.rate(rates.higher));
        assert!((0.85..=0.98).contains(&rates.rate(rates.higher)), "{noise:?}: {rates:?}");
    }
}

/// One spoilt run of ten: it is named, and the others decide.
#[test]
fn a_spoilt_run_is_left_out() {
    let mut random = SplitMix64::new(8);
    let (mut named, mut found) = (0, 0);
    for _ in 0..400 {
        let mut runs = series(Noise::Drift, Order::Mirrored, 5, 0.04, &mut random);
        let at = random.below(10) as usize;
        runs[at].joules = runs[at].joules * 1.25;
        let comparison = RunComparison::new(&runs, CommonError::NONE, &Threshold::default());
        let comparison = comparison.expect("a comparison");
        named += u32::from(comparison.left_out == Some(runs[at].number));
        found += u32::from(comparison.change.verdict() == Verdict::Higher);
    }
    println!("named {named}, found {found} of 400");
    assert!(named >= 360 && found >= 360, "named {named}, found {found}");
}

/// A common error of the model scales the true difference of each series; intervals hold it.
#[test]
fn common_errors_are_in_the_interval() {
    let mut random = SplitMix64::new(17);
    let (mut covered, mut turned) = (0, 0);
    for _ in 0..SERIES {
        let mut runs = series(Noise::Drift, Order::Mirrored, 5, 0.10, &mut random);
        let factor = (0.15 * random.normal()).exp();
        for run in &mut runs {
            run.joules = run.joules * factor;
        }
        let common = CommonError::Proportional(0.15);
        let found = RunComparison::new(&runs, common, &Threshold::default());
        let found = found.expect("a comparison").change;
        covered += u32::from(found.interval.contains(Joules::new(0.10 * ENERGY)));
        turned += u32::from(found.verdict() == Verdict::Lower);
    }
    println!("covered {covered} of {SERIES}, turned {turned}");
    assert!(covered * 100 >= SERIES * 87 && turned == 0, "covered {covered}, turned {turned}");
}

/// Builds one after the other: Welch's test, whose rates hold without drift.
#[test]
fn builds_that_did_not_take_turns() {
    let mut random = SplitMix64::new(23);
    let (mut null, mut change) = (Rates::default(), Rates::default());
    for _ in 0..SERIES {
        for (rates, effect) in [(&mut null, 0.0), (&mut change, 0.05)] {
            let mut runs = series(Noise::Independent, Order::Mirrored, 5, effect, &mut random);
            runs.sort_by_key(|run| run.build);
            for (number, run) in (0..).zip(&mut runs) {
                run.number = number;
            }
            let found = RunComparison::new(&runs, CommonError::NONE, &Threshold::default());
            assert_eq!(found.expect("one").arrangement, Arrangement::Independent);
            rates.add(&runs, effect);
        }
    }
    println!("{null:?} {change:?}");
    assert!(null.rate(null.higher + null.lower) <= 0.06, "{null:?}");
    assert!(null.rate(null.covered) >= 0.88 && change.rate(change.covered) >= 0.88, "{change:?}");
    assert!(change.rate(change.higher) >= 0.85, "{change:?}");
}

/// Scatter that no run showed is not invented: the verdict is about two runs.
#[test]
fn one_run_of_each_build() {
    let run = |build, number, joules, own_error| Run {
        build,
        number,
        joules: Joules::new(joules),
        own_error: Joules::new(own_error),
    };
    let compare = |after: f64, own_error: f64| {
        let runs = [run(Build::Before, 0, 10.0, own_error), run(Build::After, 1, after, own_error)];
        let common = CommonError::Proportional(0.05);
        RunComparison::new(&runs, common, &Threshold::default()).expect("a comparison")
    };
    let found = compare(10.0, 0.0);
    assert_eq!(found.arrangement, Arrangement::SingleRuns);
    assert_eq!((found.change.verdict(), found.change.outlook), (Verdict::Equal, Outlook::Settled));
    assert_eq!((found.before.deviation, found.before.interval), (None, None));
    // 1 J ± 1.645·5 % of it.
    let change = compare(11.0, 0.0).change;
    assert!((change.interval.low.value() - (1.0 - 0.082_243)).abs() < 1e-4, "{change:?}");
    assert_eq!(change.verdict(), Verdict::Higher);
    // Errors of 0.5 J in each run, which the other does not share.
    let change = compare(10.5, 0.5).change;
    assert_eq!(
        (change.verdict(), change.outlook),
        (Verdict::Inconclusive, Outlook::ScatterUnknown)
    );
}
