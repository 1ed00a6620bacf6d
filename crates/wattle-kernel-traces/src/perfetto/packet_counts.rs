//! Counts of read and unread records, and notes on defects.

use std::collections::BTreeMap;

use wattle_timeline::{ArtifactQuality, Note, Severity};

use crate::perfetto_packets::{SteppedOver, StreamEnd, ftrace_event_name, packet_name};
use wattle_import::{IgnoredBytes, Notes};

/// Kernel events with numbers below this are counted in a table.
const DENSE: usize = 1024;

/// Unknown numbers that are counted one by one.
const MAX_SPARSE: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub records: u64,
    pub lost_events: u64,
    events: Vec<u64>,
    unread_events: Vec<u64>,
    unread_event_numbers: BTreeMap<u32, u64>,
    packets: BTreeMap<u32, u64>,
    unread_packets: BTreeMap<u32, u64>,
    other: BTreeMap<String, u64>,
    notes: Notes,
    pub ignored: IgnoredBytes,
}

impl Counts {
    /// Counts events that were lost.
    pub fn lose(&mut self, events: u64) {
        self.lost_events = self.lost_events.saturating_add(events);
    }

    #[inline]
    pub fn event(&mut self, number: u32, count: u64) {
        bump(&mut self.events, number, count);
    }

    #[inline]
    pub fn unread_event(&mut self, number: u32) {
        if !bump(&mut self.unread_events, number, 1)
            && (self.unread_event_numbers.len() < MAX_SPARSE
                || self.unread_event_numbers.contains_key(&number))
        {
            *self.unread_event_numbers.entry(number).or_default() += 1;
        }
    }

    pub fn packet(&mut self, number: u32) {
        *self.packets.entry(number).or_default() += 1;
    }

    pub fn unread_packet(&mut self, number: u32, bytes: usize) {
        self.ignored.add(bytes as u64);
        if self.unread_packets.len() < MAX_SPARSE || self.unread_packets.contains_key(&number) {
            *self.unread_packets.entry(number).or_default() += 1;
        }
    }

    /// Something of no number of its own that was not read.
    pub fn unread(&mut self, what: &str) {
        if let Some(count) = self.other.get_mut(what) {
            *count += 1;
        } else if self.other.len() < MAX_SPARSE {
            self.other.insert(what.to_owned(), 1);
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

    /// Notes the end of the row of packets.
    pub fn end(&mut self, end: &StreamEnd, stepped_over: SteppedOver, bytes: u64) {
        self.ignored.add(stepped_over.bytes);
        if let Some((offset, count)) = stepped_over.too_long {
            self.note(Severity::Error, "packet-too-long", Some(offset), || {
                format!("{count} packets longer than any recorder writes were stepped over")
            });
        }
        match end {
            StreamEnd::Complete | StreamEnd::Failed { .. } => {}
            StreamEnd::Truncated { offset, .. } | StreamEnd::Damaged { offset, .. } => {
                self.ignored.add(bytes.saturating_sub(*offset));
            }
        }
        match end {
            StreamEnd::Complete => {}
            StreamEnd::Truncated { offset, expected, found } => {
                self.note(Severity::Error, "truncated", Some(*offset), || {
                    format!(
                        "the file ends inside a packet: {expected} bytes expected, {found} found; \
                         what is before that was read"
                    )
                });
            }
            StreamEnd::Damaged { offset, defect } => {
                self.note(Severity::Error, "damaged", Some(*offset), || {
                    format!("no packet begins here ({defect}); what is before that was read")
                });
            }
            StreamEnd::Failed { offset, error } => {
                self.note(Severity::Error, "damaged", Some(*offset), || {
                    format!("the input ends with an error ({error}); what is before that was read")
                });
            }
        }
    }

    pub fn into_quality(mut self, refused_cpus: u64) -> ArtifactQuality {
        let mut quality = ArtifactQuality {
            records: self.records,
            lost_events: self.lost_events,
            ..ArtifactQuality::default()
        };
        named(&mut quality.events, self.packets, "packet", packet_name);
        named(&mut quality.events, dense(self.events), "ftrace", ftrace_event_name);
        named(&mut quality.unread, self.unread_packets, "packet", packet_name);
        named(&mut quality.unread, dense(self.unread_events), "ftrace", ftrace_event_name);
        named(&mut quality.unread, self.unread_event_numbers, "ftrace", ftrace_event_name);
        quality.unread.append(&mut self.other);
        if refused_cpus > 0 {
            let text = "events name CPUs with numbers past any that exist: not used".to_owned();
            let note = Note::new(Severity::Warning, "impossible-cpu", text);
            quality.notes.push(note.times(refused_cpus));
        }
        quality.notes.extend(self.notes.into_notes());
        quality
    }
}

#[inline]
fn bump(table: &mut Vec<u64>, number: u32, count: u64) -> bool {
    let index = number as usize;
    if index >= DENSE {
        return false;
    }
    if table.is_empty() {
        table.resize(DENSE, 0);
    }
    if let Some(slot) = table.get_mut(index) {
        *slot += count;
    }
    true
}

fn dense(table: Vec<u64>) -> BTreeMap<u32, u64> {
    let counted = table.into_iter().enumerate().filter(|(_, count)| *count > 0);
    counted.map(|(number, count)| (number as u32, count)).collect()
}

fn named(
    into: &mut BTreeMap<String, u64>,
    counts: BTreeMap<u32, u64>,
    kind: &str,
    name: fn(u32) -> Option<&'static str>,
) {
    for (number, count) in counts {
        let name = name(number).map_or_else(|| format!("{kind} {number}"), str::to_owned);
        *into.entry(name).or_default() += count;
    }
}
