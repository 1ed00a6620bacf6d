//! The number of methods with probes, and the reasons why others have none.

use std::collections::BTreeMap;

use crate::{CallRefusal, SkipReason};

/// The number of methods with probes, and the reasons why others have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Classes.
    pub classes: u64,
    /// Classes out of scope whose names look as if a shrinker gave them (`a.b.c`).
    pub renamed_classes: u64,
    /// Methods that have code.
    pub methods_with_code: u64,
    /// Methods that got probes, at their entry and exit or around a call.
    pub methods_probed: u64,
    /// Calls into the framework that got probes.
    pub api_call_sites: u64,
    /// Calls into the framework that cannot get probes, of methods that could be touched.
    pub calls_left_out: BTreeMap<CallRefusal, u64>,
    /// Methods without probes. Those without code count here too.
    pub skipped: BTreeMap<SkipReason, u64>,
}

impl Counts {
    pub(crate) fn skip(&mut self, reason: SkipReason) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.classes += other.classes;
        self.renamed_classes += other.renamed_classes;
        self.methods_with_code += other.methods_with_code;
        self.methods_probed += other.methods_probed;
        self.api_call_sites += other.api_call_sites;
        for (reason, count) in &other.calls_left_out {
            *self.calls_left_out.entry(*reason).or_default() += count;
        }
        for (reason, count) in &other.skipped {
            *self.skipped.entry(*reason).or_default() += count;
        }
    }
}

/// A method that was asked for and cannot be touched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOutMethod {
    /// The method, as `Lclass;->name(params)return`; of more than a thousand characters the middle is left out.
    pub method: String,
    /// Why it cannot be touched.
    pub reason: SkipReason,
}
