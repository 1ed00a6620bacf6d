//! Reports of a recording by `simpleperf report-sample`: in protobuf (`--protobuf`, which Android Studio reads), or as
//! text.
//!
//! `cmd_report_sample.proto` and `cmd_report_sample.cpp` of AOSP's `simpleperf`. The protobuf form is `SIMPLEPERF`, a version, and
//! records, each with its length before it, up to a length of 0; names of functions and threads stand at the end.
//!
//! # Quirks
//!
//! - No record says on which CPU a sample was taken, or which clock its time is of. simpleperf asks the kernel for the monotonic
//!   clock since Android 8; before, and on kernels before 4.1, it was the scheduler's.
//! - Samples of `sched:sched_switch` stand where a thread left its CPU (`--trace-offcpu`); what they count is switches.
//! - Unwinding results are there only for samples that failed (`--keep-failed-unwinding-result`).

mod proto_record;
mod report_draft;
mod report_file;
mod switches;
mod text_report;

use wattle_import::{
    Artifact, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session,
};

/// Reports of simpleperf in protobuf.
pub const SIMPLEPERF_PROTO: &dyn Importer = &Proto;

const FORMAT: Format = Format {
    name: "simpleperf-report",
    title: "a report of simpleperf",
    family: "sampled stacks",
    short: Some("simpleperf"),
    order: ReadOrder::Logs,
    kinds: &[],
    is_accessory: false,
};

struct Proto;

impl Importer for Proto {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        head.bytes.starts_with(report_file::SIGNATURE).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut told = |done: u64| progress.advance(done, total);
        let quality = report_file::read(name, source, session, &mut told);
        session.add_artifact(quality);
        Ok(())
    }
}

/// The same as text.
pub const SIMPLEPERF_TEXT: &dyn Importer = &Text;

struct Text;

impl Importer for Text {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        (head.is_text() && report_file::looks_like_text(head.bytes)).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut told = |done: u64| progress.advance(done, total);
        let quality = report_file::read(name, source, session, &mut told);
        session.add_artifact(quality);
        Ok(())
    }
}
