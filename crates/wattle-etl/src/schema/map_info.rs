//! Names of values (`EVENT_MAP_INFO`, a manifest's `valueMap` and `bitMap`).

use super::metadata_block::Block;

/// Entries of one map that are kept.
const MOST_ENTRIES: usize = 1 << 16;
/// `EVENTMAP_INFO_FLAG_MANIFEST_BITMAP`, `EVENTMAP_INFO_FLAG_WBEM_BITMAP`.
const BIT_MAP: u32 = 0x2 | 0x10;

/// Which value is called what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ValueMap {
    /// Whether values are sums of bits.
    pub is_bits: bool,
    /// Value and name.
    pub entries: Vec<(u64, String)>,
}

impl ValueMap {
    /// Returns the name of a value; several bits are joined by `|`. `None` where a value, or a bit of it, has no name.
    pub fn name(&self, value: u64) -> Option<String> {
        let exact = self.entries.iter().find(|(it, _)| *it == value);
        if exact.is_some() || !self.is_bits {
            return exact.map(|(_, name)| name.clone());
        }
        let parts = self.entries.iter().filter(|(bit, _)| *bit != 0 && value & bit == *bit);
        let (mut left, mut text) = (value, String::new());
        for (bit, name) in parts {
            left &= !bit;
            if !text.is_empty() {
                text.push('|');
            }
            text.push_str(name);
        }
        (left == 0 && !text.is_empty()).then_some(text)
    }

    /// The map of an event of `KernelTraceControl` (after the provider's GUID), and its name.
    pub fn read(bytes: &[u8]) -> Option<(String, Self)> {
        let block = Block(bytes);
        let name = block.text_at(0)?;
        let flags = block.u32(4)?;
        let count = (block.u32(8)? as usize).min(bytes.len() / 8).min(MOST_ENTRIES);
        let entries = (0..count).filter_map(|index| {
            let at = 16 + index * 8;
            let name = block.text_at(at)?;
            // Names of a manifest's maps end with a space.
            Some((u64::from(block.u32(at + 4)?), name.trim_end().to_owned()))
        });
        let entries = entries.collect();
        Some((name, Self { is_bits: flags & BIT_MAP != 0, entries }))
    }
}
