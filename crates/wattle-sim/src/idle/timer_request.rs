//! Requests for a finer clock.

use wattle_units::Nanos;

/// A process asks for a finer clock (`timeBeginPeriod`, `NtSetTimerResolution`). Times count from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerRequest {
    /// The process.
    pub pid: u32,
    /// Period that it asks for.
    pub period: Nanos,
    /// When it asks; 0 is before the recording begins.
    pub from: Nanos,
    /// When it asks no more; `None` if it goes on asking.
    pub to: Option<Nanos>,
}
