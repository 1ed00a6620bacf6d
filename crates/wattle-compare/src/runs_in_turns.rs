//! Builds that took turns: the differences of neighbouring runs tell them apart.
//!
//! With `y` the energies in order, `Δy = δ·Δbuild + γ·Δnumber + noise`: `δ` is the difference of the builds, `γ` the drift of the device from
//! run to run. Whatever changes slowly cancels in `Δy`. `δ` is a weighted sum `w·y`, and the sum of squares that
//! remains is a quadratic form `y'Qy`; for runs whose noise has the correlations `R` their ratio of expectations is `w'Rw / tr(QR)`.

use crate::difference_fit::{Fit, Point};

/// Correlation of neighbouring runs up to which intervals are made to hold.
const NEIGHBOURS: f64 = 0.2;

/// More runs are compared without regard to their order: time grows with the square.
const MOST_RUNS: usize = 2000;

/// Whether the builds took turns: they change places at least as often as the rarer one ran.
pub(crate) fn took_turns(points: &[Point]) -> bool {
    let after = points.iter().filter(|point| point.build > 0.5).count();
    let rarer = after.min(points.len() - after);
    let switches = points.windows(2).filter(|pair| pair[0].build != pair[1].build).count();
    rarer >= 2 && switches >= rarer && points.len() <= MOST_RUNS
}

/// The difference of builds whose runs are in order of their numbers. `None` if drift and builds cannot be told apart.
pub(crate) fn in_turns(points: &[Point]) -> Option<Fit> {
    let count = points.len();
    if count < 4 {
        return None;
    }
    let steps: Vec<[f64; 2]> = points
        .windows(2)
        .map(|pair| [pair[1].build - pair[0].build, pair[1].number - pair[0].number])
        .collect();
    let product = |a: usize, b: usize| steps.iter().map(|step| step[a] * step[b]).sum::<f64>();
    let [builds, mixed, drifts] = [product(0, 0), product(0, 1), product(1, 1)];
    let determinant = builds * drifts - mixed * mixed;
    if determinant <= 1e-9 * builds * drifts {
        return None;
    }
    let inverse = [
        [drifts / determinant, -mixed / determinant],
        [-mixed / determinant, builds / determinant],
    ];
    // What each run has in the products of the steps with Δy.
    let mut shares = vec![[0.0; 2]; count];
    for (at, step) in steps.iter().enumerate() {
        for column in 0..2 {
            shares[at][column] -= step[column];
            shares[at + 1][column] += step[column];
        }
    }
    let solved: Vec<[f64; 2]> = shares
        .iter()
        .map(|share| {
            [0, 1].map(|row: usize| inverse[row][0] * share[0] + inverse[row][1] * share[1])
        })
        .collect();
    // Constants cancel: the first energy is taken off for the sake of the digits.
    let energies: Vec<f64> = points.iter().map(|point| point.joules - points[0].joules).collect();
    let difference = solved.iter().zip(&energies).map(|(weight, y)| weight[0] * y).sum();

    let mut independent = Expectations::default();
    let mut correlated = Expectations::default();
    let (mut residual, mut squares) = (0.0, 0.0);
    for a in 0..count {
        for b in 0..count {
            let stencil = match a.abs_diff(b) {
                0 if a == 0 || a == count - 1 => 1.0,
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            };
            let form = stencil - shares[a][0] * solved[b][0] - shares[a][1] * solved[b][1];
            let weights = solved[a][0] * solved[b][0];
            residual += form * energies[a] * energies[b];
            squares += form * form;
            correlated.add(
                form,
                weights,
                NEIGHBOURS.powf((points[a].number - points[b].number).abs()),
            );
            if a == b {
                independent.add(form, weights, 1.0);
            }
        }
    }
    let residual = f64::max(residual, 0.0);
    let ratio = independent.ratio()?.max(correlated.ratio().unwrap_or(0.0));
    Some(Fit {
        difference,
        standard_error: (residual * ratio).sqrt(),
        freedom: independent.form * independent.form / squares,
        residual,
        residual_weight: independent.form,
        weights: independent.weights,
    })
}

/// Expectations of the quadratic form and of the squared weighted sum, for some correlations.
#[derive(Default)]
struct Expectations {
    form: f64,
    weights: f64,
}

impl Expectations {
    fn add(&mut self, form: f64, weights: f64, correlation: f64) {
        self.form += form * correlation;
        self.weights += weights * correlation;
    }

    fn ratio(&self) -> Option<f64> {
        (self.form > 1e-9).then(|| self.weights.max(0.0) / self.form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(order: &str, energy: impl Fn(f64, f64) -> f64) -> Vec<Point> {
        let of = |(at, build): (usize, char)| {
            let (number, build) = (at as f64, if build == 'B' { 1.0 } else { 0.0 });
            Point { number, build, joules: energy(number, build) }
        };
        order.chars().enumerate().filter(|(_, build)| *build != '-').map(of).collect()
    }

    #[test]
    fn linear_drift_cancels_in_every_order() {
        for order in ["ABBA", "ABAB", "ABBAABBA", "BAABAB", "ABB-ABBA", "AB--BABA"] {
            let points = points(order, |number, build| 10.0 + 0.7 * number + 0.25 * build);
            assert!(took_turns(&points), "{order}");
            let fit = in_turns(&points).expect("a difference");
            assert!((fit.difference - 0.25).abs() < 1e-9, "{order}: {fit:?}");
            assert!(fit.standard_error < 1e-6, "{order}: {fit:?}");
        }
    }

    #[test]
    fn builds_one_after_the_other_did_not_take_turns() {
        for order in ["AAABBB", "AB", "ABB", "AAAABBBAAAA", "AAABBBAAABBB"] {
            assert!(!took_turns(&points(order, |_, _| 1.0)), "{order}");
        }
    }

    /// Three pairs A B B A A B with the energies 0 1 3 1 0 2, solved by hand: Δbuild = 1 0 −1 0 1, Δnumber = 1, Δy = 1 2 −2 −1 2; the normal
    /// equations are 3δ + γ = 5 and δ + 5γ = 2, so δ = 23/14.
    #[test]
    fn the_estimate_is_that_of_least_squares() {
        let energies = [0.0, 1.0, 3.0, 1.0, 0.0, 2.0];
        let fit = in_turns(&points("ABBAAB", |number, _| energies[number as usize])).expect("one");
        assert!((fit.difference - 23.0 / 14.0).abs() < 1e-12, "{fit:?}");
        // γ = 1/14; the residuals of Δy = 1 2 −2 −1 2 are −10, 27, −6, −15, 4 fourteenths.
        let residual = (100.0 + 729.0 + 36.0 + 225.0 + 16.0) / 196.0;
        assert!((fit.residual - residual).abs() < 1e-9, "{fit:?}");
    }
}
