//! Result of reading a log.

use std::collections::BTreeMap;

use super::log_format::LOGCAT;
use wattle_timeline::{ArtifactQuality, Note, Severity};

/// Result of reading a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogcatSummary {
    /// The format it was read as (`threadtime`, `binary` …); several, of a bug report.
    pub formats: Vec<&'static str>,
    /// Bytes read.
    pub bytes: u64,
    /// Lines (records, of a binary log) that were read.
    pub entries: u64,
    /// Number of entries by priority.
    pub priorities: BTreeMap<char, u64>,
    /// Lines that are not of the format, and where the first of them begins.
    pub unparsed: u64,
    /// Byte offset of the first line that is not of the format.
    pub first_unparsed: Option<u64>,
    /// Lines of a bug report outside of its logs.
    pub outside: u64,
    /// `--------- beginning of main` and the like.
    pub dividers: u64,
    /// Lines that `chatty` left out because they were equal to the line before.
    pub identical: u64,
    /// Lines that `chatty` says were dropped.
    pub expired: u64,
    /// Number of times that the time went back by more than a second.
    pub steps_back: u64,
    /// Number of times that a year began or ended between two lines.
    pub year_turns: u64,
    /// Lines that were too long and were cut off.
    pub cut: u64,
    /// Records of a binary log whose text is not text (event logs).
    pub binary_events: u64,
    /// Why the input ended, if by an error.
    pub failure: Option<String>,
    /// Whether the file ends inside a record.
    pub is_truncated: bool,
    /// Whether lines have a date without a year, and nothing told the year.
    pub year_is_unknown: bool,
}

impl LogcatSummary {
    /// As the quality of an artifact.
    pub(crate) fn into_quality(self, name: &str) -> ArtifactQuality {
        let mut quality = ArtifactQuality {
            bytes: self.bytes,
            records: self.entries,
            lost_events: self.expired,
            ..LOGCAT.quality(name)
        };
        for (priority, count) in &self.priorities {
            quality.events.insert(format!("priority {priority}"), *count);
        }
        let mut unread = |what: &str, count: u64| {
            if count > 0 {
                quality.unread.insert(what.to_owned(), count);
            }
        };
        unread("line that is not of the log's format", self.unparsed);
        unread("line of a bug report outside of its logs", self.outside);
        unread("event log record", self.binary_events);
        self.notes(&mut quality.notes);
        quality
    }

    fn notes(&self, notes: &mut Vec<Note>) {
        let formats = self.formats.join(", ");
        notes.push(Note::new(
            Severity::Info,
            "logcat-format",
            format!("read as the output of logcat -v {formats}"),
        ));
        let mut note = |severity, code, count: u64, text: String| {
            if count > 0 {
                notes.push(Note::new(severity, code, text).times(count));
            }
        };
        let unparsed = self.unparsed;
        note(
            Severity::Warning,
            "logcat-unparsed",
            unparsed,
            format!("a line that is not in the format {formats} was not used"),
        );
        let expired = self.expired;
        note(
            Severity::Warning,
            "logcat-expired",
            expired,
            format!("the log dropped {expired} lines of writers that wrote too much (chatty)"),
        );
        let identical = self.identical;
        note(
            Severity::Info,
            "logcat-identical",
            identical,
            format!("the log left out {identical} lines that repeat the one before (chatty)"),
        );
        note(
            Severity::Warning,
            "logcat-time-back",
            self.steps_back,
            "the time of the log goes back by more than a second: the clock was set, or the device was started anew"
                .to_owned(),
        );
        note(
            Severity::Info,
            "logcat-new-year",
            self.year_turns,
            "lines have no year; one ended between two of them".to_owned(),
        );
        note(
            Severity::Warning,
            "logcat-line-too-long",
            self.cut,
            "lines longer than any that logs have were cut off".to_owned(),
        );
        note(
            Severity::Error,
            "truncated",
            u64::from(self.is_truncated),
            "the log ends inside a record; what is before that was read".to_owned(),
        );
        if let Some(failure) = &self.failure {
            let text =
                format!("the input ends with an error ({failure}); what is before that was read");
            note(Severity::Error, "damaged", 1, text);
        }
    }
}
