//! A comparison of several runs: one row for each energy, one column for each run.

use std::collections::HashMap;

use serde::Serialize;
use wattle_jobs::ProjectId;
use wattle_store::{KeptRun, PartialFigures, RunId};
use wattle_units::Estimate;

use crate::http::{WebError, WebErrorKind};
use crate::run_titles::RunTitles;
use crate::site::Site;

/// Runs of one comparison.
const MOST_RUNS: usize = 12;
/// Methods of one comparison.
const MOST_METHODS: usize = 50;

/// A kind of energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EnergyKind {
    /// All energy of a run.
    Device,
    /// The energy of its app.
    App,
    /// The energy of a component: of the app where all runs are of one, else of the device.
    Component,
    /// The energy of a method of the app while it was innermost.
    Method,
}

/// One energy in each run.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyRow {
    /// The kind.
    pub kind: EnergyKind,
    /// The name of the component or method; empty for others.
    pub name: String,
    /// The energy in each run, in the order of the runs; `None` where it did not occur or is not known.
    pub energies: Vec<Option<Estimate>>,
}

/// The relation of an energy to that of the first run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    /// Lower by this share: the intervals do not overlap.
    Lower(f64),
    /// Higher by this share: the intervals do not overlap.
    Higher(f64),
    /// The intervals overlap, so that more is known only by comparing the two runs with each other.
    Near,
}

impl EnergyRow {
    /// The relation of a run's energy to the first one's; `None` where one of them is not known, or the first is nothing.
    pub fn relation(&self, run: usize) -> Option<Relation> {
        let first = self.energies.first().copied().flatten()?;
        let other = self.energies.get(run).copied().flatten()?;
        let share = other.joules.value() / first.joules.value() - 1.0;
        if !share.is_finite() {
            return None;
        }
        Some(if other.interval.high < first.interval.low {
            Relation::Lower(-share)
        } else if other.interval.low > first.interval.high {
            Relation::Higher(share)
        } else {
            Relation::Near
        })
    }

    /// The largest energy of all runs, joules.
    fn largest(&self) -> f64 {
        let joules = self.energies.iter().flatten().map(|energy| energy.joules.value());
        joules.fold(0.0, f64::max)
    }
}

/// Several runs with their energies.
#[derive(Clone, Debug)]
pub struct SeveralRuns {
    /// The runs, in the order in which they were asked for.
    pub runs: Vec<KeptRun>,
    /// The app that all runs are of.
    pub app: Option<String>,
    /// Rows: of the whole, of components, of methods; those with most energy first.
    pub rows: Vec<EnergyRow>,
    /// Methods that are not among the rows, because they have less energy.
    pub methods_left_out: usize,
    /// Reasons why differences may not be those of the app's code, each a sentence.
    pub doubts: Vec<String>,
}

/// One energy of one run, as a row of a download.
#[derive(Debug, Serialize)]
pub struct RunEnergy {
    run: i64,
    title: String,
    kind: EnergyKind,
    name: String,
    joules: Option<f64>,
    low_joules: Option<f64>,
    high_joules: Option<f64>,
}

impl SeveralRuns {
    /// Each energy of each run, with the run's title.
    pub fn energies(&self, titles: &RunTitles) -> Vec<RunEnergy> {
        let mut all = Vec::new();
        for row in &self.rows {
            for (run, energy) in self.runs.iter().zip(&row.energies) {
                all.push(RunEnergy {
                    run: run.id.0,
                    title: titles.title(run),
                    kind: row.kind,
                    name: row.name.clone(),
                    joules: energy.map(|it| it.joules.value()),
                    low_joules: energy.map(|it| it.interval.low.value()),
                    high_joules: energy.map(|it| it.interval.high.value()),
                });
            }
        }
        all
    }
}

/// The numbers of runs in a list such as `3,5,7`, each once.
///
/// # Errors
/// If it is no such list, or has fewer than two runs or too many.
pub fn run_numbers(lists: &[String]) -> Result<Vec<i64>, WebError> {
    let invalid = |text: String| WebError::new(WebErrorKind::Invalid, text);
    let mut numbers: Vec<i64> = Vec::new();
    for part in lists.iter().flat_map(|list| list.split(',')).map(str::trim) {
        if part.is_empty() {
            continue;
        }
        let number = part.parse();
        let number = number
            .map_err(|_| invalid("run: expected numbers of runs, such as 3,5,7".to_owned()))?;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    match numbers.len() {
        2..=MOST_RUNS => Ok(numbers),
        found => Err(invalid(format!("run: expected 2 to {MOST_RUNS} runs, found {found}"))),
    }
}

impl Site {
    /// A comparison of several runs of a project.
    pub async fn several_runs(
        &self,
        project: ProjectId,
        numbers: &[i64],
    ) -> Result<SeveralRuns, WebError> {
        let history = self.histories.of(project);
        let mut runs = Vec::new();
        for number in numbers {
            runs.push(history.run(RunId(*number)).await?);
        }
        let app = common_app(&runs);
        let figures = history.figures(runs.clone(), app.is_some()).await?;
        let (rows, methods_left_out) = rows(&runs, &figures, app.is_some());
        let doubts = doubts(&runs, &figures, app.is_some());
        Ok(SeveralRuns { runs, app, rows, methods_left_out, doubts })
    }
}

fn common_app(runs: &[KeptRun]) -> Option<String> {
    let app = &runs.first()?.facts.app.package;
    let is_common = runs.iter().all(|run| run.facts.app.package == *app);
    (is_common && !app.is_empty()).then(|| app.clone())
}

fn rows(runs: &[KeptRun], figures: &[PartialFigures], is_app: bool) -> (Vec<EnergyRow>, usize) {
    let whole = |kind, energy: fn(&KeptRun) -> Option<Estimate>| EnergyRow {
        kind,
        name: String::new(),
        energies: runs.iter().map(energy).collect(),
    };
    let mut rows = Vec::new();
    if is_app {
        rows.push(whole(EnergyKind::App, |run| run.app));
    }
    rows.push(whole(EnergyKind::Device, |run| run.total));
    let components = figures.iter().map(|of| {
        let chosen = of.figures.components.iter().filter(|it| it.is_app == is_app);
        chosen.map(|it| (it.name.as_str(), it.energy)).collect()
    });
    rows.extend(by_name(EnergyKind::Component, &components.collect::<Vec<_>>()));
    let methods = figures.iter().map(|of| {
        let methods = of.figures.methods.iter();
        methods.map(|it| (it.name.as_str(), it.own)).collect()
    });
    let mut methods = by_name(EnergyKind::Method, &methods.collect::<Vec<_>>());
    let left_out = methods.len().saturating_sub(MOST_METHODS);
    methods.truncate(MOST_METHODS);
    rows.extend(methods);
    (rows, left_out)
}

/// The energies of each name in each run, those with most energy first.
fn by_name(kind: EnergyKind, runs: &[Vec<(&str, Estimate)>]) -> Vec<EnergyRow> {
    let mut energies: HashMap<&str, Vec<Option<Estimate>>> = HashMap::new();
    for (at, of_run) in runs.iter().enumerate() {
        for (name, energy) in of_run {
            let row = energies.entry(name).or_insert_with(|| vec![None; runs.len()]);
            if let Some(place) = row.get_mut(at) {
                *place = Some(*energy);
            }
        }
    }
    let row = |(name, energies): (&str, _)| EnergyRow { kind, name: name.to_owned(), energies };
    let mut rows: Vec<EnergyRow> = energies.into_iter().map(row).collect();
    rows.retain(|row| row.largest() > 0.0);
    rows.sort_by(|a, b| b.largest().total_cmp(&a.largest()).then_with(|| a.name.cmp(&b.name)));
    rows
}

/// Reasons why differences may not be those of the app's code.
fn doubts(runs: &[KeptRun], figures: &[PartialFigures], is_app: bool) -> Vec<String> {
    let differ = |fact: fn(&KeptRun) -> Option<String>| {
        let mut known: Vec<String> = Vec::new();
        for found in runs.iter().filter_map(fact) {
            if !known.contains(&found) {
                known.push(found);
            }
        }
        (known.len() > 1).then(|| known.join(", "))
    };
    let mut doubts = Vec::new();
    let app = |run: &KeptRun| match run.facts.app.package.as_str() {
        "" => Some("none".to_owned()),
        app => Some(app.to_owned()),
    };
    if let Some(apps) = differ(app) {
        doubts.push(format!(
            "The runs are of different apps ({apps}), so whole devices are compared."
        ));
    }
    if let Some(devices) = differ(|run| run.facts.device.title.clone()) {
        doubts.push(format!(
            "The runs are of different devices ({devices}): differences are those of the devices, too."
        ));
    }
    if let Some(models) = differ(|run| run.facts.device.model_name.clone()) {
        doubts.push(format!(
            "The figures are from different device models ({models}): differences are those of the models, too."
        ));
    }
    if let Some(scenarios) = differ(|run| run.facts.circumstances.scenario.clone()) {
        doubts.push(format!("The runs are of different scenarios ({scenarios})."));
    }
    let lengths: Vec<f64> =
        runs.iter().filter_map(|run| run.facts.circumstances.duration_s).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let shortest = lengths.iter().copied().fold(f64::INFINITY, f64::min);
    if longest > 1.2 * shortest {
        doubts.push(format!(
            "The runs last {shortest:.1} s to {longest:.1} s; a longer run takes more."
        ));
    }
    let without: Vec<String> = runs
        .iter()
        .zip(figures)
        .filter(|(_, of)| is_app && !of.has_methods)
        .map(|(run, _)| run.id.0.to_string())
        .collect();
    if !without.is_empty() && without.len() < runs.len() {
        doubts.push(format!("No methods are known of run {}.", without.join(", ")));
    }
    doubts
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use wattle_units::{Interval, Joules, Provenance};

    use super::*;

    fn energy(joules: f64, low: f64, high: f64) -> Estimate {
        let interval = Interval { low: Joules::new(low), high: Joules::new(high) };
        Estimate { joules: Joules::new(joules), interval, provenance: Provenance::Modelled }
    }

    #[test]
    fn numbers_are_taken_once_each() {
        let check = |lists: &[&str], expected: Option<&[i64]>| {
            let lists: Vec<String> = lists.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(run_numbers(&lists).ok().as_deref(), expected, "{lists:?}");
        };
        check(&["3,5", "5", " 7 "], Some(&[3, 5, 7]));
        check(&["3"], None);
        check(&["3,x"], None);
        check(&["1,2,3,4,5,6,7,8,9,10,11,12,13"], None);
    }

    #[test]
    fn only_intervals_that_do_not_overlap_are_a_difference() {
        let first = Some(energy(10.0, 9.0, 11.0));
        let check = |other: Option<Estimate>, expected: Option<Relation>| {
            let energies = vec![first, other];
            let row = EnergyRow { kind: EnergyKind::App, name: String::new(), energies };
            assert_eq!(row.relation(1), expected);
        };
        check(Some(energy(5.0, 4.0, 6.0)), Some(Relation::Lower(0.5)));
        check(Some(energy(15.0, 12.0, 18.0)), Some(Relation::Higher(0.5)));
        check(Some(energy(12.0, 10.5, 13.0)), Some(Relation::Near));
        check(None, None);
    }

    #[test]
    fn rows_have_a_place_for_each_run() {
        let one = energy(1.0, 0.9, 1.1);
        let two = energy(2.0, 1.9, 2.1);
        let rows = by_name(EnergyKind::Method, &[vec![("a", one)], vec![("b", two), ("a", one)]]);
        let found: Vec<_> =
            rows.iter().map(|row| (row.name.as_str(), row.energies.clone())).collect();
        assert_eq!(found, [("b", vec![None, Some(two)]), ("a", vec![Some(one), Some(one)])]);
    }
}
