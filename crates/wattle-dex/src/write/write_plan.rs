//! The input of the writer.

use super::numbering::{Kept, Numbering};
use crate::class_slot::Slot;
use crate::method_site::Refused;
use crate::new_code::Rewrite;
use crate::{Dex, Pool};

/// The input of the writer.
pub(crate) struct Plan<'p, 'a> {
    pub(crate) version: u16,
    pub(crate) pool: &'p Pool<'a>,
    pub(crate) slots: &'p [Slot],
    pub(crate) kept: &'p Kept,
    /// Gives a source method new code.
    pub(crate) rewrite: &'p Rewrite<'p>,
    /// Called with new code that cannot be written; the old is kept. Without it such code is an error.
    pub(crate) refused: Option<&'p Refused<'p>>,
    /// Whether `rewrite` ever does.
    pub(crate) rewrites: bool,
    pub(crate) threads: usize,
    /// Offset of the file in its container.
    pub(crate) origin: u32,
}

impl Plan<'_, '_> {
    /// The source, where nothing of it changes. Its gaps between sections are kept then; some tools leave
    /// large ones.
    pub(super) fn unchanged_source(&self, numbering: &Numbering) -> Option<&Dex<'_>> {
        let dex = self.pool.base()?;
        let same = !self.rewrites
            && !self.kept.is_some()
            && numbering.remap.is_identity()
            && self.version == dex.header().version
            && self.origin == dex.header().header_offset
            && self.slots.iter().all(|slot| matches!(slot, Slot::Source(_)));
        same.then_some(dex)
    }
}
