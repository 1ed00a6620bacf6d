//! The header.

use crate::cursor::Cursor;
use crate::{DexError, Result, Section};

/// `header_item`: sizes and offsets of the identifier tables.
///
/// Since version 041 offsets count from the start of the *container*, which holds one or more logical
/// files; before it container and file are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version in the magic: 35 to 41.
    pub version: u16,
    /// Adler-32 of everything past this field.
    pub checksum: u32,
    /// SHA-1 of everything past this field.
    pub signature: [u8; 20],
    /// Length of this logical file in bytes.
    pub file_size: u32,
    /// 0x70, or 0x78 since version 041.
    pub header_size: u32,
    /// Length of the link section.
    pub link_size: u32,
    /// Offset of the link section.
    pub link_off: u32,
    /// Offset of the map.
    pub map_off: u32,
    /// Number and offset of entries of the tables of strings, types, signatures, fields, methods and
    /// class definitions, in this order.
    pub tables: [(u32, u32); 6],
    /// `data_size`; no longer used since version 041.
    pub data_size: u32,
    /// `data_off`; no longer used since version 041.
    pub data_off: u32,
    /// Length of the container; the file's before version 041.
    pub container_size: u32,
    /// Offset of this header in the container; 0 before version 041.
    pub header_offset: u32,
}

/// `ENDIAN_CONSTANT`: the only byte order that files have.
pub(crate) const ENDIAN_CONSTANT: u32 = 0x1234_5678;
/// Length of the header before version 041.
pub(crate) const HEADER_SIZE: u32 = 0x70;
/// Length of the header since version 041.
pub(crate) const HEADER_SIZE_V41: u32 = 0x78;
/// Offset of the signature.
pub(crate) const SIGNATURE_AT: usize = 12;
/// Offset from which on the signature covers the file.
pub(crate) const SIGNED_AT: usize = 32;

impl Header {
    /// Reads the header at an offset of a container.
    pub fn parse(data: &[u8], at: u32) -> Result<Self> {
        let mut cursor = Cursor::new(data, at, Section::HEADER);
        let magic: [u8; 8] =
            *cursor.bytes(8)?.first_chunk().ok_or(DexError::Magic { found: [0; 8] })?;
        let version = version_of(magic)?;
        let checksum = cursor.u32()?;
        let mut signature = [0; 20];
        signature.copy_from_slice(cursor.bytes(20)?);
        let file_size = cursor.u32()?;
        let header_size = cursor.u32()?;
        let expected = if version >= 41 { HEADER_SIZE_V41 } else { HEADER_SIZE };
        if header_size != expected {
            return Err(cursor.malformed_at(
                at + 36,
                "header_size 0x70, 0x78 since version 041",
                u64::from(header_size),
            ));
        }
        let endian = cursor.u32()?;
        if endian != ENDIAN_CONSTANT {
            return Err(cursor.malformed_at(at + 40, "endian_tag 0x12345678", u64::from(endian)));
        }
        let (link_size, link_off, map_off) = (cursor.u32()?, cursor.u32()?, cursor.u32()?);
        let mut tables = [(0, 0); 6];
        for table in &mut tables {
            *table = (cursor.u32()?, cursor.u32()?);
        }
        let (data_size, data_off) = (cursor.u32()?, cursor.u32()?);
        let (container_size, header_offset) =
            if version >= 41 { (cursor.u32()?, cursor.u32()?) } else { (file_size, 0) };
        if version >= 41 && header_offset != at {
            return Err(cursor.malformed_at(
                at + 0x74,
                "header_offset of this header",
                u64::from(header_offset),
            ));
        }
        Ok(Self {
            version,
            checksum,
            signature,
            file_size,
            header_size,
            link_size,
            link_off,
            map_off,
            tables,
            data_size,
            data_off,
            container_size,
            header_offset,
        })
    }
}

fn version_of(magic: [u8; 8]) -> Result<u16> {
    let [b'd', b'e', b'x', b'\n', digits @ .., 0] = magic else {
        return Err(DexError::Magic { found: magic });
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(DexError::Magic { found: magic });
    }
    let version = digits.iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0'));
    // 036 was never released; the runtime has refused it ever since.
    if matches!(version, 35 | 37..=41) {
        Ok(version)
    } else {
        Err(DexError::Version { found: version })
    }
}

/// The magic of a version.
pub(crate) fn magic_of(version: u16) -> [u8; 8] {
    let digit = |place: u16| b'0' + (version / place % 10) as u8;
    [b'd', b'e', b'x', b'\n', digit(100), digit(10), digit(1), 0]
}
