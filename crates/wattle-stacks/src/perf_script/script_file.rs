//! A text of `perf script` from the file that holds it.

use std::io::Read;

use wattle_timeline::{Architecture, ArtifactQuality, Severity};

use super::event_words::is_event;
use super::script_reader::ScriptReader;
use super::{FORMAT, comment, frame_line, sample_columns, script_record};
use crate::samples::{SampleClock, ToldClock};
use wattle_import::Session;
use wattle_import::text::Lines;
use wattle_kernel_traces::kernel::EventKind;

/// Bytes of a line that are kept.
const LONGEST: usize = 1 << 16;

/// Interval of progress reports, in lines.
const PROGRESS_STEP: u64 = 1 << 14;

/// Whether a text begins as the output of `perf script` does: with its head, with a sample and its frames, or with samples of events
/// that the kernel's own text has no names for.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    if head.starts_with(b"# tracer:") {
        return false;
    }
    let mut lines = head.split(|byte| *byte == b'\n').take(256).peekable();
    let mut is_after_rule = false;
    while let Some(line) = lines.next() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.first() == Some(&b'#') {
            let text = line.get(1..).unwrap_or_default().trim_ascii();
            // Only perf draws a rule and says then when it was.
            if is_after_rule && text.starts_with(b"captured on") {
                return true;
            }
            is_after_rule = !text.is_empty() && text.iter().all(|byte| *byte == b'=');
            continue;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Some(found) = sample_columns::timed(line).or_else(|| sample_columns::timeless(line))
        else {
            return is_bare_stack(line, lines.peek().copied());
        };
        if found.time.is_some() && script_record::parse(found.rest).is_some() {
            return true;
        }
        let is_followed = lines
            .peek()
            .is_some_and(|next| next.first() == Some(&b'\t') && frame_line::parse(next).is_some());
        if is_followed && found.rest.is_empty() {
            return true;
        }
        let has_thread = found.tid.is_some() || found.cpu.is_some();
        let is_known = if found.time.is_some() { has_thread } else { found.period.is_some() };
        let is_whole = is_followed || found.rest.is_empty() || is_payload(found.event, found.rest);
        return is_known && is_event(found.event) && is_whole;
    }
    false
}

/// `comm ` alone above frames, or frames alone.
fn is_bare_stack(line: &[u8], next: Option<&[u8]>) -> bool {
    let is_frame = |line: &[u8]| {
        let frame = frame_line::parse(line).filter(|_| line.starts_with(b"\t"));
        frame.is_some_and(|frame| frame.address > 0xff && frame.function.is_some())
    };
    let is_comm = !line.starts_with(b" ") && line.ends_with(b" ");
    is_frame(line) || (is_comm && next.is_some_and(is_frame))
}

/// Whether an address, or what a tracepoint says, stands behind the event.
fn is_payload(event: &[u8], rest: &[u8]) -> bool {
    let colon = memchr::memchr(b':', event);
    let tracepoint = colon.and_then(|colon| EventKind::of_name(event.get(colon + 1..)?));
    frame_line::parse(rest).is_some()
        || tracepoint.is_some()
        || memchr::memchr(b'=', rest).is_some()
}

/// Reads a text.
pub(crate) fn read(
    name: &str,
    stream: impl Read,
    session: &mut Session,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let mut lines = Lines::new(stream, LONGEST);
    let mut clock = ToldClock::Unsaid;
    let mut head = ArtifactQuality { name: name.to_owned(), ..ArtifactQuality::default() };
    // The first line that is none of the head.
    let mut first = None;
    while let Some(line) = lines.next_line() {
        if line.bytes.first() != Some(&b'#') {
            first = Some((line.offset, line.bytes.to_vec()));
            break;
        }
        if let Some(machine) = comment::machine(line.bytes) {
            let device = &mut session.builder.device;
            device.architecture =
                device.architecture.or_else(|| Architecture::from_machine(machine));
        }
        // Events of one recording share a clock.
        clock = comment::clock(line.bytes).unwrap_or(clock);
    }
    let clock = SampleClock::new(clock, session, &mut head);
    let mut reader = ScriptReader::new(&mut session.builder, clock);
    if let Some((offset, line)) = first {
        reader.line(offset, &line);
    }
    let mut count = 0u64;
    while let Some(line) = lines.next_line() {
        if line.is_cut {
            reader.tally.note(Severity::Warning, "line-too-long", Some(line.offset), || {
                "lines longer than any that perf writes were cut off".to_owned()
            });
        }
        reader.line(line.offset, line.bytes);
        count += 1;
        if count.is_multiple_of(PROGRESS_STEP) {
            told(lines.offset());
        }
    }
    let offset = lines.offset();
    if lines.ends_within {
        reader.tally.note(Severity::Warning, "line-cut", Some(offset), || {
            "the text ends inside of a line: it may be cut".to_owned()
        });
    }
    if let Some(failure) = lines.failure.take() {
        reader.tally.note(Severity::Error, "damaged", Some(offset), || {
            format!("the input ends with an error ({failure}); what is before that was read")
        });
    }
    let mut quality = reader.finish();
    name.clone_into(&mut quality.name);
    FORMAT.name.clone_into(&mut quality.format);
    quality.bytes = offset;
    quality.notes.extend(head.notes);
    session.sampled();
    quality
}
