//! The importers of logs: as text, in binary, and inside bug reports.

use std::io::{Cursor, Read};

use wattle_import::{
    Artifact, Content, Format, HEAD, Head, ImportError, Importer, Recognition, Session,
};

use super::read;
use crate::logcat::LOGCAT;
use crate::{batterystats, logcat};

/// Logs as text.
pub const LOG: &dyn Importer = &Log;

struct Log;

impl Importer for Log {
    fn format(&self) -> &'static Format {
        &LOGCAT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        // Messages may hold any byte; the first line is a form of its own.
        let begins = head.is_text_or_binary() && head.bytes.starts_with(logcat::BEGINNING);
        (begins || head.is_text() && logcat::looks_like_log(head.bytes)).into()
    }

    fn insists(&self, other: Recognition) -> bool {
        other == Recognition::No
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        import(artifact, session);
        Ok(())
    }
}

/// Bug reports, which hold logs and battery statistics.
pub const BUG_REPORT: &dyn Importer = &BugReports;

const REPORT: Format = Format { kinds: &[], ..LOGCAT };

struct BugReports;

impl Importer for BugReports {
    fn format(&self) -> &'static Format {
        &REPORT
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        (head.is_text_or_binary() && batterystats::looks_like_bug_report(head.bytes)).into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        import(artifact, session);
        Ok(())
    }
}

/// Logs in binary (`logcat -B`), and texts with bytes that no text has.
pub const BINARY_LOG: &dyn Importer = &BinaryLog;

const BINARY: Format = Format { kinds: &[], ..LOGCAT };

struct BinaryLog;

impl Importer for BinaryLog {
    fn format(&self) -> &'static Format {
        &BINARY
    }

    fn recognise(&self, head: &Head<'_>) -> Recognition {
        let is_log = head.content == Content::Binary
            && (logcat::looks_binary(head.bytes) || logcat::looks_like_log(head.bytes));
        is_log.into()
    }

    fn read(&self, artifact: Artifact<'_>, session: &mut Session) -> Result<(), ImportError> {
        import(artifact, session);
        Ok(())
    }
}

/// Reads a log; of a bug report everything else that it holds, too.
fn import(artifact: Artifact<'_>, session: &mut Session) {
    let Artifact { name, total, mut source, progress } = artifact;
    let mut told = |done: u64| progress.advance(done, total);
    let mut head = Vec::new();
    // What fails here fails again for the reader, which says so.
    let _ = source.by_ref().take(HEAD as u64).read_to_end(&mut head);
    let is_report = batterystats::looks_like_bug_report(&head);
    let stream = Cursor::new(head).chain(source);
    let mut report = batterystats::BugReport::new(session.around());
    let quality = if is_report {
        let watched = batterystats::Watched::new(stream, &mut report);
        read(name, watched, session, &mut told)
    } else {
        read(name, stream, session, &mut told)
    };
    session.add_artifact(quality);
    report.finish(name).apply(session);
}
