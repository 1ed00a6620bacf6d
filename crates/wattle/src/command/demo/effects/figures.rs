//! Error, bias, coverage and width over rows of true values beside estimates.

use serde::Serialize;
use wattle_units::{Estimate, Joules};

/// A true value with its estimate, without its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Energy that the simulator spent.
    pub truth: Joules,
    /// `None` when the ledger has none.
    pub estimate: Option<Estimate>,
}

/// Figures of rows. Shares: 0.05 is 5 %. A row without an estimate counts as an estimate of 0 J and outside.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figures {
    /// Number of rows.
    pub rows: usize,
    /// Rows without an estimate.
    pub missing: usize,
    /// Sum of the true values, in joules.
    pub truth_joules: f64,
    /// Mean of |estimate / truth − 1|.
    pub mean_error: f64,
    /// Sum of |estimate − truth| divided by the sum of the true values.
    pub weighted_error: f64,
    /// Median of |estimate / truth − 1|.
    pub median_error: f64,
    /// Sum of the estimates divided by the sum of the true values, − 1.
    pub bias: f64,
    /// Share of rows whose true value lies inside the 90 % interval.
    pub coverage: f64,
    /// Mean width of the intervals relative to their estimates, of rows with an estimate above 0; `null` without any.
    pub mean_width: Option<f64>,
}

impl Figures {
    /// `None` without rows.
    pub fn new(rows: &[Row]) -> Option<Self> {
        let rows: Vec<Row> = rows.iter().copied().filter(|row| row.truth > Joules::ZERO).collect();
        if rows.is_empty() {
            return None;
        }
        let count = rows.len() as f64;
        let joules = |row: &Row| row.estimate.map_or(0.0, |it| it.joules.value());
        let truth_joules: f64 = rows.iter().map(|row| row.truth.value()).sum();
        let estimated: f64 = rows.iter().map(joules).sum();
        let off = |row: &Row| (joules(row) - row.truth.value()).abs();
        let mut errors: Vec<f64> = rows.iter().map(|row| off(row) / row.truth.value()).collect();
        errors.sort_by(f64::total_cmp);
        let middle = errors.len() / 2;
        let median_error = if errors.len().is_multiple_of(2) {
            f64::midpoint(errors[middle - 1], errors[middle])
        } else {
            errors[middle]
        };
        let is_inside = |row: &&Row| row.estimate.is_some_and(|it| it.interval.contains(row.truth));
        let widths: Vec<f64> = rows
            .iter()
            .filter_map(|row| row.estimate)
            .filter(|it| it.joules > Joules::ZERO)
            .map(|it| (it.interval.high - it.interval.low) / it.joules)
            .collect();
        Some(Self {
            rows: rows.len(),
            missing: rows.iter().filter(|row| row.estimate.is_none()).count(),
            truth_joules,
            mean_error: errors.iter().sum::<f64>() / count,
            weighted_error: rows.iter().map(off).sum::<f64>() / truth_joules,
            median_error,
            bias: estimated / truth_joules - 1.0,
            coverage: rows.iter().filter(is_inside).count() as f64 / count,
            mean_width: (!widths.is_empty())
                .then(|| widths.iter().sum::<f64>() / widths.len() as f64),
        })
    }
}

#[cfg(test)]
mod tests {
    use wattle_units::{Interval, Provenance};

    use super::*;

    fn row(truth: f64, estimate: f64, half_width: f64) -> Row {
        let interval = Interval {
            low: Joules::new(estimate - half_width),
            high: Joules::new(estimate + half_width),
        };
        let joules = Joules::new(estimate);
        let estimate = Estimate { joules, interval, provenance: Provenance::Modelled };
        Row { truth: Joules::new(truth), estimate: Some(estimate) }
    }

    #[test]
    fn figures_are_those_of_a_calculation_by_hand() {
        let rows = [row(1.0, 1.1, 0.2), row(2.0, 1.0, 0.5), row(4.0, 4.0, 0.4)];
        let figures = Figures::new(&rows).expect("rows");
        let close = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
        };
        close(figures.mean_error, (0.1 + 0.5 + 0.0) / 3.0);
        close(figures.weighted_error, 1.1 / 7.0);
        close(figures.median_error, 0.1);
        close(figures.bias, 6.1 / 7.0 - 1.0);
        close(figures.coverage, 2.0 / 3.0);
        close(figures.mean_width.expect("widths"), (0.4 / 1.1 + 1.0 + 0.2) / 3.0);
        assert_eq!((figures.rows, figures.missing), (3, 0));
    }

    #[test]
    fn a_missing_estimate_counts_as_nothing_and_outside() {
        let missing = Row { truth: Joules::new(1.0), estimate: None };
        let figures = Figures::new(&[missing, row(1.0, 1.0, 0.1)]).expect("rows");
        assert_eq!((figures.missing, figures.coverage, figures.mean_error), (1, 0.5, 0.5));
        assert_eq!(Figures::new(&[]), None);
    }

    #[test]
    fn an_estimator_that_is_off_shows_low_coverage() {
        let honest: Vec<Row> =
            (0..20).map(|it| row(1.0, 0.9 + 0.01 * f64::from(it), 0.1)).collect();
        let biased: Vec<Row> =
            (0..20).map(|it| row(1.0, 1.2 + 0.01 * f64::from(it), 0.1)).collect();
        let coverage = |rows: &[Row]| Figures::new(rows).expect("rows").coverage;
        assert!(coverage(&honest) >= 0.95, "{}", coverage(&honest));
        assert!(coverage(&biased) <= 0.05, "{}", coverage(&biased));
    }
}
