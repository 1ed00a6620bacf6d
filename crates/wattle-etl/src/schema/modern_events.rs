//! Events with a schema, on their way into the timeline: counted by name, and on their threads as slices and instants.

use wattle_timeline::{ArtifactQuality, Note, Severity, TimelineBuilder};
use wattle_units::BootNanos;

use super::occurrences::Occurrences;
use super::schemas::Schemas;
use crate::event_record::{EventKind, EventRecord};

/// State of modern events read so far.
#[derive(Debug, Default)]
pub(crate) struct ModernEvents {
    schemas: Schemas,
    occurrences: Occurrences,
    /// By number of the kind: used, and not.
    counts: Vec<[u64; 2]>,
    /// Of kinds that are too many to be told apart.
    others: [u64; 2],
}

impl ModernEvents {
    /// An event, in order of time. Whether it was used.
    pub(crate) fn event(&mut self, record: &EventRecord<'_>, time: BootNanos) -> bool {
        if !matches!(record.kind, EventKind::Modern | EventKind::Classic) {
            return false;
        }
        let describes = self.schemas.learn(record);
        if record.kind != EventKind::Modern {
            return describes;
        }
        let number = self.schemas.number(record);
        let tid = record.tid.filter(|_| !describes);
        if let Some(tid) = tid {
            self.occurrences.add(time, tid, number, record.activity);
        }
        let is_used = describes || tid.is_some();
        let count = match number.index() {
            Some(index) => {
                if self.counts.len() <= index {
                    self.counts.resize(index + 1, [0; 2]);
                }
                &mut self.counts[index]
            }
            None => &mut self.others,
        };
        count[usize::from(!is_used)] += 1;
        is_used
    }

    /// Hands everything over.
    pub(crate) fn finish(self, builder: &mut TimelineBuilder, quality: &mut ArtifactQuality) {
        let kinds = self.schemas.kinds().map(|kind| self.schemas.name(kind).whole());
        let counts =
            kinds.zip(self.counts).chain([("events of further kinds".to_owned(), self.others)]);
        for (name, [used, unread]) in counts {
            for (counts, count) in [(&mut quality.events, used), (&mut quality.unread, unread)] {
                if count > 0 {
                    *counts.entry(name.clone()).or_default() += count;
                }
            }
        }
        let dropped = self.occurrences.finish(&self.schemas, builder);
        if dropped > 0 {
            let text = "more events with a schema than are kept: the last are not on the timeline";
            quality
                .notes
                .push(Note::new(Severity::Warning, "etl-events-dropped", text).times(dropped));
        }
    }
}
