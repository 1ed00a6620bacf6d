//! Locks, jobs and services that apps hold over time.

use rustc_hash::FxHashMap;
use wattle_timeline::{CounterScope, NameId, StateKind, Uid};
use wattle_units::BootNanos;

use super::Reader;
use wattle_import::limits::MAX_INTERNED;

/// A kind of thing that is held, its holder and its name.
pub(super) type Hold = (StateKind, Uid, NameId);

/// The number of times that each is held: locks of one name nest.
#[derive(Debug, Default)]
pub(super) struct Holds(FxHashMap<Hold, u32>);

impl Reader<'_> {
    /// An app begins or ends to hold something.
    pub(super) fn hold(&mut self, time: BootNanos, hold: Hold, begins: bool) {
        let holds = &mut self.states.holds.0;
        if holds.len() >= MAX_INTERNED && !holds.contains_key(&hold) {
            self.counts.unread("locks, jobs and services of further holders");
            return;
        }
        let count = holds.entry(hold).or_default();
        // What ends without a beginning was held since before the trace.
        *count = if begins { count.saturating_add(1) } else { count.saturating_sub(1) };
        let level = u32::from(*count > 0);
        if *count == 0 {
            holds.remove(&hold);
        }
        let (kind, uid, name) = hold;
        self.builder.system().state(kind, CounterScope::Uid(uid), Some(name), time, level);
    }
}
