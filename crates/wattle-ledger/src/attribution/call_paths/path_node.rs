//! A call path of one thread.

use wattle_timeline::{NameId, SiteId};
use wattle_units::Nanos;

/// A call path of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The caller's index in the thread's nodes; `None` for the root.
    pub(crate) caller: Option<u32>,
    /// The slice's name; `None` for the root.
    pub(crate) name: Option<NameId>,
    /// The place in the app's code; calls of one name from several lines are several nodes.
    pub(crate) site: Option<SiteId>,
    /// Number of entries inside the window.
    pub(crate) calls: u64,
    /// From entry to exit, inside the window.
    pub(crate) wall: Nanos,
    /// On a CPU from entry to exit by the thread's own clock, of the calls that were open inside the window; `None` where it was
    /// read for none of them.
    pub(crate) clock_cpu: Option<Nanos>,
    /// The frame of a sampled stack, by its number in the frame table; such a node has no name.
    pub(crate) frame: Option<u32>,
    /// Number of samples inside the window that found it innermost.
    pub(crate) samples: u64,
}

impl Node {
    /// A thread outside of all calls.
    pub(crate) const ROOT: Self = Self {
        caller: None,
        name: None,
        site: None,
        calls: 0,
        wall: Nanos::ZERO,
        frame: None,
        samples: 0,
        clock_cpu: None,
    };

    /// Whether it was open at any time inside the window, or sampled.
    pub(crate) fn is_inside(&self) -> bool {
        self.calls > 0 || self.wall > Nanos::ZERO || self.samples > 0
    }
}
