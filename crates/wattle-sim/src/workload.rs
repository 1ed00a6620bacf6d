//! Workloads of a simulated phone.

use wattle_units::Nanos;

use crate::{Access, Transfer};

/// One thing that a thread does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Runs a method: a slice of this name around the body.
    Call {
        /// The method.
        method: String,
        /// Actions of the method.
        body: Vec<Action>,
    },
    /// Computes.
    Compute {
        /// Cycles that a little core would need. Others need fewer, see
        /// [`crate::ClusterSpec::work_per_cycle`].
        cycles: f64,
        /// Each time the cycles are drawn uniformly within this fraction around `cycles`.
        spread: f64,
    },
    /// Sleeps on a timer.
    Sleep {
        /// For how long.
        length: Nanos,
        /// Each time the length is drawn uniformly within this fraction around `length`.
        spread: f64,
    },
    /// Sleeps until the next multiple of a period since the start: a frame, an alarm.
    NextPeriod {
        /// The period.
        period: Nanos,
    },
    /// Sleeps until another thread or an interrupt wakes it. One that came before is not lost.
    AwaitWake,
    /// Wakes another thread.
    Wake {
        /// Its index in the order of [`Workload::threads`].
        thread: usize,
    },
    /// Moves bytes over a network and waits for them.
    Transfer(Transfer),
    /// Reads or writes storage and waits for it.
    Access(Access),
    /// Gives graphics work to do, and does not wait for it.
    Draw {
        /// Time that graphics needs for it.
        length: Nanos,
    },
    /// Does something several times.
    Repeat {
        /// Number of repetitions, at most 10,000.
        times: u32,
        /// Actions to repeat.
        body: Vec<Action>,
    },
}

impl Action {
    /// A method around a body.
    pub fn call(method: &str, body: Vec<Self>) -> Self {
        Self::Call { method: method.to_owned(), body }
    }

    /// Millions of cycles, give or take a fifth.
    pub const fn compute(million_cycles: f64) -> Self {
        Self::Compute { cycles: million_cycles * 1e6, spread: 0.2 }
    }

    /// Milliseconds of sleep, give or take a fifth.
    pub fn sleep(milliseconds: f64) -> Self {
        Self::Sleep { length: Nanos::from_seconds(milliseconds * 1e-3), spread: 0.2 }
    }

    /// Until the next multiple of so many milliseconds.
    pub fn next_period(milliseconds: f64) -> Self {
        Self::NextPeriod { period: Nanos::from_seconds(milliseconds * 1e-3) }
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadSpec {
    /// Its name; the kernel keeps 15 bytes of it.
    pub name: String,
    /// Actions that it repeats again and again.
    pub program: Vec<Action>,
    /// Stop after the program has run once.
    pub once: bool,
    /// The kernel's priority: 120 for an ordinary thread, less is more urgent. A thread that wakes takes
    /// the CPU from one that is less urgent.
    pub priority: i32,
    /// The clusters it may run on, by index; empty for all.
    pub clusters: Vec<usize>,
    /// When it is created; 0 is before the trace begins.
    pub starts_after: Nanos,
}

impl ThreadSpec {
    /// An ordinary thread that repeats its program on any core.
    pub fn new(name: &str, program: Vec<Action>) -> Self {
        Self {
            name: name.to_owned(),
            program,
            once: false,
            priority: 120,
            clusters: Vec::new(),
            starts_after: Nanos::ZERO,
        }
    }

    /// The same with another priority.
    #[must_use]
    pub fn with_priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// The same on some clusters only.
    #[must_use]
    pub fn on_clusters(mut self, clusters: &[usize]) -> Self {
        self.clusters = clusters.to_vec();
        self
    }

    /// The same, created while the trace runs.
    #[must_use]
    pub fn starting_after(mut self, length: Nanos) -> Self {
        self.starts_after = length;
        self
    }
}

/// A process: an app, a service, a kernel thread, the recorder.
#[derive(Clone, Debug, PartialEq)]
pub struct AppSpec {
    /// Its name, that is, its command line.
    pub name: String,
    /// Its package, for apps.
    pub package: Option<String>,
    /// Its uid.
    pub uid: u32,
    /// Its threads, the main one first.
    pub threads: Vec<ThreadSpec>,
    /// Whether it belongs to the recorder: what it draws is *profiling overhead*.
    pub recorder: bool,
}

/// A device that interrupts.
#[derive(Clone, Debug, PartialEq)]
pub struct InterruptSpec {
    /// Its handler's name (`wlan0`).
    pub name: String,
    /// The kernel's number of the line.
    pub irq: i32,
    /// The CPU it goes to.
    pub cpu: u32,
    /// Mean time between two; they come as a Poisson process.
    pub mean_period: Nanos,
    /// Time that the hard handler runs.
    pub hard: Nanos,
    /// The soft interrupt that follows: its vector (3 is `NET_RX`) and how long it runs.
    pub soft: Option<(u32, Nanos)>,
    /// The thread that it wakes, by index in the order of [`Workload::threads`].
    pub wakes: Option<usize>,
}

/// Something that happens to the whole phone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PhoneEvent {
    /// The phone is suspended after so much time, for a length.
    Suspend {
        /// When.
        after: Nanos,
        /// For how long.
        length: Nanos,
    },
    /// A CPU is taken offline after so much time, for a length.
    Offline {
        /// Which. CPU 0 stays.
        cpu: u32,
        /// When.
        after: Nanos,
        /// For how long.
        length: Nanos,
    },
}

/// Everything that runs and happens during a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// Duration of the simulation.
    pub duration: Nanos,
    /// Processes.
    pub apps: Vec<AppSpec>,
    /// Interrupts.
    pub interrupts: Vec<InterruptSpec>,
    /// Suspends and hotplugs.
    pub events: Vec<PhoneEvent>,
}

impl Workload {
    /// All threads in order of their processes; their places are the indices that other parts of a
    /// workload name them by.
    pub fn threads(&self) -> impl Iterator<Item = (&AppSpec, &ThreadSpec)> {
        self.apps.iter().flat_map(|app| app.threads.iter().map(move |thread| (app, thread)))
    }
}
