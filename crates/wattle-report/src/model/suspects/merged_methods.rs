//! The methods of several recordings.

use std::collections::{BTreeMap, BTreeSet};

use super::at_stake::sum_of;
use super::method_name::MethodName;
use super::sample::SuspectsSample;
use super::suspect_rows::SuspectClassRow;
use crate::Figure;

/// The methods of all samples: tests over all samples, calls, own energy.
pub type MergedMethods<'a> = BTreeMap<&'a MethodName, MergedMethod>;

/// A method over all samples.
#[derive(Clone, Debug, Default)]
pub struct MergedMethod {
    /// Tests over all samples in which it ran.
    pub tests: BTreeSet<usize>,
    /// Calls.
    pub calls: u64,
    /// Energy without that of other methods.
    pub own: Figure,
}

/// The same method of all samples as one.
pub fn merged(samples: &[SuspectsSample]) -> MergedMethods<'_> {
    let mut methods = MergedMethods::new();
    let mut first = 0;
    for sample in samples {
        for (name, method) in &sample.methods {
            let merged = methods.entry(name).or_default();
            merged.tests.extend(method.tests.iter().map(|test| first + test));
            merged.calls = merged.calls.saturating_add(method.calls);
            merged.own = match (merged.own.0, method.own.0) {
                (Some(one), Some(other)) => Figure(Some(sum_of(one, other))),
                (one, other) => Figure(one.or(other)),
            };
        }
        first += sample.tests.len();
    }
    methods
}

/// The classes of all samples, in order of their names. Builds may differ: a class has as many methods as the build that has most.
pub fn classes(samples: &[SuspectsSample], methods: &MergedMethods<'_>) -> Vec<SuspectClassRow> {
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
