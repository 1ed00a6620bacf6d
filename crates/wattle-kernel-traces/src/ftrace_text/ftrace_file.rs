//! A trace from the file that holds it: text, text that atrace packed, or a page.

use std::io::{BufRead, BufReader, Cursor, Read};

use base64ct::{Base64, Encoding};
use wattle_timeline::{ArtifactQuality, Severity};

use super::atrace_chunks::{AtraceChunks, ChunkForm, TRACE_WITHIN, after_trace};
use super::line_reader::TextReader;
use super::newlines::Newlines;
use super::viewer_page::{Page, Piece};
use super::{FORMAT, trace_line};
use crate::limits::MAX_PACKED_IN_PAGE;
use wattle_import::text::Lines;
use wattle_import::{Clock, Reading, Session, UnpackBudget};

/// Bytes of a line that are kept.
const LONGEST: usize = 1 << 20;

/// Interval of progress reports, in lines.
const PROGRESS_STEP: u64 = 1 << 14;

/// Container of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FtraceForm {
    /// Nothing.
    Text,
    /// atrace's head, and zlib.
    Packed,
    /// A page for a browser.
    Page,
}

/// Whether a text begins as the kernel's trace does: with its head, or with events.
pub(super) fn looks_like_events(head: &[u8]) -> bool {
    if head.starts_with(b"# tracer:") {
        return true;
    }
    let mut lines = head.split(|byte| *byte == b'\n').take(64);
    lines.any(|line| trace_line::parse(line).is_some_and(|line| !line.name.is_empty()))
}

/// Whether atrace wrote it.
pub(super) fn looks_packed(head: &[u8]) -> bool {
    after_trace(head).is_some()
}

/// Reads a trace into the session's builder. Says how that went, and what it knows of clocks.
pub(crate) fn read(
    name: &str,
    form: FtraceForm,
    stream: impl Read,
    session: &mut Session,
    told: &mut dyn FnMut(u64),
) -> (ArtifactQuality, Vec<(Clock, Reading)>) {
    let budget = session.unpacking.clone();
    let mut reader = TextReader::new(&mut session.builder);
    let bytes = match form {
        FtraceForm::Text => text(stream, &mut reader, told),
        FtraceForm::Packed => packed(stream, &budget, &mut reader, told),
        FtraceForm::Page => page(stream, &budget, &mut reader, told),
    };
    let ignored = reader.ignored;
    let (mut quality, readings) = reader.finish();
    name.clone_into(&mut quality.name);
    FORMAT.clone_into(&mut quality.format);
    quality.bytes = bytes;
    ignored.apply(&mut quality);
    (quality, readings)
}

/// Reads lines; says how many bytes there were.
fn text(input: impl Read, reader: &mut TextReader<'_>, told: &mut dyn FnMut(u64)) -> u64 {
    let (bytes, ends_within) = each_line(input, LONGEST, reader, told, TextReader::line);
    if ends_within {
        reader.tally.note(Severity::Warning, "line-cut", Some(bytes), || {
            "the text ends inside of a line: it may be cut".to_owned()
        });
    }
    bytes
}

/// Gives each line to `take`. How many bytes there were, and whether they end within a line.
fn each_line<'b, R: Read>(
    input: R,
    longest: usize,
    reader: &mut TextReader<'b>,
    told: &mut dyn FnMut(u64),
    mut take: impl FnMut(&mut TextReader<'b>, u64, &[u8]),
) -> (u64, bool) {
    let mut lines = Lines::new(input, longest);
    let mut count = 0u64;
    while let Some(line) = lines.next_line() {
        if line.is_cut {
            reader.tally.note(Severity::Warning, "line-too-long", Some(line.offset), || {
                "lines longer than any trace has were cut off".to_owned()
            });
        }
        take(reader, line.offset, line.bytes);
        count += 1;
        if count.is_multiple_of(PROGRESS_STEP) {
            told(lines.offset());
        }
    }
    let offset = lines.offset();
    let ends_within = lines.ends_within;
    if let Some(failure) = lines.failure {
        reader.tally.note(Severity::Error, "damaged", Some(offset), || {
            format!("the input ends with an error ({failure}); what is before that was read")
        });
    }
    (offset, ends_within)
}

/// Reads what atrace wrote: chunks of a trace, each behind its head, packed or not.
fn packed(
    mut stream: impl Read,
    budget: &UnpackBudget,
    reader: &mut TextReader<'_>,
    told: &mut dyn FnMut(u64),
) -> u64 {
    let mut head = Vec::new();
    // What fails here fails again below.
    let _ = stream.by_ref().take(2 * TRACE_WITHIN as u64).read_to_end(&mut head);
    let (start, added) = after_trace(&head).unwrap_or((0, 0));
    let rest = head.split_off(start);
    let mut counted = Counted { input: Cursor::new(rest).chain(stream), bytes: 0 };
    let unfolded = BufReader::new(Newlines::new(BufReader::new(&mut counted), added));
    let mut chunks = AtraceChunks::new(unfolded);
    loop {
        match chunks.form() {
            // A text goes on over the lines that announce further texts.
            ChunkForm::Text => {
                text(&mut chunks.input, reader, told);
                break;
            }
            ChunkForm::Zlib => {
                let unpacked = flate2::bufread::ZlibDecoder::new(&mut chunks.input);
                let unpacked = text(budget.reader(unpacked), reader, &mut |_| {});
                // Lines are as long as they are unpacked.
                reader.ignored.unpack(0, unpacked);
            }
        }
        if !chunks.advance() {
            break;
        }
        reader.section();
    }
    let unused = chunks.unused;
    reader.ignored.add(unused);
    if unused > 0 {
        reader.tally.note(Severity::Info, "behind-trace", None, || {
            format!("{unused} bytes behind the end of the packed trace are not of it: not used")
        });
    }
    start as u64 + counted.bytes
}

/// Counts what is read.
struct Counted<R> {
    input: R,
    bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(into)?;
        self.bytes += count as u64;
        Ok(count)
    }
}

/// Reads the parts of a page.
fn page(
    input: impl Read,
    budget: &UnpackBudget,
    reader: &mut TextReader<'_>,
    told: &mut dyn FnMut(u64),
) -> u64 {
    let mut page = Page::default();
    let (mut parts, mut is_first, mut is_json) = (0u64, false, false);
    let mut is_whole = false;
    let mut base64 = Vec::new();
    let (bytes, _) = each_line(input, MAX_PACKED_IN_PAGE, reader, told, |reader, offset, line| {
        is_whole |= line.trim_ascii_end().ends_with(b"</html>");
        match page.line(line) {
            Piece::Page => {}
            Piece::Begin => {
                reader.section();
                (parts, is_first, is_json) = (parts + 1, true, false);
                base64.clear();
            }
            Piece::Line(line) => {
                if std::mem::take(&mut is_first) {
                    is_json = matches!(line.trim_ascii_start().first(), Some(b'{' | b'['));
                    if is_json {
                        json(reader, offset);
                    }
                }
                if !is_json {
                    reader.line(offset, line);
                }
            }
            Piece::Packed(line) => {
                if base64.len() + line.len() <= MAX_PACKED_IN_PAGE {
                    base64.extend_from_slice(line.trim_ascii());
                }
            }
            Piece::End => {
                if !base64.is_empty() {
                    unpack(std::mem::take(&mut base64), offset, budget, reader);
                }
            }
        }
    });
    if !is_whole {
        reader.tally.note(Severity::Error, "page-cut", Some(bytes), || {
            "the page ends before its `</html>`: it was cut, and what came after is missing"
                .to_owned()
        });
    }
    if parts == 0 {
        reader.tally.note(Severity::Error, "page-without-trace", None, || {
            "the page has no part that a trace is in (`trace-data`, `viewer-data`, `linuxPerfData`): nothing was read"
                .to_owned()
        });
    }
    bytes
}

fn json(reader: &mut TextReader<'_>, offset: u64) {
    reader.tally.unread("part in Chrome's JSON format");
    reader.tally.note(Severity::Info, "page-json", Some(offset), || {
        "a part of the page is in Chrome's JSON format (what the recorder itself did): not used"
            .to_owned()
    });
}

/// Reads a part that is packed.
fn unpack(base64: Vec<u8>, offset: u64, budget: &UnpackBudget, reader: &mut TextReader<'_>) {
    let text = String::from_utf8(base64).unwrap_or_default();
    let Ok(packed) = Base64::decode_vec(&text) else {
        reader.tally.note(Severity::Error, "damaged", Some(offset), || {
            "a packed part of the page is no base64: not read".to_owned()
        });
        return;
    };
    let unpacked = flate2::read::MultiGzDecoder::new(&*packed);
    let mut unpacked = BufReader::new(budget.reader(unpacked));
    let first =
        unpacked.fill_buf().ok().and_then(|bytes| bytes.trim_ascii_start().first().copied());
    if matches!(first, Some(b'{' | b'[')) {
        json(reader, offset);
        return;
    }
    each_line(unpacked, LONGEST, reader, &mut |_| {}, |reader, _, line| {
        reader.line(offset, line);
    });
}
