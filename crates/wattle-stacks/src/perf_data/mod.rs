//! The importer of `perf.data`, files of `perf record` and of simpleperf: sampled stacks, threads, mappings, and the kernel's
//! tracepoints, from the records of [`crate::perf_file`] into a timeline.
//!
//! # Quirks
//!
//! - `sched_switch` recorded for some threads tells of a CPU only when it leaves them: from such a file no scheduler is made.
//! - Files that simpleperf wrote since it has `meta_info` hold addresses of calls where the kernel has return addresses.

mod address_space;
mod event_use;
mod group_reads;
mod pending_files;
mod perf_clock;
mod record_reader;
mod recorded_device;
mod register_numbers;
mod scheduler_source;
mod stack_builder;
mod task_names;

use wattle_import::{
    Artifact, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session,
};
use wattle_recording::ArtifactKind;

use crate::perf_file::is_perf_data;

/// Files of `perf record` and of simpleperf.
pub const PERF_DATA: &dyn Importer = &PerfData;

const FORMAT: Format = Format {
    name: "perf-data",
    title: "a perf.data file (perf, simpleperf)",
    family: "sampled stacks",
    short: Some("perf.data"),
    order: ReadOrder::Traces,
    kinds: &[ArtifactKind::PerfData],
    is_accessory: false,
};

struct PerfData;

impl Importer for PerfData {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        if is_perf_data(head.bytes) {
            return Recognition::Yes;
        }
        if head.bytes.starts_with(b"PERFFILE") {
            return Recognition::Refused("a perf.data file of Linux before 2.6.33");
        }
        Recognition::No
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let quality = pending_files::read(artifact.name, artifact.source, session);
        session.add_artifact(quality);
        Ok(())
    }
}
