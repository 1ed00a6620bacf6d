//! The methods behind changes.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use wattle_report::{HistoryBlame, HistorySeries};
use wattle_store::{Store, StoreError};

use crate::RunVersion;
use crate::page_commits::rounded;

/// Changes of a series that are looked into: the newest.
const MOST_CHANGES: usize = 6;
/// Runs of a version whose methods are read.
const MOST_RUNS: usize = 3;

/// Energies in joules by a key.
pub(crate) type MethodEnergies<K> = HashMap<K, f64>;

/// Enters the method behind each of the newest changes of a series, and returns their names.
pub(crate) fn add(
    store: &mut Store,
    versions: &[&RunVersion<'_>],
    series: &mut HistorySeries,
) -> Result<BTreeSet<String>, StoreError> {
    let mut names = BTreeSet::new();
    let suspected = series.suspected.iter_mut().map(|suspected| &mut suspected.change);
    for change in suspected.chain(series.changes.iter_mut().rev()).take(MOST_CHANGES) {
        let place = |place: usize| versions.get(place);
        let (Some(before), Some(after)) =
            (place(change.range.last_good), place(change.range.surely_bad))
        else {
            continue;
        };
        let before = self_energies(store, before)?;
        let after = self_energies(store, after)?;
        let direction = change.joules.signum();
        let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let difference = |name: &String| value(&after, name) - value(&before, name);
        let most = all.into_iter().map(|name| (difference(name), name));
        let most = most.max_by(|a, b| (direction * a.0).total_cmp(&(direction * b.0)));
        let Some((joules, name)) = most.filter(|(joules, _)| direction * joules > 0.0) else {
            continue;
        };
        names.insert(name.clone());
        change.blame = Some(HistoryBlame { method: name.clone(), joules: rounded(joules) });
    }
    Ok(names)
}

fn value<K: Eq + Hash>(energies: &MethodEnergies<K>, key: &K) -> f64 {
    energies.get(key).copied().unwrap_or_default()
}

/// Self energies of a version's methods: means of its first runs. A method that a run does not have cost nothing there.
fn self_energies(
    store: &mut Store,
    version: &RunVersion<'_>,
) -> Result<MethodEnergies<String>, StoreError> {
    let mut sums: MethodEnergies<String> = HashMap::new();
    let runs = version.runs.iter().take(MOST_RUNS);
    let count = runs.len() as f64;
    for run in runs {
        for method in store.methods_of(run.id)? {
            *sums.entry(method.name).or_default() += method.own.joules.value() / count;
        }
    }
    Ok(sums)
}
