//! Lines with knees, cluster-robust errors, weighted conformal intervals: against values by hand and by simulation.

use wattle_fit::{
    Design, GaussianOptions, KneedOptions, LinearOptions, WeightedConformal, effective_rows,
};
use wattle_random::SplitMix64;

/// A clock that costs 1 a unit up to 2 and 3 a unit above, and nothing else: knees at the quartiles of 0 … 4.
#[test]
fn a_kneed_line_is_found_and_continues_flat() {
    let mut design = Design::new(["clock"]);
    let mut observed = Vec::new();
    for row in 0..=100 {
        let clock = f64::from(row) * 0.04;
        design.push_row(&[clock]).unwrap();
        observed.push(1.0 + clock + 2.0 * (clock - 2.0).max(0.0));
    }
    let fit = KneedOptions::default().fit(&design, &observed).unwrap();
    assert_eq!(fit.stretches.len(), 4);
    for (coefficient, slope) in fit.coefficients.iter().zip([1.0, 1.0, 3.0, 3.0]) {
        assert!((coefficient.value - slope).abs() < 1e-6, "{coefficient:?}");
    }
    assert!((fit.intercept.value - 1.0).abs() < 1e-6, "{:?}", fit.intercept);
    assert!((fit.predict(&[3.0]) - 6.0).abs() < 1e-6);
    assert!((fit.predict(&[9.0]) - 9.0).abs() < 1e-6, "beyond the last knee it is level");
    let falling: Vec<f64> = observed.iter().map(|y| 20.0 - y).collect();
    let held = KneedOptions::default().fit(&design, &falling).unwrap();
    assert!(held.coefficients.iter().all(|c| c.value >= 0.0));
    let either = KneedOptions { either_way: true, ..KneedOptions::default() };
    let fit = either.fit(&design, &falling).unwrap();
    assert!((fit.predict(&[3.0]) - 14.0).abs() < 1e-6);
}

/// Groups that err together: with thirty groups of ten rows whose errors are the group's alone, the standard error of a mean is that of
/// thirty values, not of three hundred.
#[test]
fn clustered_errors_count_groups() {
    let mut random = SplitMix64::new(5);
    let (mut inside, mut naive) = (0, 0);
    for _ in 0..200 {
        let mut design = Design::new(["x"]);
        let (mut observed, mut groups) = (Vec::new(), Vec::new());
        for group in 0..30 {
            let (x, error) = (random.normal(), random.normal());
            for _ in 0..10 {
                design.push_row(&[x]).unwrap();
                observed.push(2.0 * x + error);
                groups.push(group);
            }
        }
        let holds = |clusters: Option<Vec<usize>>| {
            let options = LinearOptions { clusters, ..LinearOptions::default() };
            let fit = options.fit(&design, &observed).unwrap();
            let of = &fit.coefficients[0];
            i32::from((of.value - 2.0).abs() <= fit.half_width(of, 0.9).unwrap())
        };
        inside += holds(Some(groups));
        naive += holds(None);
    }
    assert!((160..=196).contains(&inside), "{inside} of 200");
    assert!(naive < 120, "{naive} of 200 without clusters");
}

/// Ends by hand: of 39 equal weights the second and the 38th score; of 9 weights one end for both sides; of 8 none.
#[test]
fn weighted_intervals_have_the_ranks_of_split_conformal_ones() {
    let scores = |count: u32| (1..=count).map(f64::from).collect::<Vec<f64>>();
    let interval = |count: u32| {
        WeightedConformal::new(&scores(count), &vec![1.0; count as usize]).interval(0.9)
    };
    let found = interval(39).unwrap();
    assert_eq!((found.low, found.high, found.is_symmetric), (2.0, 38.0, false));
    let found = interval(9).unwrap();
    assert_eq!((found.low, found.high, found.is_symmetric), (-9.0, 9.0, true));
    assert_eq!(interval(8), None);
    // A hundred rows that say as much as five.
    assert_eq!(WeightedConformal::new(&scores(100), &[0.05; 100]).interval(0.9), None);
}

/// A first-order autoregression with coefficient 0.8 has (1 − 0.8) / (1 + 0.8) as many independent rows.
#[test]
fn neighbouring_rows_count_as_fewer() {
    let mut random = SplitMix64::new(3);
    let noise: Vec<f64> = (0..4000).map(|_| random.normal()).collect();
    let mut last = 0.0;
    let smooth: Vec<f64> = noise
        .iter()
        .map(|value| {
            last = 0.8 * last + value;
            last
        })
        .collect();
    let share = effective_rows(&smooth) / 4000.0;
    assert!((share / (0.2 / 1.8) - 1.0).abs() < 0.25, "{share}");
    assert!(effective_rows(&noise) > 3000.0);
}

/// The numbers of a process give its value, and a process given its own rows again is the same.
#[test]
fn a_gaussian_process_is_its_support() {
    let mut random = SplitMix64::new(8);
    let mut design = Design::new(["a", "b", "constant"]);
    let mut observed = Vec::new();
    for _ in 0..80 {
        let (a, b) = (random.unit(), 100.0 * random.unit());
        design.push_row(&[a, b, 7.0]).unwrap();
        observed.push((5.0 * a).sin() + 0.01 * b + 0.02 * random.normal());
    }
    let process = GaussianOptions::default().fit(&design, &observed).unwrap();
    let again = process.fit_again(&design, &observed).unwrap();
    let support = process.support();
    assert!(support.reaches[2].is_infinite());
    for row in [[0.3, 20.0, 7.0], [0.9, 90.0, 7.0], [2.0, -50.0, 7.0]] {
        let place = |at: usize| (row[at] - support.centres[at]) / support.reaches[at];
        let pulls = support.points.iter().zip(&support.weights).map(|(point, weight)| {
            let squares: f64 = (0..3).map(|at| (place(at) - point[at]).powi(2)).sum();
            let d = squares.sqrt();
            let root = 5.0_f64.sqrt() * d;
            weight * (1.0 + root + 5.0 * d * d / 3.0) * (-root).exp()
        });
        let by_hand = support.level + pulls.sum::<f64>();
        assert!((process.predict(&row) - by_hand).abs() < 1e-9);
        assert!((process.predict(&row) - again.predict(&row)).abs() < 1e-9);
    }
    assert!((process.predict(&[0.3, 20.0, 7.0]) - 1.5_f64.sin() - 0.2).abs() < 0.05);
}
