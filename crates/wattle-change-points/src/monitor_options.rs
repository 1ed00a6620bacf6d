//! Settings of a monitor.

/// Settings of a [`Monitor`](crate::Monitor).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MonitorOptions {
    /// Metrics that are watched together: the more there are, the more evidence each of them needs.
    pub metrics: usize,
    /// Commits in which all of these metrics together may raise one false alarm.
    pub commits_per_false_alarm: f64,
    /// Commits before the first at which a change can be found.
    pub history: usize,
    /// Commits, after and including the first with a change, that must confirm it unless re-runs do.
    pub confirming_commits: usize,
    /// Whether no change is certain without re-runs.
    pub needs_reruns: bool,
    /// Part of the evidence for an alarm from which re-runs are asked for.
    pub suspicion: f64,
    /// Pairs of re-runs asked for at a time.
    pub rerun_pairs: usize,
    /// Share of the level below which a change does not matter.
    pub smallest_change: f64,
    /// Share of the level that one commit's noise may span before a series is called flaky.
    pub flaky_band: f64,
}

impl Default for MonitorOptions {
    fn default() -> Self {
        Self {
            metrics: 50,
            commits_per_false_alarm: 100.0,
            history: 10,
            confirming_commits: 3,
            needs_reruns: false,
            suspicion: 0.004,
            rerun_pairs: 8,
            smallest_change: 0.0,
            flaky_band: 0.2,
        }
    }
}

impl MonitorOptions {
    /// The evidence that an alarm needs. Twice what known noise would need, because noise is learned from few commits.
    pub(crate) fn alarm_factor(&self) -> f64 {
        2.0 * self.metrics.max(1) as f64 * self.commits_per_false_alarm.max(1.0)
    }

    /// The evidence from which re-runs are asked for.
    pub(crate) fn suspicion_factor(&self) -> f64 {
        self.alarm_factor() * self.suspicion.clamp(1e-6, 1.0)
    }
}
