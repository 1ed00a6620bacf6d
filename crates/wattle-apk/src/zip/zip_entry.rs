//! One file of the archive.

use std::str;

use crate::little_endian::Cursor;
use crate::zip::entry_name;
use crate::zip::local_header::{LocalHeader, Span};
use crate::{ApkError, ArchiveProblem, EntryProblem};

/// The form in which an entry's content is kept in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// As it is (method 0).
    Stored,
    /// Compressed with deflate (method 8).
    Deflated,
}

impl Method {
    /// The number of the method in the format.
    pub const fn number(self) -> u16 {
        match self {
            Self::Stored => 0,
            Self::Deflated => 8,
        }
    }

    const fn from_number(number: u16) -> Option<Self> {
        match number {
            0 => Some(Self::Stored),
            8 => Some(Self::Deflated),
            _ => None,
        }
    }
}

/// One file of the archive, as its record in the central directory and its local header describe it.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    name: &'a str,
    method: Method,
    flags: u16,
    crc32: u32,
    compressed_size: u32,
    size: u32,
    record: &'a [u8],
    record_offset: usize,
    local: LocalHeader<'a>,
}

impl<'a> Entry<'a> {
    /// `Central directory header` (PKWARE APPNOTE 4.3.12) without name, extra fields and comment.
    pub(crate) const RECORD_SIZE: usize = 4 + 6 * 2 + 3 * 4 + 5 * 2 + 2 * 4;
    /// Signature of a record in the central directory.
    pub(crate) const RECORD_SIGNATURE: u32 = 0x0201_4b50;
    /// Offset in a record of the length of the name.
    pub(crate) const NAME_LENGTH_FIELD: usize = 28;
    /// Offset in a record of the local header's offset.
    pub(crate) const LOCAL_OFFSET_FIELD: usize = 42;
    /// Set when the name is UTF-8.
    pub(crate) const FLAG_UTF8: u16 = 1 << 11;
    /// Encrypted, strongly encrypted, central directory encrypted.
    const FLAGS_ENCRYPTION: u16 = 1 | 1 << 6 | 1 << 13;

    /// Reads the next record of the central directory and the local header that it points to.
    ///
    /// `limit` is where entries must end: at the signing block or the central directory.
    pub(crate) fn parse(
        file: &'a [u8],
        records: &mut Cursor<'a>,
        limit: usize,
    ) -> Result<Self, ApkError> {
        let record_offset = records.offset();
        let mut ahead = records.clone();
        let found = ahead.u32()?;
        if found != Self::RECORD_SIGNATURE {
            return Err(ApkError::Archive {
                offset: record_offset as u64,
                problem: ArchiveProblem::RecordSignature {
                    expected: Self::RECORD_SIGNATURE,
                    found,
                },
            });
        }
        let _made_by = ahead.u16()?;
        let _needed = ahead.u16()?;
        let flags = ahead.u16()?;
        let method = ahead.u16()?;
        let _time_and_date = ahead.u32()?;
        let crc32 = ahead.u32()?;
        let compressed_size = ahead.u32()?;
        let size = ahead.u32()?;
        let name_length = usize::from(ahead.u16()?);
        let extra_length = usize::from(ahead.u16()?);
        let comment_length = usize::from(ahead.u16()?);
        let _disk = ahead.u16()?;
        let _internal = ahead.u16()?;
        let _external = ahead.u32()?;
        let local_offset = ahead.u32()?;
        let name_bytes = ahead.take(name_length)?;
        let record = records.take(
            Self::RECORD_SIZE
                .saturating_add(name_length)
                .saturating_add(extra_length)
                .saturating_add(comment_length),
        )?;

        let fail = |problem| {
            let name = String::from_utf8_lossy(name_bytes).into_owned();
            ApkError::Entry { name, offset: record_offset as u64, problem }
        };
        let name = str::from_utf8(name_bytes).map_err(|_| fail(EntryProblem::NameNotUtf8))?;
        entry_name::check(name).map_err(fail)?;
        if flags & Self::FLAGS_ENCRYPTION != 0 {
            return Err(fail(EntryProblem::Encrypted { flags }));
        }
        let method =
            Method::from_number(method).ok_or_else(|| fail(EntryProblem::Method { method }))?;
        if [compressed_size, size, local_offset].contains(&u32::MAX) {
            let problem = ArchiveProblem::Zip64;
            return Err(ApkError::Archive { offset: record_offset as u64, problem });
        }
        if method == Method::Stored && compressed_size != size {
            return Err(fail(EntryProblem::StoredSizes {
                compressed: u64::from(compressed_size),
                uncompressed: u64::from(size),
            }));
        }
        let span = Span { crc32, compressed_size, size, flags, method: method.number() };
        let local = LocalHeader::parse(file, local_offset as usize, name, &span, limit)?;
        Ok(Self { name, method, flags, crc32, compressed_size, size, record, record_offset, local })
    }

    /// The name, a relative path with `/`.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Whether it is a folder, which has no content.
    pub fn is_directory(&self) -> bool {
        self.name.ends_with('/')
    }

    /// The form in which its content is kept.
    pub const fn method(&self) -> Method {
        self.method
    }

    /// General purpose flags (APPNOTE 4.4.4).
    pub const fn flags(&self) -> u16 {
        self.flags
    }

    /// CRC-32 of the content, as announced.
    pub const fn crc32(&self) -> u32 {
        self.crc32
    }

    /// Bytes in the archive.
    pub const fn compressed_size(&self) -> u32 {
        self.compressed_size
    }

    /// Bytes of the content, as announced.
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// Offset of its local header in the file.
    pub const fn local_offset(&self) -> usize {
        self.local.offset
    }

    /// Offset of its data in the file.
    pub const fn data_offset(&self) -> usize {
        self.local.offset.saturating_add(self.local.header.len())
    }

    /// The data as it is in the archive: compressed if the method says so.
    pub const fn raw(&self) -> &'a [u8] {
        self.local.data
    }

    /// An error about this entry.
    pub(crate) fn error(&self, problem: EntryProblem) -> ApkError {
        ApkError::Entry { name: self.name.to_owned(), offset: self.local.offset as u64, problem }
    }

    /// Offset of its record in the file.
    pub(crate) const fn record_offset(&self) -> usize {
        self.record_offset
    }

    /// Its record in the central directory, whole.
    pub(crate) const fn record(&self) -> &'a [u8] {
        self.record
    }

    pub(crate) const fn local(&self) -> &LocalHeader<'a> {
        &self.local
    }
}
