//! Code of packages, run on a real Android runtime.
//!
//! Programs whose code is pure logic need nothing of a phone but its runtime. Here they run on that of Android 11 as
//! built for the host, with framework classes of our own for sections, logs, clocks and numbers of threads. What they
//! did comes back as [`ArtEvent`]s and as a process that the simulated phone replays.

mod cpu_time;
mod discovery;
mod error;
mod event;
mod event_class;
mod framework;
mod job;
mod process;
mod replayed;
mod runner_class;
mod runtime;

pub use discovery::{TestMethod, test_methods};
pub use error::ArtError;
pub use event::{ArtEvent, ArtEventKind, LogPriority, ThreadNumber};
pub use job::{ArtEntry, ArtJob};
pub use process::{ArtProcess, ArtRun};
pub use runtime::ArtRuntime;
