//! The importer of method traces of the Android runtime and of Dalvik before it, from the events of [`crate::art_events`]: calls by
//! thread, in boot time.

mod call_log;
mod file_pairs;
mod method_table;
mod thread_log;
mod trace_file;
mod trace_threads;
mod trace_timeline;

use wattle_import::{
    Artifact, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session,
};
use wattle_recording::ArtifactKind;

use crate::art_events::is_method_trace;
use trace_timeline::MethodTraces;

/// Method traces of the Android runtime.
pub const ART_TRACE: &dyn Importer = &ArtTrace;

const FORMAT: Format = Format {
    name: "art-trace",
    title: "a method trace of the Android runtime",
    family: "a method trace",
    short: None,
    order: ReadOrder::Calls,
    kinds: &[ArtifactKind::ArtTrace],
    is_accessory: false,
};

struct ArtTrace;

impl Importer for ArtTrace {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        is_method_trace(head.bytes).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        let Artifact { name, total, source, progress } = artifact;
        let mut advance = |done: u64| progress.advance(done, total);
        let next = session.next_artifact();
        let (trace, quality) = trace_file::read(name, source, next, &mut advance);
        session.pending::<MethodTraces>().0.push(trace);
        session.add_artifact(quality);
        Ok(())
    }
}
