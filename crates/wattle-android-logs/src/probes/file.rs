//! The binary file of the sink `file` (`wattle-<pid>-<ms>.probes`, `docs/probe-formats.md`).

use std::io::Read;

use wattle_wire::{ByteCursor, ByteOrder};

use wattle_timeline::{ArtifactQuality, Note, Severity};

use super::ProbeClocks;
use super::map_id::ShortId;
use super::probe_formats::RECORDS;
use super::probe_record::Record;
use super::process::{ProbeLog, ProcessRecords};

/// First bytes of a file.
pub(crate) const SIGNATURE: &[u8] = b"WTLPROBE";
/// The fixed part of the header: everything before its two texts.
const HEADER: usize = 80;
/// The longest block that is read. The runtime's have 2,048 records.
const LONGEST: u32 = 16 << 20;

/// A cursor over bytes of a record.
fn cursor(bytes: &[u8]) -> ByteCursor<'_> {
    ByteCursor::new(bytes, 0, ByteOrder::LITTLE)
}

/// A text with its length before it.
fn sized_text<'a>(fields: &mut ByteCursor<'a>) -> Option<&'a [u8]> {
    let length = fields.u16()?;
    fields.take(usize::from(length))
}

fn clocks(fields: &mut ByteCursor<'_>) -> Option<ProbeClocks> {
    Some(ProbeClocks {
        before: fields.i64()?,
        wall_ms: fields.i64()?,
        boot: fields.i64()?,
        after: fields.i64()?,
    })
}

/// Reads up to so many bytes.
fn take(input: &mut impl Read, count: usize, into: &mut Vec<u8>) -> std::io::Result<bool> {
    into.clear();
    input.take(count as u64).read_to_end(into).map(|read| read == count)
}

/// Counts while a file is read.
struct BlockCounts {
    offset: u64,
    damaged: Option<(u64, u64)>,
    unknown: u64,
    /// Place inside a block where the file ends, and the number of bytes of the block that are there.
    tail: Option<(u64, u64)>,
    failure: Option<String>,
}

/// The blocks of one file, one after the other.
struct Blocks<R> {
    input: R,
    /// Content of the latest block.
    buffer: Vec<u8>,
    /// Index of the process in the log.
    process: usize,
    counts: BlockCounts,
}

/// Reads a file into the log of all processes. The index of the artifact's quality is `artifact`.
pub(crate) fn read(
    name: &str,
    mut input: impl Read,
    artifact: usize,
    log: &mut ProbeLog,
) -> ArtifactQuality {
    let mut quality = RECORDS.quality(name);
    let mut buffer = Vec::new();
    let Some(process) = header(&mut input, &mut buffer, &mut quality) else { return quality };
    log.processes.push(ProcessRecords { artifact, ..process });
    let process = log.processes.len() - 1;
    let counts =
        BlockCounts { offset: quality.bytes, damaged: None, unknown: 0, tail: None, failure: None };
    let mut blocks = Blocks { input, buffer, process, counts };
    while blocks.read_one(log, &mut quality) {}
    quality.bytes = blocks.counts.offset;
    notes(&mut quality, &blocks.counts);
    quality
}

fn header(
    input: &mut impl Read,
    buffer: &mut Vec<u8>,
    quality: &mut ArtifactQuality,
) -> Option<ProcessRecords> {
    let is_whole = take(input, HEADER, buffer).unwrap_or(false);
    quality.bytes = buffer.len() as u64;
    let mut refuse = |code: &str, text: String| {
        quality.notes.push(Note::new(Severity::Error, code, text).at(0));
        None
    };
    if !is_whole {
        let text = format!(
            "the file ends in its header: {HEADER} bytes expected at least, {} found",
            buffer.len()
        );
        return refuse("truncated", text);
    }
    let mut fields = cursor(buffer);
    fields.take(SIGNATURE.len())?;
    let (version, length) = (fields.u16()?, usize::from(fields.u16()?));
    if version != 1 || length < HEADER {
        return refuse(
            "probes-version",
            format!(
                "version 1 of the format expected, {version} found: a newer wattle may read it"
            ),
        );
    }
    let pid = fields.u32()?;
    let map = ShortId::from_id(fields.take(32)?)?;
    let clocks = clocks(&mut fields)?;
    let is_whole = take(input, length - HEADER, buffer).unwrap_or(false);
    quality.bytes += buffer.len() as u64;
    let mut texts = cursor(buffer);
    let mut text = || sized_text(&mut texts).unwrap_or_default();
    let (name, package) = (text(), text());
    if !is_whole {
        let note = Note::new(Severity::Error, "truncated", "the file ends in its header");
        quality.notes.push(note);
    }
    Some(ProcessRecords {
        pid: Some(pid),
        map,
        name: name.to_vec(),
        package: package.to_vec(),
        clocks: vec![clocks],
        ..ProcessRecords::default()
    })
}

impl<R: Read> Blocks<R> {
    /// Reads one block; false at the end.
    fn read_one(&mut self, log: &mut ProbeLog, quality: &mut ArtifactQuality) -> bool {
        let Self { input, buffer, process, counts: blocks } = self;
        let process = *process;
        let offset = blocks.offset;
        let ended = |blocks: &mut BlockCounts, result: std::io::Result<bool>, found: u64| {
            blocks.offset += found;
            match result {
                Ok(true) => return false,
                Ok(false) if blocks.offset > offset => {
                    blocks.tail = Some((offset, blocks.offset - offset));
                }
                Ok(false) => {}
                Err(error) => blocks.failure = Some(error.to_string()),
            }
            true
        };
        let result = take(input, 12, buffer);
        if ended(blocks, result, buffer.len() as u64) {
            return false;
        }
        let mut fields = cursor(buffer);
        let kind: [u8; 4] =
            fields.take(4).and_then(|kind| kind.try_into().ok()).unwrap_or_default();
        let (length, crc) = (fields.u32().unwrap_or(0), fields.u32().unwrap_or(0));
        let is_kind = kind.iter().all(u8::is_ascii_uppercase);
        if !is_kind {
            // Behind a damaged length there is nothing to go on by.
            blocks.damaged.get_or_insert((offset, 0)).1 += 1;
            return false;
        }
        if length > LONGEST {
            let skipped = std::io::copy(&mut input.take(u64::from(length)), &mut std::io::sink());
            let found = skipped.as_ref().map_or(0, |found| *found);
            blocks.unknown += 1;
            return !ended(blocks, skipped.map(|found| found == u64::from(length)), found);
        }
        let result = take(input, length as usize, buffer);
        if ended(blocks, result, buffer.len() as u64) {
            return false;
        }
        let mut sum = flate2::Crc::new();
        sum.update(buffer);
        let is_good = sum.sum() == crc
            && match &kind {
                b"CLCK" => clocks(&mut cursor(buffer)).map(|clocks| {
                    if let Some(process) = log.processes.get_mut(process) {
                        process.clocks.push(clocks);
                    }
                }),
                b"EVTS" => events(cursor(buffer), log, process, quality),
                _ => {
                    blocks.unknown += 1;
                    Some(())
                }
            }
            .is_some();
        quality.records += 1;
        if !is_good {
            blocks.damaged.get_or_insert((offset, 0)).1 += 1;
        }
        true
    }
}

/// `EVTS`. `None` if it ends before its records do; those before are kept.
fn events(
    mut fields: ByteCursor<'_>,
    log: &mut ProbeLog,
    process: usize,
    quality: &mut ArtifactQuality,
) -> Option<()> {
    let (tid, serial) = (fields.u32()?, fields.u32()?);
    let (number, count, lost) = (fields.u32()?, fields.u32()?, fields.u32()?);
    let mut time = fields.i64()?;
    let name = sized_text(&mut fields)?;
    let thread = log.thread(process, serial, tid)?;
    thread.block(number);
    thread.lost = thread.lost.max(u64::from(lost));
    name.clone_into(&mut thread.name);
    for _ in 0..count {
        let (code, later) = (fields.varint()?, fields.varint()?);
        time = time.checked_add(i64::try_from(later).ok()?)?;
        let record = Record::from_code(time, code)?;
        log.keep(process, serial, record);
        *quality.events.entry("record".to_owned()).or_default() += 1;
    }
    Some(())
}

fn notes(quality: &mut ArtifactQuality, blocks: &BlockCounts) {
    let mut note = |severity, code, at, count, text: String| {
        quality.notes.push(Note::new(severity, code, text).at(at).times(count));
    };
    if let Some((offset, count)) = blocks.damaged {
        let text = format!("{count} blocks are damaged: their records are lost");
        note(Severity::Error, "probes-damaged", offset, count, text);
    }
    if let Some((offset, bytes)) = blocks.tail {
        let text = format!(
            "the last {bytes} bytes are no whole block: the process was killed while it wrote, which is usual"
        );
        note(Severity::Info, "probes-tail", offset, 1, text);
    }
    if let Some(failure) = &blocks.failure {
        let text =
            format!("the input ends with an error ({failure}); what is before that was read");
        note(Severity::Error, "damaged", blocks.offset, 1, text);
    }
    if blocks.unknown > 0 {
        quality.unread.insert("block of an unknown kind".to_owned(), blocks.unknown);
    }
}
