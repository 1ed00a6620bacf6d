//! `FtraceEventBundle`: what one CPU's ring buffer held.

use std::collections::BTreeMap;

use wattle_wire::Writer;

use super::scheduled_task::Comm;

/// Events of one CPU that are not yet written.
#[derive(Debug, Default)]
pub(crate) struct Bundle {
    /// Events that have a message of their own (`FtraceEvent`), encoded one after the other.
    events: Writer,
    /// End of each of these events.
    ends: Vec<usize>,
    switches: Switches,
    wakings: Wakings,
    comms: Vec<String>,
    comm_indices: BTreeMap<String, u64>,
    /// Events before this time are lost.
    overruns_until: u64,
    has_lost: bool,
    /// Number of events of any form.
    pub count: usize,
}

/// `CompactSched.switch_*`.
#[derive(Debug, Default)]
struct Switches {
    timestamp: Vec<u64>,
    prev_state: Vec<i64>,
    next_pid: Vec<u32>,
    next_prio: Vec<i32>,
    next_comm: Vec<u64>,
}

/// `CompactSched.waking_*`.
#[derive(Debug, Default)]
struct Wakings {
    timestamp: Vec<u64>,
    pid: Vec<u32>,
    target_cpu: Vec<u64>,
    prio: Vec<i32>,
    comm: Vec<u64>,
}

impl Bundle {
    /// A `sched_switch` in compact form; who goes off the CPU is whoever came on last.
    pub fn compact_switch(&mut self, time: u64, prev_state: i64, next: &Comm) {
        if self.loses(time) {
            return;
        }
        let comm = self.comm(&next.name);
        self.switches.timestamp.push(time);
        self.switches.prev_state.push(prev_state);
        self.switches.next_pid.push(next.tid);
        self.switches.next_prio.push(next.priority);
        self.switches.next_comm.push(comm);
        self.count += 1;
    }

    /// A `sched_waking` in compact form.
    pub fn compact_waking(&mut self, time: u64, task: &Comm, target_cpu: u32) {
        if self.loses(time) {
            return;
        }
        let comm = self.comm(&task.name);
        self.wakings.timestamp.push(time);
        self.wakings.pid.push(task.tid);
        self.wakings.target_cpu.push(u64::from(target_cpu));
        self.wakings.prio.push(task.priority);
        self.wakings.comm.push(comm);
        self.count += 1;
    }

    /// An event as a message of its own: `FtraceEvent.timestamp` 1, `pid` 2, then the event's field.
    pub fn event(&mut self, time: u64, tid: u32, field: u32, write: impl FnOnce(&mut Writer)) {
        if self.loses(time) {
            return;
        }
        self.events.varint(1, time);
        self.events.varint(2, u64::from(tid));
        self.events.message(field, write);
        self.ends.push(self.events.len());
        self.count += 1;
    }

    /// The buffer overruns: events before this time are lost.
    pub const fn overrun(&mut self, until: u64) {
        self.overruns_until = until;
    }

    const fn loses(&mut self, time: u64) -> bool {
        let loses = time < self.overruns_until;
        self.has_lost |= loses;
        loses
    }

    fn comm(&mut self, name: &str) -> u64 {
        if let Some(index) = self.comm_indices.get(name) {
            return *index;
        }
        let index = self.comms.len() as u64;
        self.comms.push(name.to_owned());
        self.comm_indices.insert(name.to_owned(), index);
        index
    }

    /// Writes the bundle's fields (`cpu` 1, `event` 2, `lost_events` 3, `compact_sched` 4) and forgets its events.
    pub fn write(&mut self, cpu: u32, to: &mut Writer) {
        to.varint(1, u64::from(cpu));
        if std::mem::take(&mut self.has_lost) {
            to.bool(3, true);
        }
        let mut start = 0;
        for end in self.ends.drain(..) {
            to.bytes(2, &self.events.as_bytes()[start..end]);
            start = end;
        }
        if !self.comms.is_empty() {
            to.message(4, |compact| {
                for comm in &self.comms {
                    compact.string(5, comm);
                }
                let Switches { timestamp, prev_state, next_pid, next_prio, next_comm } =
                    &self.switches;
                if !timestamp.is_empty() {
                    compact.packed(1, deltas(timestamp));
                    compact.packed(2, prev_state.iter().map(|state| *state as u64));
                    compact.packed(3, next_pid.iter().map(|pid| u64::from(*pid)));
                    compact.packed(4, next_prio.iter().map(|prio| i64::from(*prio) as u64));
                    compact.packed(6, next_comm.iter().copied());
                }
                let Wakings { timestamp, pid, target_cpu, prio, comm } = &self.wakings;
                if !timestamp.is_empty() {
                    compact.packed(7, deltas(timestamp));
                    compact.packed(8, pid.iter().map(|pid| u64::from(*pid)));
                    compact.packed(9, target_cpu.iter().copied());
                    compact.packed(10, prio.iter().map(|prio| i64::from(*prio) as u64));
                    compact.packed(11, comm.iter().copied());
                }
            });
        }
        self.events.clear();
        self.switches = Switches::default();
        self.wakings = Wakings::default();
        self.comms.clear();
        self.comm_indices.clear();
        self.count = 0;
    }
}

/// The first time as it is, then differences: how `CompactSched` stores them.
fn deltas(times: &[u64]) -> impl Iterator<Item = u64> + '_ {
    std::iter::once(0).chain(times.iter().copied()).zip(times).map(|(before, time)| time - before)
}
