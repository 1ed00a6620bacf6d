//! Linear regression on many columns of which few rows tell much: coefficients are held near what is expected of their class, by as
//! much as the data say that classes scatter (empirical Bayes).
//!
//! A row is `y = Σ_j x_j β_j + e` with `e ~ N(0, s²·n²)`, where `n` is what is expected of the row's noise. The coefficients of a class `c` are
//! `β_j ~ N(μ_c, τ_c²)`. The sizes `τ_c` of classes that are learnt and the noise `s` are found by expectation maximisation of the
//! marginal likelihood (Dempster, Laird and Rubin, *Maximum likelihood from incomplete data via the EM algorithm*, 1977, section 4.4:
//! variance components); the posterior given them is normal: `A = XᵀWX + Λ`, `β = A⁻¹(XᵀWy + Λμ)`, covariance `A⁻¹`.
//!
//! Residuals that follow each other are not independent: with a correlation `ρ` of neighbours above 0, `s²` counts
//! `(1 + ρ)/(1 − ρ)` times in the covariance that is handed out, which is the factor by which the variance of a mean grows (AR(1)).

use crate::cholesky::Cholesky;

/// The expectation of a class of coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShrinkageClass {
    /// Mean of its coefficients, `μ_c`.
    pub mean: f64,
    /// Standard deviation of its coefficients, `τ_c`; where it is learnt, what is expected of it.
    pub deviation: f64,
    /// Whether the deviation is learnt; the expectation counts as much as so many coefficients. `None`: it is given.
    pub learnt_from: Option<f64>,
}

/// One observation: values of some columns, ascending by column, and what was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShrinkageRow {
    /// Column and value.
    pub values: Vec<(u32, f64)>,
    /// The measured value.
    pub measured: f64,
    /// Expected standard deviation of its noise, above 0.
    pub noise: f64,
}

impl ShrinkageRow {
    /// The value that these coefficients give the row; a column without one counts nothing.
    pub fn expected(&self, coefficients: &[f64]) -> f64 {
        let parts = self.values.iter().map(|(column, value)| {
            value * coefficients.get(*column as usize).copied().unwrap_or_default()
        });
        parts.sum()
    }
}

/// A fitted regression.
#[derive(Clone, Debug)]
pub struct Shrinkage {
    /// Posterior means of the coefficients.
    pub coefficients: Vec<f64>,
    /// The deviation of each class, learnt or given.
    pub deviations: Vec<f64>,
    /// The scale `s` of the noise.
    pub noise: f64,
    /// Correlation of the residuals of neighbouring rows.
    pub autocorrelation: f64,
    /// Lower triangle of the posterior covariance, by rows.
    covariance: Vec<Vec<f64>>,
}

/// That a row's noise is what it says counts as much as so many rows.
const EXPECTED_FROM: f64 = 3.0;
/// Most rounds of expectation maximisation. Each brings sizes nearer; past these they change by less than a percent.
const ROUNDS: usize = 25;
/// Sizes that change by less than this part are found.
const SETTLED: f64 = 0.01;
/// The most that residuals are taken to be correlated: beyond, the factor by which variances grow means nothing.
const MOST_CORRELATED: f64 = 0.9;

impl Shrinkage {
    /// Fits the rows. `class_of` says by column its class. `None` where the numbers are none that can be fitted: no rows, no
    /// columns, values that are not finite.
    pub fn new(
        rows: &[ShrinkageRow],
        class_of: &[usize],
        classes: &[ShrinkageClass],
    ) -> Option<Self> {
        Self::by(rows, &Prior { class_of, classes }, Noise::Expected, expected(classes))
    }

    /// The same for rows that differ little from those of another fit, with whose sizes it begins.
    pub fn after(
        other: &Self,
        rows: &[ShrinkageRow],
        class_of: &[usize],
        classes: &[ShrinkageClass],
    ) -> Option<Self> {
        let start = (other.deviations.clone(), other.noise);
        Self::by(rows, &Prior { class_of, classes }, Noise::Expected, start)
    }

    /// The same where the noise of each row is known, and independent of that of its neighbours.
    pub fn with_known_noise(
        rows: &[ShrinkageRow],
        class_of: &[usize],
        classes: &[ShrinkageClass],
    ) -> Option<Self> {
        Self::by(rows, &Prior { class_of, classes }, Noise::Known, expected(classes))
    }

    fn by(
        rows: &[ShrinkageRow],
        prior: &Prior<'_>,
        known: Noise,
        (mut sizes, mut noise): (Vec<f64>, f64),
    ) -> Option<Self> {
        let Prior { class_of, .. } = prior;
        if rows.is_empty() || class_of.is_empty() {
            return None;
        }
        let moments = Moments::new(rows, class_of.len());
        let mut posterior = moments.posterior(prior, &sizes, noise)?;
        for _ in 0..ROUNDS {
            let (learnt, scale) = posterior.maximised(rows, &moments, prior, &sizes, noise);
            let scale = if known == Noise::Known { 1.0 } else { scale };
            let changed = sizes
                .iter()
                .zip(&learnt)
                .chain(std::iter::once((&noise, &scale)))
                .any(|(old, new)| (new - old).abs() > SETTLED * old.abs());
            (sizes, noise) = (learnt, scale);
            posterior = moments.posterior(prior, &sizes, noise)?;
            if !changed {
                break;
            }
        }
        let autocorrelation = match known {
            Noise::Expected => posterior.autocorrelation(rows),
            Noise::Known => 0.0,
        };
        let follows = autocorrelation.clamp(0.0, MOST_CORRELATED);
        let wider = noise * ((1.0 + follows) / (1.0 - follows)).sqrt();
        let last = moments.posterior(prior, &sizes, wider)?;
        let finite = last.coefficients.iter().all(|value| value.is_finite());
        finite.then_some(Self {
            coefficients: last.coefficients,
            deviations: sizes,
            noise,
            autocorrelation,
            covariance: last.covariance,
        })
    }

    /// The fit of other rows with the sizes of this one: those of its classes, of its noise and of what residuals have in common.
    /// `None` as for [`Self::new`].
    pub fn on_rows(
        &self,
        rows: &[ShrinkageRow],
        class_of: &[usize],
        classes: &[ShrinkageClass],
    ) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let prior = Prior { class_of, classes };
        let moments = Moments::new(rows, class_of.len());
        let posterior = moments.posterior(&prior, &self.deviations, self.wider_noise())?;
        let finite = posterior.coefficients.iter().all(|value| value.is_finite());
        finite.then(|| Self {
            coefficients: posterior.coefficients,
            covariance: posterior.covariance,
            ..self.clone()
        })
    }

    /// The scale of the noise for as many independent rows.
    fn wider_noise(&self) -> f64 {
        let follows = self.autocorrelation.clamp(0.0, MOST_CORRELATED);
        self.noise * ((1.0 + follows) / (1.0 - follows)).sqrt()
    }

    /// The posterior variance of what a row is expected to be; of what is measured, noise comes on top.
    pub fn variance_of(&self, row: &ShrinkageRow) -> f64 {
        let parts = row.values.iter().map(|(one, value)| {
            let with = row
                .values
                .iter()
                .map(|(other, with)| with * self.covariance(*one as usize, *other as usize));
            value * with.sum::<f64>()
        });
        parts.sum()
    }

    /// The posterior variance of a coefficient; 0 for one that is not there.
    pub fn variance(&self, column: usize) -> f64 {
        self.covariance(column, column)
    }

    /// The posterior covariance of two coefficients; 0 for those that are not there.
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        let (row, column) = (one.max(other), one.min(other));
        self.covariance.get(row).and_then(|row| row.get(column)).copied().unwrap_or_default()
    }
}

/// Certainty of the noise of rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Noise {
    /// It is what rows expect, times a scale.
    Expected,
    /// It is what rows say.
    Known,
}

/// The sizes that are expected of classes and noise.
fn expected(classes: &[ShrinkageClass]) -> (Vec<f64>, f64) {
    (classes.iter().map(|class| class.deviation).collect(), 1.0)
}

/// The expectation of all coefficients.
struct Prior<'a> {
    class_of: &'a [usize],
    classes: &'a [ShrinkageClass],
}

impl Prior<'_> {
    fn mean(&self, column: usize) -> f64 {
        self.class_of.get(column).and_then(|class| self.classes.get(*class)).map_or(0.0, |c| c.mean)
    }

    fn precision(&self, column: usize, sizes: &[f64]) -> f64 {
        let size = self.class_of.get(column).and_then(|class| sizes.get(*class));
        1.0 / size.map_or(1.0, |size| size.powi(2)).max(1e-12)
    }
}

/// `XᵀWX` (lower triangle) and `XᵀWy` with `W = 1/n²`.
struct Moments {
    square: Vec<Vec<f64>>,
    measured: Vec<f64>,
}

/// A posterior, and what the next round needs of it.
struct Posterior {
    coefficients: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl Moments {
    fn new(rows: &[ShrinkageRow], columns: usize) -> Self {
        let mut square: Vec<Vec<f64>> = (1..=columns).map(|length| vec![0.0; length]).collect();
        let mut measured = vec![0.0; columns];
        for row in rows {
            let weight = row.noise.powi(-2);
            for (place, (column, value)) in row.values.iter().enumerate() {
                let weighed = weight * value;
                if let Some(sum) = measured.get_mut(*column as usize) {
                    *sum += weighed * row.measured;
                }
                let Some(of_row) = square.get_mut(*column as usize) else { continue };
                for (other, with) in row.values.iter().take(place + 1) {
                    if let Some(sum) = of_row.get_mut(*other as usize) {
                        *sum += weighed * with;
                    }
                }
            }
        }
        Self { square, measured }
    }

    fn posterior(&self, prior: &Prior<'_>, sizes: &[f64], noise: f64) -> Option<Posterior> {
        let weight = noise.powi(-2);
        let mut system: Vec<Vec<f64>> = self
            .square
            .iter()
            .map(|row| row.iter().map(|value| value * weight).collect())
            .collect();
        let mut right = Vec::with_capacity(system.len());
        for (column, (row, measured)) in system.iter_mut().zip(&self.measured).enumerate() {
            let precision = prior.precision(column, sizes);
            if let Some(diagonal) = row.last_mut() {
                *diagonal += precision;
            }
            right.push(measured * weight + precision * prior.mean(column));
        }
        let factored = Cholesky::new(system)?;
        Some(Posterior { coefficients: factored.solve(&right), covariance: factored.inverse() })
    }
}

impl Posterior {
    /// The sizes of classes and the noise that are most likely given this posterior.
    fn maximised(
        &self,
        rows: &[ShrinkageRow],
        moments: &Moments,
        prior: &Prior<'_>,
        sizes: &[f64],
        noise: f64,
    ) -> (Vec<f64>, f64) {
        let learnt = prior.classes.iter().enumerate().map(|(class, expected)| {
            let Some(weight) = expected.learnt_from else {
                return sizes.get(class).copied().unwrap_or(expected.deviation);
            };
            let (mut sum, mut count) = (weight * expected.deviation.powi(2), weight);
            for (column, _) in prior.class_of.iter().enumerate().filter(|(_, of)| **of == class) {
                let off = self.coefficients.get(column).map_or(0.0, |it| it - expected.mean);
                sum += off.powi(2) + self.variance(column);
                count += 1.0;
            }
            (sum / count.max(1.0)).sqrt()
        });
        let learnt = learnt.collect();
        let residuals: f64 = self.residuals(rows).map(|residual| residual.powi(2)).sum();
        // The trace of `A⁻¹ XᵀWX`: the number of coefficients that rows have determined.
        let mut used = 0.0;
        for (row, known) in moments.square.iter().zip(&self.covariance) {
            let both = row.iter().zip(known).map(|(a, b)| a * b);
            used += 2.0 * both.sum::<f64>();
            used -= row.last().zip(known.last()).map_or(0.0, |(a, b)| a * b);
        }
        let scale =
            ((residuals + used + EXPECTED_FROM) / (rows.len() as f64 + EXPECTED_FROM)).sqrt();
        (learnt, if scale.is_finite() && scale > 0.0 { scale } else { noise })
    }

    fn variance(&self, column: usize) -> f64 {
        self.covariance.get(column).and_then(|row| row.last()).copied().unwrap_or_default()
    }

    /// Measured less expected, in units of each row's noise.
    fn residuals(&self, rows: &[ShrinkageRow]) -> impl Iterator<Item = f64> {
        rows.iter().map(|row| (row.measured - row.expected(&self.coefficients)) / row.noise)
    }

    fn autocorrelation(&self, rows: &[ShrinkageRow]) -> f64 {
        let residuals: Vec<f64> = self.residuals(rows).collect();
        let all: f64 = residuals.iter().map(|it| it.powi(2)).sum();
        let next: f64 = residuals.array_windows().map(|[one, other]| one * other).sum();
        if all > 0.0 && residuals.len() > 2 { next / all } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise that is the same in every run: a linear congruential generator, summed to be near normal.
    struct Noise(u64);

    impl Noise {
        fn unit(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
        }
    }

    /// Rows in which each of the columns takes part now and then.
    fn rows(truth: &[f64], count: usize, noise: f64, seed: u64) -> Vec<ShrinkageRow> {
        let mut random = Noise(seed);
        (0..count)
            .map(|_| {
                let values: Vec<(u32, f64)> = (0_u32..)
                    .zip(truth)
                    .map(|(column, _)| {
                        (column, if random.unit() < 0.3 { random.unit() } else { 0.0 })
                    })
                    .collect();
                let exact: f64 = values.iter().zip(truth).map(|((_, x), b)| x * b).sum();
                let measured = exact + noise * random.normal();
                // Twice as large as it is.
                ShrinkageRow { values, measured, noise: 2.0 * noise }
            })
            .collect()
    }

    const LEARNT: ShrinkageClass =
        ShrinkageClass { mean: 1.0, deviation: 0.2, learnt_from: Some(2.0) };

    #[test]
    fn one_column_is_the_textbook_posterior() {
        // x = 2, y = 2.6, n = 0.5 and the prior N(1, 0.1²): precision 100 + 2²/0.5², mean (100·1 + 2·2.6/0.5²)/116.
        let rows = [ShrinkageRow { values: vec![(0, 2.0)], measured: 2.6, noise: 0.5 }];
        let class = ShrinkageClass { mean: 1.0, deviation: 0.1, learnt_from: None };
        let moments = Moments::new(&rows, 1);
        let prior = Prior { class_of: &[0], classes: &[class] };
        let posterior = moments.posterior(&prior, &[0.1], 1.0).unwrap();
        assert!((posterior.coefficients[0] - (100.0 + 4.0 * 2.0 * 2.6) / 116.0).abs() < 1e-12);
        assert!((posterior.variance(0) - 1.0 / 116.0).abs() < 1e-12);
    }

    #[test]
    fn many_rows_tell_all_and_none_tell_nothing() {
        let truth = [1.3, 0.7, 1.1, 0.9, 1.4, 0.6];
        let of_class = [0; 6];
        let fit = Shrinkage::new(&rows(&truth, 4000, 0.02, 7), &of_class, &[LEARNT]).unwrap();
        for (found, true_value) in fit.coefficients.iter().zip(truth) {
            assert!((found - true_value).abs() < 0.01, "{found} {true_value}");
        }
        // Of coefficients 0.29 apart (root mean square) the size is learnt.
        assert!((fit.deviations[0] - 0.29).abs() < 0.06, "{:?}", fit.deviations);
        assert!((fit.noise - 0.5).abs() < 0.05, "{}", fit.noise);
        assert!(Shrinkage::new(&[], &of_class, &[LEARNT]).is_none());
        let unseen = ShrinkageRow { values: vec![(0, 1.0)], measured: 1.3, noise: 0.01 };
        let fit = Shrinkage::new(&[unseen], &of_class, &[LEARNT]).unwrap();
        assert!((fit.coefficients[5] - 1.0).abs() < 1e-12, "{}", fit.coefficients[5]);
        assert!(fit.variance(5) > 0.01, "{}", fit.variance(5));
    }

    /// Of coefficients drawn from the class nine in ten lie inside the 90 % interval, however much the rows tell.
    #[test]
    fn intervals_hold() {
        for (count, noise) in [(20, 0.1), (100, 0.1), (1000, 0.1)] {
            let (mut inside, mut all) = (0, 0);
            for seed in 0..60 {
                let mut random = Noise(1000 + seed);
                let truth: Vec<f64> = (0..12).map(|_| 1.0 + 0.3 * random.normal()).collect();
                let fit =
                    Shrinkage::new(&rows(&truth, count, noise, seed), &[0; 12], &[LEARNT]).unwrap();
                for (column, truth) in truth.iter().enumerate() {
                    let off = (fit.coefficients[column] - truth).abs();
                    inside += usize::from(off <= 1.645 * fit.variance(column).sqrt());
                    all += 1;
                }
            }
            let part = f64::from(inside as u32) / f64::from(all as u32);
            assert!((0.84..=0.96).contains(&part), "{count} rows: {part}");
        }
    }

    /// A fit on the rows that it is of is itself; without some of them it knows less of what is expected of those.
    #[test]
    fn other_rows_are_fitted_with_the_same_sizes() {
        let truth = [1.3, 0.7, 1.1, 0.9];
        let all = rows(&truth, 60, 0.05, 5);
        let (of_class, classes) = ([0; 4], [LEARNT]);
        let fit = Shrinkage::new(&all, &of_class, &classes).unwrap();
        let same = fit.on_rows(&all, &of_class, &classes).unwrap();
        assert_eq!(same.coefficients, fit.coefficients);
        let (held_out, rest) = all.split_at(20);
        let without = fit.on_rows(rest, &of_class, &classes).unwrap();
        assert_eq!((without.noise, &without.deviations), (fit.noise, &fit.deviations));
        for row in held_out.iter().filter(|row| row.values.iter().any(|(_, x)| *x > 0.0)) {
            assert!(without.variance_of(row) > fit.variance_of(row));
        }
        let row = ShrinkageRow { values: vec![(0, 2.0), (2, 3.0)], ..ShrinkageRow::default() };
        let expected = 4.0 * fit.variance(0) + 9.0 * fit.variance(2) + 12.0 * fit.covariance(0, 2);
        assert!((fit.variance_of(&row) / expected - 1.0).abs() < 1e-12);
        assert!(fit.on_rows(&[], &of_class, &classes).is_none());
    }

    #[test]
    fn residuals_that_follow_each_other_widen() {
        let truth = [1.2, 0.8];
        let mut correlated = rows(&truth, 500, 1e-9, 3);
        let mut random = Noise(11);
        let mut state = 0.0;
        for row in &mut correlated {
            state = 0.8 * state + 0.06 * random.normal();
            row.measured += state;
            row.noise = 0.2;
        }
        let independent = rows(&truth, 500, 0.1, 3);
        let [loose, tight] = [correlated, independent]
            .map(|rows| Shrinkage::new(&rows, &[0, 0], &[LEARNT]).unwrap());
        assert!(loose.autocorrelation > 0.6, "{}", loose.autocorrelation);
        assert!(tight.autocorrelation.abs() < 0.15, "{}", tight.autocorrelation);
        assert!(loose.variance(0) > 3.0 * tight.variance(0));
    }
}
