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
mod atrace_chunks;
mod clock_sync;
mod event_text;
mod ftrace_file;
mod line_reader;
mod newlines;
mod note_line;
mod ps_dump;
mod trace_line;
mod viewer_page;

use wattle_import::{
    Artifact, Content, Format, Head, ImportError, Importer, ReadOrder, Recognition, Session,
};
use wattle_recording::ArtifactKind;

pub use event_text::{event as text_event, kind as text_kind};
pub(crate) use ftrace_file::{FtraceForm, read};

/// The kernel's trace as text: ftrace, systrace, `trace-cmd report`.
pub const FTRACE: &dyn Importer = &Text;
/// The same as atrace packs it.
pub const ATRACE: &dyn Importer = &Packed;
/// A page that systrace wrote, with the kernel's trace inside.
pub const SYSTRACE: &dyn Importer = &Page;

/// The name of all forms in reports.
const FORMAT: &str = "ftrace";

const TEXT: Format = Format {
    name: FORMAT,
    title: "ftrace text (systrace)",
    family: "a trace",
    short: Some("ftrace"),
    order: ReadOrder::Traces,
    kinds: &[ArtifactKind::Ftrace],
    is_accessory: false,
};

const PACKED: Format =
    Format { title: "systrace output, packed by atrace", short: None, kinds: &[], ..TEXT };

const PAGE: Format =
    Format { title: "a systrace HTML page", short: Some("systrace"), kinds: &[], ..TEXT };

/// Texts of which the head of a page with a trace contains at least one.
const PAGES: &[&[u8]] = &[
    b"trace-viewer",
    b"systrace",
    b"Android System Trace",
    b"tr-ui-",
    b"linuxPerfData",
    b"trace-data",
];

struct Text;
struct Packed;
struct Page;

fn contains(head: &Head<'_>, needle: &[u8]) -> bool {
    memchr::memmem::find(head.bytes, needle).is_some()
}

fn import(form: FtraceForm, artifact: Artifact<'_>, session: &mut Session) {
    let Artifact { name, total, source, progress } = artifact;
    let mut told = |done: u64| progress.advance(done, total);
    let (quality, readings) = read(name, form, source, session, &mut told);
    session.add_trace(quality, readings);
}

impl Importer for Text {
    fn format(&self) -> &'static Format {
        &TEXT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        if ftrace_file::looks_like_events(head.bytes) {
            return Recognition::Yes;
        }
        // Of the right kind, but without an event among the first lines.
        let is_text = matches!(head.content, Content::Text | Content::Foreign(_))
            && !matches!(head.bytes.trim_ascii_start().first(), None | Some(b'<' | b'{' | b'['));
        if is_text && (contains(head, b"# tracer:") || contains(head, b"sched_switch:")) {
            return Recognition::Refused(TEXT.title);
        }
        Recognition::No
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        import(FtraceForm::Text, artifact, session);
        Ok(())
    }
}

impl Importer for Packed {
    fn format(&self) -> &'static Format {
        &PACKED
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        ftrace_file::looks_packed(head.bytes).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        import(FtraceForm::Packed, artifact, session);
        Ok(())
    }
}

impl Importer for Page {
    fn format(&self) -> &'static Format {
        &PAGE
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        let is_page = head.bytes.trim_ascii_start().first() == Some(&b'<')
            && head.has_text_bytes()
            && PAGES.iter().any(|mark| contains(head, mark));
        is_page.into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        import(FtraceForm::Page, artifact, session);
        Ok(())
    }
}
