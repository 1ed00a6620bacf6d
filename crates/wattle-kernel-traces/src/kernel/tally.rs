//! Counts of events by their names, and notes.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::{ArtifactQuality, Severity};

use super::{Applied, EventKind};
use wattle_import::Notes;

/// Names that are counted one by one. Kernels know some thousands of events.
const MAX_NAMES: usize = 1 << 14;

/// Counts of one name.
#[derive(Debug)]
struct Named {
    name: Box<[u8]>,
    kind: Option<EventKind>,
    used: u64,
    unread: u64,
}

/// Counts what was read, what was not, and what went wrong.
#[derive(Debug, Default)]
pub struct Tally {
    by_name: FxHashMap<Box<[u8]>, usize>,
    names: Vec<Named>,
    other: BTreeMap<String, u64>,
    also: BTreeMap<String, u64>,
    notes: Notes,
    /// Events, whether they were used or not.
    pub records: u64,
    lost: u64,
}

impl Tally {
    /// The number of a name here, and what events of that name are; `of` says it of a new one. `None` past a bound that no
    /// kernel reaches.
    #[inline]
    pub fn name(
        &mut self,
        name: &[u8],
        of: impl FnOnce(&[u8]) -> Option<EventKind>,
    ) -> Option<(usize, Option<EventKind>)> {
        if let Some(index) = self.by_name.get(name) {
            return Some((*index, self.names.get(*index)?.kind));
        }
        if self.names.len() >= MAX_NAMES {
            self.unread("events of further names");
            return None;
        }
        let (index, kind) = (self.names.len(), of(name));
        self.names.push(Named { name: name.into(), kind, used: 0, unread: 0 });
        self.by_name.insert(name.into(), index);
        Some((index, kind))
    }

    /// An event of the name was used, as far as it could be.
    #[inline]
    pub fn applied(&mut self, name: usize, applied: Applied, offset: u64) {
        if let Some(named) = self.names.get_mut(name) {
            named.used += 1;
        }
        match applied {
            Applied::Used => {}
            Applied::Mismatch => {
                self.note(Severity::Warning, "switch-mismatch", Some(offset), || {
                    "a thread left a CPU that another one had come to: events were lost between"
                        .to_owned()
                });
            }
            Applied::Unread(what) => self.unread(what),
        }
    }

    /// An event of the name has no reader.
    #[inline]
    pub fn event_unread(&mut self, name: usize) {
        if let Some(named) = self.names.get_mut(name) {
            named.unread += 1;
        }
    }

    /// An event of the name has a reader, which does not understand it.
    #[cold]
    pub fn event_malformed(&mut self, name: usize, offset: u64) {
        self.event_unread(name);
        let name = self.names.get(name).map_or_else(String::new, Named::text);
        self.note(Severity::Warning, "event-malformed", Some(offset), || {
            format!(
                "events whose fields are not what they are elsewhere (first a {name}): not used"
            )
        });
    }

    /// Something without a name of its own that was not read.
    pub fn unread(&mut self, what: &str) {
        if let Some(count) = self.other.get_mut(what) {
            *count += 1;
        } else if self.other.len() < MAX_NAMES {
            self.other.insert(what.to_owned(), 1);
        }
    }

    /// So many records were read that are no events.
    pub fn also_read(&mut self, what: &str, count: u64) {
        if count > 0 {
            *self.also.entry(what.to_owned()).or_default() += count;
        }
    }

    /// Notes something; repeats are counted, the first place is kept.
    pub fn note(
        &mut self,
        severity: Severity,
        code: &'static str,
        offset: Option<u64>,
        text: impl FnOnce() -> String,
    ) {
        self.notes.add(severity, code, offset, text);
    }

    /// The recorder lost so many events, by its own count, which may be anything in a damaged file.
    pub fn lose(&mut self, count: u64) {
        self.lost = self.lost.saturating_add(count);
    }

    /// All of it.
    pub fn into_quality(self) -> ArtifactQuality {
        let mut quality = ArtifactQuality {
            records: self.records,
            lost_events: self.lost,
            events: self.also,
            unread: self.other,
            ..ArtifactQuality::default()
        };
        for named in self.names {
            for (counts, count) in
                [(&mut quality.events, named.used), (&mut quality.unread, named.unread)]
            {
                if count > 0 {
                    *counts.entry(named.text()).or_default() += count;
                }
            }
        }
        quality.notes.extend(self.notes.into_notes());
        quality
    }
}

impl Named {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }
}
