use crate::{Design, FitError, LinearOptions, Robustness, normal_quantile, order};

/// Settings for finding the slope of a cumulative counter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlopeOptions {
    /// Share of the time span that is discarded at the start, while the device settles (0 to below 1).
    pub warm_up: f64,
    /// Whether single wild readings must not matter (Theil and Sen) instead of least squares.
    pub robust: bool,
    /// Level of the confidence interval, such as 0.9.
    pub level: f64,
}

impl Default for SlopeOptions {
    fn default() -> Self {
        Self { warm_up: 0.1, robust: false, level: 0.9 }
    }
}

/// Increase of a cumulative counter per unit of time.
///
/// The counter's start is fitted, not taken as zero: charge over time divided by time is wrong by what had been counted
/// before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// Counter units per time unit.
    pub value: f64,
    /// The confidence interval; infinite when three readings or fewer are left, or the readings do not allow one.
    pub interval: (f64, f64),
    /// Value of the line at time 0.
    pub intercept: f64,
    /// Readings used.
    pub rows: usize,
    /// Readings discarded as warm-up.
    pub discarded: usize,
}

impl SlopeOptions {
    /// Fits readings of a counter at rising times.
    ///
    /// # Errors
    /// Lists of different length, values that are not finite, settings out of range, fewer than two different times after
    /// the warm-up.
    pub fn fit(&self, times: &[f64], counter: &[f64]) -> Result<Slope, FitError> {
        if !(0.0..1.0).contains(&self.warm_up) {
            return Err(FitError::Setting {
                what: "warm-up",
                expected: "a share from 0 to below 1",
                found: self.warm_up,
            });
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(FitError::Setting {
                what: "level",
                expected: "between 0 and 1",
                found: self.level,
            });
        }
        let mut all = Design::new(["time"]);
        for time in times {
            all.push_row(&[*time])?;
        }
        all.check_complete()?;
        all.check_observed("counter readings", counter)?;
        let first = times.iter().copied().fold(f64::INFINITY, f64::min);
        let last = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let start = first + self.warm_up * (last - first);
        let kept: Vec<usize> = times
            .iter()
            .enumerate()
            .filter(|(_, time)| **time >= start)
            .map(|(row, _)| row)
            .collect();
        let design = all.select(&kept);
        let values = crate::design::pick(counter, &kept);
        let discarded = times.len() - kept.len();
        let times = design.column("time").unwrap_or_default();
        let span = times.iter().any(|time| times.first().is_some_and(|first| first != time));
        if !span {
            return Err(FitError::TooFew { what: "a slope", needed: 2, found: kept.len().min(1) });
        }
        if self.robust {
            return Ok(self.theil_sen(times, &values, discarded));
        }
        let options =
            LinearOptions { robustness: Robustness::LeastSquares, ..LinearOptions::default() };
        let fit = options.fit(&design, &values)?;
        let Some(slope) = fit.coefficients.first() else {
            return Err(FitError::TooFew { what: "a slope", needed: 2, found: 0 });
        };
        let width = fit.half_width(slope, self.level).unwrap_or(f64::INFINITY);
        Ok(Slope {
            value: slope.value,
            interval: (slope.value - width, slope.value + width),
            intercept: fit.intercept.value,
            rows: kept.len(),
            discarded,
        })
    }

    /// The median of the slopes between pairs; Sen's interval from Kendall's statistic.
    fn theil_sen(&self, times: &[f64], values: &[f64], discarded: usize) -> Slope {
        // Every pair of 1500 readings is a million slopes; of more, an even selection of readings says the same.
        let stride = times.len().div_ceil(1500).max(1);
        let points: Vec<(f64, f64)> =
            times.iter().copied().zip(values.iter().copied()).step_by(stride).collect();
        let mut slopes = Vec::new();
        for (index, (t0, v0)) in points.iter().enumerate() {
            for (t1, v1) in points.iter().skip(index + 1) {
                if t1 != t0 {
                    slopes.push((v1 - v0) / (t1 - t0));
                }
            }
        }
        let slopes = order::sorted(&slopes);
        let value = order::quantile(&slopes, 0.5).unwrap_or(f64::NAN);
        let n = points.len() as f64;
        let spread = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
        let reach = normal_quantile(0.5 + self.level / 2.0) * spread;
        let count = slopes.len() as f64;
        let low = ((count - reach) / 2.0).floor();
        let high = f64::midpoint(count, reach).ceil();
        let interval = if low >= 0.0 && high < count && points.len() > 3 {
            let end = |place: f64| slopes.get(place as usize).copied().unwrap_or(f64::NAN);
            (end(low), end(high))
        } else {
            (f64::NEG_INFINITY, f64::INFINITY)
        };
        let starts: Vec<f64> = points.iter().map(|(t, v)| v - value * t).collect();
        Slope {
            value,
            interval,
            intercept: order::median(&starts).unwrap_or(f64::NAN),
            rows: times.len(),
            discarded,
        }
    }
}
