//! Tools that are compared.

use std::collections::BTreeSet;

use wattle_change_points::{Monitor, MonitorOptions, Point, Rerun, Verdict};

use crate::gate_report::{Alarm, GateReport, LISTED_COMMITS};
use crate::point_rules::PointRule;
use crate::simulated_suite::{SimulatedSeries, SimulatedSuite};

/// Runs of each commit where further ones are made on demand.
const RUNS_WITH_RERUNS: usize = 3;

/// A tool that is compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum GateTool {
    /// Wattle with every run of every commit, and without re-runs.
    Wattle(MonitorOptions),
    /// Wattle with three runs of every commit, and with re-runs where it asks for them.
    WattleWithReruns(MonitorOptions),
    /// A rule for the newest commit, with its limit multiplied by a factor.
    Rule(PointRule, f64),
}

/// Identity of a tool in tables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names in `ToolName::text`")]
pub enum ToolName {
    Wattle,
    WattleWithReruns,
    Otava,
    BencherTTest,
    BencherIqr,
    RustcPerfFence,
    FivePercent,
}

impl ToolName {
    /// Name in tables.
    pub fn text(self) -> &'static str {
        match self {
            Self::Wattle => "Wattle, commits only",
            Self::WattleWithReruns => "Wattle, with re-runs",
            Self::Otava => "Apache Otava",
            Self::BencherTTest => "Bencher t-test",
            Self::BencherIqr => "Bencher IQR",
            Self::RustcPerfFence => "rustc-perf fence",
            Self::FivePercent => "plain ±5 %",
        }
    }

    /// Whether the tool is Wattle.
    pub fn is_ours(self) -> bool {
        matches!(self, Self::Wattle | Self::WattleWithReruns)
    }
}

impl GateTool {
    /// All tools that run inside this process, with the limits that they document.
    pub fn all() -> [Self; 6] {
        let options = MonitorOptions::default();
        [
            Self::WattleWithReruns(options),
            Self::Wattle(options),
            Self::Rule(PointRule::BencherTTest, 1.0),
            Self::Rule(PointRule::BencherIqr, 1.0),
            Self::Rule(PointRule::RustcPerfFence, 1.0),
            Self::Rule(PointRule::FivePercent, 1.0),
        ]
    }

    /// Identity in tables.
    pub fn name(&self) -> ToolName {
        match self {
            Self::Wattle(_) => ToolName::Wattle,
            Self::WattleWithReruns(_) => ToolName::WattleWithReruns,
            Self::Rule(PointRule::BencherTTest, _) => ToolName::BencherTTest,
            Self::Rule(PointRule::BencherIqr, _) => ToolName::BencherIqr,
            Self::Rule(PointRule::RustcPerfFence, _) => ToolName::RustcPerfFence,
            Self::Rule(PointRule::FivePercent, _) => ToolName::FivePercent,
        }
    }

    /// Judges a suite, commit after commit.
    pub fn judge(&self, suite: &SimulatedSuite) -> GateReport {
        let plan = suite.plan;
        match self {
            Self::Wattle(options) => watch(suite, *options, plan.runs, false),
            Self::WattleWithReruns(options) => {
                watch(suite, *options, plan.runs.min(RUNS_WITH_RERUNS), true)
            }
            Self::Rule(rule, factor) => {
                let mut report =
                    GateReport::new(plan.commits, plan.metrics, plan.commits * plan.runs);
                for (metric, series) in suite.series.iter().enumerate() {
                    for (commit, ratio) in ratios(*rule, series, plan.history) {
                        if ratio.abs() > *factor {
                            let alarm = Alarm { metric, raised: commit, is_up: ratio > 0.0 };
                            report.alarms.push(alarm);
                            report.list(metric, commit, commit + 1);
                        }
                    }
                }
                report
            }
        }
    }
}

/// A rule's ratio at each commit that is judged.
pub fn ratios(rule: PointRule, series: &SimulatedSeries, history: usize) -> Vec<(usize, f64)> {
    let means = series.means();
    (history..means.len()).map(|commit| (commit, rule.ratio(&means[..commit], means[commit]))).collect()
}

fn watch(
    suite: &SimulatedSuite,
    options: MonitorOptions,
    runs: usize,
    may_rerun: bool,
) -> GateReport {
    let plan = suite.plan;
    let options = MonitorOptions { metrics: plan.metrics, ..options };
    let mut report = GateReport::new(plan.commits, plan.metrics, plan.commits * runs);
    let mut reruns = BTreeSet::new();
    for (metric, series) in suite.series.iter().enumerate() {
        let mut monitor = Monitor::new(options);
        for (commit, values) in series.runs.iter().enumerate() {
            let point = Point::from_values(commit as u64, values[..runs].iter().copied());
            let mut verdict = monitor.push(&point);
            if commit < plan.history {
                continue;
            }
            if let (true, Verdict::Suspected { request, .. }) = (may_rerun, verdict) {
                let (before, after) = (request.before as usize, request.after as usize);
                reruns.insert((before, after, request.pairs));
                let differences = series.rerun(before, after, request.pairs);
                verdict = monitor.push_rerun(&Rerun {
                    before: request.before,
                    after: request.after,
                    differences,
                });
            }
            if let Verdict::Changed(change) = verdict {
                let is_up = change.size.estimate > 0.0;
                report.alarms.push(Alarm { metric, raised: commit, is_up });
                let end = change.range.first_bad as usize + LISTED_COMMITS;
                report.list(metric, commit, end.max(commit + 1));
            }
        }
    }
    // A run measures all metrics, so those that ask for the same re-runs share them.
    report.runs += reruns.iter().map(|(_, _, pairs)| 2 * pairs).sum::<usize>();
    report
}
