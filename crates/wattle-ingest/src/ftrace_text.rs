//! The kernel's trace as text: ftrace, atrace, systrace and `trace-cmd report`; on its own, packed by atrace, or in a page.
//!
//! # Quirks
//!
//! - The text does not say which clock its times are of. They are taken as boot time: that is what atrace asks for, and alone a
//!   trace is its own time. Its marks tell how that time stands to the device's other clocks.
//! - Names of threads in the first column are those that the kernel remembered when it printed the trace. Any event that names
//!   the thread knows better.
//! - Kernels before 4.2 know no `sched_waking`; there, and only there, `sched_wakeup` tells who woke whom.
//! - systrace puts a line of a thread `dummy` at the time 0 behind old traces.

mod args;
mod clock_sync;
mod event;
mod line;
mod newlines;
mod note_line;
mod page;
mod ps_dump;
mod read;
mod reader;

pub(crate) use args::{around, hexadecimal, number};
pub(crate) use event::{event as text_event, kind as text_kind};
pub(crate) use read::{FtraceForm, looks_like_events, looks_packed, read};
