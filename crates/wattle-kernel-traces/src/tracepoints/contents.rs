//! Contents of a file apart from the events.

use std::collections::BTreeMap;
use std::ops::Range;

use super::event_format::{Format, PageLayout};
use wattle_wire::ByteOrder;

/// Ring buffer of one CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuData {
    /// The CPU.
    pub cpu: u32,
    /// Range in the file.
    pub range: Range<usize>,
}

/// Compression of packed parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// They are not.
    #[default]
    None,
    /// By zlib.
    Zlib,
    /// By zstd.
    Zstd,
    /// By something that is not known here.
    Unknown,
}

/// The clock that a file's events are stamped with, and what leads from it to other clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventClock {
    /// Its name.
    pub name: Option<Vec<u8>>,
    /// Nanoseconds that are to be added to each time.
    pub offset: i64,
    /// Nanoseconds that the wall clock is ahead of it.
    pub wall_offset: Option<i64>,
    /// Multiplier and shift of a clock that counts cycles.
    pub cycles: Option<(u32, u32)>,
    /// The times of a guest are to be brought to those of its host.
    pub is_guest: bool,
}

/// A file without its events.
#[derive(Debug, Default)]
pub struct Contents {
    /// The version of the file.
    pub version: u32,
    /// The order of bytes.
    pub order: ByteOrder,
    /// Bytes of a page of the ring buffer.
    pub page_size: usize,
    /// Compression of parts.
    pub packing: Packing,
    /// The head of each page.
    pub page: PageLayout,
    /// Descriptions of events, by their numbers.
    pub formats: BTreeMap<u16, Format>,
    /// Names of threads when recording ended.
    pub comms: Vec<(u32, Vec<u8>)>,
    /// Texts by their addresses in the kernel.
    pub constants: BTreeMap<u64, Vec<u8>>,
    /// The ring buffers.
    pub cpus: Vec<CpuData>,
    /// The data of the CPUs is in packed pieces.
    pub is_packed: bool,
    /// Start of the section with that data (version 7).
    pub buffer_section: Option<usize>,
    /// The trace as text, instead of the data of CPUs.
    pub latency: Option<Range<usize>>,
    /// The clock of the events.
    pub clock: EventClock,
    /// Events that the kernel says were overwritten or dropped.
    pub overruns: u64,
    /// Buffers beside the top one.
    pub instances: u64,
    /// Sections and options that are not known.
    pub unknown: u64,
    /// The kernel's release.
    pub release: Option<String>,
}

impl Contents {
    /// Takes in the names of threads: lines of number and name.
    pub fn read_comms(&mut self, text: &[u8]) {
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.trim_ascii();
            let Some(space) = memchr::memchr(b' ', line) else { continue };
            let (tid, name) = line.split_at(space);
            if let Some(tid) = decimal(tid) {
                self.comms.push((tid, name.trim_ascii().to_vec()));
            }
        }
    }

    /// Takes in texts by address: `0xffffffff81a0 : "text"`.
    pub fn read_constants(&mut self, text: &[u8]) {
        for line in text.split(|byte| *byte == b'\n') {
            let mut parts = line.splitn(2, |byte| *byte == b':');
            let (Some(address), Some(text)) = (parts.next(), parts.next()) else { continue };
            let Ok(address) = std::str::from_utf8(address) else { continue };
            let address = address.trim().trim_start_matches("0x");
            let Ok(address) = u64::from_str_radix(address, 16) else { continue };
            let text = text.trim_ascii();
            let text =
                text.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(text);
            self.constants.insert(address, text.to_vec());
        }
    }

    /// Takes in the description of an event.
    pub fn read_format(&mut self, text: &[u8]) {
        if let Some(format) = Format::parse(text) {
            self.formats.insert(format.id, format);
        } else {
            self.unknown += 1;
        }
    }
}

fn decimal(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}
