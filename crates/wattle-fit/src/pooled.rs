//! Numbers that several samples told, each with errors that go together, and how far samples differ.
//!
//! Sample `j` told of the numbers `θ + δ_j` that they are `m_j` with covariance `Σ_j`, from an expectation `N(e, diag d²)` of its own.
//! Its own observation, without what it expected, is the information `Λ_j = Σ_j⁻¹ − diag d⁻²` about `Λ_j⁻¹ (Σ_j⁻¹ m_j − d⁻² e)`. `θ` and all `δ_j` follow from that by
//! [`Shrinkage`], with the size of `δ` learnt for each number (random effects, as DerSimonian and Laird's, with whole covariances).

use crate::cholesky::Cholesky;
use crate::{Shrinkage, ShrinkageClass, ShrinkageRow};

/// Some numbers as one sample told them.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Mean and standard deviation of each number before, independent of each other.
    pub expected: Vec<(f64, f64)>,
    /// Means after.
    pub mean: Vec<f64>,
    /// Lower triangle of the covariance after, by rows.
    pub covariance: Vec<Vec<f64>>,
}

/// Numbers from all samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Pooled {
    /// The numbers.
    pub means: Vec<f64>,
    /// Standard deviations of the same numbers in a further sample.
    pub deviations: Vec<f64>,
    /// Standard deviations between samples, a part of the above.
    pub between: Vec<f64>,
}

/// Of what information must be positive, this part of the diagonal is added: rounding.
const ROUNDING: [f64; 3] = [1e-12, 1e-9, 1e-6];

impl Pooled {
    /// From all samples. `between` says what is expected of their differences: standard deviations, which count as much as so many
    /// samples. `None` without samples, and where numbers are missing or not finite.
    pub fn new(told: &[Told], between: &[f64], counts_as: f64) -> Option<Self> {
        let numbers = between.len();
        let newest = told.last()?;
        let mut rows = Vec::new();
        for (sample, of) in told.iter().enumerate() {
            rows.extend(of.rows(numbers, sample)?);
        }
        let own = newest.expected.iter().map(|(mean, deviation)| ShrinkageClass {
            mean: *mean,
            deviation: *deviation,
            learnt_from: None,
        });
        let differences = between.iter().map(|deviation| ShrinkageClass {
            mean: 0.0,
            deviation: *deviation,
            learnt_from: Some(counts_as),
        });
        let classes: Vec<ShrinkageClass> = own.chain(differences).collect();
        let class_of: Vec<usize> =
            (0..numbers).chain(told.iter().flat_map(|_| numbers..2 * numbers)).collect();
        let fit = Shrinkage::with_known_noise(&rows, &class_of, &classes)?;
        let between: Vec<f64> =
            fit.deviations.iter().skip(numbers).copied().take(numbers).collect();
        let deviation =
            |(number, between): (usize, &f64)| fit.variance(number).sqrt().hypot(*between);
        Some(Self {
            means: fit.coefficients.iter().copied().take(numbers).collect(),
            deviations: between.iter().enumerate().map(deviation).collect(),
            between,
        })
    }
}

impl Told {
    /// The sample as observations with a noise of 1: `Lᵀ (θ + δ_j) = L⁻¹ η` with `Λ = L Lᵀ`.
    fn rows(&self, numbers: usize, sample: usize) -> Option<Vec<ShrinkageRow>> {
        let fits = |length: usize| length == numbers;
        if !(fits(self.mean.len()) && fits(self.expected.len()) && fits(self.covariance.len())) {
            return None;
        }
        let precision = Cholesky::new(self.covariance.clone())?.inverse();
        let entry = |a: usize, b: usize| -> f64 {
            let row = precision.get(a.max(b));
            row.and_then(|row| row.get(a.min(b))).copied().unwrap_or_default()
        };
        let before = |number: usize| {
            let (mean, deviation) = self.expected.get(number).copied().unwrap_or((0.0, 1.0));
            (mean, deviation.powi(-2))
        };
        let seen: Vec<f64> = (0..numbers)
            .map(|a| {
                let all = self.mean.iter().enumerate().map(|(b, mean)| entry(a, b) * mean);
                let (expected, weight) = before(a);
                all.sum::<f64>() - weight * expected
            })
            .collect();
        let factored = ROUNDING.into_iter().find_map(|rounding| {
            let row = |a: usize| {
                let of = |b: usize| {
                    if a == b {
                        return entry(a, a) * (1.0 + rounding) - before(a).1;
                    }
                    entry(a, b)
                };
                (0..=a).map(of).collect::<Vec<f64>>()
            };
            Cholesky::new((0..numbers).map(row).collect())
        })?;
        let measured = factored.forward(&seen);
        let triangle = factored.rows();
        let rows = measured.into_iter().enumerate().map(|(k, measured)| {
            let column = |from: usize| {
                let of = triangle.iter().enumerate().skip(k);
                of.filter_map(move |(i, row)| Some(((from + i) as u32, *row.get(k)?)))
            };
            let values = column(0).chain(column(numbers * (sample + 1))).collect();
            ShrinkageRow { values, measured, noise: 1.0 }
        });
        Some(rows.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample that saw each number alone: `(seen, deviation of that)` on top of what is expected.
    fn told(seen: &[(f64, f64)], expected: (f64, f64)) -> Told {
        let after = |(mean, deviation): &(f64, f64)| {
            let (weight, before) = (deviation.powi(-2), expected.1.powi(-2));
            ((weight * mean + before * expected.0) / (weight + before), 1.0 / (weight + before))
        };
        let after: Vec<(f64, f64)> = seen.iter().map(after).collect();
        let covariance = (0..after.len())
            .map(|a| (0..=a).map(|b| if a == b { after[a].1 } else { 0.0 }).collect());
        Told {
            expected: vec![expected; seen.len()],
            mean: after.iter().map(|(mean, _)| *mean).collect(),
            covariance: covariance.collect(),
        }
    }

    #[test]
    fn one_sample_is_itself_and_the_expected_difference() {
        let one = told(&[(1.4, 0.1)], (1.0, 0.5));
        let pooled = Pooled::new(&[one], &[0.2], 1e9).unwrap();
        // 0.1² and 0.2² of what was seen, 0.5² of what was expected.
        let (seen, expected): (f64, f64) = (1.0 / 0.05, 1.0 / 0.25);
        let mean = (seen * 1.4 + expected) / (seen + expected);
        assert!((pooled.means[0] - mean).abs() < 1e-3, "{pooled:?}");
        let deviation = (1.0 / (seen + expected) + 0.04).sqrt();
        assert!((pooled.deviations[0] - deviation).abs() < 0.02, "{pooled:?}");
    }

    #[test]
    fn many_samples_tell_their_mean_and_how_they_differ() {
        let seen = [1.1, 1.5, 1.3, 1.2, 1.4, 1.6, 1.0, 1.3];
        let samples: Vec<Told> = seen.iter().map(|it| told(&[(*it, 0.02)], (1.0, 0.5))).collect();
        let pooled = Pooled::new(&samples, &[0.1], 2.0).unwrap();
        assert!((pooled.means[0] - 1.3).abs() < 0.03, "{pooled:?}");
        // The scatter of these eight is 0.2.
        assert!((0.14..0.24).contains(&pooled.between[0]), "{pooled:?}");
        assert!(pooled.deviations[0] > pooled.between[0]);
    }

    #[test]
    fn samples_that_saw_nothing_change_nothing() {
        let nothing = Told {
            expected: vec![(1.0, 0.5); 2],
            mean: vec![1.0; 2],
            covariance: vec![vec![0.25], vec![0.0, 0.25]],
        };
        let one = told(&[(1.4, 0.1), (0.8, 0.1)], (1.0, 0.5));
        let alone = Pooled::new(std::slice::from_ref(&one), &[0.1, 0.1], 1e9).unwrap();
        let mut all = vec![one];
        all.extend(std::iter::repeat_n(nothing, 20));
        let pooled = Pooled::new(&all, &[0.1, 0.1], 1e9).unwrap();
        for (one, other) in alone.means.iter().zip(&pooled.means) {
            assert!((one - other).abs() < 0.01, "{alone:?} {pooled:?}");
        }
    }

    #[test]
    fn errors_that_go_together_are_kept_together() {
        // Only the sum of both numbers was seen, in two samples; two of the first number alone settle it.
        let sum = Told {
            expected: vec![(1.0, 0.5); 2],
            mean: vec![1.25, 1.25],
            // Precision: 4 on the diagonal of what was expected, and 400 for the sum.
            covariance: {
                let (a, b) = (4.0 + 400.0, 400.0);
                let determinant: f64 = a * a - b * b;
                vec![vec![a / determinant], vec![-b / determinant, a / determinant]]
            },
        };
        let first = told(&[(1.6, 0.01), (0.0, 1e6)], (1.0, 0.5));
        let pooled =
            Pooled::new(&[sum.clone(), first.clone(), sum, first], &[0.01, 0.01], 1e6).unwrap();
        assert!((pooled.means[0] - 1.6).abs() < 0.02, "{pooled:?}");
        // The sums saw 2.5 (2.5·400 = 404·1.25 + 400·1.25 − 4), so the other number is 0.9.
        assert!((pooled.means[1] - 0.91).abs() < 0.05, "{pooled:?}");
        assert!(pooled.deviations[1] < 0.2);
    }
}
