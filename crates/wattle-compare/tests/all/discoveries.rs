//! Rates of false discoveries among the methods of an app.

use wattle_compare::{Build, CommonError, Dependence, Run, RunComparison, Threshold, adjusted};
use wattle_random::SplitMix64;
use wattle_units::Joules;

/// Methods of the simulated app.
const METHODS: usize = 60;

/// Dependence of the methods of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sharing {
    /// Each method has noise of its own.
    None,
    /// A run is higher or lower as a whole, too.
    Run,
    /// The methods divide an energy that is the same in each run: where one has more, others have less.
    Fixed,
}

/// P-values of all methods over ten runs; those in front differ by 25 %.
fn p_values(sharing: Sharing, changed: usize, random: &mut SplitMix64) -> Vec<f64> {
    let mut energies = vec![Vec::new(); METHODS];
    for number in 0..10_u32 {
        let build = if matches!(number % 4, 1 | 2) { Build::After } else { Build::Before };
        let run = 0.02 * random.normal();
        let mut of_run: Vec<f64> = (0..METHODS).map(|_| 1.0 + 0.04 * random.normal()).collect();
        match sharing {
            Sharing::None => {}
            Sharing::Run => {
                for energy in &mut of_run {
                    *energy *= 1.0 + run;
                }
            }
            Sharing::Fixed => {
                let sum: f64 = of_run.iter().sum::<f64>() / METHODS as f64;
                for energy in &mut of_run {
                    *energy /= sum;
                }
            }
        }
        for (method, energy) in of_run.into_iter().enumerate() {
            let change = if method < changed && build == Build::After { 1.25 } else { 1.0 };
            let joules = Joules::new(energy * change);
            energies[method].push(Run { build, number, joules, own_error: Joules::ZERO });
        }
    }
    let p_value = |runs: &Vec<Run>| {
        let found = RunComparison::new(runs, CommonError::NONE, &Threshold::default());
        found.expect("a comparison").change.p_value
    };
    energies.iter().map(p_value).collect()
}

/// The mean part of false ones among the discoveries, and the part of the changes that was discovered.
#[derive(Debug, Default)]
struct Rates {
    false_part: f64,
    discovered: f64,
}

/// The rates with p-values adjusted for positive dependence, and for any.
fn rates(sharing: Sharing, changed: usize) -> [Rates; 2] {
    const TRIALS: u32 = 50;
    let mut random = SplitMix64::new(99).fork(changed as u64);
    let mut rates = [Rates::default(), Rates::default()];
    for _ in 0..TRIALS {
        let p_values = p_values(sharing, changed, &mut random);
        for (rates, dependence) in rates.iter_mut().zip([Dependence::Positive, Dependence::Any]) {
            let adjusted = adjusted(&p_values, dependence);
            let found = |of: &[f64]| of.iter().filter(|p| **p <= 0.05).count() as f64;
            let (right, wrong) = (found(&adjusted[..changed]), found(&adjusted[changed..]));
            rates.false_part += wrong / f64::max(right + wrong, 1.0) / f64::from(TRIALS);
            rates.discovered += right / f64::max(changed as f64, 1.0) / f64::from(TRIALS);
        }
    }
    rates
}

/// Benjamini and Hochberg's rule holds under each dependence that methods have, so Yekutieli's, which finds less, is not needed.
#[test]
fn one_in_twenty_discoveries_is_false() {
    for sharing in [Sharing::None, Sharing::Run, Sharing::Fixed] {
        for changed in [0, 6, 30] {
            let [positive, any] = rates(sharing, changed);
            println!("{sharing:?}, {changed} of {METHODS} changed: {positive:.3?}, {any:.3?}");
            assert!(positive.false_part <= 0.055, "{sharing:?} {changed}: {positive:?}");
            assert!(any.false_part <= positive.false_part && any.discovered <= positive.discovered);
            assert!(changed == 0 || positive.discovered >= 0.75, "{sharing:?} {changed}");
        }
    }
}
