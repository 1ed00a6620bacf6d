//! The power of cores for each thread over time, whatever the thread was doing.

use wattle_timeline::{ThreadId, Window};

use crate::Charge;
use crate::attribution::call_paths::CallTrees;
use crate::attribution::consumer::{Consumer, Line};

/// Relative difference up to which two powers are one: rounding of energies over times.
const SAME: f64 = 1e-9;

/// Gathers the pieces of one track while it is booked.
#[derive(Debug)]
pub(crate) struct PowerPieces<'a> {
    calls: &'a CallTrees,
    watched: &'a [bool],
    /// The thread that paths were of last, and from which path to which.
    near: (ThreadId, u32, u32),
    pieces: Vec<(ThreadId, Window, f64)>,
}

impl<'a> PowerPieces<'a> {
    /// Of the threads that are watched.
    pub(crate) fn new(calls: &'a CallTrees, watched: &'a [bool]) -> Self {
        Self { calls, watched, near: (ThreadId::IDLE, 0, 0), pieces: Vec::new() }
    }

    /// An energy in joules that was drawn evenly over the window. What a thread's probes took belongs to the thread here: the
    /// call trees know when that was.
    pub(crate) fn add(&mut self, line: Line, window: Window, joules: f64) {
        let is_core = matches!(line.charge, Charge::Core | Charge::Shared | Charge::WakeTransition);
        let (Consumer::Path(path) | Consumer::Recorder(path) | Consumer::Probes(path)) =
            line.consumer
        else {
            return;
        };
        if !is_core || window.is_empty() {
            return;
        }
        if !(self.near.1..self.near.2).contains(&path) {
            self.near = self.calls.thread_of(path);
        }
        let thread = self.near.0;
        if self.watched.get(thread.index()) != Some(&true) {
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
