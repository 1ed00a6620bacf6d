//! The difference of two builds.

use serde::{Serialize, Serializer};
use wattle_compare::{
    Arrangement, Blame, Build, Change, CommonError, Dependence, Outlook, Run, RunComparison,
    Threshold, Verdict, adjusted,
};
use wattle_fit::normal_quantile;
use wattle_units::{Interval, Joules};

use super::{SeriesPart, SeriesRun};

/// The second build less the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DifferenceRow {
    /// The first build.
    pub from: Option<String>,
    /// The second.
    pub to: Option<String>,
    /// The difference and its verdict.
    #[serde(flatten)]
    pub change: ChangeColumns,
    /// The difference as a part of the first build's mean.
    pub share: Option<f64>,
    /// The arrangement of the runs.
    #[serde(serialize_with = "arrangement")]
    pub arrangement: Arrangement,
    /// Number of a run that does not belong to the others, and was left out of the difference.
    pub left_out_run: Option<u32>,
    /// The difference by component, where all runs know it; largest first.
    pub components: Vec<PartDifferenceRow>,
    /// The difference by self energy of methods, largest first; p-values are adjusted for their number.
    pub methods: Vec<PartDifferenceRow>,
    /// The part of the difference that no method explains; `None` without methods.
    pub outside_methods_joules: Option<Joules>,
}

/// The difference of a part of the energy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartDifferenceRow {
    /// The part.
    pub name: String,
    /// The difference and its verdict.
    #[serde(flatten)]
    pub change: ChangeColumns,
}

/// A change of builds in files. Keys are those of `wattle diff`.
///
/// With one run of each build nothing is known of the builds: interval and p-value are `null`, the verdict is `inconclusive`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeColumns {
    /// The difference.
    pub change: Change,
    /// Whether there is one run of each build.
    pub is_of_single_runs: bool,
}

#[derive(Serialize)]
struct ChangeKeys {
    joules: Joules,
    interval_joules: Option<Interval>,
    verdict: &'static str,
    threshold_joules: Joules,
    p_value: Option<f64>,
    detectable_joules: Option<Joules>,
    unsettled: Option<&'static str>,
    runs_needed: Option<u32>,
}

impl ChangeColumns {
    /// The 90 % interval; `None` for one run of each build.
    pub fn interval(self) -> Option<Interval> {
        (!self.is_of_single_runs).then_some(self.change.interval)
    }

    /// The verdict on the builds.
    pub fn verdict(self) -> Verdict {
        if self.is_of_single_runs { Verdict::Inconclusive } else { self.change.verdict() }
    }

    /// The way to a verdict.
    pub fn outlook(self) -> Outlook {
        if self.is_of_single_runs { Outlook::ScatterUnknown } else { self.change.outlook }
    }
}

impl Serialize for ChangeColumns {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let known = !self.is_of_single_runs;
        let keys = ChangeKeys {
            joules: self.change.joules,
            interval_joules: self.interval(),
            verdict: self.verdict().name(),
            threshold_joules: self.change.threshold,
            p_value: known.then_some(self.change.p_value),
            detectable_joules: known.then_some(self.change.detectable),
            unsettled: self.outlook().name(),
            runs_needed: self.outlook().runs_needed(),
        };
        keys.serialize(to)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn arrangement<S: Serializer>(arrangement: &Arrangement, to: S) -> Result<S::Ok, S::Error> {
    arrangement.name().serialize(to)
}

impl DifferenceRow {
    /// The second build less the first; `None` where one of them has no figure.
    pub(super) fn new(
        runs: &[SeriesRun],
        [from, to]: [&Option<String>; 2],
        threshold: &Threshold,
    ) -> Option<Self> {
        let of_build = |run: &SeriesRun| match &run.build {
            build if build == from => Some(Build::Before),
            build if build == to => Some(Build::After),
            _ => None,
        };
        let counting = runs.iter().filter(|run| run.counts() && run.compared().is_some());
        let pair = Pair { runs: counting.filter_map(|run| Some((of_build(run)?, run))).collect() };
        let energies = pair.energies(SeriesRun::compared)?;
        let common = pair.common_error();
        let whole = RunComparison::new(&energies, common, threshold)?;
        let is_of_single_runs = whole.arrangement == Arrangement::SingleRuns;
        let columns = |change: Change| ChangeColumns { change, is_of_single_runs };
        let rows = |parts: Vec<(&str, Change)>| {
            let blame = Blame::new(
                whole.change.joules,
                parts.into_iter().map(|(name, change)| ((name, change), change.joules)),
                usize::MAX,
            );
            let row = |(name, change): (&str, Change)| PartDifferenceRow {
                name: name.to_owned(),
                change: columns(change),
            };
            let rows: Vec<_> = blame.largest.into_iter().map(|part| row(part.key)).collect();
            (rows, blame.remainder)
        };
        let (components, _) = rows(pair.components(&whole, threshold));
        let (methods, outside_methods) = rows(pair.methods(&whole, threshold));
        let before = whole.before.joules;
        Some(Self {
            from: from.clone(),
            to: to.clone(),
            change: columns(whole.change),
            share: (before != Joules::ZERO).then(|| whole.change.joules / before),
            arrangement: whole.arrangement,
            left_out_run: whole.left_out,
            components,
            outside_methods_joules: (!methods.is_empty()).then_some(outside_methods),
            methods,
        })
    }
}

/// Runs of two builds that count.
struct Pair<'a> {
    runs: Vec<(Build, &'a SeriesRun)>,
}

impl<'a> Pair<'a> {
    /// The energies of all runs; `None` where one is not known.
    fn energies(&self, of: impl Fn(&SeriesRun) -> Option<Joules>) -> Option<Vec<Run>> {
        let run = |(build, run): &(Build, &SeriesRun)| {
            let own_error = Joules::ZERO;
            Some(Run { build: *build, number: run.number, joules: of(run)?, own_error })
        };
        self.runs.iter().map(run).collect()
    }

    /// Names of parts of all runs, each once.
    fn names(&self, of: impl Fn(&'a SeriesRun) -> &'a [SeriesPart]) -> Vec<&'a str> {
        let parts = self.runs.iter().flat_map(|(_, run)| of(run));
        let mut names: Vec<&str> = parts.map(|part| part.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The energies and the common error of each component that all runs know.
    fn known_components(&self) -> Vec<(&'a str, Vec<Run>, f64)> {
        let names = self.names(|run| &run.components).into_iter();
        let of_name = |name: &'a str| {
            let energies = self.energies(|run| Some(run.component(name)?.joules))?;
            Some((name, energies, self.share_of_error(|run| run.component(name))))
        };
        names.filter_map(of_name).collect()
    }

    /// The share of an energy by which the device model is wrong in all runs (one standard deviation).
    fn share_of_error(&self, of: impl Fn(&'a SeriesRun) -> Option<&'a SeriesPart>) -> f64 {
        let of_run = |run: &'a SeriesRun| {
            let part = of(run)?;
            let half = part.interval.half_width() / part.joules;
            half.is_finite().then(|| half / normal_quantile(0.95))
        };
        let shares: Vec<f64> = self.runs.iter().filter_map(|(_, run)| of_run(run)).collect();
        shares.iter().sum::<f64>() / shares.len().max(1) as f64
    }

    /// The error of the difference that all runs share: each component is wrong by the same part in all of them.
    fn common_error(&self) -> CommonError {
        let mean = |energies: &[Run], build: Build| {
            let of_build = energies.iter().filter(|run| run.build == build);
            let sum: Joules = of_build.clone().map(|run| run.joules).sum();
            sum / of_build.count().max(1) as f64
        };
        let parts = self.known_components().into_iter().map(|(_, energies, share)| {
            (mean(&energies, Build::After) - mean(&energies, Build::Before), share)
        });
        CommonError::from_parts(parts)
    }

    fn components(&self, whole: &RunComparison, threshold: &Threshold) -> Vec<(&'a str, Change)> {
        let change = |(name, energies, share): (&'a str, Vec<Run>, f64)| {
            let common = CommonError::Proportional(share);
            Some((name, whole.part(&energies, common, threshold)?))
        };
        self.known_components().into_iter().filter_map(change).collect()
    }

    /// Methods that use the least energy that matters in some run, with p-values adjusted for their number. A method that a run did not see
    /// used nothing in it.
    fn methods(&self, whole: &RunComparison, threshold: &Threshold) -> Vec<(&'a str, Change)> {
        if self.runs.iter().any(|(_, run)| run.methods.is_empty()) {
            return Vec::new();
        }
        let change = |name: &'a str| {
            let energies =
                |run: &SeriesRun| Some(run.method(name).map_or(Joules::ZERO, |part| part.joules));
            let energies = self.energies(energies)?;
            let common = CommonError::Proportional(self.share_of_error(|run| run.method(name)));
            let matters = energies.iter().any(|run| run.joules >= threshold.joules);
            let change = matters.then(|| whole.part(&energies, common, threshold))??;
            Some((name, change))
        };
        let names = self.names(|run| &run.methods);
        let changes: Vec<(&str, Change)> = names.into_iter().filter_map(change).collect();
        let p_values: Vec<f64> = changes.iter().map(|(_, change)| change.p_value).collect();
        let adjusted = adjusted(&p_values, Dependence::Positive).into_iter();
        let with = |((name, change), p_value): ((&'a str, Change), f64)| {
            (name, change.with_p_value(p_value))
        };
        changes.into_iter().zip(adjusted).map(with).collect()
    }
}
