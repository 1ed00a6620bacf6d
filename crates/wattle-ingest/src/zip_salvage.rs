//! Members of a ZIP archive whose directory is missing, because a download or copy broke off.
//!
//! The directory is at an archive's end. Each member also has a header of its own before its data; from those a directory is made
//! and put behind what is there, so that the archive is then read like any other.

use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};

use flate2::bufread::DeflateDecoder;

use crate::limits::{MAX_MEMBERS, MAX_RATIO};

/// First bytes of a member's header.
const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
/// Bytes of a header before the name.
const HEADER: usize = 30;
/// Bytes of an archive that are searched: the directory made here has offsets of 32 bits.
const SEARCHED: u64 = u32::MAX as u64 - 1;
/// The member's sizes follow its data.
const HAS_DESCRIPTOR: u16 = 1 << 3;
const IS_ENCRYPTED: u16 = 1;
/// Methods of compression.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// An archive with a directory of what is left of it.
pub(crate) struct SalvagedArchive<R> {
    archive: R,
    kept: u64,
    directory: Vec<u8>,
    position: u64,
    /// Members that are whole: their checksums are right.
    pub whole: usize,
    /// Members whose data is damaged or cannot be checked: left out.
    pub damaged: usize,
    /// The member in which the archive ends.
    pub cut: Option<String>,
}

/// Header of a member.
struct Header {
    offset: u64,
    data: u64,
    flags: u16,
    method: u16,
    time: [u8; 4],
    crc: u32,
    packed: u64,
    size: u64,
    name: Vec<u8>,
}

/// State of a member's data.
enum Data {
    Whole,
    /// The archive ends within it.
    Cut,
    Damaged,
}

/// Finds the members of an archive without a directory. `None` if there is none of which anything can be read. `left` is the most that
/// is unpacked to check them.
pub(crate) fn salvage<R: Read + Seek>(
    mut archive: R,
    mut left: u64,
) -> std::io::Result<Option<SalvagedArchive<R>>> {
    let length = archive.seek(SeekFrom::End(0))?.min(SEARCHED);
    let mut found = SalvagedArchive {
        archive,
        kept: length,
        directory: Vec::new(),
        position: 0,
        whole: 0,
        damaged: 0,
        cut: None,
    };
    let (mut at, mut listed) = (0, 0u16);
    while usize::from(listed) + found.damaged < MAX_MEMBERS {
        let Some(mut header) = Header::read(&mut found.archive, at, length)? else { break };
        let data = header.check(&mut found.archive, length, &mut left)?;
        at = header.data.saturating_add(header.packed);
        if header.flags & HAS_DESCRIPTOR != 0 && !matches!(data, Data::Cut) {
            at = after_descriptor(&mut found.archive, at)?;
        }
        match data {
            Data::Whole => {
                header.list(&mut found.directory);
                (found.whole, listed) = (found.whole + 1, listed + 1);
            }
            Data::Damaged => found.damaged += 1,
            Data::Cut => {
                header.packed = length.saturating_sub(header.data);
                // The true size may not be known, and nothing is read by it but stored data.
                header.size = if header.method == STORED { header.packed } else { SEARCHED };
                if header.packed > 0 && header.is_readable() {
                    header.list(&mut found.directory);
                    listed += 1;
                }
                found.cut = Some(String::from_utf8_lossy(&header.name).into_owned());
                break;
            }
        }
    }
    let size = found.directory.len() as u32;
    found.directory.extend(b"PK\x05\x06\0\0\0\0");
    found.directory.extend(listed.to_le_bytes());
    found.directory.extend(listed.to_le_bytes());
    found.directory.extend(size.to_le_bytes());
    found.directory.extend((length as u32).to_le_bytes());
    found.directory.extend([0, 0]);
    Ok((listed > 0).then_some(found))
}

impl Header {
    /// The header at the offset; `None` if none begins there or the archive ends within it.
    fn read(
        archive: &mut (impl Read + Seek),
        offset: u64,
        length: u64,
    ) -> std::io::Result<Option<Self>> {
        archive.seek(SeekFrom::Start(offset))?;
        let mut bytes = [0; HEADER];
        if offset.saturating_add(HEADER as u64) > length || archive.read_exact(&mut bytes).is_err()
        {
            return Ok(None);
        }
        let [a, b, c, d, _, _, f0, f1, m0, m1, rest @ ..] = bytes;
        if [a, b, c, d] != LOCAL_HEADER {
            return Ok(None);
        }
        let [t0, t1, t2, t3, c0, c1, c2, c3, p0, p1, p2, p3, s0, s1, s2, s3, n0, n1, e0, e1] = rest;
        let (names, extras) = (u16::from_le_bytes([n0, n1]), u16::from_le_bytes([e0, e1]));
        let data = offset + HEADER as u64 + u64::from(names) + u64::from(extras);
        let mut name = vec![0; usize::from(names)];
        if data > length || archive.read_exact(&mut name).is_err() {
            return Ok(None);
        }
        Ok(Some(Self {
            offset,
            data,
            flags: u16::from_le_bytes([f0, f1]),
            method: u16::from_le_bytes([m0, m1]),
            time: [t0, t1, t2, t3],
            crc: u32::from_le_bytes([c0, c1, c2, c3]),
            packed: u32::from_le_bytes([p0, p1, p2, p3]).into(),
            size: u32::from_le_bytes([s0, s1, s2, s3]).into(),
            name,
        }))
    }

    /// Whether its data can be read at all.
    fn is_readable(&self) -> bool {
        self.flags & IS_ENCRYPTED == 0 && matches!(self.method, STORED | DEFLATED)
    }

    /// Unpacks the data up to its checksum. Sizes and checksum that the header leaves out are filled in.
    fn check(
        &mut self,
        archive: &mut (impl Read + Seek),
        length: u64,
        left: &mut u64,
    ) -> std::io::Result<Data> {
        let is_sized = self.flags & HAS_DESCRIPTOR == 0;
        let there = length.saturating_sub(self.data);
        // Only a deflated stream says itself where it ends.
        if !is_sized && (self.method != DEFLATED || !self.is_readable()) {
            return Ok(Data::Cut);
        }
        if is_sized && self.packed > there {
            return Ok(Data::Cut);
        }
        if !self.is_readable() {
            return Ok(Data::Damaged);
        }
        archive.seek(SeekFrom::Start(self.data))?;
        let packed = if is_sized { self.packed } else { there };
        let limit = packed.saturating_mul(MAX_RATIO).min(*left);
        let mut input = BufReader::new(archive.take(packed));
        let mut sum = flate2::Crc::new();
        let (result, consumed) = if self.method == STORED {
            (sum_up(input.take(limit), &mut sum), packed)
        } else {
            let mut unpacked = DeflateDecoder::new(&mut input);
            let result = sum_up(unpacked.by_ref().take(limit), &mut sum);
            (result, unpacked.total_in())
        };
        let size = match result {
            Ok(size) => size,
            Err(error) if !is_sized && error.kind() == ErrorKind::UnexpectedEof => {
                return Ok(Data::Cut);
            }
            // Where the next member begins is not known then.
            Err(_) if !is_sized => return Ok(Data::Cut),
            Err(_) => return Ok(Data::Damaged),
        };
        *left = left.saturating_sub(size);
        if is_sized {
            let fits = sum.sum() == self.crc && size == self.size;
            return Ok(if fits { Data::Whole } else { Data::Damaged });
        }
        (self.packed, self.size, self.crc) = (consumed, size, sum.sum());
        archive.seek(SeekFrom::Start(self.data.saturating_add(consumed)))?;
        let described = descriptor_crc(archive)?;
        Ok(match described {
            Some(crc) if crc == self.crc => Data::Whole,
            Some(_) => Data::Damaged,
            None => Data::Cut,
        })
    }

    /// Adds it to a directory.
    fn list(&self, directory: &mut Vec<u8>) {
        let narrow = |size: u64| u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes();
        // Made by and needs version 2.0.
        directory.extend(b"PK\x01\x02\x14\0\x14\0");
        directory.extend((self.flags & !HAS_DESCRIPTOR).to_le_bytes());
        directory.extend(self.method.to_le_bytes());
        directory.extend(self.time);
        directory.extend(self.crc.to_le_bytes());
        directory.extend(narrow(self.packed));
        directory.extend(narrow(self.size));
        directory.extend((self.name.len() as u16).to_le_bytes());
        // No extra fields, no comment, disk 0, no attributes.
        directory.extend([0; 12]);
        directory.extend(narrow(self.offset));
        directory.extend(&self.name);
    }
}

/// Reads to the end. Returns the number of bytes.
fn sum_up(mut input: impl Read, sum: &mut flate2::Crc) -> std::io::Result<u64> {
    let mut buffer = vec![0; 1 << 16];
    let mut size = 0u64;
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(size),
            Ok(count) => {
                sum.update(buffer.get(..count).unwrap_or_default());
                size = size.saturating_add(count as u64);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// First bytes of what follows a member's data; writers may leave them out.
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// The checksum in the descriptor that begins here; `None` if the archive ends within.
fn descriptor_crc(archive: &mut impl Read) -> std::io::Result<Option<u32>> {
    let mut bytes = Vec::new();
    archive.take(16).read_to_end(&mut bytes)?;
    let (has_mark, rest) = match bytes.strip_prefix(&DESCRIPTOR) {
        Some(rest) => (true, rest),
        None => (false, bytes.as_slice()),
    };
    let is_whole = bytes.len() >= if has_mark { 16 } else { 12 };
    let crc = rest.first_chunk::<4>().map(|crc| u32::from_le_bytes(*crc));
    Ok(crc.filter(|_| is_whole))
}

/// The offset of the header behind the descriptor at the offset: its sizes have 32 or 64 bits.
fn after_descriptor(archive: &mut (impl Read + Seek), at: u64) -> std::io::Result<u64> {
    archive.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    archive.take(28).read_to_end(&mut bytes)?;
    let marked = if bytes.starts_with(&DESCRIPTOR) { 4 } else { 0 };
    let is_long = bytes.get(marked + 12..).is_none_or(|rest| !rest.starts_with(b"PK"))
        && bytes.get(marked + 20..).is_some_and(|rest| rest.starts_with(b"PK"));
    Ok(at.saturating_add((marked + if is_long { 20 } else { 12 }) as u64))
}

impl<R: Read + Seek> Read for SalvagedArchive<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = match self.kept.checked_sub(self.position) {
            Some(before) if before > 0 => {
                self.archive.seek(SeekFrom::Start(self.position))?;
                (&mut self.archive).take(before).read(into)?
            }
            _ => {
                let start = self.position.saturating_sub(self.kept) as usize;
                self.directory.get(start..).unwrap_or_default().read(into)?
            }
        };
        self.position += count as u64;
        Ok(count)
    }
}

impl<R: Read + Seek> Seek for SalvagedArchive<R> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let end = self.kept.saturating_add(self.directory.len() as u64);
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => end.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
