//! Receiver of a trace's methods and events while it is read.

use super::trace_action::TraceAction;

/// Time of an event since the trace began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTime {
    /// Microseconds in 32 bits, which begin anew every 71 minutes: [`unwrapped`](super::unwrapped) brings them near to a time that
    /// is known.
    Micros {
        /// By the clock that calls are laid out by.
        time: u32,
        /// By the thread's own clock, where it was read beside another one.
        cpu: Option<u32>,
    },
    /// Nanoseconds.
    Nanos {
        /// By the clock that calls are laid out by.
        time: i64,
        /// By the thread's own clock; 0 where it was not read.
        cpu: i64,
    },
}

/// An entry or exit of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodEvent {
    /// Number of the thread in the trace.
    pub thread: u32,
    /// Number of the method in the trace.
    pub method: u64,
    /// Entry or exit; `None` for the value that no runtime writes.
    pub action: Option<TraceAction>,
    /// Time of the event.
    pub time: EventTime,
}

/// Receiver of a trace's methods and events, in the order of the file.
///
/// A method may be described before its first event, or at the end of the file.
pub trait MethodSink {
    /// A method is described; [`MethodLine`](super::MethodLine) reads the line.
    fn method(&mut self, id: u64, line: &[u8]);

    /// A method was entered or left.
    fn event(&mut self, event: MethodEvent);

    /// A record names no thread.
    fn senseless_record(&mut self) {}

    /// The file was read up to an offset.
    fn progress(&mut self, _offset: u64) {}
}
