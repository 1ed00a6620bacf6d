//! Switches and wake-ups in columns (`FtraceEventBundle.CompactSched`).

use wattle_timeline::{NameId, NameRank};
use wattle_units::BootNanos;
use wattle_wire::{Fields, PackedVarints};

use super::Reader;
use super::ftrace::{Bundle, HeldEvents, RawEvents};
use super::ftrace_event::{SCHED_SWITCH, SCHED_WAKING};
use crate::kernel::{DAY, Judgement, is_near, task_state};

/// `CompactSched` (`ftrace_event_bundle.proto`).
mod compact {
    pub const SWITCH_TIMESTAMP: u32 = 1;
    pub const SWITCH_PREV_STATE: u32 = 2;
    pub const SWITCH_NEXT_PID: u32 = 3;
    pub const INTERN_TABLE: u32 = 5;
    pub const SWITCH_NEXT_COMM_INDEX: u32 = 6;
    pub const WAKING_TIMESTAMP: u32 = 7;
    pub const WAKING_PID: u32 = 8;
    pub const WAKING_TARGET_CPU: u32 = 9;
}

/// Timestamps of a block.
struct BlockTimes {
    /// The last one of its switches, or of its wake-ups if it has no switches.
    end: Option<u64>,
    /// The middle one of these if there is a jump, else the last one.
    reference: Option<u64>,
    /// Whether any two that follow each other are further apart than is plausible.
    has_jump: bool,
}

impl BlockTimes {
    fn new(bytes: &[u8]) -> Self {
        let mut times = Self { end: None, reference: None, has_jump: false };
        for field in Fields::new(bytes).map_while(Result::ok) {
            let is_switch = field.number == compact::SWITCH_TIMESTAMP;
            if !is_switch && field.number != compact::WAKING_TIMESTAMP {
                continue;
            }
            let mut time = None;
            for delta in field.value.varints() {
                times.has_jump |= time.is_some() && delta > DAY;
                time = Some(time.unwrap_or(0u64).wrapping_add(delta));
            }
            let ends = times.end.zip(time);
            times.has_jump |= ends.is_some_and(|(known, time)| known.abs_diff(time) > DAY);
            times.end = if is_switch { time.or(times.end) } else { times.end.or(time) };
        }
        times.reference = times.end;
        if times.has_jump {
            let switches = Self::middle(bytes, compact::SWITCH_TIMESTAMP);
            times.reference = switches.or_else(|| Self::middle(bytes, compact::WAKING_TIMESTAMP));
        }
        times
    }

    /// The timestamp of a column that as many are before as after.
    #[cold]
    fn middle(bytes: &[u8], column: u32) -> Option<u64> {
        let fields = Fields::new(bytes).map_while(Result::ok);
        let column = fields.filter(|field| field.number == column).last()?;
        let sum = |time: &mut u64, delta: u64| {
            *time = time.wrapping_add(delta);
            Some(*time)
        };
        let mut times: Vec<u64> = column.value.varints().scan(0, sum).collect();
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    }
}

impl Reader<'_> {
    /// Reads the events, unless their times are questionable; the time of most of them or their last one, if they are used now.
    pub(super) fn compact_sched(&mut self, bundle: &Bundle, bytes: &[u8]) -> Option<BootNanos> {
        let times = BlockTimes::new(bytes);
        let reference = times.reference.and_then(|time| self.event_time(bundle, time));
        let Some(reference) = reference else {
            self.compact_events(bundle, bytes);
            return None;
        };
        let held = || HeldEvents { bundle: *bundle, events: RawEvents::Compact(bytes.into()) };
        match self.held.events.judge(bundle.cpu, reference.value()) {
            Judgement::Plausible => {}
            other => {
                if !self.settle(other, reference, held) {
                    return None;
                }
            }
        }
        let far_end =
            times.end.filter(|_| times.has_jump).and_then(|end| self.event_time(bundle, end));
        let far_end = far_end.filter(|end| !is_near(end.value(), reference.value()));
        if far_end.is_some_and(|end| !self.settle(Judgement::Questionable, end, held)) {
            // Whether the clock goes on from there is not known yet.
            return None;
        }
        // Most of the block is in normal time: what is far from that is an outlier.
        self.scratch.near = times.has_jump.then_some(reference.value());
        self.compact_events(bundle, bytes);
        self.scratch.near = None;
        Some(reference)
    }

    /// Whether a block is read in which this time is an outlier.
    #[inline]
    fn is_set_apart(&mut self, bundle: &Bundle, time: BootNanos) -> bool {
        let is_far = self.scratch.near.is_some_and(|near| !is_near(near, time.value()));
        if is_far {
            self.far(bundle);
        }
        is_far
    }

    pub(super) fn compact_events(&mut self, bundle: &Bundle, bytes: &[u8]) {
        let none = PackedVarints::new(&[]);
        let mut switch = [none.clone(), none.clone(), none.clone(), none.clone()];
        let mut waking = [none.clone(), none.clone(), none];
        let mut comms = std::mem::take(&mut self.scratch.comms);
        comms.clear();
        for field in Fields::new(bytes).map_while(Result::ok) {
            let value = field.value;
            match field.number {
                compact::INTERN_TABLE => {
                    comms.push(self.builder.names.intern_bytes(value.bytes()));
                }
                compact::SWITCH_TIMESTAMP => switch[0] = value.varints(),
                compact::SWITCH_PREV_STATE => switch[1] = value.varints(),
                compact::SWITCH_NEXT_PID => switch[2] = value.varints(),
                compact::SWITCH_NEXT_COMM_INDEX => switch[3] = value.varints(),
                compact::WAKING_TIMESTAMP => waking[0] = value.varints(),
                compact::WAKING_PID => waking[1] = value.varints(),
                compact::WAKING_TARGET_CPU => waking[2] = value.varints(),
                _ => {}
            }
        }
        let known_from = self.switches(bundle, switch, &comms);
        self.wakings(bundle, waking, known_from);
        self.scratch.comms = comms;
    }

    /// Reads the switches. Since which timestamp it is known who is on the CPU; 0 if it was before.
    fn switches(
        &mut self,
        bundle: &Bundle,
        columns: [PackedVarints<'_>; 4],
        comms: &[NameId],
    ) -> Option<u64> {
        let mut known_from = self.builder.current(bundle.cpu).map(|_| 0);
        let [times, states, pids, comm_indices] = columns;
        let (mut timestamp, mut count) = (0u64, 0);
        for (((delta, state), pid), comm) in times.zip(states).zip(pids).zip(comm_indices) {
            timestamp = timestamp.wrapping_add(delta);
            count += 1;
            let Some(time) = self.event_time(bundle, timestamp) else { continue };
            if self.is_set_apart(bundle, time) {
                // Who came then is not used: nobody is known to be there until the next one comes.
                self.builder.cpus().lost_events(bundle.cpu);
                continue;
            }
            known_from.get_or_insert(timestamp);
            let tid = pid as u32;
            self.builder.cpus().switch_to(bundle.cpu, time, task_state(state), tid);
            if tid != 0
                && let Some(name) = comms.get(comm as usize)
            {
                self.builder.tasks().thread_name(time, tid, *name, NameRank::Kernel);
            }
        }
        self.counts.event(SCHED_SWITCH, count);
        known_from
    }

    /// Reads the wake-ups. Those from before the first switch have no known waker and are not used.
    fn wakings(
        &mut self,
        bundle: &Bundle,
        columns: [PackedVarints<'_>; 3],
        known_from: Option<u64>,
    ) {
        let [times, pids, targets] = columns;
        let (mut timestamp, mut count) = (0u64, 0);
        for ((delta, pid), target) in times.zip(pids).zip(targets) {
            timestamp = timestamp.wrapping_add(delta);
            count += 1;
            if known_from.is_none_or(|from| timestamp < from) {
                self.counts.unread("sched_waking before the first sched_switch of its CPU");
                continue;
            }
            let Some(time) = self.event_time(bundle, timestamp) else { continue };
            if self.is_set_apart(bundle, time) {
                continue;
            }
            self.builder.cpus().wakeup(bundle.cpu, time, pid as u32, target as u32);
        }
        if count > 0 {
            self.kernel.has_waking();
        }
        self.counts.event(SCHED_WAKING, count);
    }
}
