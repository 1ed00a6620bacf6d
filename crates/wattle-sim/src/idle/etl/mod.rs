//! The event trace log (`.etl`) of an idle run on a Windows machine: a session of the kernel logger with processes, threads, images,
//! context switches, readied threads, samples, stacks and disk operations.
//!
//! Structures are those of Microsoft's `evntrace.h` and of the classes of `MSNT_SystemTrace`
//! (<https://learn.microsoft.com/windows/win32/etw/msnt-systemtrace>), named where they are written. Header forms and versions are
//! those that logs of Windows 10 have.

mod event_buffers;
mod first_buffer;
mod payload;
mod run_events;
mod rundown;
mod timer_events;

use std::io::{self, Write};

use wattle_units::BootNanos;

use self::event_buffers::Log;
use self::payload::Payload;
use super::idle_run::IdleRun;
use crate::SimError;

/// Width of pointers in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerSize {
    /// A Windows of 32 bits.
    Four,
    /// A Windows of 64 bits.
    Eight,
}

/// Form in which a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EtlForm {
    /// Width of pointers.
    pub pointers: PointerSize,
    /// Version of the `CSwitch` events: 2 to 4. Their fields are the same.
    pub switch_version: u16,
    /// Size of the buffers, in bytes.
    pub buffer_size: u32,
}

impl Default for EtlForm {
    fn default() -> Self {
        Self { pointers: PointerSize::Eight, switch_version: 4, buffer_size: 64 << 10 }
    }
}

impl PointerSize {
    /// In bytes.
    const fn bytes(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// Ticks of the performance counter each second.
const FREQUENCY: i64 = 10_000_000;

/// The performance counter at a time of the run: it counts from boot on.
fn ticks(time: BootNanos) -> i64 {
    time.value() / (1_000_000_000 / FREQUENCY)
}

impl IdleRun {
    /// Writes the event trace log of a Windows machine.
    pub fn write_etl<W: Write>(&self, form: EtlForm, out: W) -> Result<W, SimError> {
        Ok(write(self, form, out)?)
    }
}

/// Writes it.
fn write<W: Write>(run: &IdleRun, form: EtlForm, mut out: W) -> io::Result<W> {
    let mut log = Log::new(form, run.cores, ticks(run.start));
    rundown::begin(run, &mut log);
    timer_events::begin(run, &mut log);
    run_events::write(run, &mut log);
    rundown::end(run, &mut log);
    let buffers = log.finish(ticks(run.end));
    out.write_all(&first_buffer::first_buffer(run, form, buffers.len() as u32 + 1))?;
    for buffer in buffers {
        out.write_all(&buffer)?;
    }
    out.flush()?;
    Ok(out)
}
