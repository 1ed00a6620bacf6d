//! Components and methods of the page's series.

use std::collections::BTreeSet;

use wattle_report::{HistoryPart, HistorySeries};
use wattle_store::{Measure, RunId, Store, StoreError};

use crate::change_blame::{self, MethodEnergies};
use crate::page_commits::rounded;
use crate::page_series::versions;
use crate::{JudgedBranch, RunEnergies, RunSeries, RunVersion};

/// Methods of a series at most.
const MOST_METHODS: usize = 10;
/// Methods of the page at most: each is read over all runs.
const MOST_NAMES: usize = 24;
/// Series whose methods are looked at: each needs those of a run.
const MOST_SERIES: usize = 16;

/// Reads parts of energies for a page.
pub(crate) struct PartReader<'s> {
    store: &'s mut Store,
    app: &'s str,
    measure: Measure,
}

impl<'s> PartReader<'s> {
    pub fn new(store: &'s mut Store, app: &'s str, of_device: bool) -> Self {
        Self { store, app, measure: if of_device { Measure::Total } else { Measure::App } }
    }

    /// Adds components, methods and the methods behind changes to the series, which are in the order of the branches.
    pub fn add_parts(
        &mut self,
        branches: &[(&RunSeries<'_>, JudgedBranch)],
        energies: &RunEnergies,
        series: &mut [HistorySeries],
    ) -> Result<(), StoreError> {
        let versions: Vec<_> = branches.iter().map(|(of, branch)| versions(of, branch)).collect();
        for name in self.store.components(self.app)? {
            let energies = self.store.component_history(self.app, &name, self.measure)?;
            let energies =
                energies.into_iter().map(|(run, energy)| (run, energy.joules.value())).collect();
            for (versions, series) in versions.iter().zip(&mut *series) {
                series.components.extend(part(&name, versions, &energies));
            }
        }
        for series in &mut *series {
            largest_first(&mut series.components);
        }
        let mut wanted: Vec<BTreeSet<String>> = Vec::new();
        for (versions, series) in versions.iter().zip(&mut *series).take(MOST_SERIES) {
            let room =
                MOST_NAMES.saturating_sub(wanted.iter().flatten().collect::<BTreeSet<_>>().len());
            wanted.push(self.methods_of(versions, energies, series, room)?);
        }
        let all: BTreeSet<&String> = wanted.iter().flatten().collect();
        if all.is_empty() {
            return Ok(());
        }
        for history in
            self.store.method_history(self.app, &|name| all.contains(&name.to_owned()))?
        {
            let own = history.points.iter();
            let own = own.map(|(run, point)| (*run, point.own.joules.value())).collect();
            for ((versions, series), wanted) in versions.iter().zip(&mut *series).zip(&wanted) {
                if wanted.contains(&history.name) {
                    series.methods.extend(part(&history.name, versions, &own));
                }
            }
        }
        for series in series {
            largest_first(&mut series.methods);
        }
        Ok(())
    }

    /// The methods behind the changes of a series, which are entered there, and those with most energy in its newest version.
    fn methods_of(
        &mut self,
        versions: &[&RunVersion<'_>],
        energies: &RunEnergies,
        series: &mut HistorySeries,
        room: usize,
    ) -> Result<BTreeSet<String>, StoreError> {
        let mut names: BTreeSet<String> = change_blame::add(self.store, versions, series)?;
        let Some(newest) = versions.last() else { return Ok(names) };
        let methods = self.store.methods_of(newest.typical_run(energies).id)?;
        let energetic = methods.into_iter().filter(|method| method.own.joules.value() > 0.0);
        let most = MOST_METHODS.min(room);
        for method in energetic.take(MOST_METHODS) {
            if names.len() < most {
                names.insert(method.name);
            }
        }
        Ok(names)
    }
}

/// A part over versions; `None` where none of them has it.
fn part(
    name: &str,
    versions: &[&RunVersion<'_>],
    energies: &MethodEnergies<RunId>,
) -> Option<HistoryPart> {
    let mean = |version: &&RunVersion<'_>| {
        let values: Vec<f64> =
            version.runs.iter().filter_map(|run| energies.get(&run.id)).copied().collect();
        let sum: f64 = values.iter().sum();
        (!values.is_empty()).then(|| rounded(sum / values.len() as f64))
    };
    let joules: Vec<Option<f64>> = versions.iter().map(mean).collect();
    let is_known = joules.iter().any(|energy| energy.is_some_and(|energy| energy != 0.0));
    is_known.then(|| HistoryPart { name: name.to_owned(), joules })
}

/// By the newest energy that is known, the largest first.
fn largest_first(parts: &mut [HistoryPart]) {
    let newest = |part: &HistoryPart| part.joules.iter().rev().flatten().next().copied();
    parts.sort_by(|a, b| {
        let [a, b] = [a, b].map(|part| newest(part).unwrap_or_default());
        b.total_cmp(&a)
    });
}
