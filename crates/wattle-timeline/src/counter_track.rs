//! Counters of any kind that no other part of the timeline gives a meaning to.

use wattle_units::BootNanos;

use crate::{CpuId, NameId, ProcessId, ThreadId, Uid};

/// Whose counter it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CounterScope {
    /// Of the device.
    Global,
    /// Of a process.
    Process(ProcessId),
    /// Of a thread.
    Thread(ThreadId),
    /// Of a CPU.
    Cpu(CpuId),
    /// Of an app.
    Uid(Uid),
}

/// The name of the counter of Windows' clock: nanoseconds from one of its interrupts to the next, of the machine.
pub const TIMER_PERIOD: &str = "Timer period";

/// The name of the counter of a program's request for a finer clock (`timeBeginPeriod`, `NtSetTimerResolution`): nanoseconds, of a
/// process; 0 where it asks for none.
pub const REQUESTED_TIMER_PERIOD: &str = "Requested timer period";

/// A named series of values: atrace `C` events, PMU counts (`l3d_cache`, `bus_access`), clocks.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterTrack {
    /// The counted quantity.
    pub name: NameId,
    /// Whose.
    pub scope: CounterScope,
    /// When each value was written, in order.
    pub time: Vec<BootNanos>,
    /// The values.
    pub value: Vec<f64>,
}
