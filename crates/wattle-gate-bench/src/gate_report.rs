//! Alarms of one tool on one suite.

use crate::simulated_suite::SuitePlan;

/// Commits for which a change stays in the list of alerts of tools that find change points.
pub const LISTED_COMMITS: usize = 20;

/// A new alert.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alarm {
    /// The metric.
    pub metric: usize,
    /// The newest commit when the alert first appeared.
    pub raised: usize,
    /// Whether the metric is said to have gone up.
    pub is_up: bool,
}

/// Alarms of one tool on one suite.
#[derive(Clone, PartialEq, Debug)]
pub struct GateReport {
    /// Every new alert.
    pub alarms: Vec<Alarm>,
    /// Whether a metric is among the alerts, by commit and metric.
    pub alerts: Vec<Vec<bool>>,
    /// Runs of each commit.
    pub base_runs: usize,
    /// Runs of the suite: of all commits, and further ones that the tool asked for.
    pub runs: usize,
}

impl GateReport {
    /// A report without alarms.
    pub fn new(plan: &SuitePlan, base_runs: usize) -> Self {
        Self {
            alarms: Vec::new(),
            alerts: vec![vec![false; plan.metrics]; plan.commits],
            base_runs,
            runs: plan.commits * base_runs,
        }
    }

    /// Lists a metric among the alerts of commits from `first` up to, but without, `end`.
    pub fn list(&mut self, metric: usize, first: usize, end: usize) {
        let end = end.min(self.alerts.len());
        for alerts in &mut self.alerts[first.min(end)..end] {
            alerts[metric] = true;
        }
    }

    /// Similarity (Jaccard) of the alerts of neighbouring commits from `first` up to `end`, over those with an alert.
    pub fn neighbour_similarities(&self, first: usize, end: usize) -> Vec<f64> {
        let end = end.min(self.alerts.len());
        self.alerts[first.min(end)..end]
            .windows(2)
            .filter_map(|pair| {
                let both = |f: fn(bool, bool) -> bool| {
                    pair[0].iter().zip(&pair[1]).filter(|(a, b)| f(**a, **b)).count() as f64
                };
                let union = both(|a, b| a || b);
                (union > 0.0).then(|| both(|a, b| a && b) / union)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_counts_neighbours_with_alerts() {
        let mut report =
            GateReport::new(&SuitePlan { metrics: 3, commits: 6, ..SuitePlan::new(0) }, 1);
        report.list(0, 1, 4);
        report.list(1, 2, 3);
        // {} {0} {0,1} {0} {} {}
        assert_eq!(report.neighbour_similarities(0, 6), [0.0, 0.5, 0.5, 0.0]);
    }
}
