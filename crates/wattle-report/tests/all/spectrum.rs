//! Scores of spectra, held against published ones.

use proptest::prelude::*;
use wattle_report::{Counts, Spectrum, Suspicion, worst_ranks};

/// Statements of `mid()`, the example of Jones and Harrold (ASE 2005, figure 1), that run for three numbers, and what it returns.
/// Statement 7 is the defect: it should be `m = x`.
fn mid([x, y, z]: [i32; 3]) -> (Vec<usize>, i32) {
    let mut ran = vec![1, 2, 3];
    let mut m = z;
    if y < z {
        ran.push(4);
        if x < y {
            ran.push(5);
            m = y;
        } else {
            ran.push(6);
            if x < z {
                ran.push(7);
                m = y;
            }
        }
    } else {
        ran.extend([8, 9]);
        if x > y {
            ran.push(10);
            m = y;
        } else {
            ran.push(11);
            if x > z {
                ran.push(12);
                m = x;
            }
        }
    }
    ran.push(13);
    (ran, m)
}

/// The spectrum of its six published tests.
fn mid_spectrum() -> Spectrum {
    let runs = [[3, 3, 5], [1, 2, 3], [3, 2, 1], [5, 5, 5], [5, 3, 4], [2, 1, 3]].map(|numbers| {
        let mut sorted = numbers;
        sorted.sort_unstable();
        let (ran, found) = mid(numbers);
        (ran, found != sorted[1])
    });
    let mut spectrum = Spectrum::new(runs.iter().map(|(_, failed)| *failed).collect());
    for statement in 1..=13 {
        let tests = runs.iter().enumerate().filter(|(_, (ran, _))| ran.contains(&statement));
        spectrum.part(tests.map(|(test, _)| test));
    }
    spectrum
}

#[test]
fn the_published_example_has_the_published_scores() {
    let counts = mid_spectrum().counts();
    // Suspiciousness and rank as printed in the paper; a statement that never runs has 0 there.
    let suspiciousness = ["0.50", "0.50", "0.50", "0.63", "0.00", "0.71", "0.83", "0.00"];
    let scores: Vec<_> = counts.iter().map(|counts| counts.tarantula().unwrap_or(0.0)).collect();
    for (score, expected) in scores.iter().zip(suspiciousness) {
        // The paper rounds 0.625 up.
        assert_eq!(format!("{:.2}", score + 1e-9), expected);
    }
    assert_eq!(scores[8..12], [0.0; 4]);
    let ranks = worst_ranks(&scores.iter().copied().map(Some).collect::<Vec<_>>());
    let expected = [7, 7, 7, 3, 13, 2, 1, 13, 13, 13, 13, 13, 7];
    assert_eq!(ranks, expected.map(Some));

    // Ochiai on the same spectrum by hand: the defect ran in one test that failed and one that passed, and so on.
    let ochiai: Vec<_> = counts.iter().map(|counts| counts.ochiai()).collect();
    let root = |of: f64| Some(of.sqrt().recip());
    assert_eq!(ochiai[6], root(2.0));
    assert_eq!(ochiai[5], root(3.0));
    assert_eq!(ochiai[3], root(4.0));
    assert_eq!([ochiai[0], ochiai[12]], [root(6.0); 2]);
    assert_eq!([ochiai[4], ochiai[7]], [Some(0.0); 2]);
    assert_eq!(ochiai[11], None, "it never ran");
}

#[track_caller]
fn check(e_f: usize, e_p: usize, n_f: usize, n_p: usize, expected: Suspicion) {
    assert_eq!(Suspicion::from_counts(Counts { e_f, e_p, n_f, n_p }), expected);
}

#[test]
fn colours_are_greendroids() {
    check(0, 0, 3, 3, Suspicion::White);
    check(0, 2, 3, 1, Suspicion::Green);
    check(3, 0, 0, 3, Suspicion::Red);
    check(1, 0, 9, 0, Suspicion::Red);
    // Of five tests in which it ran two are normal: 40 %, not less.
    check(3, 2, 0, 8, Suspicion::Yellow);
    // One of three.
    check(2, 1, 0, 9, Suspicion::Red);
    check(1, 1, 2, 2, Suspicion::Yellow);
    check(1, 5, 0, 0, Suspicion::Yellow);
}

#[test]
fn without_tests_of_both_kinds_there_are_no_scores() {
    let none = Counts { e_f: 0, e_p: 2, n_f: 0, n_p: 1 };
    assert_eq!((none.ochiai(), none.tarantula()), (None, None));
    let all = Counts { e_f: 2, e_p: 0, n_f: 1, n_p: 0 };
    assert_eq!(all.tarantula(), None);
    assert_eq!(Spectrum::default().counts(), []);
    assert_eq!(worst_ranks(&[None, Some(0.0), Some(1.0)]), [None, Some(2), Some(1)]);
}

/// Tests, and parts with the tests they ran in.
fn spectra() -> impl Strategy<Value = (Vec<bool>, Vec<Vec<usize>>)> {
    let tests = prop::collection::vec(any::<bool>(), 0..12);
    let parts = prop::collection::vec(prop::collection::vec(0..14_usize, 0..14), 0..12);
    (tests, parts)
}

fn counts(tests: &[bool], parts: &[Vec<usize>]) -> Vec<Counts> {
    let mut spectrum = Spectrum::new(tests.to_vec());
    for part in parts {
        spectrum.part(part.iter().copied());
    }
    spectrum.counts()
}

proptest! {
    #[test]
    fn scores_keep_their_range((tests, parts) in spectra()) {
        let all = tests.iter().filter(|test| **test).count();
        let counts = counts(&tests, &parts);
        prop_assert_eq!(counts.len(), parts.len());
        for (count, part) in counts.iter().zip(&parts) {
            prop_assert_eq!(count.outstanding(), all);
            prop_assert_eq!(count.outstanding() + count.normal(), tests.len());
            for score in [count.ochiai(), count.tarantula()].into_iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&score), "{score}");
            }
            let exactly = (0..tests.len()).all(|test| tests[test] == part.contains(&test));
            prop_assert_eq!(count.ochiai() == Some(1.0), exactly && all > 0);
            prop_assert_eq!(Suspicion::from_counts(*count) == Suspicion::White, !count.is_executed());
        }
    }

    #[test]
    fn the_order_does_not_matter((tests, parts) in spectra(), turn in 0..12_usize) {
        let straight = counts(&tests, &parts);
        // Tests turned round and parts backwards.
        let size = tests.len().max(1);
        let mut turned = tests.clone();
        turned.rotate_left(turn % size);
        let place = |test: usize| if test < tests.len() {
            (test + size - turn % size) % size
        } else {
            test
        };
        let moved = parts.iter().rev().map(|part| part.iter().rev().map(|test| place(*test)).collect());
        let mut again = counts(&turned, &moved.collect::<Vec<_>>());
        again.reverse();
        prop_assert_eq!(again, straight);
    }

    #[test]
    fn ranks_count_what_is_at_least_as_suspicious(scores in prop::collection::vec(prop::option::of(0..5_u8), 0..20)) {
        let scores: Vec<Option<f64>> = scores.into_iter().map(|score| score.map(f64::from)).collect();
        for (rank, score) in worst_ranks(&scores).into_iter().zip(&scores) {
            let above = scores.iter().flatten().filter(|other| score.is_some_and(|score| **other >= score));
            prop_assert_eq!(rank, score.map(|_| above.count()));
        }
    }
}

#[test]
fn a_part_counts_a_test_once() {
    let mut spectrum = Spectrum::new(vec![true, false]);
    spectrum.part([1, 0, 1, 7]);
    let count = *spectrum.counts().first().expect("a part");
    assert_eq!(count, Counts { e_f: 1, e_p: 1, n_f: 0, n_p: 0 });
    assert_eq!(spectrum.outstanding_of(0).collect::<Vec<_>>(), [0]);
    assert_eq!(spectrum.outstanding_of(1).count(), 0);
}
