use crate::nnls::nnls_from;
use crate::sandwich::clustered_errors;
use crate::triangle::{inverse_gram_diagonal, triangularise};
use crate::{Design, FitError, order, student_quantile};

/// Constraint on the constant term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Intercept {
    /// It may be anything.
    #[default]
    Free,
    /// At least zero, as an idle power is.
    NonNegative,
    /// There is none.
    None,
}

/// Influence of outlying rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Robustness {
    /// Least squares: the square of the residual.
    #[default]
    LeastSquares,
    /// Huber's: linear beyond so many robust standard deviations (1.345 keeps 95 % of the efficiency).
    Huber(f64),
    /// Tukey's bisquare: nothing beyond so many robust standard deviations (4.685 keeps 95 %).
    Tukey(f64),
}

/// Settings for fitting a linear model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinearOptions {
    /// The constant term.
    pub intercept: Intercept,
    /// Whether every coefficient must be at least zero.
    pub non_negative: bool,
    /// Penalty on the coefficients of standardised columns, in units of rows; 0 for none. The intercept is never penalised.
    pub ridge: f64,
    /// Influence of outlying rows.
    pub robustness: Robustness,
    /// Weight of each row in the sum of squares; all 1 when `None`.
    pub weights: Option<Vec<f64>>,
    /// The cluster (app, device, stretch of time) of each row: rows of one err together, so standard errors count clusters,
    /// not rows. `None`: every row is independent.
    pub clusters: Option<Vec<usize>>,
    /// Rounds of a robust fit end when none of them changes a prediction by more than this share of the residual deviation;
    /// 0 for a hundred-thousandth.
    pub tolerance: f64,
}

/// One fitted number.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficient {
    /// Name of the column; `intercept` for the constant.
    pub name: String,
    /// Watts, joules … per unit of the column.
    pub value: f64,
    /// Standard error; `None` where the coefficient is held at zero by its constraint, where too few rows are left over, or
    /// under ridge, which trades a bias for it.
    pub standard_error: Option<f64>,
}

/// A fitted linear model `y = intercept + Σ coefficient · column`.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearFit {
    /// The constant term; 0 without error when there is none.
    pub intercept: Coefficient,
    /// One for each column of the design, in order.
    pub coefficients: Vec<Coefficient>,
    /// Standard deviation of the (weighted) residuals; `None` without degrees of freedom.
    pub residual_deviation: Option<f64>,
    /// Rows less fitted numbers that are not held at zero.
    pub freedom: usize,
    /// Degrees of freedom of the standard errors: [`Self::freedom`], or clusters less one.
    pub error_freedom: usize,
    /// Rows the fit was made from.
    pub rows: usize,
    /// Final weight of each row: given weight × what robustness left of it.
    pub row_weights: Vec<f64>,
}

impl LinearOptions {
    /// Non-negative coefficients, free intercept.
    pub fn non_negative() -> Self {
        Self { non_negative: true, ..Self::default() }
    }

    /// Fits `observed` to the columns of `design`.
    ///
    /// # Errors
    /// Lengths that differ, missing values, negative weights, fewer rows than numbers to fit (without ridge), and, when the
    /// coefficients are not constrained, columns that depend on each other.
    pub fn fit(&self, design: &Design, observed: &[f64]) -> Result<LinearFit, FitError> {
        self.check(design, observed)?;
        let base = self.weights.clone().unwrap_or_else(|| vec![1.0; design.rows()]);
        let mut fit = self.weighted(design, observed, &base, None)?;
        for _ in 0..50 {
            let Some(weights) = self.robust_weights(design, observed, &base, &fit) else { break };
            let next = self.weighted(design, observed, &weights, Some(&fit))?;
            let tolerance = if self.tolerance > 0.0 { self.tolerance } else { 1e-5 };
            let settled = is_settled(&fit, &next, design, tolerance);
            fit = next;
            if settled {
                break;
            }
        }
        Ok(fit)
    }

    fn check(&self, design: &Design, observed: &[f64]) -> Result<(), FitError> {
        design.check_complete()?;
        design.check_observed("observed values", observed)?;
        if let Some(weights) = &self.weights {
            design.check_observed("weights", weights)?;
            if let Some(negative) = weights.iter().find(|weight| **weight < 0.0) {
                return Err(FitError::Setting {
                    what: "weight",
                    expected: "0 or more",
                    found: *negative,
                });
            }
        }
        if let Some(clusters) = &self.clusters
            && clusters.len() != design.rows()
        {
            let (expected, found) = (design.rows(), clusters.len());
            return Err(FitError::Length { what: "clusters", expected, found });
        }
        if !(self.ridge >= 0.0 && self.ridge.is_finite()) {
            return Err(FitError::Setting {
                what: "ridge",
                expected: "0 or more",
                found: self.ridge,
            });
        }
        let used = match &self.weights {
            Some(weights) => weights.iter().filter(|weight| **weight > 0.0).count(),
            None => design.rows(),
        };
        let needed = if self.ridge > 0.0 || self.non_negative {
            1
        } else {
            design.width() + usize::from(self.intercept != Intercept::None)
        };
        if used < needed.max(1) {
            return Err(FitError::TooFew {
                what: "a linear fit",
                needed: needed.max(1),
                found: used,
            });
        }
        Ok(())
    }

    fn weighted(
        &self,
        design: &Design,
        observed: &[f64],
        weights: &[f64],
        before: Option<&LinearFit>,
    ) -> Result<LinearFit, FitError> {
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let weigh = |values: &[f64]| values.iter().zip(&roots).map(|(v, r)| v * r).collect();
        let has_intercept = self.intercept != Intercept::None;
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(design.width() + 1);
        if has_intercept {
            columns.push(roots.clone());
        }
        columns.extend(design.columns().iter().map(|column| weigh(column)));
        let mut rhs: Vec<f64> = weigh(observed);
        self.add_ridge(design, weights, has_intercept, &mut columns, &mut rhs);

        let constrained: Vec<bool> = columns
            .iter()
            .enumerate()
            .map(|(index, _)| match (has_intercept, index) {
                (true, 0) => self.intercept == Intercept::NonNegative,
                _ => self.non_negative,
            })
            .collect();
        let name = |column: usize| {
            let place = column.checked_sub(usize::from(has_intercept));
            let name = place.and_then(|place| design.names().get(place));
            name.map_or("intercept", String::as_str).to_owned()
        };
        let guess: Vec<f64> = before.map_or_else(Vec::new, |before| {
            let intercept = has_intercept.then_some(&before.intercept);
            intercept.into_iter().chain(&before.coefficients).map(|c| c.value).collect()
        });
        let values =
            nnls_from(&columns, &rhs, &constrained, &guess).map_err(|error| match error {
                FitError::Collinear { column } => {
                    FitError::Collinear { column: name(column.parse().unwrap_or_default()) }
                }
                other => other,
            })?;

        let fitted = |row: usize| -> f64 {
            columns.iter().zip(&values).filter_map(|(c, v)| c.get(row).map(|c| c * v)).sum()
        };
        let squares: f64 = rhs
            .iter()
            .enumerate()
            .take(design.rows())
            .map(|(row, y)| (y - fitted(row)) * (y - fitted(row)))
            .sum();
        let active: Vec<usize> = values
            .iter()
            .zip(&constrained)
            .enumerate()
            .filter(|(_, (value, constrained))| !**constrained || **value > 0.0)
            .map(|(index, _)| index)
            .collect();
        let used = weights.iter().filter(|weight| **weight > 0.0).count();
        let freedom = used.saturating_sub(active.len());
        let residual_deviation = (freedom > 0).then(|| (squares / freedom as f64).sqrt());
        let mut errors = vec![None; values.len()];
        let mut error_freedom = freedom;
        if let Some(deviation) = residual_deviation.filter(|_| self.ridge == 0.0) {
            let mut used = crate::design::pick_cloned(&columns, &active);
            let variances = if let Some(clusters) = &self.clusters {
                let rows = 0..design.rows();
                let left: Vec<f64> = rows
                    .map(|row| rhs.get(row).copied().unwrap_or_default() - fitted(row))
                    .collect();
                let found = clustered_errors(&used, &left, clusters);
                error_freedom = found.as_ref().map_or(0, |found| found.clusters - 1);
                found.map(|found| found.variances)
            } else {
                let width = used.len();
                triangularise(&mut used, width);
                let diagonal = inverse_gram_diagonal(&used).ok();
                diagonal.map(|all| all.into_iter().map(|d| deviation * deviation * d).collect())
            };
            for (index, variance) in active.iter().zip(variances.unwrap_or_default()) {
                if let Some(slot) = errors.get_mut(*index) {
                    *slot = Some(variance.sqrt());
                }
            }
        }
        let mut all = values.iter().zip(errors).enumerate().map(|(index, (value, error))| {
            Coefficient { name: name(index), value: *value, standard_error: error }
        });
        let none = Coefficient { name: "intercept".to_owned(), value: 0.0, standard_error: None };
        let intercept = if has_intercept { all.next().unwrap_or(none) } else { none };
        Ok(LinearFit {
            intercept,
            coefficients: all.collect(),
            residual_deviation,
            freedom,
            error_freedom,
            rows: design.rows(),
            row_weights: weights.to_vec(),
        })
    }

    /// One more row for each column, which asks its coefficient to be zero.
    fn add_ridge(
        &self,
        design: &Design,
        weights: &[f64],
        has_intercept: bool,
        columns: &mut [Vec<f64>],
        rhs: &mut Vec<f64>,
    ) {
        if self.ridge == 0.0 {
            return;
        }
        let total: f64 = weights.iter().sum();
        let deviations = design.columns().iter().map(|column| {
            let mean = column.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() / total;
            let squares: f64 =
                column.iter().zip(weights).map(|(v, w)| w * (v - mean).powi(2)).sum();
            (squares / total).sqrt()
        });
        for (place, deviation) in deviations.enumerate() {
            for (index, column) in columns.iter_mut().enumerate() {
                let own = index == place + usize::from(has_intercept);
                column.push(if own { self.ridge.sqrt() * deviation } else { 0.0 });
            }
            rhs.push(0.0);
        }
    }

    /// Weights for the next round; `None` when the fit is not robust, or the residuals have no spread.
    fn robust_weights(
        &self,
        design: &Design,
        observed: &[f64],
        base: &[f64],
        fit: &LinearFit,
    ) -> Option<Vec<f64>> {
        if self.robustness == Robustness::LeastSquares {
            return None;
        }
        let residuals: Vec<f64> = observed
            .iter()
            .zip(fit.predict_all(design))
            .zip(base)
            .map(|((y, p), w)| (y - p) * w.sqrt())
            .collect();
        let distances: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
        let scale = order::median(&distances)? * 1.482_602_218_505_602;
        if scale.is_nan() || scale <= 1e-300 {
            return None;
        }
        let weight = |residual: f64| {
            let u = residual.abs() / scale;
            match self.robustness {
                Robustness::LeastSquares => 1.0,
                Robustness::Huber(limit) => {
                    if u <= limit {
                        1.0
                    } else {
                        limit / u
                    }
                }
                Robustness::Tukey(limit) => {
                    if u < limit {
                        (1.0 - (u / limit).powi(2)).powi(2)
                    } else {
                        0.0
                    }
                }
            }
        };
        Some(residuals.iter().zip(base).map(|(r, b)| b * weight(*r)).collect())
    }
}

/// Whether another round would change no prediction by more than this share of the residual deviation.
fn is_settled(before: &LinearFit, after: &LinearFit, design: &Design, tolerance: f64) -> bool {
    let (before, now) = (before.predict_all(design), after.predict_all(design));
    let changes = before.iter().zip(&now).zip(&after.row_weights);
    let largest = changes.map(|((a, b), w)| (a - b).abs() * w.sqrt()).fold(0.0, f64::max);
    largest <= tolerance * after.residual_deviation.unwrap_or_default()
}

impl LinearFit {
    /// The model's value for one row, in the order of the design's columns.
    pub fn predict(&self, row: &[f64]) -> f64 {
        let products = self.coefficients.iter().zip(row).map(|(c, value)| c.value * value);
        self.intercept.value + products.sum::<f64>()
    }

    /// The model's value for every row of a design with the same columns.
    pub fn predict_all(&self, design: &Design) -> Vec<f64> {
        let mut predicted = vec![self.intercept.value; design.rows()];
        for (coefficient, column) in self.coefficients.iter().zip(design.columns()) {
            for (sum, value) in predicted.iter_mut().zip(column) {
                *sum += coefficient.value * value;
            }
        }
        predicted
    }

    /// Half the width of the confidence interval of this coefficient at a level such as 0.9; `None` without standard error.
    pub fn half_width(&self, coefficient: &Coefficient, level: f64) -> Option<f64> {
        let quantile = student_quantile(0.5 + level / 2.0, self.error_freedom as f64);
        Some(coefficient.standard_error? * quantile).filter(|width| width.is_finite())
    }
}
