//! Stretches that a diagnosis should find.

use wattle_units::{BootNanos, Nanos};

use super::CodeFrame;

/// Behaviour of a thread in an injected stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlantedKind {
    /// A loop that waits without sleeping, or with next to no sleep.
    BusyWait,
    /// Short sleeps or a timer, for a while.
    Timer,
    /// The same for the whole run.
    WholeRunTimer,
    /// Reads and writes of a disk one after the other.
    DiskBurst,
    /// Flushes of a disk, by the clock or not.
    Flush,
    /// One event that takes very long.
    SingleEvent,
}

impl PlantedKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::BusyWait,
        Self::Timer,
        Self::WholeRunTimer,
        Self::DiskBurst,
        Self::Flush,
        Self::SingleEvent,
    ];

    /// Whether it comes back after a time of its own.
    pub const fn has_beat(self) -> bool {
        matches!(self, Self::Timer | Self::WholeRunTimer)
    }

    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BusyWait => "busy wait",
            Self::Timer => "timer",
            Self::WholeRunTimer => "timer, whole run",
            Self::DiskBurst => "disk burst",
            Self::Flush => "flush",
            Self::SingleEvent => "single event",
        }
    }
}

/// A stretch of time in which a thread did what it should not, as it truly came about.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantedStretch {
    /// The process's number.
    pub pid: u32,
    /// The thread's.
    pub tid: u32,
    /// Injected behaviour.
    pub kind: PlantedKind,
    /// From its first wake-up on.
    pub start: BootNanos,
    /// Until it slept for good, or did something else.
    pub end: BootNanos,
    /// The median time between its wake-ups, for those that have a beat.
    pub period: Option<Nanos>,
    /// Number of wake-ups.
    pub wakeups: u64,
    /// Time on cores, as a part of the stretch.
    pub cpu_use: f64,
    /// That by the mean of the thread over the whole run.
    pub over_thread: f64,
    /// That by the mean of the process's threads over the whole run.
    pub over_process: f64,
    /// Frames that its stacks have in common, outermost first: module and place.
    pub common: Vec<CodeFrame>,
    /// Paths of the modules of `common`.
    pub modules: Vec<String>,
    /// The part of its stacks that were of something else.
    pub odd_share: f64,
}

impl PlantedStretch {
    /// Returns its length.
    pub fn length(&self) -> Nanos {
        self.end - self.start
    }
}
