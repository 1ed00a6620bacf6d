//! The energies of a project's latest runs.

use std::cmp::Reverse;
use std::io::Write;

use wattle_store::{KeptRun, MethodFigure, RunFilter, RunGroup, RunId, Store};
use wattle_units::{CompensatedSum, Estimate, Interval, Joules};

use super::call_digest::write_line;
use super::group_sums::GroupSums;
use super::{DIGEST_FORMAT, DigestError, EnergyRecord, GroupRecord, MethodChanges, ProjectChoice};

/// The most runs of a group, and of its baseline.
const MOST_RUNS: usize = 50;

/// Compares the ledgers of one run before and one after, method by method; nothing where they cannot be compared.
pub type LedgerComparison<'c> = dyn Fn(&mut Store, [RunId; 2]) -> MethodChanges + 'c;

/// Writes the energies of methods of the latest runs: those of the newest commit, each device and scenario for itself.
pub fn write_energies(
    store: &mut Store,
    choice: &ProjectChoice,
    compare: &LedgerComparison<'_>,
    output: &mut dyn Write,
) -> Result<(), DigestError> {
    write_line(output, &EnergyRecord::Format(DIGEST_FORMAT))?;
    let filter = RunFilter { app: choice.app.clone(), ..RunFilter::default() };
    let mut runs = store.runs(&filter)?;
    runs.retain(KeptRun::is_fit);
    let Some(newest) = runs.iter().max_by_key(|run| (run.time_ms(), run.id)).cloned() else {
        return Ok(());
    };
    for mut group in RunGroup::like(&newest, runs.iter().cloned()) {
        group.current.truncate(MOST_RUNS);
        group.before.truncate(MOST_RUNS);
        let (before, before_name) = baseline(&group, &runs, choice);
        let Some(first) = group.current.first() else { continue };
        let record = GroupRecord {
            runs: group.current.iter().map(|run| run.id.0).collect(),
            facts: first.facts.clone(),
            time_ms: first.time_ms(),
            before: before.iter().map(|run| run.id.0).collect(),
            before_name,
            energy: mean_energy(&group.current),
        };
        write_line(output, &EnergyRecord::Group(Box::new(record)))?;
        let mut sums = GroupSums::default();
        for run in before.iter().rev() {
            sums.add_before(known(store.methods_of(run.id)?));
        }
        for run in group.current.iter().rev() {
            sums.add(known(store.methods_of(run.id)?));
        }
        let of_pair = match (before.as_slice(), group.current.as_slice()) {
            ([before], [after]) => compare(store, [before.id, after.id]),
            _ => MethodChanges::new(),
        };
        for method in sums.finish(&of_pair) {
            write_line(output, &EnergyRecord::Method(method))?;
        }
    }
    Ok(())
}

/// Figures that are numbers.
fn known(mut figures: Vec<MethodFigure>) -> Vec<MethodFigure> {
    figures.retain(|it| it.own.joules.is_finite() && it.total.joules.is_finite());
    figures
}

/// The other build of a series, else the latest runs of the baseline's branch; the newest first.
fn baseline(group: &RunGroup, runs: &[KeptRun], choice: &ProjectChoice) -> (Vec<KeptRun>, String) {
    if let Some(first) = group.before.first() {
        let label = first.facts.labels.build.as_deref().unwrap_or("1");
        return (group.before.clone(), format!("build {label}"));
    }
    let name = choice.baseline_branch.clone().unwrap_or_else(|| "earlier commits".to_owned());
    let Some(first) = group.current.first() else { return (Vec::new(), name) };
    let ended = group.current.iter().map(KeptRun::time_ms).max();
    let is_of_branch = |run: &KeptRun| {
        choice.baseline_branch.as_ref().is_none_or(|it| run.facts.code.branch.as_ref() == Some(it))
    };
    let is_before = |run: &&KeptRun| {
        run.facts.app.package == first.facts.app.package
            && is_of_branch(run)
            && run.is_before(&first.facts, ended)
    };
    let mut found: Vec<KeptRun> = runs.iter().filter(is_before).cloned().collect();
    found.sort_by_key(|run| Reverse((run.time_ms(), run.id)));
    found.truncate(choice.baseline_runs.min(MOST_RUNS));
    (found, name)
}

/// The mean of the runs that have an energy, with the mean of the ends of their intervals.
fn mean_energy(runs: &[KeptRun]) -> Option<Estimate> {
    let known: Vec<Estimate> = runs.iter().filter_map(KeptRun::energy).collect();
    let provenance = known.iter().map(|it| it.provenance).max()?;
    let mean = |part: &dyn Fn(&Estimate) -> Joules| {
        let sum: CompensatedSum = known.iter().map(|it| part(it).value()).collect();
        Joules::new(sum.value() / known.len() as f64)
    };
    Some(Estimate {
        joules: mean(&|it| it.joules),
        interval: Interval { low: mean(&|it| it.interval.low), high: mean(&|it| it.interval.high) },
        provenance,
    })
}
