use crate::cholesky::{Cholesky, product};
use crate::{Design, FitError};

/// Settings for fitting a Gaussian process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaussianOptions {
    /// Rows that reaches and noise are tuned on, spread evenly over all: the work grows with their cube.
    pub tuning_rows: usize,
    /// Steps of the tuning.
    pub tuning_steps: usize,
    /// Whether rows that the others put far away lose their say, as under Student's noise with four degrees of freedom.
    pub robust: bool,
}

impl Default for GaussianOptions {
    fn default() -> Self {
        Self { tuning_rows: 400, tuning_steps: 40, robust: true }
    }
}

/// A smooth function of several columns, of which only is assumed how far each column's influence reaches (kriging).
///
/// Matérn covariance (5/2) with a reach for each column, a constant mean and noise; reaches and noise are those under which the
/// observations are likeliest.
#[derive(Debug, Clone)]
pub struct GaussianProcess {
    columns: Vec<Standard>,
    /// Scaled rows of the training set.
    rows: Vec<Vec<f64>>,
    weights: Vec<f64>,
    settings: Settings,
    level: f64,
    spread: f64,
    robust: bool,
    /// Prediction for each training row without that row.
    pub left_out: Vec<f64>,
}

/// A fitted Gaussian process as numbers: `level + Σ weight_i · m(d_i)` with `d` the distance of a row from the point `i`, where each
/// column is `(value − centre) / reach`, and `m(d) = (1 + √5 d + 5 d² / 3) exp(−√5 d)` (Matérn 5/2).
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianSupport {
    /// The centre of each column, in its unit.
    pub centres: Vec<f64>,
    /// The reach in each column, in its unit; infinite for a column that says nothing.
    pub reaches: Vec<f64>,
    /// The points, in centres and reaches.
    pub points: Vec<Vec<f64>>,
    /// The weight of each point, in the unit of the observed values.
    pub weights: Vec<f64>,
    /// The value far from all points.
    pub level: f64,
}

/// Mean and deviation of a column.
#[derive(Debug, Clone, Copy)]
struct Standard {
    mean: f64,
    deviation: f64,
}

impl Standard {
    fn from_column(column: &[f64]) -> Self {
        let count = column.len().max(1) as f64;
        let mean = column.iter().sum::<f64>() / count;
        let variance = column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Self { mean, deviation: variance.sqrt() }
    }

    /// Zero for a column that does not vary.
    fn scale(self, value: f64) -> f64 {
        if self.deviation > 1e-12 * self.mean.abs() {
            (value - self.mean) / self.deviation
        } else {
            0.0
        }
    }
}

/// Logarithms of: variance of the function, variance of the noise, reach in each column.
#[derive(Debug, Clone)]
struct Settings {
    variance: f64,
    noise: f64,
    reaches: Vec<f64>,
}

/// One climb of the settings.
#[derive(Debug, Clone, Copy)]
struct Tuning {
    /// Rows it is made on.
    rows: usize,
    steps: usize,
    /// Size of the first step, in logarithms.
    size: f64,
    /// Rounds in which wild rows lose their say, before the climb.
    robust_rounds: usize,
}

/// Weak knowledge of the logarithms, in standardised units: typical value and how far it may stray. Keeps a column that says
/// nothing from wandering off, and few rows from being fitted to the last digit.
const VARIANCE: (f64, f64) = (1.0, 1.5);
const NOISE: (f64, f64) = (-3.0, 1.5);
const REACH: (f64, f64) = (1.5, 1.5);

impl GaussianOptions {
    /// Fits `observed` to the columns of `design`. The work grows with the cube of the rows: 700 rows take a tenth of a second.
    ///
    /// # Errors
    /// Lengths that differ, missing values, fewer than three rows, more than 5000.
    pub fn fit(&self, design: &Design, observed: &[f64]) -> Result<GaussianProcess, FitError> {
        design.check_complete()?;
        design.check_observed("observed values", observed)?;
        let count = design.rows();
        if count < 3 {
            return Err(FitError::TooFew { what: "a Gaussian process", needed: 3, found: count });
        }
        if count > 5000 {
            return Err(FitError::Setting {
                what: "rows of a Gaussian process",
                expected: "5000 or fewer",
                found: count as f64,
            });
        }
        let columns: Vec<Standard> =
            design.columns().iter().map(|c| Standard::from_column(c)).collect();
        let target = Standard::from_column(observed);
        let rows: Vec<Vec<f64>> =
            (0..count).map(|row| standardised(&columns, &design.row(row))).collect();
        let values: Vec<f64> = observed.iter().map(|y| target.scale(*y)).collect();

        let mut settings = Settings {
            variance: VARIANCE.0,
            noise: NOISE.0,
            reaches: vec![REACH.0; columns.len()],
        };
        // Coarsely on few rows, then finely on many: most of the way is the same.
        let robust_rounds = if self.robust { 2 } else { 0 };
        let (coarse, steps) = (self.tuning_rows * 3 / 8, self.tuning_steps);
        settings.tune_on(
            &rows,
            &values,
            Tuning { rows: coarse, steps, size: 0.3, robust_rounds: 0 },
        );
        let (fine, steps) = (self.tuning_rows, self.tuning_steps / 2);
        settings.tune_on(&rows, &values, Tuning { rows: fine, steps, size: 0.15, robust_rounds });
        let scales = Scales { columns, target };
        solved(scales, rows, &values, settings, self.robust)
    }
}

/// The scales that a process works in.
#[derive(Debug, Clone)]
struct Scales {
    columns: Vec<Standard>,
    target: Standard,
}

/// The process of these settings, given scaled rows and values.
fn solved(
    scales: Scales,
    rows: Vec<Vec<f64>>,
    values: &[f64],
    settings: Settings,
    robust: bool,
) -> Result<GaussianProcess, FitError> {
    let unsettled = FitError::Unsettled { what: "a Gaussian process", iterations: 1 };
    let mut says = vec![1.0; rows.len()];
    let mut state = State::new(&settings, &rows, values, &says).ok_or_else(|| unsettled.clone())?;
    for _ in 0..if robust { 2 } else { 0 } {
        says = state.says(settings.noise.exp());
        state = State::new(&settings, &rows, values, &says).ok_or_else(|| unsettled.clone())?;
    }
    let Scales { columns, target } = scales;
    let left_out = state.left_out(values);
    let left_out = left_out.iter().map(|v| target.mean + target.deviation * v).collect();
    Ok(GaussianProcess {
        columns,
        rows,
        weights: state.weights,
        settings,
        level: target.mean,
        spread: target.deviation,
        robust,
        left_out,
    })
}

impl GaussianProcess {
    /// A process with the same reaches, noise and scales, given other observations: much faster than tuning again.
    ///
    /// # Errors
    /// As for [`GaussianOptions::fit`].
    pub fn fit_again(&self, design: &Design, observed: &[f64]) -> Result<Self, FitError> {
        design.check_complete()?;
        design.check_observed("observed values", observed)?;
        let target = Standard { mean: self.level, deviation: self.spread };
        let rows: Vec<Vec<f64>> =
            (0..design.rows()).map(|row| standardised(&self.columns, &design.row(row))).collect();
        let values: Vec<f64> = observed.iter().map(|y| target.scale(*y)).collect();
        let scales = Scales { columns: self.columns.clone(), target };
        solved(scales, rows, &values, self.settings.clone(), self.robust)
    }

    /// The numbers that its value at any place follows from.
    pub fn support(&self) -> GaussianSupport {
        let inside = |column: &Standard| column.deviation > 1e-12 * column.mean.abs();
        GaussianSupport {
            centres: self.columns.iter().map(|column| column.mean).collect(),
            reaches: self
                .columns
                .iter()
                .zip(&self.settings.reaches)
                .map(
                    |(column, reach)| {
                        if inside(column) { column.deviation * reach.exp() } else { f64::INFINITY }
                    },
                )
                .collect(),
            points: self.known(),
            weights: self
                .weights
                .iter()
                .map(|weight| weight * self.spread * self.settings.variance.exp())
                .collect(),
            level: self.level,
        }
    }

    /// The value at a row, in the order of the design's columns.
    pub fn predict(&self, row: &[f64]) -> f64 {
        self.at(&self.known(), row)
    }

    /// The value at every row of a design with the same columns.
    pub fn predict_all(&self, design: &Design) -> Vec<f64> {
        let known = self.known();
        (0..design.rows()).map(|row| self.at(&known, &design.row(row))).collect()
    }

    /// Training rows in units of reach.
    fn known(&self) -> Vec<Vec<f64>> {
        self.rows.iter().map(|row| self.settings.reached(row)).collect()
    }

    fn at(&self, known: &[Vec<f64>], row: &[f64]) -> f64 {
        let place = self.settings.reached(&standardised(&self.columns, row));
        let pull: Vec<f64> =
            known.iter().map(|known| self.settings.covariance(&place, known).0).collect();
        self.level + self.spread * product(&pull, &self.weights)
    }
}

fn standardised(columns: &[Standard], row: &[f64]) -> Vec<f64> {
    columns.iter().zip(row).map(|(column, value)| column.scale(*value)).collect()
}

impl Settings {
    /// A row in units of each column's reach.
    fn reached(&self, row: &[f64]) -> Vec<f64> {
        row.iter().zip(&self.reaches).map(|(value, reach)| value / reach.exp()).collect()
    }

    /// The covariance of two rows in units of reach, and what its derivative by the logarithm of a reach is per squared
    /// distance in that column.
    fn covariance(&self, a: &[f64], b: &[f64]) -> (f64, f64) {
        let squared: f64 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
        let distance = (5.0 * squared).sqrt();
        let fall = (self.variance - distance).exp();
        (fall * (1.0 + distance + distance * distance / 3.0), fall * (1.0 + distance) * 5.0 / 3.0)
    }

    /// Climbs on rows spread evenly over all; in a robust round, rows that the others put far away lose their say.
    fn tune_on(&mut self, rows: &[Vec<f64>], values: &[f64], tuning: Tuning) {
        let chosen = tuning.rows.clamp(3.min(rows.len()), rows.len());
        let some: Vec<usize> = (0..chosen).map(|k| k * rows.len() / chosen).collect();
        let rows = crate::design::pick_cloned(rows, &some);
        let values = crate::design::pick(values, &some);
        let mut says = vec![1.0; chosen];
        for _ in 0..tuning.robust_rounds {
            let state = State::new(self, &rows, &values, &says);
            says = state.map_or(says, |state| state.says(self.noise.exp()));
        }
        self.tune(&rows, &values, &says, tuning);
    }

    /// Climbs to where the values are likeliest, by the signs of the slope (Riedmiller and Braun's Rprop).
    fn tune(&mut self, rows: &[Vec<f64>], values: &[f64], says: &[f64], tuning: Tuning) {
        let Tuning { steps, size, .. } = tuning;
        let mut sizes: Vec<f64> = vec![size; self.reaches.len() + 2];
        let mut last: Vec<f64> = vec![0.0; sizes.len()];
        for _ in 0..steps {
            let Some(slope) = self.slope(rows, values, says) else { return };
            let reaches = self.reaches.iter_mut();
            let own = [&mut self.variance, &mut self.noise].into_iter().chain(reaches);
            for (((setting, size), last), slope) in own.zip(&mut sizes).zip(&mut last).zip(slope) {
                let turn = slope * *last;
                if turn > 0.0 {
                    *size = (*size * 1.2).min(1.0);
                } else if turn < 0.0 {
                    *size = (*size * 0.5).max(1e-3);
                }
                *last = if turn < 0.0 { 0.0 } else { slope };
                if slope != 0.0 && turn >= 0.0 {
                    *setting = (*setting + size.copysign(slope)).clamp(-12.0, 8.0);
                }
            }
        }
    }

    /// The derivative of the logarithm of likelihood times prior.
    fn slope(&self, rows: &[Vec<f64>], values: &[f64], says: &[f64]) -> Option<Vec<f64>> {
        let state = State::new(self, rows, values, says)?;
        let inverse = state.factor.inverse();
        let mut by_variance = 0.0;
        let mut by_noise = 0.0;
        let mut by_reach = vec![0.0; self.reaches.len()];
        let noise = self.noise.exp();
        let places: Vec<Vec<f64>> = rows.iter().map(|row| self.reached(row)).collect();
        let all = places.iter().zip(&inverse).zip(&state.weights).zip(says).enumerate();
        for (i, (((a, inverse), weight), say)) in all {
            for ((b, inverse), other) in places.iter().zip(inverse).zip(&state.weights).take(i) {
                let pull = weight * other - inverse;
                let (covariance, per_distance) = self.covariance(a, b);
                by_variance += pull * covariance;
                for ((sum, x), y) in by_reach.iter_mut().zip(a).zip(b) {
                    *sum += pull * per_distance * (x - y) * (x - y);
                }
            }
            let own = (weight * weight - inverse.last()?) / 2.0;
            by_variance += own * self.variance.exp();
            by_noise += own * noise / say;
        }
        let prior = |value: f64, (typical, stray): (f64, f64)| (typical - value) / (stray * stray);
        let mut slope =
            vec![by_variance + prior(self.variance, VARIANCE), by_noise + prior(self.noise, NOISE)];
        slope.extend(by_reach.iter().zip(&self.reaches).map(|(s, r)| s + prior(*r, REACH)));
        Some(slope)
    }
}

/// A factored covariance with what it makes of the values.
struct State {
    factor: Cholesky,
    weights: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    says: Vec<f64>,
    noise: f64,
}

impl State {
    fn new(settings: &Settings, rows: &[Vec<f64>], values: &[f64], says: &[f64]) -> Option<Self> {
        let places: Vec<Vec<f64>> = rows.iter().map(|row| settings.reached(row)).collect();
        let noise = settings.noise.exp();
        let lower = places.iter().zip(says).enumerate().map(|(i, (a, say))| {
            let mut row: Vec<f64> =
                places.iter().take(i).map(|b| settings.covariance(a, b).0).collect();
            row.push(settings.variance.exp() + noise / say + 1e-9);
            row
        });
        let factor = Cholesky::new(lower.collect())?;
        let weights = factor.solve(values);
        Some(Self {
            inverse_diagonal: factor.inverse_diagonal(),
            factor,
            weights,
            says: says.to_vec(),
            noise,
        })
    }

    fn left_out(&self, values: &[f64]) -> Vec<f64> {
        let pairs = values.iter().zip(&self.weights).zip(&self.inverse_diagonal);
        pairs.map(|((value, weight), diagonal)| value - weight / diagonal).collect()
    }

    /// Returns the weight of each row, 0 to 1, by its distance from the prediction of the others.
    fn says(&self, noise: f64) -> Vec<f64> {
        const FREEDOM: f64 = 4.0;
        let rows = self.weights.iter().zip(&self.inverse_diagonal).zip(&self.says);
        rows.map(|((weight, diagonal), say)| {
            let error = weight / diagonal;
            let variance = 1.0 / diagonal - self.noise / say + noise;
            let distance = error * error / variance.max(noise);
            ((FREEDOM + 1.0) / (FREEDOM + distance)).min(1.0)
        })
        .collect()
    }
}
