//! Tools that are compared.

use wattle_change_points::{Monitor, MonitorOptions, Point, Rerun, RerunRequest, Verdict};

use crate::gate_report::{Alarm, GateReport, LISTED_COMMITS};
use crate::point_rules::PointRule;
use crate::simulated_suite::{SimulatedSeries, SimulatedSuite};

/// Runs of each commit where further ones are made on demand.
const RUNS_WITH_RERUNS: usize = 5;
/// Times that re-runs are made after one commit at most.
const SESSIONS: u64 = 4;

/// A tool that is compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum GateTool {
    /// Wattle with every run of every commit, and without re-runs.
    Wattle(MonitorOptions),
    /// Wattle with five runs of every commit, and with re-runs where it asks for them.
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
                let mut report = GateReport::new(&plan, plan.runs);
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
    (history..means.len())
        .map(|commit| (commit, rule.ratio(&means[..commit], means[commit])))
        .collect()
}

fn watch(
    suite: &SimulatedSuite,
    options: MonitorOptions,
    runs: usize,
    may_rerun: bool,
) -> GateReport {
    let plan = suite.plan;
    let options = MonitorOptions { metrics: plan.metrics, needs_reruns: may_rerun, ..options };
    let mut report = GateReport::new(&plan, runs);
    let mut monitors = vec![Monitor::new(options); plan.metrics];
    for commit in 0..plan.commits {
        let mut verdicts: Vec<Verdict> = monitors
            .iter_mut()
            .zip(&suite.series)
            .map(|(monitor, series)| {
                let values = series.runs[commit][..runs].iter().copied();
                monitor.push(&Point::from_values(commit as u64, values))
            })
            .collect();
        if commit < plan.history {
            continue;
        }
        note_changes(&verdicts, commit, &mut report);
        for session in 0..if may_rerun { SESSIONS } else { 0 } {
            let merged = RerunRequest::merged(verdicts.iter().filter_map(requested).collect());
            report.runs += merged.iter().map(|request| 2 * request.pairs).sum::<usize>();
            for (metric, verdict) in verdicts.iter_mut().enumerate() {
                let request = requested(verdict);
                *verdict = Verdict::Flat;
                let Some(request) = request else { continue };
                if let Some(made) = merged.iter().find(|made| request.earliest <= made.before) {
                    let commits = (made.before as usize, made.after as usize);
                    let differences = suite.series[metric].rerun(commits, made.pairs, session);
                    let rerun = Rerun { before: made.before, after: made.after, differences };
                    *verdict = monitors[metric].push_rerun(&rerun);
                }
            }
            note_changes(&verdicts, commit, &mut report);
        }
    }
    report
}

fn requested(verdict: &Verdict) -> Option<RerunRequest> {
    match verdict {
        Verdict::Suspected { request, .. } => Some(*request),
        _ => None,
    }
}

fn note_changes(verdicts: &[Verdict], commit: usize, report: &mut GateReport) {
    for (metric, verdict) in verdicts.iter().enumerate() {
        if let Verdict::Changed(change) = verdict {
            let is_up = change.size.estimate > 0.0;
            report.alarms.push(Alarm { metric, raised: commit, is_up });
            let end = change.range.first_bad as usize + LISTED_COMMITS;
            report.list(metric, commit, end.max(commit + 1));
        }
    }
}
