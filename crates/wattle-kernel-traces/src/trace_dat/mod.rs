//! Files of trace-cmd (`trace.dat`), versions 6 and 7: the kernel's ring buffers as they were in memory, and what is needed to
//! read them.
//!
//! # Quirks
//!
//! - Numbers of events and places of their fields differ from kernel to kernel: each file brings the descriptions.
//! - Texts that the kernel holds as constants (`suspend_resume`, `ipi_entry`) are addresses; the file's list of
//!   `printk_formats` says what stands there.
//! - zstd's frames lack their first four bytes in files of some versions of trace-cmd.
//! - The size that version 7 gives of packed events leaves out the four bytes that stand before the first piece.
//! - Times are in the clock that was chosen when recording. `boot` is the timeline's own; any other that counts nanoseconds is
//!   taken for it, and said so, unless the recording knows how the clock stands to boot time.
//! - Only the top buffer is read: instances repeat what is in it, or hold what somebody chose to keep apart.

mod file_options;
mod ring_page;
mod trace_dat_file;
mod unpack;
mod v6;
mod v7;

use wattle_import::{
    Artifact, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session,
};
use wattle_recording::ArtifactKind;

use crate::tracepoints::SIGNATURE;

/// Files of trace-cmd.
pub const TRACE_DAT: &dyn Importer = &TraceDat;

const FORMAT: Format = Format {
    name: "trace-dat",
    title: "a file of trace-cmd (trace.dat)",
    family: "a trace",
    short: Some("trace-cmd"),
    order: ReadOrder::Traces,
    kinds: &[ArtifactKind::TraceDat],
    is_accessory: false,
};

struct TraceDat;

impl Importer for TraceDat {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        head.bytes.starts_with(SIGNATURE).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut told = |done: u64| progress.advance(done, total);
        let (quality, readings) = trace_dat_file::read(name, source, session, &mut told);
        session.add_trace(quality, readings);
        Ok(())
    }
}
