//! Logs: the output of `logcat` in any of its formats, with any modifiers, as text or binary, and the logs inside a bug
//! report.
//!
//! The format is found from the content. Each line is given to a consumer by a callback; a timeline keeps what
//! consumers make of them (probes, tests), not the texts.
//!
//! # Quirks
//!
//! - Lines without a year: the year that brings the first line nearest to what is known from outside, then the one that brings
//!   each line nearest to the one before, so that New Year is a small step.
//! - `adb shell logcat` of Android before 7 ends lines with `\r\n`.
//! - `-v color` puts escape sequences around each line.
//! - Tags may hold slashes, parentheses and spaces (`I//system/xbin/run-parts(   71): …`).
//! - A message of several lines has the header on each of them, except in the format `long`.

mod binary;
mod chatty;
mod line_format;
mod log_entry;
mod log_format;
mod logcat_options;
mod summary;
mod text_log;

pub use log_entry::{LogClock, LogEntry, LogTime};
pub(crate) use log_format::LOGCAT;
pub use logcat_options::LogcatOptions;
pub use summary::LogcatSummary;

pub(crate) use binary::looks_binary;
pub(crate) use line_format::Parsed;

use std::io::{Cursor, Read};

use wattle_import::HEAD;

/// Beginning of the line that `logcat` writes first, before the name of the buffer.
pub(crate) const BEGINNING: &[u8] = b"--------- beginning of ";

/// Whether a text is a log by its first bytes: nearly all of its lines are of a format that has more than a priority, or it begins as
/// logs and bug reports do.
pub(crate) fn looks_like_log(head: &[u8]) -> bool {
    let mut all = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    if all.clone().take(3).any(|line| line.starts_with(b"== dumpstate")) {
        return true;
    }
    let first = line_format::plain(all.next().unwrap_or_default());
    if first.starts_with(BEGINNING) || first.starts_with(b"H1 ") {
        return true;
    }
    let whole = memchr::memrchr(b'\n', head).and_then(|end| head.get(..end)).unwrap_or(head);
    let lines = whole.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"---------"));
    let (format, read) = line_format::Format::detect(&lines);
    let (read, all) = (read, lines.count());
    match format {
        line_format::Format::Raw => false,
        // Each header has at least one line of text.
        line_format::Format::Long => read > 0 && read * 8 >= all,
        line_format::Format::ThreadTime | line_format::Format::Time => read * 2 >= all,
        _ => read >= 2 && read * 10 >= all * 8,
    }
}

/// Reads a log and gives each line of it to the callback.
///
/// Never fails: what is not understood is counted in the summary. Memory is bounded by the longest line.
pub fn read_logcat(
    input: impl Read,
    options: LogcatOptions,
    each: &mut dyn FnMut(&LogEntry<'_>),
) -> LogcatSummary {
    read_told(input, options, each, &mut |_| {})
}

/// [`read_logcat`], told how many bytes were read.
pub(crate) fn read_told(
    mut input: impl Read,
    options: LogcatOptions,
    each: &mut dyn FnMut(&LogEntry<'_>),
    told: &mut dyn FnMut(u64),
) -> LogcatSummary {
    let mut tally = text_log::Tally::new(options);
    let mut head = Vec::new();
    if let Err(error) = input.by_ref().take(HEAD as u64).read_to_end(&mut head) {
        tally.summary.failure = Some(error.to_string());
    }
    let is_binary = looks_binary(&head);
    let whole = Cursor::new(head).chain(input);
    if is_binary {
        binary::read(whole, &mut tally, each);
    } else {
        text_log::read(whole, &mut tally, each, told);
    }
    tally.finish()
}

/// Takes one line of a log apart, in any format that has it on one line.
pub(crate) fn parse_line(line: &[u8]) -> Option<Parsed<'_>> {
    const FORMATS: [line_format::Format; 4] = [
        line_format::Format::ThreadTime,
        line_format::Format::Time,
        line_format::Format::Brief,
        line_format::Format::Tag,
    ];
    let line = line_format::plain(line);
    FORMATS.into_iter().find_map(|format| format.parse(line))
}
