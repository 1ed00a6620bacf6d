//! Causes of scatter between runs of one build.

use wattle_change_points::FlakyCause;

use crate::GateRun;

/// Correlation from which on a condition counts as a cause.
const CLEAR: f64 = 0.8;
/// Runs below which no correlation is looked at.
const LEAST_RUNS: usize = 4;

/// The cause of the scatter between runs of one build, as far as the conditions tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScatterCause {
    /// Energy follows the temperature of the battery.
    Heat {
        /// The range of temperatures, in degrees Celsius.
        celsius: (f64, f64),
    },
    /// Some runs were throttled by heat protection, and others not.
    Throttled {
        /// Number of throttled runs.
        runs: usize,
    },
    /// The rest of the device moved with the app: background work.
    Background,
    /// Scatter between the commits of a history.
    Series(FlakyCause),
}

impl ScatterCause {
    /// Looks for a cause in runs with their energies.
    pub(crate) fn find(runs: &[(&GateRun, f64)]) -> Option<Self> {
        let throttled =
            runs.iter().filter(|(run, _)| run.thermal_status().unwrap_or(0) > 0).count();
        if throttled > 0 && throttled < runs.len() {
            return Some(Self::Throttled { runs: throttled });
        }
        let follows = |of: &dyn Fn(&GateRun, f64) -> Option<f64>| {
            let pairs: Vec<(f64, f64)> = runs
                .iter()
                .filter_map(|(run, energy)| Some((of(run, *energy)?, *energy)))
                .collect();
            correlation(&pairs) >= CLEAR
        };
        if follows(&|run, _| run.celsius()) {
            let celsius: Vec<f64> = runs.iter().filter_map(|(run, _)| run.celsius()).collect();
            let low = celsius.iter().copied().fold(f64::INFINITY, f64::min);
            let high = celsius.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            return Some(Self::Heat { celsius: (low, high) });
        }
        let rest = |run: &GateRun, energy: f64| Some(run.total?.joules - energy);
        follows(&rest).then_some(Self::Background)
    }

    /// In words.
    pub fn describe(self) -> String {
        match self {
            Self::Heat { celsius: (low, high) } => {
                format!("it follows the battery's temperature, {low:.0} to {high:.0} °C: --cool-to before each run")
            }
            Self::Throttled { runs } => {
                format!("{runs} of the runs were throttled by heat: --cool-to or --cool-down before each run")
            }
            Self::Background => {
                "it follows the rest of the device: work in the background, which a longer wait before the run lets end".to_owned()
            }
            Self::Series(cause) => series_cause(cause).to_owned(),
        }
    }
}

/// Pearson's correlation; 0 with too few pairs.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    if pairs.len() < LEAST_RUNS {
        return 0.0;
    }
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|it| it.0), mean(|it| it.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        pairs.iter().map(|it| of(it.0 - x, it.1 - y)).sum()
    };
    let size = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    if size > 0.0 { sum(&|a, b| a * b) / size } else { 0.0 }
}

/// The cause of scatter between commits, in words.
const fn series_cause(cause: FlakyCause) -> &'static str {
    match cause {
        FlakyCause::Heat => "they follow the device's temperature: --cool-to before each run",
        FlakyCause::Clock => "they follow the clock of the CPU",
        FlakyCause::Background => {
            "they follow the rest of the device: work in the background, which a longer wait before the run lets end"
        }
        FlakyCause::TwoModes => {
            "runs fall into two groups: more runs of each commit would average them"
        }
        FlakyCause::Drift => "the level drifts slowly, as conditions of the device do",
        FlakyCause::Outliers => {
            "single runs are far from the others: more runs of each commit would outvote them"
        }
        FlakyCause::Unknown => "no condition of the runs explains it; more runs would tell",
    }
}
