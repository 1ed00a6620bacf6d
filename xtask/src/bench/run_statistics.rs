//! Several runs of one command in a few numbers, and ratios of them as text.

use super::measured_run::Usage;

/// The runs of one command.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Runs {
    runs: Vec<Usage>,
}

impl Runs {
    pub fn push(&mut self, usage: Usage) {
        self.runs.push(usage);
    }

    /// The least CPU time, in seconds: disturbance only adds.
    pub fn least_cpu(&self) -> f64 {
        self.runs.iter().map(|run| run.cpu_seconds).fold(f64::INFINITY, f64::min)
    }

    /// The median CPU time, in seconds.
    pub fn median_cpu(&self) -> f64 {
        median(self.runs.iter().map(|run| run.cpu_seconds).collect())
    }

    /// The median peak, in bytes.
    pub fn median_peak(&self) -> f64 {
        median(self.runs.iter().map(|run| run.peak_bytes).collect())
    }
}

/// The middle value; the mean of both where there are two; NaN of nothing.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        length if length % 2 == 0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}

/// CPU time in the unit that suits it.
pub fn seconds(value: f64) -> String {
    if value < 1.0 { format!("{:.0} ms", value * 1e3) } else { format!("{value:.2} s") }
}

pub fn megabytes(bytes: f64) -> String {
    format!("{:.0} MB", bytes / 1e6)
}

/// A ratio with two digits, or a dash.
pub fn ratio(value: f64) -> String {
    if value.is_finite() { format!("{value:.2}") } else { "–".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Runs, median, megabytes, ratio, seconds};
    use crate::bench::measured_run::Usage;

    #[test]
    fn runs_are_summed_up_by_least_and_middle() {
        let mut runs = Runs::default();
        for (cpu_seconds, peak_bytes) in [(3.0, 10.0), (1.0, 30.0), (2.0, 20.0)] {
            runs.push(Usage { cpu_seconds, peak_bytes });
        }
        assert_eq!((runs.least_cpu(), runs.median_cpu(), runs.median_peak()), (1.0, 2.0, 20.0));
        assert_eq!(median(vec![4.0, 1.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn figures_have_units() {
        assert_eq!(seconds(0.0124), "12 ms");
        assert_eq!(seconds(1.234), "1.23 s");
        assert_eq!(megabytes(188.4e6), "188 MB");
        assert_eq!((ratio(1.054), ratio(f64::NAN)), ("1.05".to_owned(), "–".to_owned()));
    }
}
