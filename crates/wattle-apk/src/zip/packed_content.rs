//! Content of an entry that is deflated ahead of the package that it goes into.

use crate::ApkError;
use crate::crypto::Hash;
use crate::zip::compression::Compression;
use crate::zip::deflating::deflated;
use crate::zip::entry_reading::inflate;

/// Deflated content, with all that the records and the JAR signature of a package say of it, so that what it was made of need not be kept.
///
/// ```
/// use wattle_apk::{Compression, PackedContent};
///
/// let content = b"to be packed ".repeat(100);
/// let packed = PackedContent::deflate(&content, Compression::Deflated, None, 1)?;
/// assert_eq!(packed.size(), 1300);
/// assert!(packed.packed_size() < 100);
/// assert_eq!(packed.content()?, content);
/// # Ok::<(), wattle_apk::ApkError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PackedContent {
    pub(super) crc32: u32,
    pub(super) size: u32,
    /// The deflate stream, in parts one behind the other.
    pub(super) data: Vec<Vec<u8>>,
    digest: Option<(Hash, Vec<u8>)>,
}

impl PackedContent {
    /// Deflates content at the level of a compression, on so many threads. `hash` is that of the package's JAR signature, see
    /// [`SignOptions::entry_hash`](crate::SignOptions::entry_hash). An error where it has four gigabytes or more.
    pub fn deflate(
        content: &[u8],
        compression: Compression,
        hash: Option<Hash>,
        threads: usize,
    ) -> Result<Self, ApkError> {
        let size = u32::try_from(content.len()).ok().filter(|&size| size != u32::MAX);
        let size = size.ok_or(ApkError::TooLarge { entries: 1, bytes: content.len() as u64 })?;
        let (data, crc32) = deflated(content, compression.level(), threads);
        let digest = hash.map(|hash| (hash, hash.digest(&[content])));
        Ok(Self { crc32, size, data, digest })
    }

    /// Bytes of the content.
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// Bytes of the deflated content.
    pub fn packed_size(&self) -> usize {
        self.data.iter().map(Vec::len).sum()
    }

    /// The content, inflated again.
    pub fn content(&self) -> Result<Vec<u8>, ApkError> {
        let mut content = Vec::with_capacity(self.size as usize);
        self.stream(&mut |part| content.extend_from_slice(part))?;
        Ok(content)
    }

    /// The digest of the content, where it is known.
    pub(crate) fn digest(&self, wanted: Hash) -> Option<&[u8]> {
        self.digest
            .as_ref()
            .filter(|(hash, _)| *hash == wanted)
            .map(|(_, digest)| digest.as_slice())
    }

    /// The content in parts.
    pub(super) fn stream(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), ApkError> {
        let mut each = |part: &[u8]| {
            sink(part);
            true
        };
        inflate(&self.data.concat(), &mut each).map_err(|problem| ApkError::Entry {
            name: "new content".into(),
            offset: 0,
            problem,
        })
    }
}
