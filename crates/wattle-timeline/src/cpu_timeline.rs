//! One CPU over time.

use serde::{Deserialize, Serialize};
use wattle_units::{BootNanos, Hertz};

use crate::{NameId, SchedSlices, Steps, Window};

/// A cpuidle state by the driver's number, -1 while the CPU is not idle (the kernel's
/// `cpu_idle` event writes that as 4294967295).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdleState(pub i8);

impl IdleState {
    /// Not idle: executing something, be it the idle loop itself.
    pub const ACTIVE: Self = Self(-1);

    /// From the `state` field of `power/cpu_idle`. States past 126 are not known of any driver and
    /// are folded into 126.
    pub fn from_event(state: u32) -> Self {
        if state == u32::MAX { Self::ACTIVE } else { Self(state.min(126) as i8) }
    }

    /// Not idle.
    pub const fn is_active(self) -> bool {
        self.0 < 0
    }
}

/// Hard or soft interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterruptKind {
    /// `irq_handler_entry` … `irq_handler_exit` and inter-processor interrupts.
    Hard,
    /// `softirq_entry` … `softirq_exit`.
    Soft,
}

/// One interrupt handler's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterruptSlice {
    /// When.
    pub window: Window,
    /// Hard or soft.
    pub kind: InterruptKind,
    /// The handler's name (`IRQ (wlan0)`, `NET_RX`).
    pub name: NameId,
}

/// The interrupts of one CPU, in order of start. Hard ones lie inside soft ones, hard ones can nest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterruptSlices {
    /// When each begins.
    pub start: Vec<BootNanos>,
    /// When each ends.
    pub end: Vec<BootNanos>,
    /// The kind of each.
    pub kind: Vec<InterruptKind>,
    /// Whose handler it is.
    pub name: Vec<NameId>,
}

impl InterruptSlices {
    /// Appends one.
    pub fn push(&mut self, slice: InterruptSlice) {
        self.start.push(slice.window.start);
        self.end.push(slice.window.end);
        self.kind.push(slice.kind);
        self.name.push(slice.name);
    }

    /// Drops those that begin before the instant.
    pub(crate) fn retain_from(&mut self, from: BootNanos) {
        let before = self.start.partition_point(|start| *start < from);
        self.start.drain(..before);
        self.end.drain(..before);
        self.kind.drain(..before);
        self.name.drain(..before);
    }

    /// The same without those that have no length.
    #[must_use]
    pub(crate) fn without_empty(self) -> Self {
        if self.start.iter().zip(&self.end).all(|(start, end)| start < end) {
            return self;
        }
        let mut kept = Self::default();
        for slice in self.iter().filter(|slice| !slice.window.is_empty()) {
            kept.push(slice);
        }
        kept
    }

    /// Number of them.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// All of them, in order of start.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = InterruptSlice> + Clone + '_ {
        (0..self.len()).map(|i| InterruptSlice {
            window: Window { start: self.start[i], end: self.end[i] },
            kind: self.kind[i],
            name: self.name[i],
        })
    }
}

/// Everything known of one CPU over time.
#[derive(Clone, Debug, Default)]
pub struct CpuTimeline {
    /// Who ran. Empty when the recording has no scheduler.
    pub sched: SchedSlices,
    /// Whether `sched` was made from samples, because nothing recorded the scheduler: each sample stands for the time before it
    /// that its weight says. Or from records of threads that do not say on which CPU they ran: then only the CPU is a guess.
    pub sched_is_inferred: bool,
    /// Whether this is no CPU of the device: it holds a part of what threads were known to run at one time, because nothing
    /// says on which CPUs they were. Its number, and the number of such CPUs, say nothing of the device's.
    pub is_virtual: bool,
    /// The last event of its own stream: what it did after that was not recorded, though other CPUs
    /// were. `None` when it has no stream.
    pub last_event: Option<BootNanos>,
    /// Frequency. The first value may come from a poll at the start (`sys_stats`), see
    /// [`Self::frequency_is_polled_before`].
    pub frequency: Steps<Hertz>,
    /// Up to this instant the frequency is known from polling only.
    pub frequency_is_polled_before: Option<BootNanos>,
    /// Idle state. Empty when the recording has no `cpu_idle` events.
    pub idle: Steps<IdleState>,
    /// Whether the CPU was online. Empty means nothing was said: online all the time.
    pub online: Steps<bool>,
    /// Hard and soft interrupts.
    pub interrupts: InterruptSlices,
    /// Limits set on the frequency: (minimum, maximum).
    pub frequency_limits: Steps<(Hertz, Hertz)>,
}
