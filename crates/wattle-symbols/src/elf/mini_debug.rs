//! `.gnu_debugdata`: an ELF file with nothing but symbols, packed with xz, inside the file that it is about.

use std::borrow::Cow;

use super::{section, xz};

/// More is not unpacked: the largest of Android's own (libart, libchrome) have some megabytes.
const MOST: usize = 256 << 20;

/// Why a `.gnu_debugdata` cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MiniDebugError {
    /// Something else.
    #[error("expected an xz file")]
    NotXz,
    /// It ends early, or its sum is another one.
    #[error("the xz file is damaged")]
    Damaged,
    /// Packed with a filter other than LZMA2.
    #[error("expected LZMA2 as the only filter of the xz file")]
    Filter,
    /// It would become larger than anything real.
    #[error("expected at most {limit} bytes")]
    TooLarge {
        /// The most that is unpacked.
        limit: usize,
    },
}

/// The ELF file inside a `.gnu_debugdata` section.
pub fn unpack_mini_debug(packed: &[u8]) -> Result<Vec<u8>, MiniDebugError> {
    xz::unpack(packed, MOST)
}

/// That of a file; `None` where it has none.
pub(super) fn of(file: &object::File<'_>) -> Option<Result<Vec<u8>, MiniDebugError>> {
    let packed: Cow<'_, [u8]> = section::content(file, ".gnu_debugdata");
    (!packed.is_empty()).then(|| unpack_mini_debug(&packed))
}
