//! The events of a recording, and which of them a record is of.

use rustc_hash::FxHashMap;
use wattle_timeline::EventId;

use super::attr::Attr;
use super::layout::Layout;
use super::record::Record;
use crate::trace_dat::{Order, Plan};

/// Events that are believed: one a tracepoint, some thousands at most.
const MAX_EVENTS: usize = 1 << 14;

/// One event.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub attr: Attr,
    pub layout: Layout,
    /// As its recorder calls it.
    pub name: Option<String>,
    /// How what its tracepoint recorded is read.
    pub plan: Option<Plan>,
    /// Its number among the timeline's.
    pub id: EventId,
    /// Samples of it that have no chain and are the kernel's own events, which go to the scheduler alone.
    pub is_kernels_alone: bool,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Events {
    pub list: Vec<Event>,
    by_id: FxHashMap<u64, usize>,
}

impl Events {
    /// Adds one with the numbers of its counters.
    pub fn add(&mut self, attr: Attr, ids: impl IntoIterator<Item = u64>) {
        if self.list.len() >= MAX_EVENTS {
            return;
        }
        let index = self.list.len();
        let layout = Layout::of(&attr);
        self.list.push(Event { attr, layout, ..Event::default() });
        self.by_id.extend(ids.into_iter().map(|id| (id, index)));
    }

    /// A counter's number belongs to an event.
    pub fn bind(&mut self, id: u64, event: usize) {
        if event < self.list.len() {
            self.by_id.insert(id, event);
        }
    }

    /// The event with the counter of this number.
    #[inline]
    pub fn by_id(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// The event that the record is of; the first one where it does not say so, as `perf` takes it.
    #[inline]
    pub fn of(&self, record: &Record<'_>, order: Order) -> Option<usize> {
        let first = self.list.first()?;
        if self.list.len() == 1 {
            return Some(0);
        }
        // The place of the number is the same for all events.
        let id = first.layout.id(record, order).unwrap_or(0);
        Some(self.by_id(id).unwrap_or(0))
    }

    /// Whether the record names a counter that nobody knows.
    pub fn is_foreign(&self, record: &Record<'_>, order: Order) -> bool {
        let first = self.list.first().filter(|_| self.list.len() > 1);
        let id = first.and_then(|first| first.layout.id(record, order));
        id.is_some_and(|id| id != 0 && self.by_id(id).is_none())
    }

    pub fn get(&self, index: usize) -> Option<&Event> {
        self.list.get(index)
    }
}
