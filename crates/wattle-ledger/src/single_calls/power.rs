//! What cores drew for each thread over time, whatever it was doing.

use std::collections::BTreeMap;

use wattle_timeline::{ThreadId, Window};
use wattle_units::BootNanos;

use crate::Charge;
use crate::call_tree::CallTrees;
use crate::payer::{Line, Payer};

/// How much two powers may differ to be one: rounding of energies over times.
const SAME: f64 = 1e-9;

/// Gathers the pieces of one track while it is booked.
#[derive(Debug)]
pub(crate) struct PowerPieces<'a> {
    calls: &'a CallTrees,
    wanted: &'a [bool],
    /// The thread that paths were of last, and from which path to which.
    near: (ThreadId, u32, u32),
    pieces: Vec<(ThreadId, Window, f64)>,
}

impl<'a> PowerPieces<'a> {
    /// Of the threads that are wanted.
    pub(crate) fn new(calls: &'a CallTrees, wanted: &'a [bool]) -> Self {
        Self { calls, wanted, near: (ThreadId::IDLE, 0, 0), pieces: Vec::new() }
    }

    /// An energy in joules that was drawn evenly over the window. What a thread's probes took belongs to the thread here: the
    /// call trees know when that was.
    pub(crate) fn add(&mut self, line: Line, window: Window, joules: f64) {
        let is_core = matches!(line.charge, Charge::Core | Charge::Shared | Charge::WakeTransition);
        let (Payer::Path(path) | Payer::Recorder(path) | Payer::Probes(path)) = line.payer else {
            return;
        };
        if !is_core || window.is_empty() {
            return;
        }
        if !(self.near.1..self.near.2).contains(&path) {
            self.near = self.calls.thread_of(path);
        }
        let thread = self.near.0;
        if self.wanted.get(thread.index()) != Some(&true) {
            return;
        }
        let length = |window: Window| window.duration().value() as f64;
        // Pieces are cut where calls begin and end, which is nothing to a thread's power.
        if let Some((last, before, energy)) = self.pieces.last_mut()
            && *last == thread
            && before.end == window.start
            && (*energy * length(window) - joules * length(*before)).abs()
                <= SAME * (joules * length(*before)).abs()
        {
            before.end = window.end;
            *energy += joules;
            return;
        }
        self.pieces.push((thread, window, joules));
    }

    /// The pieces.
    pub(crate) fn into_pieces(self) -> Vec<(ThreadId, Window, f64)> {
        self.pieces
    }
}

/// Power of one thread over time in joules a nanosecond: from each instant on, until the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadPower {
    pub(crate) from: Vec<BootNanos>,
    pub(crate) power: Vec<f64>,
}

impl ThreadPower {
    /// By thread, from the pieces of all tracks.
    pub(crate) fn all(
        pieces: impl Iterator<Item = Vec<(ThreadId, Window, f64)>>,
    ) -> BTreeMap<ThreadId, Self> {
        let mut edges: BTreeMap<ThreadId, Vec<(BootNanos, f64, i32)>> = BTreeMap::new();
        for (thread, window, joules) in pieces.flatten() {
            let power = joules / window.duration().value() as f64;
            let edges = edges.entry(thread).or_default();
            edges.push((window.start, power, 1));
            edges.push((window.end, -power, -1));
        }
        edges.into_iter().map(|(thread, edges)| (thread, Self::of(edges))).collect()
    }

    fn of(mut edges: Vec<(BootNanos, f64, i32)>) -> Self {
        edges.sort_by_key(|(time, ..)| *time);
        let mut found = Self::default();
        let (mut power, mut open) = (0.0, 0);
        for same in edges.chunk_by(|one, other| one.0 == other.0) {
            for (_, change, count) in same {
                power += change;
                open += count;
            }
            if open == 0 {
                // Nothing of earlier roundings is left where nobody draws.
                power = 0.0;
            }
            found.from.extend(same.first().map(|(time, ..)| *time));
            found.power.push(power);
        }
        found
    }
}
