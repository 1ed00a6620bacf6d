//! `.gnu_debugdata`: an ELF file with nothing but symbols, packed with xz, inside the file that it is about.

use std::borrow::Cow;

use wattle_unpack::UnpackBudget;

use super::mini_debug_error::MiniDebugError;
use super::{elf_section, xz};

/// More is not unpacked: the largest of Android's own (libart, libchrome) have some megabytes.
const MOST: usize = 64 << 20;

/// The ELF file inside a `.gnu_debugdata` section.
pub fn unpack_mini_debug(packed: &[u8]) -> Result<Vec<u8>, MiniDebugError> {
    xz::unpack(packed, MOST)
}

/// The same within a budget.
fn unpack_within(packed: &[u8], budget: &UnpackBudget) -> Result<Vec<u8>, MiniDebugError> {
    let left = usize::try_from(budget.left()).unwrap_or(usize::MAX);
    let unpacked = xz::unpack(packed, left.min(MOST));
    match &unpacked {
        Ok(unpacked) => budget.take(unpacked.len() as u64),
        // What was unpacked before the error took its time, too.
        Err(MiniDebugError::TooLarge { limit }) => {
            budget.take(*limit as u64 + u64::from(left < MOST));
        }
        Err(_) => {}
    }
    unpacked
}

/// That of a file; `None` where it has none.
pub(super) fn read(
    file: &object::File<'_>,
    unpacking: &UnpackBudget,
) -> Option<Result<Vec<u8>, MiniDebugError>> {
    let packed: Cow<'_, [u8]> = elf_section::content(file, ".gnu_debugdata", unpacking);
    (!packed.is_empty()).then(|| unpack_within(&packed, unpacking))
}
