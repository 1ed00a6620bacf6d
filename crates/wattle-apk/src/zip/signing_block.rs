//! The APK Signing Block, which lies between the entries and the central directory.

use crate::little_endian::{Cursor, u64_at};
use crate::{ApkError, SigningBlockProblem};

/// The sixteen bytes at the end of the block (AOSP `ApkSigningBlockUtils`).
pub(crate) const MAGIC: &[u8; 16] = b"APK Sig Block 42";

/// One part of an APK Signing Block: a number that says what it is, and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SigningBlockPart<'a> {
    /// Its number, see the constants of [`SigningBlock`].
    pub id: u32,
    /// Its content.
    pub content: &'a [u8],
    /// Offset of its content in the file.
    pub offset: usize,
}

/// The APK Signing Block: signatures of the schemes v2 and later, and what stores and tools put beside them.
#[derive(Debug, Clone)]
pub struct SigningBlock<'a> {
    offset: usize,
    bytes: &'a [u8],
    parts: Vec<SigningBlockPart<'a>>,
}

impl<'a> SigningBlock<'a> {
    /// Signatures of scheme v2 (`APK_SIGNATURE_SCHEME_V2_BLOCK_ID`).
    pub const V2: u32 = 0x7109_871a;
    /// Signatures of scheme v3 (`APK_SIGNATURE_SCHEME_V3_BLOCK_ID`).
    pub const V3: u32 = 0xf053_68c0;
    /// Signatures of scheme v3.1 (`APK_SIGNATURE_SCHEME_V31_BLOCK_ID`).
    pub const V31: u32 = 0x1b93_ad61;
    /// Source stamp, first version (`V1_SOURCE_STAMP_BLOCK_ID`).
    pub const SOURCE_STAMP_V1: u32 = 0x2b09_189e;
    /// Source stamp, second version (`V2_SOURCE_STAMP_BLOCK_ID`).
    pub const SOURCE_STAMP_V2: u32 = 0x6dff_800d;
    /// Encrypted list of dependencies, put there by the Android Gradle plugin for the Play store.
    pub const DEPENDENCY_INFO: u32 = 0x504b_4453;
    /// Metadata of the Play store.
    pub const FROSTING: u32 = 0x2146_444e;
    /// Padding (`VERITY_PADDING_BLOCK_ID`).
    pub const PADDING: u32 = 0x4272_6577;

    const FOOTER: usize = 8 + MAGIC.len();

    /// The block that ends where the central directory begins; `None` when there is none.
    pub(crate) fn find(file: &'a [u8], directory: usize) -> Option<Result<Self, ApkError>> {
        let magic = directory.checked_sub(MAGIC.len())?;
        if file.get(magic..directory)? != MAGIC {
            return None;
        }
        Some(Self::parse(file, directory))
    }

    fn parse(file: &'a [u8], directory: usize) -> Result<Self, ApkError> {
        let footer = directory.saturating_sub(Self::FOOTER);
        let fail = |problem| ApkError::SigningBlock { offset: footer as u64, problem };
        let end = u64_at(file, footer).unwrap_or(0);
        // The size counts everything but itself at the start of the block.
        let offset = usize::try_from(end)
            .ok()
            .filter(|&end| end >= Self::FOOTER)
            .and_then(|end| directory.checked_sub(end)?.checked_sub(8));
        let start = offset.and_then(|offset| u64_at(file, offset));
        let (Some(offset), Some(start)) = (offset, start) else {
            return Err(fail(SigningBlockProblem::Sizes { start: 0, end }));
        };
        if start != end {
            return Err(fail(SigningBlockProblem::Sizes { start, end }));
        }
        let bytes = file.get(offset..directory).unwrap_or_default();
        let pairs_start = offset.saturating_add(8);
        let pairs = file.get(pairs_start..footer).unwrap_or_default();
        let mut pairs = Cursor::new(pairs, pairs_start, "the APK Signing Block");
        let mut parts = Vec::new();
        while !pairs.is_empty() {
            let at = pairs.offset();
            let size = pairs.u64()?;
            let available = pairs.remaining() as u64;
            if size < 4 || size > available {
                return Err(ApkError::SigningBlock {
                    offset: at as u64,
                    problem: SigningBlockProblem::PartSize { size, available },
                });
            }
            let id = pairs.u32()?;
            let offset = pairs.offset();
            let content = pairs.take((size as usize).saturating_sub(4))?;
            parts.push(SigningBlockPart { id, content, offset });
        }
        Ok(Self { offset, bytes, parts })
    }

    /// A block of these parts.
    pub(crate) fn write(parts: &[(u32, Vec<u8>)]) -> Vec<u8> {
        let pairs: usize = parts.iter().map(|(_, content)| 8 + 4 + content.len()).sum();
        let size = (pairs + Self::FOOTER) as u64;
        let mut block = Vec::with_capacity(pairs + Self::FOOTER + 8);
        block.extend_from_slice(&size.to_le_bytes());
        for (id, content) in parts {
            block.extend_from_slice(&(content.len() as u64 + 4).to_le_bytes());
            block.extend_from_slice(&id.to_le_bytes());
            block.extend_from_slice(content);
        }
        block.extend_from_slice(&size.to_le_bytes());
        block.extend_from_slice(MAGIC);
        block
    }

    /// Offset of the block in the file.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The block, whole.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its parts in the order of the file, those of unknown ids included.
    pub fn parts(&self) -> &[SigningBlockPart<'a>] {
        &self.parts
    }

    /// The first part with this id, as Android takes it.
    pub fn part(&self, id: u32) -> Option<&SigningBlockPart<'a>> {
        self.parts.iter().find(|part| part.id == id)
    }
}
