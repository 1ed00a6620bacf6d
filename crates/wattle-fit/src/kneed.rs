use crate::{Coefficient, Design, FitError, LinearOptions, Robustness, order};

/// Settings for fitting a sum of lines with knees.
#[derive(Debug, Clone, PartialEq)]
pub struct KneedOptions {
    /// Stretches of a column's range, with as many rows in each; 1 for a straight line.
    pub stretches: usize,
    /// Whether the sum may also fall where a column rises; else coefficients are from zero on.
    pub either_way: bool,
    /// Penalty on the coefficients of standardised terms, in units of rows.
    pub ridge: f64,
    /// Observed values below this share of their median count as much as that share, so that relative errors of values near
    /// zero do not decide the fit.
    pub least_share: f64,
    /// Rounds of the robust fit end when none changes a prediction by more than this share of the residual deviation.
    pub tolerance: f64,
}

impl Default for KneedOptions {
    fn default() -> Self {
        Self { stretches: 4, either_way: false, ridge: 0.0, least_share: 0.05, tolerance: 1e-3 }
    }
}

/// One stretch of a column between two knees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Index of the column.
    pub column: usize,
    /// Lower knee, in the column's unit.
    pub from: f64,
    /// Upper knee, in the column's unit.
    pub to: f64,
}

impl Stretch {
    /// The part of a value that is between the knees, in the column's unit: 0 below both, `to − from` above both.
    pub fn part(&self, value: f64) -> f64 {
        value.clamp(self.from, self.to) - self.from
    }
}

/// A sum of lines with knees: `y = intercept + Σ coefficient · (part of a column between two knees)`.
///
/// Fitted by non-negative least squares of relative errors, robustly (Huber): a sum of watts of which none is below zero, whose
/// dependence on each column is only assumed to rise, not to be straight.
#[derive(Debug, Clone, PartialEq)]
pub struct Kneed {
    /// The stretches, those of one column together, rising.
    pub stretches: Vec<Stretch>,
    /// One for each stretch, with its standard error: `y` per unit of the column. Below zero where `y` falls.
    pub coefficients: Vec<Coefficient>,
    /// The constant: `y` where every column is at or below its lowest knee.
    pub intercept: Coefficient,
    /// Part of each row's weight that robustness left, 0 to 1.
    pub kept: Vec<f64>,
    /// Rows less fitted numbers that are not held at zero.
    pub freedom: usize,
    /// Degrees of freedom of the standard errors.
    pub error_freedom: usize,
}

impl KneedOptions {
    /// Fits `observed` to the columns of `design`.
    ///
    /// # Errors
    /// Lengths that differ, missing or infinite values, too few rows; where coefficients may be below zero, columns that depend on
    /// each other.
    pub fn fit(&self, design: &Design, observed: &[f64]) -> Result<Kneed, FitError> {
        self.fit_in_groups(design, observed, &[])
    }

    /// The same, with standard errors that hold where rows of one group err together (see [`LinearOptions::clusters`]);
    /// without groups every row counts as independent.
    ///
    /// # Errors
    /// As for [`KneedOptions::fit`].
    pub fn fit_in_groups(
        &self,
        design: &Design,
        observed: &[f64],
        groups: &[usize],
    ) -> Result<Kneed, FitError> {
        design.check_complete()?;
        let stretches = self.stretches(design);
        let mut expanded = Design::new((0..stretches.len()).map(|stretch| stretch.to_string()));
        for row in 0..design.rows() {
            let values = design.row(row);
            let part = |stretch: &Stretch| {
                values.get(stretch.column).map_or(0.0, |value| stretch.part(*value))
            };
            expanded.push_row(&stretches.iter().map(part).collect::<Vec<f64>>())?;
        }
        let weights = relative_weights(observed, self.least_share);
        let options = LinearOptions {
            non_negative: !self.either_way,
            robustness: Robustness::Huber(1.345),
            weights: Some(weights.clone()),
            ridge: self.ridge,
            clusters: (!groups.is_empty()).then(|| groups.to_vec()),
            tolerance: self.tolerance,
            ..LinearOptions::default()
        };
        let fit = options.fit(&expanded, observed)?;
        let kept = fit.row_weights.iter().zip(&weights).map(|(now, given)| now / given);
        Ok(Kneed {
            stretches,
            coefficients: fit.coefficients,
            intercept: fit.intercept,
            kept: kept.collect(),
            freedom: fit.freedom,
            error_freedom: fit.error_freedom,
        })
    }

    /// Knees at even quantiles of each column's different values; a column of one value has none.
    fn stretches(&self, design: &Design) -> Vec<Stretch> {
        let mut all = Vec::new();
        for (column, values) in design.columns().iter().enumerate() {
            let sorted = order::sorted(values);
            let count = self.stretches.max(1);
            let mut knees: Vec<f64> = (0..=count)
                .filter_map(|k| order::quantile(&sorted, k as f64 / count as f64))
                .collect();
            knees.dedup();
            let pairs = knees.iter().zip(knees.iter().skip(1));
            all.extend(pairs.map(|(from, to)| Stretch { column, from: *from, to: *to }));
        }
        all
    }
}

/// Weights of relative errors, with mean 1: the inverse of the square, with values below a share of the median levelled.
pub fn relative_weights(observed: &[f64], least_share: f64) -> Vec<f64> {
    let sizes: Vec<f64> = observed.iter().map(|value| value.abs()).collect();
    let least = least_share * order::median(&sizes).unwrap_or_default();
    let weight = |size: &f64| 1.0 / size.max(least).max(f64::MIN_POSITIVE.sqrt()).powi(2);
    let weights: Vec<f64> = sizes.iter().map(weight).collect();
    let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    weights.iter().map(|weight| weight / mean).collect()
}

impl Kneed {
    /// Rows that were weighed down by half or more.
    pub fn weighed_down(&self) -> usize {
        self.kept.iter().filter(|kept| **kept < 0.5).count()
    }

    /// The value at a row, in the order of the design's columns.
    pub fn predict(&self, row: &[f64]) -> f64 {
        let parts = self.stretches.iter().zip(&self.coefficients).map(|(stretch, coefficient)| {
            row.get(stretch.column).map_or(0.0, |value| coefficient.value * stretch.part(*value))
        });
        self.intercept.value + parts.sum::<f64>()
    }

    /// The value at every row of a design with the same columns.
    pub fn predict_all(&self, design: &Design) -> Vec<f64> {
        (0..design.rows()).map(|row| self.predict(&design.row(row))).collect()
    }
}
