//! The `.xz` file format (version 1.2.1), as far as `.gnu_debugdata` uses it: blocks with the one filter LZMA2.
//!
//! The container is read here and only the packed chunks are given to `lzma-rs`, because that must not make more than it is allowed
//! to: it keeps all it has made in memory, whatever a file claims.

use std::io::{self, BufRead, Read};

use super::mini_debug_error::MiniDebugError;

const MAGIC: &[u8] = b"\xfd7zXZ\0";
const LZMA2: u64 = 0x21;

/// The check of a block's content (`xz` 2.1.1.2).
#[derive(Clone, Copy)]
enum Check {
    Crc32,
    Crc64,
    /// Of a length, and not looked at.
    Other(usize),
}

impl Check {
    fn from_flags(flags: u8) -> Self {
        match flags & 0xf {
            1 => Self::Crc32,
            4 => Self::Crc64,
            0 => Self::Other(0),
            // Of each three one size: 4, 8, 16, 32, 64 bytes.
            more => Self::Other(4 << ((more - 1) / 3)),
        }
    }

    fn len(self) -> usize {
        match self {
            Self::Crc32 => 4,
            Self::Crc64 => 8,
            Self::Other(len) => len,
        }
    }

    fn holds(self, content: &[u8], stored: &[u8]) -> bool {
        match self {
            Self::Crc32 => {
                let mut crc = flate2::Crc::new();
                crc.update(content);
                crc.sum().to_le_bytes() == stored
            }
            Self::Crc64 => crc64(content).to_le_bytes() == stored,
            Self::Other(_) => true,
        }
    }
}

/// CRC-64 of ECMA-182, reflected, of each byte.
const CRC64: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u64, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xc96c_5795_d787_0f42 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// CRC-64 of ECMA-182, reflected.
fn crc64(content: &[u8]) -> u64 {
    let step = |crc: u64, byte: &u8| {
        let index = usize::from(crc as u8 ^ byte);
        (crc >> 8) ^ CRC64.get(index).copied().unwrap_or_default()
    };
    !content.iter().fold(!0, step)
}

/// Unpacks a file, at most `limit` bytes.
pub(super) fn unpack(packed: &[u8], limit: usize) -> Result<Vec<u8>, MiniDebugError> {
    let header = packed.get(..12).filter(|header| header.starts_with(MAGIC));
    let check = Check::from_flags(header.ok_or(MiniDebugError::NotXz)?[7]);
    let mut rest = &packed[12..];
    let mut content = Vec::new();
    // The index begins with a 0 where a block has the size of its header.
    while let Some(size) = rest.first().filter(|size| **size != 0) {
        let size = (usize::from(*size) + 1) * 4;
        let header = rest.get(..size).ok_or(MiniDebugError::Damaged)?;
        check_filters(header)?;
        let mut input = Metered::new(&rest[size..], limit - content.len());
        let from = content.len();
        let unpacked = lzma_rs::lzma2_decompress(&mut input, &mut content);
        if input.is_over {
            return Err(MiniDebugError::TooLarge { limit });
        }
        unpacked.map_err(|_| MiniDebugError::Damaged)?;
        let data = rest.len() - size - input.rest.len();
        rest = input.rest.get(data.next_multiple_of(4) - data..).ok_or(MiniDebugError::Damaged)?;
        let stored = rest.get(..check.len()).ok_or(MiniDebugError::Damaged)?;
        if !check.holds(&content[from..], stored) {
            return Err(MiniDebugError::Damaged);
        }
        rest = &rest[check.len()..];
    }
    Ok(content)
}

/// Whether a block's header asks for nothing but LZMA2 (`xz` 3.1).
fn check_filters(header: &[u8]) -> Result<(), MiniDebugError> {
    let mut fields = header.get(1..header.len() - 4).ok_or(MiniDebugError::Damaged)?;
    let flags = take(&mut fields).ok_or(MiniDebugError::Damaged)?;
    for has_size in [flags & 0x40 != 0, flags & 0x80 != 0] {
        if has_size {
            multibyte(&mut fields).ok_or(MiniDebugError::Damaged)?;
        }
    }
    let id = multibyte(&mut fields).ok_or(MiniDebugError::Damaged)?;
    if flags & 3 != 0 || id != LZMA2 { Err(MiniDebugError::Filter) } else { Ok(()) }
}

fn take(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

/// A number of variable length (`xz` 1.2).
fn multibyte(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let byte = take(bytes)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Packed chunks, read until what they say that they hold is more than is allowed.
///
/// A chunk begins with a status byte and two bytes of the size that it will have, then, unless it is stored as it is, two bytes of
/// the size that it has; the decoder reads these and nothing else in twos. So what it is about to make is known before it makes it,
/// wherever it believes that a chunk begins.
struct Metered<'a> {
    rest: &'a [u8],
    left: usize,
    status: u8,
    is_packed_size: bool,
    is_over: bool,
}

impl<'a> Metered<'a> {
    fn new(rest: &'a [u8], left: usize) -> Self {
        Self { rest, left, status: 0, is_packed_size: false, is_over: false }
    }

    fn announced(&mut self, low: u16) -> io::Result<()> {
        let is_packed = self.status & 0x80 != 0;
        if std::mem::take(&mut self.is_packed_size) {
            return Ok(());
        }
        self.is_packed_size = is_packed;
        let high = if is_packed { usize::from(self.status & 0x1f) << 16 } else { 0 };
        let Some(left) = self.left.checked_sub(high + usize::from(low) + 1) else {
            self.is_over = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        };
        self.left = left;
        Ok(())
    }
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.rest.read(buffer)?;
        match *buffer {
            [status] if read == 1 => {
                self.status = status;
                self.is_packed_size = false;
            }
            [high, low] if read == 2 => self.announced(u16::from_be_bytes([high, low]))?,
            _ => {}
        }
        Ok(read)
    }
}

impl BufRead for Metered<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.rest)
    }

    fn consume(&mut self, amount: usize) {
        self.rest = self.rest.get(amount..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn the_check_value_of_the_catalogue() {
        assert_eq!(crc64(b"123456789"), 0x995d_c9bb_df19_39fa);
    }

    #[test]
    fn what_becomes_too_large_is_refused_before_it_is_made() {
        let mut packed = Vec::new();
        lzma_rs::xz_compress(&mut &vec![7; 100_000][..], &mut packed).unwrap();
        assert_eq!(unpack(&packed, 100_000).unwrap(), vec![7; 100_000]);
        assert!(matches!(unpack(&packed, 99_999), Err(MiniDebugError::TooLarge { .. })));
        assert!(matches!(unpack(b"no such thing", 9), Err(MiniDebugError::NotXz)));
    }
}
