//! When which thread logged which event, and what of it becomes slices.

use rustc_hash::FxHashMap;
use wattle_timeline::TimelineBuilder;
use wattle_units::BootNanos;

use super::known::Step;
use super::schemas::{EventName, EventNumber, Schemas};
use crate::etl::event::Guid;

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

/// What becomes of it.
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
    /// How many more there were than are kept.
    dropped: u64,
}

/// No activity.
const NONE: Guid = Guid::of(0, 0, 0, 0, 0);

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
    /// how many slices there are, and how many events were dropped.
    pub(crate) fn finish(mut self, schemas: &Schemas, builder: &mut TimelineBuilder) -> (u64, u64) {
        self.all.sort_by_key(|it| it.time);
        let names: Vec<EventName> = schemas.kinds().map(|it| schemas.name(it)).collect();
        let name_of: FxHashMap<EventNumber, &EventName> = schemas.kinds().zip(&names).collect();
        let roles = self.roles(&name_of);
        let mut interned = FxHashMap::default();
        let mut slices = 0;
        for (it, role) in self.all.iter().zip(roles) {
            if role == Role::End {
                builder.slice_end(it.time, it.tid);
                slices += 1;
                continue;
            }
            let name = *interned.entry((it.event, role == Role::Begin)).or_insert_with(|| {
                let fallback = schemas.name(EventNumber::OTHER);
                let name = name_of.get(&it.event).copied().unwrap_or(&fallback);
                let text = match role {
                    Role::Begin => format!("{}/{}", name.provider, name.activity()),
                    _ => name.whole(),
                };
                builder.names.intern(&text)
            });
            if role == Role::Begin {
                builder.slice_begin(it.time, it.tid, name);
            } else {
                builder.slice_instant(it.time, it.tid, name);
            }
        }
        (slices, self.dropped)
    }

    /// What becomes of each. A stop ends the innermost open start of its activity on its thread; starts inside of that which have no
    /// stop by then are instants.
    fn roles(&self, names: &FxHashMap<EventNumber, &EventName>) -> Vec<Role> {
        let mut roles = vec![Role::Instant; self.all.len()];
        let mut open: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (index, it) in self.all.iter().enumerate() {
            let Some(name) = names.get(&it.event) else { continue };
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
                        let began = names.get(&start.event);
                        let is_same = began.is_some_and(|began| {
                            began.provider == name.provider && began.activity() == name.activity()
                        });
                        let of_one = start.activity == it.activity
                            || start.activity == NONE
                            || it.activity == NONE;
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
