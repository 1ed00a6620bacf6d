//! Digests over a whole package, in chunks that are computed in parallel.

use crate::ApkError;
use crate::crypto::Hash;
use crate::little_endian::set_u32;
use crate::signature::verity;
use crate::zip::{Apk, EndRecord, SigningBlock};

/// The parts that schemes v2 and later protect: everything but the signing block itself.
#[derive(Debug, Clone)]
pub(super) struct Content<'a> {
    entries: &'a [u8],
    directory: &'a [u8],
    /// The end record as if the signing block were not there.
    end: Vec<u8>,
}

impl<'a> Content<'a> {
    const CHUNK: usize = 1 << 20;

    /// The content of a package with or without signing block.
    pub(super) fn from_apk(apk: &Apk<'a>) -> Self {
        let file = apk.bytes();
        let record = apk.end_record();
        let directory = record.directory_offset;
        let entries_end = apk.signing_block().map_or(directory, SigningBlock::offset);
        let mut end = file.get(record.offset..).unwrap_or_default().to_vec();
        set_u32(&mut end, EndRecord::DIRECTORY_OFFSET_FIELD, entries_end as u32);
        Self {
            entries: file.get(..entries_end).unwrap_or_default(),
            // Up to the end record, so that nothing between the two goes unprotected.
            directory: file.get(directory..record.offset).unwrap_or_default(),
            end,
        }
    }

    /// The digest that signatures contain: each chunk's digest with its length, then the digest over those.
    pub(super) fn digest(&self, hash: Hash) -> Vec<u8> {
        let sections = [self.entries, self.directory, &self.end];
        let chunks: Vec<&[u8]> =
            sections.into_iter().flat_map(|section| section.chunks(Self::CHUNK)).collect();
        let digests = wattle_workers::ordered(wattle_workers::available(0), &chunks, |chunk| {
            hash.digest(&[&[0xa5], &(chunk.len() as u32).to_le_bytes(), chunk])
        });
        let digests = digests.concat();
        hash.digest(&[&[0x5a], &(chunks.len() as u32).to_le_bytes(), &digests])
    }

    /// The digest of the content as fs-verity computes it, with the length behind it.
    pub(super) fn verity_digest(&self) -> Vec<u8> {
        let sections = [self.entries, self.directory, &self.end];
        let length: usize = sections.iter().map(|section| section.len()).sum();
        let mut digest = verity::root_hash(&sections);
        digest.extend_from_slice(&(length as u64).to_le_bytes());
        digest
    }

    /// The end of the entries, where the signing block belongs.
    pub(super) const fn entries_end(&self) -> usize {
        self.entries.len()
    }
}

/// Puts a signing block into a package without one: behind its entries, which end at an offset, as its end record begins at one.
pub(super) fn insert_signing_block(
    package: &mut Vec<u8>,
    (entries_end, end_record): (usize, usize),
    block: &[u8],
) -> Result<(), ApkError> {
    let length = package.len().saturating_add(block.len());
    if length >= u32::MAX as usize {
        return Err(ApkError::TooLarge { entries: 0, bytes: length as u64 });
    }
    package.splice(entries_end..entries_end, block.iter().copied());
    let moved = end_record.saturating_add(block.len());
    let field = moved.saturating_add(EndRecord::DIRECTORY_OFFSET_FIELD);
    set_u32(package, field, entries_end.saturating_add(block.len()) as u32);
    Ok(())
}
