//! Hidden-API flags: one list a class, in the order of the class definitions.

use super::blob::Blob;
use super::inventory::Inventory;
use super::out_class::OutClass;
use crate::chunk::Chunk;
use crate::class_def::ClassData;
use crate::cursor::{Cursor, Put};
use crate::{Dex, Result, Section};

/// Writes the section again for the classes of the written file; classes that are new get no flags.
pub(crate) fn emit(
    dex: Option<&Dex<'_>>,
    inventory: &Inventory,
    classes: &[OutClass],
) -> Result<Option<Blob>> {
    let Some((dex, items)) = dex.zip(inventory.get(Section::HIDDEN_API)) else { return Ok(None) };
    let Some(&at) = items.items.first() else { return Ok(None) };
    let mut blob = Blob::new(Section::HIDDEN_API);
    let same = classes.len() as u32 == dex.count(Section::CLASS_DEFS)
        && classes
            .iter()
            .enumerate()
            .all(|(index, class)| class.source.is_some_and(|source| source.0 as usize == index));
    let mut bytes = Vec::new();
    if same {
        let end = items.limit(0);
        let mut cursor = Cursor::new(dex.data(), at, Section::HIDDEN_API);
        bytes.extend_from_slice(cursor.bytes(end.saturating_sub(at) as usize)?);
    } else {
        let table = 4 + 4 * classes.len();
        let mut flags = Vec::new();
        bytes.put_u32(0);
        for class in classes {
            let offset = match class.source {
                None => 0,
                Some(index) => {
                    let mut entry =
                        Cursor::new(dex.data(), at + 4 + 4 * index.0, Section::HIDDEN_API);
                    entry.u32()?
                }
            };
            let start = (table + flags.len()) as u32;
            bytes.put_u32(if offset == 0 { 0 } else { start });
            if offset != 0 && class.item.class_data_off != 0 {
                let members: u32 =
                    ClassData::parse(dex.data(), class.item.class_data_off)?.counts().iter().sum();
                let mut list =
                    Cursor::new(dex.data(), at.saturating_add(offset), Section::HIDDEN_API);
                for _ in 0..members {
                    flags.put_uleb(list.uleb()?);
                }
            }
        }
        bytes.extend(flags);
        let size = (bytes.len() as u32).to_le_bytes();
        if let Some(slot) = bytes.first_chunk_mut::<4>() {
            *slot = size;
        }
    }
    blob.push(Chunk { bytes, ..Chunk::default() })?;
    blob.count = 1;
    Ok(Some(blob))
}

/// The flags of the members of a class, in the order of its `class_data_item`; none where it has none.
impl Dex<'_> {
    /// Hidden-API flags of a class's members in the order of its class data: the low three bits are the
    /// list (0 sdk, 1 unsupported, 2 blocked, 3 … 7 maximum target release), the rest are domain flags.
    pub fn hidden_api_flags(&self, index: crate::ClassIndex) -> Result<Vec<u32>> {
        let Some(entry) = self.map().get(Section::HIDDEN_API) else { return Ok(Vec::new()) };
        let class = self.class_def(index)?;
        let slot = entry.offset.saturating_add(4).saturating_add(index.0.saturating_mul(4));
        let offset = Cursor::new(self.data(), slot, Section::HIDDEN_API).u32()?;
        let Some(data) = self.class_data(&class)?.filter(|_| offset != 0) else {
            return Ok(Vec::new());
        };
        let mut list =
            Cursor::new(self.data(), entry.offset.saturating_add(offset), Section::HIDDEN_API);
        let mut flags = Vec::new();
        for member in data {
            member?;
            flags.push(list.uleb()?);
        }
        Ok(flags)
    }
}
