//! A log as text: finding its format, following its times, and the logs inside a bug report.

use std::io::Read;

use super::chatty::{self, LeftOut};
use super::line_format::{Format, Parsed, plain};
use super::log_entry::{LogClock, LogEntry, LogTime};
use super::logcat_options::LogcatOptions;
use super::summary::LogcatSummary;
use wattle_import::text::Lines;
use wattle_import::text::Stamp;
use wattle_import::text::Years;

/// Who is given each line.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&LogEntry<'_>);

/// The longest line that is kept. The log's own limit is 4,068 bytes of text.
const LONGEST: usize = 1 << 16;
/// Lines, and their bytes, that a format is found from.
const DETECT_LINES: usize = 512;
const DETECT_BYTES: usize = 1 << 18;
/// A log's time may go back by this much without a word: several writers are not put in order exactly.
const SLACK: i64 = 1_000_000_000;

/// Counts while a log is read.
pub(crate) struct Tally {
    pub summary: LogcatSummary,
    years: Years,
    last: Option<LogTime>,
}

impl Tally {
    pub fn new(options: LogcatOptions) -> Self {
        Self { summary: LogcatSummary::default(), years: Years::near(options.around), last: None }
    }

    pub fn format(&mut self, name: &'static str) {
        if !self.summary.formats.contains(&name) {
            self.summary.formats.push(name);
        }
    }

    pub fn entry(&mut self, priority: u8) {
        self.summary.entries += 1;
        *self.summary.priorities.entry(char::from(priority)).or_default() += 1;
    }

    pub fn chatty(&mut self, tag: Option<&[u8]>, message: &[u8]) {
        if tag != Some(b"chatty") {
            return;
        }
        let summary = &mut self.summary;
        match chatty::parse(message) {
            Some(LeftOut::Identical(count)) => {
                summary.identical = summary.identical.saturating_add(count);
            }
            Some(LeftOut::Expired(count)) => {
                summary.expired = summary.expired.saturating_add(count);
            }
            None => {}
        }
    }

    pub fn time(&mut self, time: Option<LogTime>) {
        let Some(time) = time else { return };
        if let Some(last) = self.last
            && last.clock == time.clock
            && time.nanos.saturating_add(SLACK) < last.nanos
        {
            self.summary.steps_back += 1;
        }
        self.last = Some(time);
    }

    fn resolve(&mut self, stamp: Option<Stamp>) -> Option<LogTime> {
        let time = match stamp? {
            Stamp::Epoch { nanos, step } => LogTime { clock: LogClock::Real, nanos, step },
            Stamp::Monotonic { nanos, step } => LogTime { clock: LogClock::Monotonic, nanos, step },
            Stamp::Date { date, zone, step } => {
                let nanos = self.years.resolve(date);
                match zone {
                    None => LogTime { clock: LogClock::Local, nanos, step },
                    Some(minutes) => {
                        let nanos = nanos - minutes * 60 * wattle_import::text::SECOND;
                        LogTime { clock: LogClock::Real, nanos, step }
                    }
                }
            }
        };
        self.time(Some(time));
        Some(time)
    }

    pub fn finish(mut self) -> LogcatSummary {
        self.summary.year_turns = self.years.turns;
        self.summary.year_is_unknown = !self.years.are_known();
        self.summary
    }
}

/// A line that waits for its format to be found.
struct Waiting {
    bytes: Vec<u8>,
    offset: u64,
    number: u64,
}

/// A record of the format `long` that is not complete.
#[derive(Default)]
struct LongEntry {
    header: Vec<u8>,
    text: Vec<u8>,
    number: u64,
}

pub(crate) struct TextReader<'e> {
    each: Each<'e>,
    format: Option<Format>,
    waiting: Vec<Waiting>,
    waiting_bytes: usize,
    long: Option<LongEntry>,
    /// In a bug report, outside of its logs.
    is_outside: bool,
}

/// Reads a log to its end.
pub(crate) fn read(input: impl Read, tally: &mut Tally, each: Each<'_>, told: &mut dyn FnMut(u64)) {
    let mut lines = Lines::new(input, LONGEST);
    let mut reader = TextReader {
        each,
        format: None,
        waiting: Vec::new(),
        waiting_bytes: 0,
        long: None,
        is_outside: false,
    };
    let mut number = 0;
    while let Some(line) = lines.next_line() {
        number += 1;
        tally.summary.cut += u64::from(line.is_cut);
        reader.line(line.bytes, line.offset, number, tally);
        if number.is_multiple_of(4096) {
            told(lines.offset());
        }
    }
    reader.end_of_section(tally);
    tally.summary.bytes = lines.offset();
    tally.summary.failure = lines.failure.map(|error| error.to_string());
}

/// `------ SYSTEM LOG (logcat -v time …) ------`: whether it heads a log. `None` for any other line.
fn section(line: &[u8]) -> Option<bool> {
    let inside = line.strip_prefix(b"------ ")?.strip_suffix(b" ------")?;
    Some(memchr::memmem::find(inside, b"(logcat").is_some())
}

impl TextReader<'_> {
    fn line(&mut self, bytes: &[u8], offset: u64, number: u64, tally: &mut Tally) {
        if number <= 3 && bytes.starts_with(b"== dumpstate") {
            self.is_outside = true;
            tally.summary.outside += std::mem::take(&mut self.waiting).len() as u64;
        }
        if let Some(is_log) = section(bytes) {
            self.end_of_section(tally);
            self.is_outside = !is_log;
            return;
        }
        if self.is_outside {
            tally.summary.outside += 1;
            return;
        }
        if let Some(format) = self.format {
            self.parse(format, bytes, offset, number, tally);
            return;
        }
        self.waiting_bytes += bytes.len();
        self.waiting.push(Waiting { bytes: bytes.to_owned(), offset, number });
        if self.waiting.len() >= DETECT_LINES || self.waiting_bytes >= DETECT_BYTES {
            self.detect(tally);
        }
    }

    fn detect(&mut self, tally: &mut Tally) {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let (format, _) = Format::detect(&waiting.iter().map(|line| line.bytes.as_slice()));
        tally.format(format.name());
        self.format = Some(format);
        for Waiting { bytes, offset, number } in waiting {
            self.parse(format, &bytes, offset, number, tally);
        }
    }

    fn end_of_section(&mut self, tally: &mut Tally) {
        if !self.waiting.is_empty() {
            self.detect(tally);
        }
        self.end_of_long(tally);
        self.format = None;
    }

    fn parse(&mut self, format: Format, bytes: &[u8], offset: u64, number: u64, tally: &mut Tally) {
        let line = plain(bytes);
        if line.starts_with(b"--------- beginning of ") || line.starts_with(b"--------- switch to ")
        {
            self.end_of_long(tally);
            tally.summary.dividers += 1;
            return;
        }
        match (format, format.parse(line)) {
            (Format::Long, Some(_)) => {
                self.end_of_long(tally);
                self.long = Some(LongEntry { header: line.to_owned(), text: Vec::new(), number });
            }
            (Format::Long, None) if self.long.is_some() => {
                if let Some(long) = &mut self.long
                    && long.text.len() + line.len() < LONGEST
                {
                    long.text.extend_from_slice(line);
                    long.text.push(b'\n');
                }
            }
            (_, Some(parsed)) => self.entry(&parsed, number, tally),
            (_, None) if line.trim_ascii().is_empty() => {}
            (_, None) => {
                tally.summary.unparsed += 1;
                tally.summary.first_unparsed.get_or_insert(offset);
            }
        }
    }

    fn end_of_long(&mut self, tally: &mut Tally) {
        let Some(long) = self.long.take() else { return };
        if let Some(parsed) = Format::Long.parse(&long.header) {
            // The last line's end and the empty line behind it.
            let text = long.text.strip_suffix(b"\n").unwrap_or(&long.text);
            let message = text.strip_suffix(b"\n").unwrap_or(text);
            self.entry(&Parsed { message, ..parsed }, long.number, tally);
        }
    }

    fn entry(&mut self, parsed: &Parsed<'_>, line: u64, tally: &mut Tally) {
        let time = tally.resolve(parsed.stamp);
        tally.entry(parsed.priority);
        tally.chatty(parsed.tag, parsed.message);
        let Parsed { uid, pid, tid, priority, tag, message, .. } = *parsed;
        (self.each)(&LogEntry { time, uid, pid, tid, priority, tag, message, line });
    }
}
