//! The text of `perf script`, in any of its layouts, and of tools that write as it does.
//!
//! ```text
//! comm  pid/tid [cpu] seconds.micros:  period event: payload of a tracepoint
//!          address symbol+0xoffset (mapping)
//!   file.c:12
//! ```
//! After the first line come the frames, innermost first, and an empty line; without call chains the address stands behind the
//! event. Each column may be missing (`perf script -F`). `util/print_hwsw_events` and `builtin-script.c` of Linux' `tools/perf`.
//!
//! # Quirks
//!
//! - Names of threads hold spaces and anything else, so the columns are found from the time, which has a fixed form.
//! - Addresses in files are printed since Linux 4.19 (`perf script: Show virtual addresses instead of offsets`), and addresses of the
//!   process before. Which it was is told by their size.
//! - Whether a stack reaches its thread's first function is not written: see [`script_reader`].

mod comment;
mod event_words;
mod frame_line;
mod known_frames;
mod sample_columns;
mod script_file;
mod script_reader;
mod script_record;
mod told_machine;

use wattle_import::{
    Artifact, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session,
};

/// Text of `perf script`.
pub const PERF_SCRIPT: &dyn Importer = &PerfScript;

const FORMAT: Format = Format {
    name: "perf-script",
    title: "text of perf script",
    family: "sampled stacks",
    short: Some("perf script"),
    order: ReadOrder::Logs,
    kinds: &[],
    is_accessory: false,
};

struct PerfScript;

impl Importer for PerfScript {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        script_file::looks_like(head.bytes).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut told = |done: u64| progress.advance(done, total);
        let quality = script_file::read(name, source, session, &mut told);
        session.add_artifact(quality);
        Ok(())
    }
}
