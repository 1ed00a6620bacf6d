//! Linear regression on many columns of which few rows tell much: coefficients are held near what is expected of their class, by as
//! much as the data say that classes scatter (empirical Bayes).
//!
//! A row is `y = Σ_j x_j β_j + e` with `e ~ N(0, s²·n²)`, where `n` is what is expected of the row's noise. The coefficients of a class `c` are
//! `β_j ~ N(μ_c, τ_c²)`. The sizes `τ_c` of classes that are learnt and the noise `s` are found by expectation maximisation of the
//! marginal likelihood (Dempster, Laird and Rubin, *Maximum likelihood from incomplete data via the EM algorithm*, 1977, section 4.4:
//! variance components); the posterior given them is normal: `A = XᵀWX + Λ`, `β = A⁻¹(XᵀWy + Λμ)`, covariance `A⁻¹`. Where rows are
//! fewer than coefficients, the same numbers come from a matrix as large as there are rows.
//!
//! Residuals that follow each other are not independent: with a correlation `ρ` of neighbours above 0, `s²` counts
//! `(1 + ρ)/(1 − ρ)` times in the covariance that is handed out, which is the factor by which the variance of a mean grows (AR(1)).

mod by_columns;
mod by_rows;
mod posterior;
mod prior;
mod round_sums;
mod shrinkage_row;

use by_columns::ByColumns;
use by_rows::ByRows;
use posterior::{Covariance, Posterior};
use prior::Prior;
use round_sums::RoundSums;
pub use shrinkage_row::{ShrinkageClass, ShrinkageRow};

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
    covariance: Covariance,
}

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
        if rows.is_empty() || prior.class_of.is_empty() {
            return None;
        }
        let system = System::new(rows, *prior);
        let mut sums = system.sums(&sizes, noise)?;
        for _ in 0..ROUNDS {
            let (learnt, scale) = sums.maximised(prior, &sizes, noise);
            let scale = if known == Noise::Known { 1.0 } else { scale };
            let changed = sizes
                .iter()
                .zip(&learnt)
                .chain(std::iter::once((&noise, &scale)))
                .any(|(old, new)| (new - old).abs() > SETTLED * old.abs());
            (sizes, noise) = (learnt, scale);
            sums = system.sums(&sizes, noise)?;
            if !changed {
                break;
            }
        }
        let autocorrelation = match known {
            Noise::Expected => sums.autocorrelation(),
            Noise::Known => 0.0,
        };
        let last = system.posterior(&sizes, wider(noise, autocorrelation))?;
        last.is_finite().then_some(Self {
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
        let system = System::new(rows, Prior { class_of, classes });
        let noise = wider(self.noise, self.autocorrelation);
        let posterior = system.posterior(&self.deviations, noise)?;
        posterior.is_finite().then(|| Self {
            coefficients: posterior.coefficients,
            deviations: self.deviations.clone(),
            noise: self.noise,
            autocorrelation: self.autocorrelation,
            covariance: posterior.covariance,
        })
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
        self.covariance.between(one, other)
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

/// The scale of the noise for as many independent rows.
fn wider(noise: f64, autocorrelation: f64) -> f64 {
    let follows = autocorrelation.clamp(0.0, MOST_CORRELATED);
    noise * ((1.0 + follows) / (1.0 - follows)).sqrt()
}

/// The sizes that are expected of classes and noise.
fn expected(classes: &[ShrinkageClass]) -> (Vec<f64>, f64) {
    (classes.iter().map(|class| class.deviation).collect(), 1.0)
}

/// The equations of the posterior, in the form that is the smaller one.
enum System<'a> {
    Columns(ByColumns<'a>),
    Rows(ByRows<'a>),
}

impl<'a> System<'a> {
    fn new(rows: &'a [ShrinkageRow], prior: Prior<'a>) -> Self {
        if rows.len() < prior.class_of.len() {
            Self::Rows(ByRows::new(rows, prior))
        } else {
            Self::Columns(ByColumns::new(rows, prior))
        }
    }

    fn sums(&self, deviations: &[f64], noise: f64) -> Option<RoundSums> {
        match self {
            Self::Columns(system) => system.sums(deviations, noise),
            Self::Rows(system) => system.sums(deviations, noise),
        }
    }

    fn posterior(&self, deviations: &[f64], noise: f64) -> Option<Posterior> {
        match self {
            Self::Columns(system) => system.posterior(deviations, noise),
            Self::Rows(system) => system.posterior(deviations, noise),
        }
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
        let prior = Prior { class_of: &[0], classes: &[class] };
        let both = [
            ByColumns::new(&rows, prior).posterior(&[0.1], 1.0).unwrap(),
            ByRows::new(&rows, prior).posterior(&[0.1], 1.0).unwrap(),
        ];
        for posterior in both {
            assert!((posterior.coefficients[0] - (100.0 + 4.0 * 2.0 * 2.6) / 116.0).abs() < 1e-12);
            assert!((posterior.covariance.between(0, 0) - 1.0 / 116.0).abs() < 1e-12);
        }
    }

    /// Both forms of the equations have the same answer, fewer rows than coefficients or more.
    #[test]
    fn both_forms_agree() {
        let truth = [1.3, 0.7, 1.1, 0.9, 1.4, 0.6, 1.0, 1.2];
        let given = ShrinkageClass { mean: 0.9, deviation: 0.4, learnt_from: None };
        let prior = Prior { class_of: &[0, 1, 0, 0, 1, 0, 0, 1], classes: &[LEARNT, given] };
        let close = |one: f64, other: f64| (one - other).abs() <= 1e-9 * (1.0 + one.abs());
        for count in [3, 8, 40] {
            let rows = rows(&truth, count, 0.05, 9);
            let (columns, by_rows) = (ByColumns::new(&rows, prior), ByRows::new(&rows, prior));
            for (sizes, noise) in [([0.2, 0.4], 1.0), ([0.5, 0.1], 0.3)] {
                let one = columns.posterior(&sizes, noise).unwrap();
                let other = by_rows.posterior(&sizes, noise).unwrap();
                for (i, (a, b)) in one.coefficients.iter().zip(&other.coefficients).enumerate() {
                    assert!(close(*a, *b), "{a} {b}");
                    for j in 0..truth.len() {
                        let a = one.covariance.between(i, j);
                        assert!(close(a, other.covariance.between(i, j)), "{i} {j} {a}");
                    }
                }
                let one = columns.sums(&sizes, noise).unwrap();
                let other = by_rows.sums(&sizes, noise).unwrap();
                assert!(close(one.determined, other.determined), "{}", one.determined);
                let pairs = one.of_classes.iter().zip(&other.of_classes);
                for (a, b) in pairs.chain(one.residuals.iter().zip(&other.residuals)) {
                    assert!(close(*a, *b), "{a} {b}");
                }
            }
        }
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
