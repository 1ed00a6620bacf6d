//! Code of packages, run on a real Android runtime.
//!
//! Programs whose code is pure logic need nothing of a phone but its runtime. Here they run on that of Android 11 as
//! built for the host, with framework classes of our own for sections, logs, clocks and numbers of threads. What they
//! did comes back as [`ArtEvent`]s and as a process that the simulated phone replays.

mod art_error;
mod art_event;
mod art_process;
mod discovery;
mod event_class;
mod framework_stubs;
mod host_cpu_time;
mod host_run;
mod job;
mod runner_class;
mod runtime;

pub use art_error::ArtError;
pub use art_event::{ArtEvent, ArtEventKind, LogPriority, ThreadNumber};
pub use art_process::{ArtProcess, ArtRun};
pub use discovery::{TestMethod, test_methods};
pub use job::{ArtEntry, ArtJob};
pub use runtime::ArtRuntime;
