//! When which thread logged which event, and what of it becomes slices.

use rustc_hash::FxHashMap;
use wattle_timeline::TimelineBuilder;
use wattle_units::BootNanos;

use super::known::Step;
use super::schemas::{EventName, EventNumber, Schemas};
use crate::event_record::Guid;

/// Events that are kept, 40 bytes each.
const MOST: usize = 1 << 26;

/// An event on a thread.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    time: BootNanos,
    tid: u32,
    event: EventNumber,
    /// Zero where it has none.
    activity: Guid,
}

/// Role of an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Instant,
    Begin,
    End,
}

/// Events of threads, in the order of their times. They are kept until the log has been read: only then their names are known, and
/// which starts have a stop.
#[derive(Debug, Default)]
pub(crate) struct Occurrences {
    all: Vec<Occurrence>,
    /// Number of occurrences that were not kept.
    dropped: u64,
}

impl Occurrences {
    /// An event of a thread.
    pub(crate) fn add(&mut self, time: BootNanos, tid: u32, event: EventNumber, activity: Guid) {
        if self.all.len() < MOST {
            self.all.push(Occurrence { time, tid, event, activity });
        } else {
            self.dropped += 1;
        }
    }

    /// Hands everything over: pairs of start and stop on one thread that nest in each other as slices, all else as instants. Returns
    /// how many events were dropped.
    pub(crate) fn finish(mut self, schemas: &Schemas, builder: &mut TimelineBuilder) -> u64 {
        self.all.sort_by_key(|it| it.time);
        let names: Vec<EventName> = schemas.kinds().map(|it| schemas.name(it)).collect();
        let other = schemas.name(EventNumber::OTHER);
        let name_of =
            |event: EventNumber| event.index().and_then(|it| names.get(it)).unwrap_or(&other);
        let roles = self.roles(&name_of);
        let mut interned = FxHashMap::default();
        for (it, role) in self.all.iter().zip(roles) {
            if role == Role::End {
                builder.code().slice_end(it.time, it.tid);
                continue;
            }
            let name = *interned.entry((it.event, role == Role::Begin)).or_insert_with(|| {
                let name = name_of(it.event);
                let text = match role {
                    Role::Begin => format!("{}/{}", name.provider, name.activity()),
                    _ => name.whole(),
                };
                builder.names.intern(&text)
            });
            if role == Role::Begin {
                builder.code().slice_begin(it.time, it.tid, name);
            } else {
                builder.code().slice_instant(it.time, it.tid, name);
            }
        }
        self.dropped
    }

    /// Returns the role of each. A stop ends the innermost open start of its activity on its thread; starts inside of
    /// that which have no stop by then are instants.
    fn roles<'n>(&self, name_of: &impl Fn(EventNumber) -> &'n EventName) -> Vec<Role> {
        let mut roles = vec![Role::Instant; self.all.len()];
        let mut open: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (index, it) in self.all.iter().enumerate() {
            let name = name_of(it.event);
            match name.step {
                Step::Instant => {}
                Step::Start => {
                    let stack = open.entry(it.tid).or_default();
                    stack.push(index);
                    // What never stops must not be looked through again and again.
                    if stack.len() > DEEPEST {
                        stack.remove(0);
                    }
                }
                Step::Stop => {
                    let Some(stack) = open.get_mut(&it.tid) else { continue };
                    let begun = stack.iter().rposition(|start| {
                        let start = &self.all[*start];
                        let began = name_of(start.event);
                        let is_same =
                            began.provider == name.provider && began.activity() == name.activity();
                        let of_one = start.activity == it.activity
                            || start.activity == Guid::NONE
                            || it.activity == Guid::NONE;
                        is_same && of_one
                    });
                    if let Some(at) = begun {
                        roles[stack[at]] = Role::Begin;
                        roles[index] = Role::End;
                        stack.truncate(at);
                    }
                }
            }
        }
        roles
    }
}

/// Starts without a stop that a thread may have open.
const DEEPEST: usize = 64;
