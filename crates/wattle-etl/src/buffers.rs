//! The buffers of a log: where each lies, and when its first event was.

use wattle_import::UnpackBudget;
use wattle_timeline::{Note, Severity};

use super::buffer::{BufferHeader, HEADER, LARGEST};
use super::compress::Compression;
use super::event_header::Place;
use super::log_header::LogHeader;
use super::log_source::Source;
use super::payload::Payload;

/// Buffers of one log.
const MAX_BUFFERS: usize = 1 << 24;

/// Unpacked bytes that are kept from finding the first event of each buffer until all are read.
const MAX_KEPT: usize = 256 << 20;

/// Bytes of a buffer that are looked at for its first event: its header and the longest of an event's.
const HEAD: usize = HEADER + 128;

/// Offset of the state in a buffer's header.
const STATE: usize = 0x2c;

/// A buffer of the log.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub header: BufferHeader,
    /// Offset in the file.
    pub at: u64,
    /// When its first event was, in ticks.
    pub first: i64,
    /// Contents, if it was packed and there is room.
    unpacked: Option<Vec<u8>>,
}

/// All buffers of a log.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// In the order of their first events.
    pub list: Vec<Buffer>,
    /// Header of the log; `None` if the log does not even have that.
    pub log: Option<LogHeader>,
    /// Notes on defects.
    pub notes: Vec<Note>,
    /// Bytes of the log.
    pub size: u64,
    /// Buffers whose CPU had lost events.
    pub lossy: u64,
    /// Buffers without an event.
    pub empty: u64,
    kept: usize,
    packing: Option<Compression>,
    /// The bytes that packed buffers may unpack to.
    budget: UnpackBudget,
}

impl Buffers {
    /// Finds them. Packed ones are unpacked within the budget.
    pub fn find(source: &mut Source<'_>, budget: &UnpackBudget) -> Self {
        let mut all = Self { budget: budget.clone(), ..Self::default() };
        if let Err(error) = all.walk(source) {
            all.failed(&error);
        }
        // Those of one CPU are in order already; of events at one instant the file's order counts.
        all.list.sort_by_key(|buffer| (buffer.first, buffer.at));
        all
    }

    fn failed(&mut self, error: &std::io::Error) {
        let text = format!("reading failed ({error}): what could be read before was used");
        self.notes.push(Note::new(Severity::Error, "damaged", text));
    }

    fn walk(&mut self, source: &mut Source<'_>) -> std::io::Result<()> {
        self.size = source.size()?;
        let (mut at, mut head, mut skipped) = (0_u64, Vec::new(), 0_u64);
        while at < self.size && self.list.len() < MAX_BUFFERS && !self.budget.is_exceeded() {
            source.read(at, HEAD, &mut head)?;
            let is_windows_xp = self.log.as_ref().is_some_and(LogHeader::is_windows_xp);
            let header = BufferHeader::read(&head, is_windows_xp);
            let Some(header) = header else {
                // The buffers of a log have one size, but for packed ones.
                let step = self.log.as_ref().map_or(0, |log| u64::from(log.buffer_size));
                if step < HEADER as u64 || self.size - at < HEADER as u64 {
                    self.notes.push(truncated(at, self.size - at));
                    break;
                }
                skipped += 1;
                at += step;
                continue;
            };
            if at + header.size as u64 > self.size {
                self.notes.push(truncated(at, self.size - at));
            }
            if self.list.is_empty() && self.log.is_none() {
                self.read_log_header(source, at, header)?;
            }
            self.add(source, at, header, &head)?;
            at += header.size as u64;
        }
        if skipped > 0 {
            let text = "buffers without a header that makes sense: stepped over";
            self.notes.push(Note::new(Severity::Error, "buffer-malformed", text).times(skipped));
        }
        Ok(())
    }

    fn read_log_header(
        &mut self,
        source: &mut Source<'_>,
        at: u64,
        header: BufferHeader,
    ) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        source.read(at, header.filled.min(header.size), &mut bytes)?;
        self.packing = Payload::new(&bytes, 8).u32(STATE).and_then(Compression::from_state);
        let event = bytes.get(HEADER..).unwrap_or_default();
        self.log = Place::read(event).and_then(|place| {
            let record = super::event_header::read(place, event)?;
            LogHeader::read(record.payload, record.pointer_size, place.time?)
        });
        if self.log.is_none() {
            let text = "the log's own header is not whole: its clock is not known";
            self.notes.push(Note::new(Severity::Error, "no-log-header", text));
        }
        Ok(())
    }

    fn add(
        &mut self,
        source: &mut Source<'_>,
        at: u64,
        header: BufferHeader,
        head: &[u8],
    ) -> std::io::Result<()> {
        self.lossy += u64::from(header.lost);
        if header.filled <= HEADER {
            self.empty += 1;
            return Ok(());
        }
        let mut buffer = Buffer { header, at, first: i64::MIN, unpacked: None };
        let first = if header.is_packed {
            let mut bytes = Vec::new();
            self.load(source, &buffer, &mut bytes)?;
            let first = Place::read(&bytes).and_then(|place| place.time);
            if self.kept + bytes.len() <= MAX_KEPT {
                self.kept += bytes.len();
                buffer.unpacked = Some(bytes);
            }
            first
        } else {
            head.get(HEADER..).and_then(Place::peek)
        };
        // What has no time comes where its buffer lies.
        let last = self.list.last().map_or(i64::MIN, |last| last.first);
        buffer.first = first.unwrap_or(last);
        self.list.push(buffer);
        Ok(())
    }

    /// The events of a buffer, as one stretch of bytes.
    pub fn load(
        &mut self,
        source: &mut Source<'_>,
        buffer: &Buffer,
        to: &mut Vec<u8>,
    ) -> std::io::Result<()> {
        let header = buffer.header;
        if let Some(unpacked) = &buffer.unpacked {
            to.clear();
            to.extend_from_slice(unpacked);
            return Ok(());
        }
        let data = buffer.at + HEADER as u64;
        if !header.is_packed {
            return source.read(data, header.filled.min(header.size) - HEADER, to);
        }
        let mut packed = Vec::new();
        source.read(data, header.size - HEADER, &mut packed)?;
        to.clear();
        let Some(packing) = self.packing else {
            let text = "buffers that are packed in a way that is not known: not used";
            self.note(Note::new(Severity::Error, "buffer-packed", text).at(buffer.at));
            return Ok(());
        };
        if self.budget.is_exceeded() {
            return Ok(());
        }
        let unpacked = packing.decompress(&packed, header.filled.min(LARGEST) - HEADER);
        let size = unpacked.as_ref().map_or_else(|error| error.unpacked.len(), Vec::len);
        self.budget.take(size as u64);
        match unpacked {
            Ok(bytes) => *to = bytes,
            Err(error) => {
                let text = format!("{error}: what could be unpacked of it was used");
                self.note(Note::new(Severity::Error, "buffer-packed", text).at(buffer.at));
                *to = error.unpacked;
            }
        }
        Ok(())
    }

    /// The buffer with this number, taken out of the list.
    pub fn take(&mut self, index: usize) -> Option<Buffer> {
        let buffer = self.list.get_mut(index)?;
        let unpacked = buffer.unpacked.take();
        Some(Buffer { unpacked, ..buffer.clone() })
    }

    /// Says what went wrong; of one kind only the first place is told.
    pub fn note(&mut self, note: Note) {
        match self.notes.iter_mut().find(|it| it.code == note.code) {
            Some(known) => known.count += 1,
            None => self.notes.push(note),
        }
    }
}

fn truncated(at: u64, left: u64) -> Note {
    let text = format!("the log ends inside a buffer, {left} bytes after it began");
    Note::new(Severity::Error, "truncated", text).at(at)
}
