//! The innermost call of one thread at each instant.

use wattle_units::BootNanos;

use super::path_node::Node;
use crate::attribution::work;

/// The mark of a stretch that probes took from the path's own time.
const TAKEN: u32 = 1 << 31;

/// The call tree of one thread, and its innermost node over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ThreadCalls {
    /// The root first, callers before callees. Empty for a thread that has no slices.
    pub(crate) nodes: Vec<Node>,
    /// Instants at which `innermost` changes, ascending.
    change: Vec<BootNanos>,
    /// By change the node from then on, with [`TAKEN`] where probes had the time.
    innermost: Vec<u32>,
    /// Its probes.
    pub(crate) probes: ProbeCount,
}

/// A thread without slices.
static NO_CALLS: ThreadCalls = ThreadCalls {
    nodes: Vec::new(),
    change: Vec::new(),
    innermost: Vec::new(),
    probes: ProbeCount { events: 0, unpriced: 0, short: 0 },
};

/// The place of a thread in its call tree at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    calls: &'a ThreadCalls,
    root: u32,
    next: usize,
}

impl Place<'_> {
    /// Outside of all calls.
    pub(super) fn outside(root: u32) -> Self {
        Self { calls: &NO_CALLS, root, next: 0 }
    }

    /// The innermost path, numbered over all threads.
    #[inline]
    pub(crate) fn path(self) -> u32 {
        self.root + (self.marked() & !TAKEN)
    }

    /// Whether probes have the time, and not the path's own code.
    #[inline]
    pub(crate) fn is_taken(self) -> bool {
        self.marked() & TAKEN != 0
    }

    #[inline]
    fn marked(self) -> u32 {
        let before = self.next.checked_sub(1).and_then(|i| self.calls.innermost.get(i));
        before.copied().unwrap_or_default()
    }

    /// The instant of its next change.
    #[inline]
    pub(crate) fn until(self) -> BootNanos {
        self.calls.change.get(self.next).copied().unwrap_or(BootNanos::MAX)
    }

    /// Goes on to the next change.
    #[inline]
    pub(crate) fn step(&mut self) {
        work::count();
        self.next += 1;
    }

    /// To go on from later.
    #[inline]
    pub(crate) fn position(self) -> usize {
        self.next
    }
}

/// Index of the first time after the instant, looking from an index on in growing strides.
fn gallop(times: &[BootNanos], time: BootNanos, from: usize) -> usize {
    let mut low = from;
    let mut stride = 1;
    while let Some(at) = times.get(low + stride - 1)
        && *at <= time
    {
        work::count();
        low += stride;
        stride *= 2;
    }
    let high = (low + stride - 1).min(times.len());
    low + times.get(low..high).map_or(0, |rest| rest.partition_point(|at| *at <= time))
}

/// The probe events of a thread inside the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProbeCount {
    /// All of them.
    pub(crate) events: u64,
    /// Those of which no cost is known.
    pub(crate) unpriced: u64,
    /// Calls that had less time on a CPU than their probes cost.
    pub(crate) short: u64,
}

impl ThreadCalls {
    /// The root alone, with room for so many changes.
    pub(super) fn with_capacity(changes: usize) -> Self {
        Self {
            nodes: vec![Node::ROOT],
            change: Vec::with_capacity(changes),
            innermost: Vec::with_capacity(changes),
            probes: ProbeCount::default(),
        }
    }

    /// The place at the instant, going on from a place that was reached earlier; `root` is the number of the thread's root path.
    pub(super) fn seek(&self, root: u32, time: BootNanos, from: usize) -> Place<'_> {
        Place { calls: self, root, next: gallop(&self.change, time, from) }
    }

    /// The innermost node from each change on.
    #[cfg(test)]
    pub(super) fn changes(&self) -> Vec<(i64, u32)> {
        let times = self.change.iter().map(|time| time.value());
        times.zip(self.innermost.iter().copied()).collect()
    }

    /// Outside of all calls all the time.
    pub(crate) fn outside() -> Self {
        Self { nodes: vec![Node::ROOT], ..Self::default() }
    }

    /// From the instant on the node is innermost, but probes have the time.
    pub(crate) fn taken_from(&mut self, time: BootNanos, node: u32) {
        self.change_to(time, node | TAKEN);
    }

    /// From the instant on the node is innermost.
    pub(crate) fn change_to(&mut self, time: BootNanos, node: u32) {
        if time == BootNanos::MAX {
            return;
        }
        if self.change.last() == Some(&time) {
            self.change.pop();
            self.innermost.pop();
        }
        if self.innermost.last().copied().unwrap_or_default() != node {
            self.change.push(time);
            self.innermost.push(node);
        }
    }
}
