//! Rules of other gates that judge the newest commit alone, written anew from their documentation.

use wattle_fit::student_quantile;

/// Values of history that Bencher's documentation uses in its examples (`--threshold-max-sample-size 64`).
const BENCHER_SAMPLE: usize = 64;
/// The boundary in the same examples (`--threshold-upper-boundary 0.99`).
const BENCHER_BOUNDARY: f64 = 0.99;
/// Interquartile ranges from the median.
const BENCHER_RANGES: f64 = 3.0;
/// Interquartile ranges above the third quartile (`docs/comparison-analysis.md` of rustc-perf).
const FENCE_RANGES: f64 = 3.0;
/// Commits of history in rustc-perf (`site/src/comparison.rs`, `NUM_PREVIOUS_COMMITS`).
const FENCE_SAMPLE: usize = 30;
/// The share of the plain rule.
const PLAIN_SHARE: f64 = 0.05;

/// A rule that compares the newest commit with those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointRule {
    /// Bencher's `t_test`: outside the quantiles of Student's distribution with mean and deviation of the history.
    BencherTTest,
    /// Bencher's `iqr`: more than some interquartile ranges from the median.
    BencherIqr,
    /// rustc-perf: the change from the commit before is beyond the upper fence of such changes in the history.
    RustcPerfFence,
    /// More than 5 % from the mean of the history (Bencher's `percentage`).
    FivePercent,
}

impl PointRule {
    /// All rules.
    pub const ALL: [Self; 4] =
        [Self::BencherTTest, Self::BencherIqr, Self::RustcPerfFence, Self::FivePercent];

    /// Deviation of the newest value in units of the limit: an alert beyond 1 and below −1.
    pub fn ratio(self, history: &[f64], newest: f64) -> f64 {
        let last = |count: usize| &history[history.len().saturating_sub(count)..];
        let (deviation, limit) = match self {
            Self::BencherTTest => {
                let sample = last(BENCHER_SAMPLE);
                let count = sample.len() as f64;
                let mean = sample.iter().sum::<f64>() / count;
                let squares: f64 = sample.iter().map(|value| (value - mean).powi(2)).sum();
                let deviation = (squares / count).sqrt();
                (newest - mean, deviation * student_quantile(BENCHER_BOUNDARY, count - 1.0))
            }
            Self::BencherIqr => {
                let [first, median, third] = linear_quartiles(last(BENCHER_SAMPLE));
                (newest - median, BENCHER_RANGES * (third - first))
            }
            Self::RustcPerfFence => {
                let sample = last(FENCE_SAMPLE);
                let changes: Vec<f64> =
                    sample.windows(2).map(|pair| ((pair[1] - pair[0]) / pair[0]).abs()).collect();
                let (first, third) = halves_quartiles(changes);
                let before = sample.last().copied().unwrap_or(newest);
                ((newest - before) / before, third + FENCE_RANGES * (third - first))
            }
            Self::FivePercent => {
                let sample = last(BENCHER_SAMPLE);
                let mean = sample.iter().sum::<f64>() / sample.len() as f64;
                (newest - mean, PLAIN_SHARE * mean)
            }
        };
        if limit > 0.0 { deviation / limit } else { 0.0 }
    }
}

/// Quartiles with linear interpolation.
fn linear_quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|share| {
        let rank = share * (sorted.len() as f64 - 1.0);
        let below = sorted[rank.floor() as usize];
        let above = sorted[(rank.ceil() as usize).min(sorted.len() - 1)];
        below + (above - below) * rank.fract()
    })
}

/// First and third quartile as medians of the lower and the upper half.
fn halves_quartiles(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_unstable_by(f64::total_cmp);
    let median = |half: &[f64]| {
        let middle = half.len() / 2;
        if half.len() % 2 == 1 {
            half[middle]
        } else {
            f64::midpoint(half[middle - 1], half[middle])
        }
    };
    let half = values.len() / 2;
    (median(&values[..half]), median(&values[values.len() - half..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_documentation() {
        let history = [99.0, 101.0, 98.0, 102.0, 100.0, 99.0, 101.0, 98.0, 102.0, 100.0];
        // Mean 100, population deviation 1.414, quantile 0.99 with 9 degrees of freedom 2.821.
        let t = PointRule::BencherTTest.ratio(&history, 103.99);
        assert!((t - 1.0).abs() < 2e-3, "{t}");
        // Quartiles 99 and 101, median 100: limit 106.
        assert!((PointRule::BencherIqr.ratio(&history, 106.0) - 1.0).abs() < 1e-12);
        assert!((PointRule::FivePercent.ratio(&history, 95.0) + 1.0).abs() < 1e-12);
        // Changes: about 1 %, 2 %, 3 %, 4 %.
        let fence = PointRule::RustcPerfFence.ratio(&history, 110.0);
        assert!((0.8..1.3).contains(&fence), "{fence}");
    }

    #[test]
    fn quartiles_by_halves() {
        assert_eq!(halves_quartiles(vec![4.0, 1.0, 3.0, 2.0]), (1.5, 3.5));
        assert_eq!(halves_quartiles(vec![5.0, 4.0, 1.0, 3.0, 2.0]), (1.5, 4.5));
    }
}
