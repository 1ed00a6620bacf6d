//! `.gnu_debugdata`: an ELF file with nothing but symbols, packed with xz, inside the file that it is about.

use std::borrow::Cow;

use super::mini_debug_error::MiniDebugError;
use super::{elf_section, xz};

/// More is not unpacked: the largest of Android's own (libart, libchrome) have some megabytes.
const MOST: usize = 256 << 20;

/// The ELF file inside a `.gnu_debugdata` section.
pub fn unpack_mini_debug(packed: &[u8]) -> Result<Vec<u8>, MiniDebugError> {
    xz::unpack(packed, MOST)
}

/// That of a file; `None` where it has none.
pub(super) fn read(file: &object::File<'_>) -> Option<Result<Vec<u8>, MiniDebugError>> {
    let packed: Cow<'_, [u8]> = elf_section::content(file, ".gnu_debugdata");
    (!packed.is_empty()).then(|| unpack_mini_debug(&packed))
}
