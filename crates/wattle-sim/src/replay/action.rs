//! Actions of a thread, with their times.

use wattle_units::BootNanos;

use crate::{Access, Transfer};

/// Something that a thread did at an instant of boot time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayAction {
    /// When.
    pub at: BootNanos,
    /// Event at that time.
    pub event: ReplayEvent,
}

/// Event in the life of a thread. Between its stretches of work a thread sleeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayEvent {
    /// Works until an instant. A thread that finds no free CPU is late, and so is all that follows until it sleeps.
    Busy(BootNanos),
    /// A section of this label begins.
    Begin(String),
    /// The innermost section ends; without an open one nothing happens.
    End,
    /// Moves bytes over a network and waits for them.
    Transfer(Transfer),
    /// Reads or writes storage and waits for it.
    Access(Access),
}
