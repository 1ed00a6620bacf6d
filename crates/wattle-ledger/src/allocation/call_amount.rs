//! Amounts that calls were given.

use wattle_timeline::{NameId, SiteId, ThreadId, Window};
use wattle_units::CompensatedSum;

/// The amounts of one counter that calls were given, in either way: [`super::allocate`] and [`super::by_bytes`].
///
/// Their amounts and the unattributed rest add up to the counted amount and the excess.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Allocation {
    /// Every low-level call, by thread and start.
    pub calls: Vec<CallAmount>,
    /// The call paths that they stand in, callers before their callees.
    pub paths: Vec<CallPath>,
    /// Rise of the counter from its first sample to its last.
    pub counted: f64,
    /// The part of it that no call was given.
    pub unattributed: f64,
    /// The excess of the calls' amounts over the counter's: hooks saw more than the counter. Nothing is shared out that was not
    /// counted, so it is 0 for a shared counter.
    pub excess: f64,
    /// Intervals between samples.
    pub intervals: u64,
    /// Those in which something was counted while nobody called.
    pub without_call: u64,
    /// Those in which the counter fell: it was reset, and what it rose by is not known.
    pub resets: u64,
}

/// The amount of one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallAmount {
    /// Whose call it was.
    pub thread: ThreadId,
    /// When.
    pub window: Window,
    /// Index into [`Allocation::paths`].
    pub path: u32,
    /// The amount.
    pub amount: f64,
}

/// A call path of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPath {
    /// Whose.
    pub thread: ThreadId,
    /// The caller, an index into [`Allocation::paths`].
    pub caller: Option<u32>,
    /// The slice's name.
    pub name: NameId,
    /// The place in the app's code: calls of one name from several lines are several paths.
    pub site: Option<SiteId>,
}

impl Allocation {
    /// The sum of what calls were given.
    pub fn allocated(&self) -> f64 {
        self.calls.iter().map(|call| call.amount).collect::<CompensatedSum>().value()
    }

    /// By path: what its own calls were given.
    pub fn by_path(&self) -> Vec<f64> {
        let mut sums = vec![CompensatedSum::default(); self.paths.len()];
        for call in &self.calls {
            if let Some(sum) = sums.get_mut(call.path as usize) {
                sum.add(call.amount);
            }
        }
        sums.iter().map(|sum| sum.value()).collect()
    }

    /// By path: what it and everything it called were given.
    pub fn by_path_with_callees(&self) -> Vec<f64> {
        let mut sums = self.by_path();
        // Callers come before their callees: backwards, a path is complete when it is handed on.
        for at in (0..self.paths.len()).rev() {
            let given = sums.get(at).copied().unwrap_or_default();
            let caller = self.paths.get(at).and_then(|path| path.caller);
            if let Some(sum) = caller.and_then(|caller| sums.get_mut(caller as usize)) {
                *sum += given;
            }
        }
        sums
    }

    /// A path's names, outermost first.
    pub fn names(&self, path: u32) -> Vec<NameId> {
        let mut names = Vec::new();
        let mut next = Some(path);
        while let Some(found) = next.and_then(|at| self.paths.get(at as usize)) {
            names.push(found.name);
            next = found.caller;
        }
        names.reverse();
        names
    }
}
