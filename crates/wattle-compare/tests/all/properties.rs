//! Properties that hold for all runs.

use proptest::prelude::*;
use wattle_compare::{
    Build, Change, CommonError, ModelDifference, Outlook, Run, RunComparison, Threshold, Verdict,
};
use wattle_units::{Interval, Joules};

fn runs() -> impl Strategy<Value = Vec<Run>> {
    let energy =
        prop_oneof![4 => 0.0..20.0_f64, 1 => Just(0.0), 1 => Just(7.0), 1 => 0.0..1e-9_f64];
    let run = (any::<bool>(), energy, 0..3_u32, prop_oneof![Just(0.0), 0.0..0.5_f64]);
    prop::collection::vec(run, 2..14).prop_map(|runs| {
        let mut number = 0;
        let run = |(is_after, joules, skipped, own_error): (bool, f64, u32, f64)| {
            number += skipped + 1;
            let build = if is_after { Build::After } else { Build::Before };
            Run { build, number, joules: Joules::new(joules), own_error: Joules::new(own_error) }
        };
        runs.into_iter().map(run).collect()
    })
}

fn common() -> impl Strategy<Value = CommonError> {
    prop_oneof![
        (0.0..0.4_f64).prop_map(CommonError::Proportional),
        (0.0..2.0_f64).prop_map(|joules| CommonError::Fixed(Joules::new(joules))),
        Just(CommonError::NONE),
    ]
}

proptest! {
    #[test]
    fn intervals_hold_their_figures_and_no_energy_is_negative(runs in runs(), common in common()) {
        let Some(found) = RunComparison::new(&runs, common, &Threshold::default()) else {
            let has = |build| runs.iter().any(|run| run.build == build);
            prop_assert!(!has(Build::Before) || !has(Build::After));
            return Ok(());
        };
        for mean in [found.before, found.after] {
            if let Some(interval) = mean.interval {
                prop_assert!(interval.low >= Joules::ZERO && interval.contains(mean.joules));
            }
        }
        let change = found.change;
        prop_assert!(change.interval.contains(change.joules), "{change:?}");
        prop_assert!((0.0..=1.0).contains(&change.p_value), "{change:?}");
        prop_assert!(change.detectable >= change.threshold, "{change:?}");
        let is_settled = change.verdict() != Verdict::Inconclusive;
        prop_assert_eq!(is_settled, change.outlook == Outlook::Settled, "{:?}", change);
        match change.verdict() {
            Verdict::Higher => prop_assert!(change.joules > change.threshold),
            Verdict::Lower => prop_assert!(change.joules < -change.threshold),
            Verdict::Equal => prop_assert!(change.joules.abs() <= change.threshold),
            Verdict::Inconclusive => prop_assert!(change.outlook.sentence().is_some()),
        }
    }

    #[test]
    fn swapped_builds_turn_the_verdict_round(runs in runs(), common in common()) {
        let swapped: Vec<Run> = runs.iter().map(|run| {
            let build = if run.build == Build::Before { Build::After } else { Build::Before };
            Run { build, ..*run }
        }).collect();
        let of = |runs: &[Run]| RunComparison::new(runs, common, &Threshold::default());
        let (Some(there), Some(back)) = (of(&runs), of(&swapped)) else { return Ok(()) };
        let near = |a: Joules, b: Joules| (a - b).abs().value() < 1e-6;
        prop_assert!(near(there.change.joules, -back.change.joules), "{:?} {:?}", there, back);
        prop_assert!(near(there.change.interval.low, -back.change.interval.high), "{:?} {:?}", there, back);
        prop_assert_eq!(there.left_out, back.left_out);
    }

    #[test]
    fn parts_sum_to_the_difference(runs in runs(), shares in prop::collection::vec(0.0..1.0_f64, 14)) {
        let of = |runs: &[Run]| RunComparison::new(runs, CommonError::NONE, &Threshold::default());
        let Some(whole) = of(&runs) else { return Ok(()) };
        let part = |is_first: bool| -> Vec<Run> {
            let share = |share: f64| if is_first { share } else { 1.0 - share };
            let run = |(run, of): (&Run, &f64)| Run { joules: run.joules * share(*of), ..*run };
            runs.iter().zip(&shares).map(run).collect()
        };
        let change = |is_first| whole.part(&part(is_first), CommonError::NONE, &Threshold::default());
        let (Some(first), Some(second)) = (change(true), change(false)) else { return Ok(()) };
        let sum = first.joules + second.joules;
        prop_assert!((sum - whole.change.joules).abs().value() < 1e-9, "{:?} {:?}", sum, whole.change);
        let same = whole.part(&runs, CommonError::NONE, &Threshold::default());
        prop_assert_eq!(same.map(|it| it.joules), Some(whole.change.joules));
    }

    #[test]
    fn runs_that_are_all_the_same_are_equal(count in 1..8_u32, joules in 0.0..1e4_f64, common in 0.0..0.5_f64) {
        let run = |number: u32| Run {
            build: if number.is_multiple_of(2) { Build::Before } else { Build::After },
            number,
            joules: Joules::new(joules),
            own_error: Joules::ZERO,
        };
        let runs: Vec<Run> = (0..2 * count).map(run).collect();
        let common = CommonError::Proportional(common);
        let found = RunComparison::new(&runs, common, &Threshold::default()).expect("a comparison");
        prop_assert_eq!(found.change.verdict(), Verdict::Equal);
        prop_assert_eq!(found.change.joules, Joules::ZERO);
    }

    #[test]
    fn adjusted_p_values_only_take_verdicts_away(
        joules in -5.0..5.0_f64, reach in 0.0..5.0_f64, turns in any::<bool>(), factor in 1.0..100.0_f64,
    ) {
        let joules = Joules::new(joules);
        let reach = Joules::new(reach);
        let interval = Interval { low: joules - reach, high: joules + reach };
        let turning = if turns { reach } else { Joules::ZERO };
        let difference = ModelDifference { joules, interval, turning };
        let change = Change::from_model(difference, Joules::new(0.1));
        let adjusted = change.with_p_value((change.p_value * factor).min(1.0));
        let verdict = adjusted.verdict();
        prop_assert!(verdict == change.verdict() || change.verdict().is_definite() && !verdict.is_definite());
        if verdict != change.verdict() && verdict == Verdict::Inconclusive {
            prop_assert_eq!(adjusted.outlook, Outlook::ManyComparisons);
        }
    }
}

#[test]
fn what_is_no_number_is_not_compared() {
    let run = |build, number, joules| Run {
        build,
        number,
        joules: Joules::new(joules),
        own_error: Joules::new(f64::NAN),
    };
    let compare = |runs: &[Run]| RunComparison::new(runs, CommonError::NONE, &Threshold::default());
    assert_eq!(compare(&[]), None);
    assert_eq!(compare(&[run(Build::Before, 0, 1.0)]), None);
    assert_eq!(compare(&[run(Build::Before, 0, 1.0), run(Build::After, 1, f64::INFINITY)]), None);
    let found = compare(&[run(Build::Before, 0, 1.0), run(Build::After, 1, 1.0)]).expect("one");
    assert_eq!(found.change.verdict(), Verdict::Equal);
}
