//! Properties that must hold for any numbers.

use proptest::prelude::*;
use wattle_fit::{
    Conformal, Design, Folds, Intercept, LinearOptions, Scores, coverage, cross_conformal, cv_plus,
    nnls, order,
};

fn matrix() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>, Vec<bool>)> {
    (1usize..8, 1usize..30).prop_flat_map(|(width, rows)| {
        let value = prop_oneof![4 => -10.0..10.0f64, 1 => Just(0.0), 1 => -1e6..1e6f64];
        (
            prop::collection::vec(prop::collection::vec(value, rows), width),
            prop::collection::vec(-100.0..100.0f64, rows),
            prop::collection::vec(prop::bool::weighted(0.8), width),
        )
    })
}

proptest! {
    /// Karush, Kuhn and Tucker: feasible, no descent along a used column, none into an unused one.
    #[test]
    fn non_negative_least_squares_is_optimal((columns, b, constrained) in matrix()) {
        let Ok(x) = nnls(&columns, &b, &constrained) else {
            // Unconstrained columns may depend on each other.
            return Ok(());
        };
        let mut residual = b.clone();
        for (column, x) in columns.iter().zip(&x) {
            for (r, c) in residual.iter_mut().zip(column) {
                *r -= x * c;
            }
        }
        let size = b.iter().map(|v| v * v).sum::<f64>().sqrt();
        for ((column, x), constrained) in columns.iter().zip(&x).zip(&constrained) {
            let length = column.iter().map(|v| v * v).sum::<f64>().sqrt();
            let gradient: f64 = column.iter().zip(&residual).map(|(c, r)| c * r).sum();
            let slack = 1e-6 * length * size + 1e-9;
            prop_assert!(gradient <= slack, "descent left: {gradient}");
            if *x > 0.0 || !constrained {
                prop_assert!(gradient.abs() <= slack, "not settled: {gradient}");
            }
            if *constrained {
                prop_assert!(*x >= 0.0);
            }
        }
    }

    /// Scaling a column scales its coefficient and nothing else; scaling weights changes nothing.
    #[test]
    fn units_do_not_matter(scale in 1e-6..1e6f64, seed in 0u64..1000) {
        let mut plain = Design::new(["a", "b"]);
        let mut scaled = Design::new(["a", "b"]);
        let mut observed = Vec::new();
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..25 {
            let (a, b) = (next(), next());
            plain.push_row(&[a, b]).expect("a row");
            scaled.push_row(&[a * scale, b]).expect("a row");
            observed.push(2.0 + 3.0 * a + 0.5 * b + 0.1 * next());
        }
        let options = LinearOptions { intercept: Intercept::Free, non_negative: true, ..LinearOptions::default() };
        let one = options.fit(&plain, &observed).expect("a fit");
        let weighted = LinearOptions { weights: Some(vec![7.0; 25]), ..options };
        let two = weighted.fit(&scaled, &observed).expect("a fit");
        for (row, y) in one.predict_all(&plain).iter().zip(two.predict_all(&scaled)) {
            prop_assert!((row - y).abs() < 1e-8);
        }
    }

    /// Every row is held out once, and no group is on both sides.
    #[test]
    fn folds_hold_whole_groups_out(groups in prop::collection::vec(0u8..6, 1..60), count in 1usize..8) {
        let kinds = [
            (Folds::leave_one_group_out(&groups), true),
            (Folds::grouped(&groups, count), true),
            (Folds::blocked(groups.len(), count), false),
        ];
        for (folds, whole) in kinds {
            let mut seen = vec![0; groups.len()];
            for split in folds.splits() {
                prop_assert_eq!(split.train.len() + split.test.len(), groups.len());
                for row in &split.test {
                    seen[*row] += 1;
                    let group = groups[*row];
                    prop_assert!(!whole || split.train.iter().all(|other| groups[*other] != group));
                }
            }
            prop_assert!(seen.iter().all(|times| *times == 1));
        }
    }
}

/// Noise of an independent generator; both ends of errors that lean to one side are held.
#[test]
fn conformal_intervals_hold_what_they_promise() {
    let mut state = 42u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut measured = Vec::new();
    let mut predicted = Vec::new();
    for _ in 0..4000 {
        let size = 0.1 + 10.0 * next();
        let skewed = next() * next() * next();
        predicted.push(size);
        measured.push(size * (0.9 + skewed));
    }
    let folds = Folds::blocked(4000, 8);
    let intervals = cross_conformal(&measured, &predicted, folds.fold_of_row(), 0.9, 0.0);
    let share = coverage(&measured, &intervals).expect("rows");
    assert!((share - 0.9).abs() < 0.02, "{share}");
    let below = measured.iter().zip(&intervals).filter(|(y, (low, _))| **y < *low).count();
    assert!((100..300).contains(&below), "{below} of 4000 below");
    let few = Conformal::new(&[1.0; 5], &[1.1; 5], 0.0);
    assert_eq!(few.interval(1.0, 0.9, 0.0), (f64::NEG_INFINITY, f64::INFINITY));
    let (low, high) = cv_plus(&[10.0; 19], &(0..19).map(f64::from).collect::<Vec<_>>(), 0.9);
    assert_eq!((low, high), (-7.0, 27.0));
}

#[test]
fn scores_are_what_their_names_say() {
    let scores = Scores::new(&[10.0, 20.0, 40.0, 0.0], &[11.0, 18.0, 44.0, 1.0]).expect("rows");
    assert_eq!((scores.rows, scores.left_out), (3, 1));
    assert!((scores.mean - 0.1).abs() < 1e-12 && (scores.median - 0.1).abs() < 1e-12);
    assert!((scores.bias - 0.1 / 3.0).abs() < 1e-12);
    // ȳ = 70/3; Σ(y−ȳ)² = 4200/9; Σ(y−p)² = 21.
    assert!((scores.r_squared.expect("varies") - (1.0 - 21.0 * 9.0 / 4200.0)).abs() < 1e-12);
    assert_eq!(Scores::new(&[0.0], &[1.0]), None);
    assert_eq!(order::quantile(&[1.0, 2.0, 4.0], 0.75), Some(3.0));
}
