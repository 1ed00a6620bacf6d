//! Offsets in the written file.

use super::blob::Blob;
use super::inventory::Inventory;
use crate::{DexError, Result, Section};

/// Offsets of all sections.
pub(crate) struct Placement<'p> {
    pub(crate) blobs: &'p [Blob],
    pub(crate) inventory: &'p Inventory,
    pub(crate) new_parameters: &'p [u32],
    pub(crate) new_call_sites: &'p [u32],
}

impl Placement<'_> {
    /// The offset of an item in the written file; 0 stays 0.
    pub(crate) fn resolve(&self, section: Section, key: u32) -> Result<u32> {
        if key == 0 {
            return Ok(0);
        }
        let blob = self.blobs.iter().find(|blob| blob.section == section);
        let found =
            blob.and_then(|blob| Some(blob.base + blob.place(self.inventory.get(section), key)?));
        found.ok_or(DexError::Malformed {
            section,
            offset: u64::from(key),
            expected: "an item of the section at the offset that is referred to",
            found: u64::from(key),
        })
    }
}
