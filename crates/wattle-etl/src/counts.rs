//! Number of events of each kind.

use rustc_hash::FxHashMap;
use wattle_timeline::ArtifactQuality;

use super::event_record::{EventKind, EventRecord, Guid};
use super::names;

/// Kinds that are counted one by one, the kernel's aside.
const MAX_KINDS: usize = 1 << 14;

/// Used and unread.
type Count = [u64; 2];

/// Kind of an event, for counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Classic(Guid, u8),
    Message(Guid),
}

/// Counts of events by kind.
#[derive(Debug)]
pub(super) struct Counts {
    /// The kernel's own, by group and type.
    kernel: Vec<Count>,
    places: FxHashMap<Key, usize>,
    others: Vec<(Key, Count)>,
    /// The last key and its place: events of one kind come in rows.
    last: Option<(Key, usize)>,
    /// Events of kinds past the bound.
    further: Count,
    pub records: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            kernel: vec![[0; 2]; 1 << 16],
            places: FxHashMap::default(),
            others: Vec::new(),
            last: None,
            further: [0; 2],
            records: 0,
        }
    }
}

impl Counts {
    /// Counts an event.
    #[inline]
    pub fn count(&mut self, record: &EventRecord<'_>, is_used: bool) {
        self.records += 1;
        let side = usize::from(!is_used);
        let key = match record.kind {
            EventKind::Kernel { group } => {
                let place = usize::from(group) << 8 | usize::from(record.opcode);
                if let Some(count) = self.kernel.get_mut(place) {
                    count[side] += 1;
                }
                return;
            }
            EventKind::Classic => Key::Classic(record.provider, record.opcode),
            EventKind::Message => Key::Message(record.provider),
            // By their names, which are known at the end (`schema`).
            EventKind::Modern => return,
        };
        let place = match self.last {
            Some((last, place)) if last == key => place,
            _ => self.place(key),
        };
        match self.others.get_mut(place) {
            Some((_, count)) => count[side] += 1,
            None => self.further[side] += 1,
        }
    }

    fn place(&mut self, key: Key) -> usize {
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None if self.others.len() >= MAX_KINDS => return usize::MAX,
            None => {
                self.others.push((key, [0; 2]));
                self.places.insert(key, self.others.len() - 1);
                self.others.len() - 1
            }
        };
        self.last = Some((key, place));
        place
    }

    /// Writes them down.
    pub fn tell(&self, quality: &mut ArtifactQuality) {
        quality.records = self.records;
        for (place, count) in self.kernel.iter().enumerate() {
            let [kind, group, ..] = place.to_le_bytes();
            if *count != [0; 2] {
                add(quality, &names::kernel(group, kind), *count);
            }
        }
        for (key, count) in &self.others {
            let name = match key {
                Key::Classic(class, opcode) => names::classic(*class, *opcode),
                Key::Message(guid) => format!("WPP {guid}"),
            };
            add(quality, &name, *count);
        }
        add(quality, "events of further kinds", self.further);
    }
}

fn add(quality: &mut ArtifactQuality, name: &str, [used, unread]: Count) {
    for (counts, count) in [(&mut quality.events, used), (&mut quality.unread, unread)] {
        if count > 0 {
            *counts.entry(name.to_owned()).or_default() += count;
        }
    }
}
