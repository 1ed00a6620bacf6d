//! The end of an archive: where its central directory is.

use crate::little_endian::{Cursor, u16_at, u32_at};
use crate::{ApkError, ArchiveProblem};

/// `End of central directory record` (PKWARE APPNOTE 4.3.16).
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndRecord<'a> {
    /// Offset of the record in the file.
    pub(crate) offset: usize,
    /// Number of records in the central directory.
    pub(crate) entries: u16,
    /// Size of the central directory.
    pub(crate) directory_size: usize,
    /// Offset of the central directory in the file.
    pub(crate) directory_offset: usize,
    /// The archive's comment.
    pub(crate) comment: &'a [u8],
}

impl<'a> EndRecord<'a> {
    /// Signature of the record.
    pub(crate) const SIGNATURE: u32 = 0x0605_4b50;
    /// Size without the comment.
    pub(crate) const SIZE: usize = 4 + 2 * 4 + 4 * 2 + 2;
    /// Offset in the record of the central directory's offset.
    pub(crate) const DIRECTORY_OFFSET_FIELD: usize = 16;
    const ZIP64_LOCATOR: u32 = 0x0706_4b50;
    const ZIP64_LOCATOR_SIZE: usize = 20;

    /// Finds the record as Android does: the last one whose comment reaches exactly to the end of the file.
    pub(crate) fn find(file: &'a [u8]) -> Result<Self, ApkError> {
        let missing = ApkError::NotAnArchive { length: file.len() as u64 };
        let Some(last) = file.len().checked_sub(Self::SIZE) else { return Err(missing) };
        let first = last.saturating_sub(usize::from(u16::MAX));
        let offset = (first..=last).rev().find(|&offset| {
            u32_at(file, offset) == Some(Self::SIGNATURE)
                && u16_at(file, offset.saturating_add(20)).map(usize::from)
                    == last.checked_sub(offset)
        });
        Self::parse(file, offset.ok_or(missing)?)
    }

    fn parse(file: &'a [u8], offset: usize) -> Result<Self, ApkError> {
        let record = file.get(offset..).unwrap_or_default();
        let mut fields = Cursor::new(record, offset, "the end-of-central-directory record");
        let _signature = fields.u32()?;
        let disk = fields.u16()?;
        let directory_disk = fields.u16()?;
        let here = fields.u16()?;
        let entries = fields.u16()?;
        let directory_size = fields.u32()?;
        let directory_offset = fields.u32()?;
        let comment_length = fields.u16()?;
        let comment = fields.take(usize::from(comment_length))?;
        let fail = |problem| Err(ApkError::Archive { offset: offset as u64, problem });

        let locator = offset.checked_sub(Self::ZIP64_LOCATOR_SIZE);
        let has_locator = locator.is_some_and(|at| u32_at(file, at) == Some(Self::ZIP64_LOCATOR));
        if has_locator || directory_size == u32::MAX || directory_offset == u32::MAX {
            return fail(ArchiveProblem::Zip64);
        }
        if disk != 0 || directory_disk != 0 || here != entries {
            return fail(ArchiveProblem::MultiDisk { disk, here, total: entries });
        }
        let start = u64::from(directory_offset);
        let end = start.saturating_add(u64::from(directory_size));
        if end > offset as u64 {
            return fail(ArchiveProblem::DirectoryOutside { start, end, limit: offset as u64 });
        }
        let (directory_size, directory_offset) =
            (directory_size as usize, directory_offset as usize);
        Ok(Self { offset, entries, directory_size, directory_offset, comment })
    }
}
