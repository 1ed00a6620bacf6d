//! Two builds, compared by their runs.

use wattle_fit::normal_quantile;
use wattle_units::{Interval, Joules};

use crate::difference_fit::{Fit, Point};
use crate::energy_change::Estimated;
use crate::independent_runs::independent;
use crate::outlier::outlier;
use crate::runs_in_turns::{in_turns, took_turns};
use crate::{Build, Change, CommonError, MeanEnergy, ModelDifference, Outlook, Run, Threshold};

/// The arrangement of the runs, which decides how they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// One run of each build: model errors only.
    SingleRuns,
    /// The builds did not take turns: Welch's test.
    Independent,
    /// The builds took turns: neighbouring runs are compared, linear drift is removed.
    InTurns,
}

impl Arrangement {
    /// The words of all arrangements in files.
    pub const NAMES: &'static [&'static str] = &["one-run-each", "independent", "in-turns"];

    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SingleRuns => "one-run-each",
            Self::Independent => "independent",
            Self::InTurns => "in-turns",
        }
    }
}

/// Two builds, compared by their runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunComparison {
    /// The first build, without the run that was left out.
    pub before: MeanEnergy,
    /// The second build, without the run that was left out.
    pub after: MeanEnergy,
    /// The difference. Where builds took turns, linear drift is removed from it: it can differ from the difference of the means.
    pub change: Change,
    /// The arrangement of the runs.
    pub arrangement: Arrangement,
    /// The number of a run that does not belong to the others, and does not count.
    pub left_out: Option<u32>,
}

impl RunComparison {
    /// Compares the runs of two builds. `None` if a build has no run, or an energy is not a finite number.
    pub fn new(runs: &[Run], common: CommonError, threshold: &Threshold) -> Option<Self> {
        let mut runs: Vec<Run> = runs.to_vec();
        runs.sort_by_key(|run| run.number);
        let means = [mean(&runs, Build::Before)?, mean(&runs, Build::After)?];
        if means.iter().all(|mean| mean.runs == 1) {
            return Some(Self::of_single_runs(&runs, means, common, threshold));
        }
        let points: Vec<Point> = runs.iter().map(point).collect();
        let (mut fit, arrangement) = match in_turns(&points).filter(|_| took_turns(&points)) {
            Some(fit) => (fit, Arrangement::InTurns),
            None => (independent(&points)?, Arrangement::Independent),
        };
        let estimate = |points: &[Point]| match arrangement {
            Arrangement::InTurns => in_turns(points),
            _ => independent(points),
        };
        let mut left_out = None;
        if let Some((at, others)) = outlier(&points, &fit, estimate) {
            left_out = Some(runs.remove(at).number);
            fit = others;
        }
        let means = [mean(&runs, Build::Before)?, mean(&runs, Build::After)?];
        let fit = fit.with_least_variance(own_variance(&runs));
        let [before, after] = means;
        let change = estimated(&fit, means, common, threshold);
        Some(Self { before, after, change, arrangement, left_out })
    }

    /// The difference of a part of the same runs, such as a component or a method, estimated in the same way and without the same run: the
    /// differences of parts that sum to the energy of each run sum to the difference. `None` where a build has no run, or an energy is not
    /// a finite number.
    pub fn part(&self, runs: &[Run], common: CommonError, threshold: &Threshold) -> Option<Change> {
        let mut runs: Vec<Run> =
            runs.iter().filter(|run| Some(run.number) != self.left_out).copied().collect();
        runs.sort_by_key(|run| run.number);
        let means = [mean(&runs, Build::Before)?, mean(&runs, Build::After)?];
        let points: Vec<Point> = runs.iter().map(point).collect();
        let fit = match self.arrangement {
            Arrangement::SingleRuns => {
                return Some(Self::of_single_runs(&runs, means, common, threshold).change);
            }
            Arrangement::InTurns => in_turns(&points)?,
            Arrangement::Independent => independent(&points)?,
        };
        let fit = fit.with_least_variance(own_variance(&runs));
        Some(estimated(&fit, means, common, threshold))
    }

    fn of_single_runs(
        runs: &[Run],
        [before, after]: [MeanEnergy; 2],
        common: CommonError,
        threshold: &Threshold,
    ) -> Self {
        let joules = after.joules - before.joules;
        let own = (own_variance(runs) * 2.0).sqrt();
        let quantile = normal_quantile(0.95);
        let reach = |deviation: f64| Joules::new(quantile * own.hypot(deviation));
        let wide = reach(common.deviation(joules.value()));
        let interval = Interval {
            low: (joules - wide).max((-before.joules - wide).min(joules)),
            high: (joules + wide).min((after.joules + wide).max(joules)),
        };
        let turning = reach(common.turning());
        let difference = ModelDifference { joules, interval, turning };
        let least = threshold.between(before.joules, after.joules);
        let mut change = Change::from_model(difference, least);
        if change.outlook == Outlook::ModelError {
            change.outlook = Outlook::ScatterUnknown;
        }
        let arrangement = Arrangement::SingleRuns;
        Self { before, after, change, arrangement, left_out: None }
    }
}

fn mean(runs: &[Run], build: Build) -> Option<MeanEnergy> {
    let of_build = runs.iter().filter(|run| run.build == build).map(|run| run.joules);
    MeanEnergy::new(&of_build.collect::<Vec<_>>())
}

fn point(run: &Run) -> Point {
    let build = match run.build {
        Build::Before => 0.0,
        Build::After => 1.0,
    };
    Point { number: f64::from(run.number), build, joules: run.joules.value() }
}

/// The mean variance of errors that runs do not share.
fn own_variance(runs: &[Run]) -> f64 {
    let variances = runs.iter().map(|run| run.own_error.value().powi(2));
    variances.filter(|variance| variance.is_finite()).sum::<f64>() / runs.len() as f64
}

fn estimated(
    fit: &Fit,
    means: [MeanEnergy; 2],
    common: CommonError,
    threshold: &Threshold,
) -> Change {
    let most = means.map(|mean| {
        let scatter = mean.interval.map_or(mean.joules, |interval| interval.high).value();
        scatter + normal_quantile(0.95) * common.deviation(mean.joules.value())
    });
    Change::from_runs(&Estimated {
        joules: fit.difference,
        standard_error: fit.standard_error,
        freedom: fit.freedom,
        common,
        threshold: threshold.between(means[0].joules, means[1].joules).value(),
        runs: u32::try_from(means[0].runs.min(means[1].runs)).unwrap_or(u32::MAX),
        most,
    })
}
