//! Bounded reading of little-endian numbers and LEB128.

use crate::{DexError, Result, Section};

/// A position in the bytes of a file, which knows the section it reads for its errors.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    data: &'a [u8],
    at: usize,
    section: Section,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(data: &'a [u8], at: u32, section: Section) -> Self {
        Self { data, at: at as usize, section }
    }

    /// Offset of the next byte.
    pub(crate) fn at(&self) -> u32 {
        self.at as u32
    }

    pub(crate) fn section(&self) -> Section {
        self.section
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(count);
        match end.and_then(|end| self.data.get(self.at..end)) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(self.truncated(count as u64)),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let found = self.data.get(self.at..).and_then(<[u8]>::first_chunk::<N>);
        match found {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.truncated(N as u64)),
        }
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// `uleb128` of at most 32 bits.
    #[inline]
    pub(crate) fn uleb(&mut self) -> Result<u32> {
        match self.data.get(self.at) {
            // Nearly all are one byte long.
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(u32::from(byte))
            }
            _ => self.long_uleb(),
        }
    }

    fn long_uleb(&mut self) -> Result<u32> {
        let start = self.at;
        let mut value = 0_u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.u8()?;
            if shift == 28 && byte > 0x0f {
                break;
            }
            value |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.malformed_at(start as u32, "a LEB128 number of at most 32 bits", u64::from(value)))
    }

    /// Skips one LEB128 number of either kind.
    pub(crate) fn uleb_any(&mut self) -> Result<()> {
        let start = self.at;
        for _ in 0..5 {
            if self.u8()? & 0x80 == 0 {
                return Ok(());
            }
        }
        Err(self.malformed_at(start as u32, "a LEB128 number of at most 5 bytes", 0))
    }

    /// `uleb128p1`: a number or nothing.
    pub(crate) fn uleb_p1(&mut self) -> Result<Option<u32>> {
        self.uleb().map(|value| value.checked_sub(1))
    }

    /// `sleb128` of at most 32 bits.
    pub(crate) fn sleb(&mut self) -> Result<i32> {
        let start = self.at;
        let mut value = 0_i64;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.u8()?;
            value |= i64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let unused = 64 - (shift + 7);
                // The fifth byte may carry sign bits past bit 31; they are not looked at.
                return Ok(((value << unused) >> unused) as i32);
            }
        }
        Err(self.malformed_at(start as u32, "a signed LEB128 number of at most 32 bits", 0))
    }

    pub(crate) fn align(&mut self, to: u32) {
        self.at = (self.at + to as usize - 1) & !(to as usize - 1);
    }

    pub(crate) fn malformed(&self, expected: &'static str, found: u64) -> DexError {
        self.malformed_at(self.at(), expected, found)
    }

    pub(crate) fn malformed_at(&self, offset: u32, expected: &'static str, found: u64) -> DexError {
        DexError::Malformed { section: self.section, offset: u64::from(offset), expected, found }
    }

    fn truncated(&self, expected: u64) -> DexError {
        DexError::Truncated {
            section: self.section,
            offset: self.at as u64,
            expected,
            found: self.data.len().saturating_sub(self.at) as u64,
        }
    }
}

/// Appends numbers in the format's encodings.
pub(crate) trait Put {
    fn put_u16(&mut self, value: u16);
    fn put_u32(&mut self, value: u32);
    fn put_uleb(&mut self, value: u32);
    fn put_uleb_p1(&mut self, value: Option<u32>);
    fn put_sleb(&mut self, value: i32);
    fn pad_to(&mut self, alignment: u32);
}

impl Put for Vec<u8> {
    fn put_u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_uleb(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.push(value as u8);
    }

    fn put_uleb_p1(&mut self, value: Option<u32>) {
        self.put_uleb(value.map_or(0, |value| value.wrapping_add(1)));
    }

    fn put_sleb(&mut self, mut value: i32) {
        loop {
            let byte = value as u8 & 0x7f;
            value >>= 7;
            if (value == 0 && byte & 0x40 == 0) || (value == -1 && byte & 0x40 != 0) {
                self.push(byte);
                return;
            }
            self.push(byte | 0x80);
        }
    }

    fn pad_to(&mut self, alignment: u32) {
        let alignment = alignment.max(1) as usize;
        self.resize(self.len().next_multiple_of(alignment), 0);
    }
}
