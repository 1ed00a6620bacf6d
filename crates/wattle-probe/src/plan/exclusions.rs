//! Methods and calls that must not be touched.

use rustc_hash::FxHashMap;
use wattle_dex::MethodId;

use crate::{CallRefusal, SkipReason};

/// Methods and calls of one file that turned out to be untouchable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Untouchable {
    /// Methods.
    pub(crate) methods: Vec<(MethodId, SkipReason)>,
    /// Calls, by method and position among the method's calls into the framework.
    pub(crate) calls: Vec<(MethodId, u32, CallRefusal)>,
}

impl Untouchable {
    /// Whether everything can be touched.
    pub(crate) fn is_empty(&self) -> bool {
        self.methods.is_empty() && self.calls.is_empty()
    }
}

/// Methods and calls that must not be touched, found out by trying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exclusions {
    /// Methods, by file and number.
    pub(crate) methods: FxHashMap<(usize, MethodId), SkipReason>,
    /// Calls, by file, method and position among the method's calls into the framework.
    pub(crate) calls: FxHashMap<(usize, MethodId, u32), CallRefusal>,
}

impl Exclusions {
    pub(crate) fn len(&self) -> usize {
        self.methods.len() + self.calls.len()
    }

    /// Adds what was found out about a file.
    pub(crate) fn add(&mut self, file: usize, found: Untouchable) {
        let methods = found.methods.into_iter();
        self.methods.extend(methods.map(|(method, reason)| ((file, method), reason)));
        let calls = found.calls.into_iter();
        self.calls.extend(calls.map(|(method, position, why)| ((file, method, position), why)));
    }
}
