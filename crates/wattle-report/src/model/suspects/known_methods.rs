//! Methods that could have run.

use std::collections::{BTreeMap, BTreeSet};

use wattle_ledger::Ledger;

use super::method_name::MethodName;

/// By class, how many methods it has: those with probes by the map, and at least those that were seen.
pub fn known_methods(ledger: &Ledger) -> BTreeMap<String, u64> {
    let seen: BTreeSet<MethodName> =
        ledger.rows.sites.iter().filter_map(MethodName::from_site).collect();
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
