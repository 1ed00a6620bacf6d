//! Methods that could have run.

use std::collections::{BTreeMap, BTreeSet};

use wattle_ledger::Ledger;

use super::method_name::MethodName;
use super::report::Methods;
use super::rows::SuspectClassRow;
use super::sample::SuspectsSample;

/// By class, how many methods it has: those with probes by the map, and at least those that were seen.
pub fn known_methods(ledger: &Ledger) -> BTreeMap<String, u64> {
    let seen: BTreeSet<MethodName> = ledger.rows.sites.iter().filter_map(MethodName::of).collect();
    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    for name in seen {
        *classes.entry(name.class).or_default() += 1;
    }
    for entry in &ledger.sheets.coverage {
        let known = classes.entry(entry.class.clone()).or_default();
        *known = entry.methods.max(*known);
    }
    classes
}

/// The classes of all samples, in order of their names. Builds may differ: a class has as many methods as the build that has most.
pub fn classes(samples: &[SuspectsSample], methods: &Methods<'_>) -> Vec<SuspectClassRow> {
    let mut known: BTreeMap<&str, u64> = BTreeMap::new();
    for (class, count) in samples.iter().flat_map(|sample| &sample.classes) {
        let most = known.entry(class).or_default();
        *most = (*count).max(*most);
    }
    let mut executed: BTreeMap<&str, u64> = BTreeMap::new();
    for name in methods.keys() {
        *executed.entry(&name.class).or_default() += 1;
    }
    let row = |(class, methods): (&str, u64)| {
        let executed = executed.get(class).copied().unwrap_or_default();
        SuspectClassRow { class: class.to_owned(), methods: methods.max(executed), executed }
    };
    known.into_iter().map(row).collect()
}
