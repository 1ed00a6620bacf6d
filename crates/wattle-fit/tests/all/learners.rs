//! Boosted trees and Gaussian processes: what they must find, and what they must survive.

use wattle_fit::{BoostOptions, Design, FitError, GaussianOptions, Loss, Scores};
use wattle_random::SplitMix64;

/// Rows of a known smooth function of two columns, a third that says nothing, and some noise.
fn rows(count: usize, seed: u64, noise: f64) -> (Design, Vec<f64>, Vec<f64>) {
    let mut random = SplitMix64::new(seed);
    let mut next = || random.below(1 << 20) as f64 / f64::from(1 << 20);
    let mut design = Design::new(["a", "b", "nothing"]);
    let (mut observed, mut truth) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (a, b, nothing) = (next(), next(), next());
        design.push_row(&[a, b, nothing]).expect("a row");
        let value = 2.0 + (4.0 * a).sin() + a * b;
        truth.push(value);
        observed.push(value + noise * (next() + next() - 1.0));
    }
    (design, observed, truth)
}

fn error(truth: &[f64], predicted: &[f64]) -> f64 {
    Scores::new(truth, predicted).expect("scores").mean
}

#[test]
fn a_gaussian_process_finds_a_smooth_function_and_says_how_well() {
    let (train, observed, _) = rows(200, 1, 0.1);
    let (test, _, truth) = rows(200, 2, 0.0);
    let process = GaussianOptions::default().fit(&train, &observed).expect("a process");
    let predicted = process.predict_all(&test);
    assert!(error(&truth, &predicted) < 0.015, "{}", error(&truth, &predicted));
    assert_eq!(process.predict(&test.row(3)), predicted.get(3).copied().expect("a row"));
    // Left out, by the closed form, is what a process without the row says, but for its settings.
    let left_out = error(&observed, &process.left_out);
    assert!((0.01..0.03).contains(&left_out), "{left_out}");
}

#[test]
fn wild_rows_do_not_bend_a_robust_process() {
    let (train, mut observed, _) = rows(200, 3, 0.1);
    for wild in observed.iter_mut().step_by(20) {
        *wild += 15.0;
    }
    let (test, _, truth) = rows(100, 4, 0.0);
    let error_of = |robust| {
        let options = GaussianOptions { robust, ..GaussianOptions::default() };
        let process = options.fit(&train, &observed).expect("a process");
        error(&truth, &process.predict_all(&test))
    };
    let (robust, plain) = (error_of(true), error_of(false));
    assert!(robust < 0.4 * plain, "{robust} {plain}");
}

#[test]
fn boosted_trees_find_steps_and_use_what_is_missing() {
    let mut random = SplitMix64::new(5);
    let mut design = Design::new(["step", "gap"]);
    let mut observed = Vec::new();
    for row in 0..300 {
        let x = random.below(1000) as f64 / 1000.0;
        let gap = if row % 4 == 0 { f64::NAN } else { 1.0 };
        design.push_row(&[x, gap]).expect("a row");
        observed.push(if x > 0.4 { 5.0 } else { 2.0 } + if gap.is_nan() { 3.0 } else { 0.0 });
    }
    for loss in [Loss::Squared, Loss::Huber] {
        let options = BoostOptions { loss, ..BoostOptions::default() };
        let trees = options.fit(&design, &observed).expect("trees");
        for (row, expected) in
            [([0.1, 1.0], 2.0), ([0.9, 1.0], 5.0), ([0.1, f64::NAN], 5.0), ([0.9, f64::NAN], 8.0)]
        {
            let found = trees.predict(&row);
            assert!((found - expected).abs() < 0.05, "{loss:?}: {found} is not {expected}");
        }
        let again = options.fit(&design, &observed).expect("trees");
        assert_eq!(again.predict_all(&design), trees.predict_all(&design), "not the same twice");
    }
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let (design, observed, _) = rows(10, 6, 0.0);
    let short = observed.get(1..).expect("rows");
    assert!(matches!(GaussianOptions::default().fit(&design, short), Err(FitError::Length { .. })));
    assert!(matches!(BoostOptions::default().fit(&design, short), Err(FitError::Length { .. })));
    let options = BoostOptions { row_share: 0.0, ..BoostOptions::default() };
    assert!(matches!(options.fit(&design, &observed), Err(FitError::Setting { .. })));
    let mut gaps = Design::new(["a"]);
    for value in [1.0, f64::NAN, 2.0] {
        gaps.push_row(&[value]).expect("a row");
    }
    let error = GaussianOptions::default().fit(&gaps, &[1.0, 2.0, 3.0]);
    assert!(matches!(error, Err(FitError::NotFinite { row: 1, .. })));
    assert!(gaps.push_row(&[f64::INFINITY]).is_err() && gaps.push_row(&[1.0, 2.0]).is_err());
    let constant = vec![4.0; 10];
    let flat = GaussianOptions::default().fit(&design, &constant).expect("a constant");
    assert!((flat.predict(&[0.5, 0.5, 0.5]) - 4.0).abs() < 1e-9);
}
