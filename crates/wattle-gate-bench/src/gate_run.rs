//! One run of the benchmark.

use std::collections::BTreeMap;

use crate::gate_report::GateReport;
use crate::gate_tool::{GateTool, ToolName, ratios};
use crate::kind_score::KindScore;
use crate::point_rules::PointRule;
use crate::series_kind::SeriesKind;
use crate::simulated_suite::{SimulatedSuite, SuitePlan};

/// Series of a suite without steps that have one in a suite with steps.
const WITH_STEP: usize = 25;

/// Suites of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SuiteCounts {
    /// Without steps.
    pub null: usize,
    /// With steps in half of their metrics.
    pub stepped: usize,
}

impl SuiteCounts {
    /// Suites of which `series` series in all have no step, and half as many have one, evenly over all kinds.
    pub fn for_series(series: usize) -> Self {
        let kinds = SeriesKind::ALL.len();
        let per_suite = SuitePlan::new(0).metrics;
        let null = series.div_ceil(kinds * per_suite).max(1);
        Self { null, stepped: (series / 2).div_ceil(kinds * WITH_STEP).max(1) }
    }

    /// Series without a step in suites without steps, and series with one, over all kinds.
    pub fn series(&self) -> (usize, usize) {
        let kinds = SeriesKind::ALL.len();
        (self.null * kinds * SuitePlan::new(0).metrics, self.stepped * kinds * WITH_STEP)
    }
}

/// Scores by kind and tool.
pub type GateScores = BTreeMap<(SeriesKind, ToolName), KindScore>;

/// One run of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GateRun {
    /// Suites of each kind.
    pub suites: SuiteCounts,
    /// All series follow from it.
    pub seed: u64,
    /// Threads at work. The result does not depend on their number.
    pub threads: usize,
}

impl GateRun {
    /// Scores tools that run inside this process.
    pub fn score(&self, tools: &[GateTool]) -> GateScores {
        let parts = self.in_threads(|suite, scores: &mut GateScores| {
            for tool in tools {
                add(scores, suite, tool.name(), &tool.judge(suite));
            }
        });
        parts.into_iter().fold(GateScores::new(), |mut all, part| {
            for (key, score) in part {
                let joined = all.remove(&key).unwrap_or_default().joined(&score);
                all.insert(key, joined);
            }
            all
        })
    }

    /// Scores a tool that judges suites one after another.
    pub fn score_serially<E>(
        &self,
        name: ToolName,
        mut judge: impl FnMut(&SimulatedSuite) -> Result<GateReport, E>,
    ) -> Result<GateScores, E> {
        let mut scores = GateScores::new();
        for suite in self.suites() {
            add(&mut scores, &suite, name, &judge(&suite)?);
        }
        Ok(scores)
    }

    /// The factors on a rule's limit, by kind, with which it raises one false alarm in 100 commits of the very suites without
    /// steps of this run.
    pub fn equal_factors(&self, rule: PointRule) -> BTreeMap<SeriesKind, f64> {
        let mut all: BTreeMap<SeriesKind, (Vec<f64>, usize)> = BTreeMap::new();
        for suite in self.suites().filter(|suite| suite.step_at.is_none()) {
            let (found, commits) = all.entry(suite.kind).or_default();
            *commits += suite.plan.judged();
            for series in &suite.series {
                let judged = ratios(rule, series, suite.plan.history);
                found.extend(judged.into_iter().map(|(_, ratio)| ratio.abs()));
            }
        }
        all.into_iter()
            .map(|(kind, (mut ratios, commits))| {
                ratios.sort_unstable_by(|a, b| b.total_cmp(a));
                let allowed = commits / 100;
                (kind, ratios.get(allowed).copied().unwrap_or(1.0))
            })
            .collect()
    }

    /// Scores a rule with a factor of its own for each kind.
    pub fn score_with_factors(
        &self,
        rule: PointRule,
        factors: &BTreeMap<SeriesKind, f64>,
    ) -> GateScores {
        let mut scores = GateScores::new();
        for suite in self.suites() {
            let tool = GateTool::Rule(rule, factors.get(&suite.kind).copied().unwrap_or(1.0));
            add(&mut scores, &suite, tool.name(), &tool.judge(&suite));
        }
        scores
    }

    fn plans(&self) -> Vec<(SeriesKind, SuitePlan, u64)> {
        let mut plans = Vec::new();
        for kind in SeriesKind::ALL {
            for number in 0..self.suites.null {
                plans.push((kind, SuitePlan::new(0), 2 * number as u64));
            }
            for number in 0..self.suites.stepped {
                plans.push((kind, SuitePlan::new(WITH_STEP), 2 * number as u64 + 1));
            }
        }
        plans
    }

    fn suite(&self, (kind, plan, number): (SeriesKind, SuitePlan, u64)) -> SimulatedSuite {
        SimulatedSuite::new(kind, plan, self.seed.wrapping_mul(0x1_0000_0001).wrapping_add(number))
    }

    fn suites(&self) -> impl Iterator<Item = SimulatedSuite> {
        self.plans().into_iter().map(|plan| self.suite(plan))
    }

    fn in_threads<T: Default + Send>(
        &self,
        work: impl Fn(&SimulatedSuite, &mut T) + Sync,
    ) -> Vec<T> {
        let plans = self.plans();
        let threads = self.threads.max(1);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|worker| {
                    let (plans, work) = (&plans, &work);
                    scope.spawn(move || {
                        let mut result = T::default();
                        for plan in plans.iter().skip(worker).step_by(threads) {
                            work(&self.suite(*plan), &mut result);
                        }
                        result
                    })
                })
                .collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
        })
    }
}

fn add(scores: &mut GateScores, suite: &SimulatedSuite, name: ToolName, report: &GateReport) {
    scores.entry((suite.kind, name)).or_default().add(suite, report);
}
