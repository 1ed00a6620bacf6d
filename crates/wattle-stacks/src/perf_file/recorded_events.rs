//! The events of a recording, and the event of each record.

use rustc_hash::FxHashMap;

use super::event_attr::EventAttr;
use super::raw_record::RawRecord;
use super::sample_id::SampleIdLayout;
use wattle_wire::ByteOrder;

/// Events that are believed: one a tracepoint, some thousands at most.
const MAX_EVENTS: usize = 1 << 14;

/// An event that was sampled or counted.
#[derive(Clone, Debug, Default)]
pub struct Event {
    /// Its attributes.
    pub attr: EventAttr,
    /// Places of number, time, thread and CPU in its records.
    pub layout: SampleIdLayout,
    /// Its name, where the recorder wrote one; [`Metadata::event_name`](super::Metadata::event_name) has one for every event.
    pub name: Option<String>,
}

/// The events of a recording.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The events, in the order of the file.
    pub list: Vec<Event>,
    by_id: FxHashMap<u64, usize>,
}

impl Events {
    /// Adds one with the numbers of its counters.
    pub(super) fn add(&mut self, attr: EventAttr, ids: impl IntoIterator<Item = u64>) {
        if self.list.len() >= MAX_EVENTS {
            return;
        }
        let index = self.list.len();
        let layout = SampleIdLayout::new(&attr);
        self.list.push(Event { attr, layout, ..Event::default() });
        self.by_id.extend(ids.into_iter().map(|id| (id, index)));
    }

    /// A counter's number belongs to an event.
    pub(super) fn bind(&mut self, id: u64, event: usize) {
        if event < self.list.len() {
            self.by_id.insert(id, event);
        }
    }

    /// Index of the event with the counter of this number.
    #[inline]
    pub fn by_id(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Index of the record's event; that of the first one where the record does not name it, as in `perf`.
    #[inline]
    pub fn index_of(&self, record: &RawRecord<'_>, order: ByteOrder) -> Option<usize> {
        let first = self.list.first()?;
        if self.list.len() == 1 {
            return Some(0);
        }
        // The place of the number is the same for all events.
        let id = first.layout.id(record, order).unwrap_or(0);
        Some(self.by_id(id).unwrap_or(0))
    }

    /// Whether the record names a counter that nobody knows.
    pub fn is_foreign(&self, record: &RawRecord<'_>, order: ByteOrder) -> bool {
        let first = self.list.first().filter(|_| self.list.len() > 1);
        let id = first.and_then(|first| first.layout.id(record, order));
        id.is_some_and(|id| id != 0 && self.by_id(id).is_none())
    }

    /// The event of this index.
    pub fn get(&self, index: usize) -> Option<&Event> {
        self.list.get(index)
    }
}
