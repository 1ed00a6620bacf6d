//! Placing the sections of a file and putting them together.

use sha1::{Digest as _, Sha1};

use super::blob::{Blob, too_large};
use super::id_tables::{put_class, put_table};
use super::inventory::Inventory;
use super::numbering::Numbering;
use super::out_class::OutClass;
use super::placement::Placement;
use super::write_plan::Plan;
use crate::chunk::{Fixup, NEW};
use crate::cursor::Put;
use crate::dex_header::{
    ENDIAN_CONSTANT, HEADER_SIZE, HEADER_SIZE_V41, SIGNATURE_AT, SIGNED_AT, magic_of,
};
use crate::{Dex, Result, Section};

/// The parts of a file whose numbers and classes are settled.
pub(super) struct Output<'o, 'a> {
    pub(super) plan: &'o Plan<'o, 'a>,
    pub(super) numbering: &'o Numbering,
    pub(super) inventory: &'o Inventory,
    pub(super) classes: &'o [OutClass],
    /// Keys of the parameter lists of signatures that were added.
    pub(super) new_parameters: &'o [u32],
    /// Keys of the call sites that were added.
    pub(super) new_call_sites: &'o [u32],
}

impl Output<'_, '_> {
    /// The places of items, as far as the sections have theirs.
    pub(super) fn placement<'p>(&'p self, blobs: &'p [Blob]) -> Placement<'p> {
        Placement {
            blobs,
            inventory: self.inventory,
            new_parameters: self.new_parameters,
            new_call_sites: self.new_call_sites,
        }
    }

    fn table_count(&self, section: Section) -> u32 {
        let numbering = self.numbering;
        match section {
            Section::HEADER => 1,
            Section::STRING_IDS => numbering.strings.len(),
            Section::TYPE_IDS => numbering.types.len(),
            Section::PROTO_IDS => numbering.protos.len(),
            Section::FIELD_IDS => numbering.fields.len(),
            Section::METHOD_IDS => numbering.methods.len(),
            Section::CALL_SITE_IDS => numbering.call_sites.len(),
            Section::METHOD_HANDLES => numbering.handles.len(),
            _ => self.classes.len() as u32,
        }
    }

    /// The number of a section's items; 0 where it is not written.
    pub(super) fn count(&self, section: Section, blobs: &[Blob]) -> u32 {
        if section.entry_size().is_some() {
            return self.table_count(section);
        }
        match blobs.iter().find(|blob| blob.section == section) {
            Some(_) if section == Section::MAP_LIST => 1,
            // Sections of an unknown kind may be empty; the map cannot name two sections at one place.
            Some(blob) if blob.len == 0 => 0,
            Some(blob) => blob.count,
            None => 0,
        }
    }

    /// The order of the source's map, new sections where D8 puts them.
    pub(super) fn section_order(&self, blobs: &[Blob]) -> Vec<Section> {
        let mut order: Vec<Section> = Vec::new();
        if let Some(dex) = self.plan.pool.base() {
            order.extend(dex.map().entries().iter().map(|entry| entry.section));
        }
        let rank = |section: Section| Section::CANONICAL.iter().position(|&other| other == section);
        for (own, &section) in Section::CANONICAL.iter().enumerate() {
            let wanted = self.count(section, blobs) > 0
                || matches!(section, Section::CLASS_DATA | Section::MAP_LIST);
            if order.contains(&section) || !wanted {
                continue;
            }
            let before = order
                .iter()
                .enumerate()
                .filter_map(|(at, &other)| Some((rank(other)?, at)))
                .filter(|&(other, _)| other < own)
                .max();
            order.insert(before.map_or(0, |(_, at)| at + 1), section);
        }
        order
    }

    /// Gives every section its offset and returns the end of the file.
    pub(super) fn place(&self, blobs: &mut [Blob], order: &[Section]) -> Result<u32> {
        let plan = self.plan;
        let mut at = plan.origin;
        let unchanged = plan.unchanged_source(self.numbering);
        let used = order.iter().filter(|&&section| self.count(section, blobs) > 0).count() as u32;
        for &section in order {
            let count = self.count(section, blobs);
            let len = match section {
                Section::HEADER if plan.version >= 41 => HEADER_SIZE_V41,
                Section::HEADER => HEADER_SIZE,
                Section::MAP_LIST => 4 + 12 * used,
                _ => match section.entry_size() {
                    Some(size) => count.saturating_mul(size),
                    None => {
                        blobs.iter().find(|blob| blob.section == section).map_or(0, |blob| blob.len)
                    }
                },
            };
            if count > 0 {
                at = at.next_multiple_of(section.alignment());
                let old = unchanged
                    .and_then(|dex| dex.map().get(section))
                    .map_or(0, |entry| entry.offset);
                at = at.max(old);
            }
            for blob in blobs.iter_mut().filter(|blob| blob.section == section) {
                blob.base = at;
            }
            let end = u64::from(at) + u64::from(len);
            at = u32::try_from(end).ok().filter(|&end| end < NEW).ok_or(too_large(section, end))?;
        }
        Ok(at)
    }

    /// The bytes of all sections in their order, without what [`seal`] fills in.
    pub(super) fn assemble(
        &self,
        mut blobs: Vec<Blob>,
        order: &[Section],
        end: u32,
    ) -> Result<Vec<u8>> {
        let (plan, numbering) = (self.plan, self.numbering);
        let origin = plan.origin;
        let mut out: Vec<u8> = Vec::with_capacity((end - origin) as usize);
        let mut map: Vec<(Section, u32, u32)> = Vec::new();
        let mut pending: Vec<Fixup> = Vec::new();
        let mut data_off = None;
        let unchanged = plan.unchanged_source(self.numbering);
        for &section in order {
            out.pad_to(section.alignment());
            if let Some(dex) = unchanged {
                let old = old_place(dex, section).saturating_sub(origin) as usize;
                out.resize(out.len().max(old), 0);
            }
            let at = origin + out.len() as u32;
            map.push((section, self.count(section, &blobs), at));
            if section.entry_size().is_none() && data_off.is_none() {
                data_off = Some(at);
            }
            match section {
                Section::HEADER => {
                    let size = if plan.version >= 41 { HEADER_SIZE_V41 } else { HEADER_SIZE };
                    out.resize(size as usize, 0);
                }
                Section::MAP_LIST => {
                    // Sections that follow the map are named too; their offsets are already known.
                    out.put_u32(order.len() as u32);
                    out.resize(out.len() + 12 * order.len(), 0);
                }
                _ if section.entry_size().is_some() => {
                    let placement = self.placement(&blobs);
                    if section == Section::CLASS_DEFS {
                        for class in self.classes {
                            put_class(class, numbering, &placement, &mut out)?;
                        }
                    } else {
                        put_table(section, plan.pool, numbering, &placement, &mut out)?;
                    }
                }
                _ => {
                    for blob in blobs.iter_mut().filter(|blob| blob.section == section) {
                        for chunk in std::mem::take(&mut blob.chunks) {
                            let start = out.len() as u32;
                            pending.extend(
                                chunk
                                    .fixups
                                    .iter()
                                    .map(|fixup| Fixup { at: fixup.at + start, ..*fixup }),
                            );
                            out.extend_from_slice(&chunk.bytes);
                        }
                    }
                }
            }
        }
        let placement = self.placement(&blobs);
        for fixup in pending {
            let offset = placement.resolve(fixup.section, fixup.key)?;
            put_at(&mut out, fixup.at as usize, &offset.to_le_bytes());
        }
        let map_off = map
            .iter()
            .find(|(section, ..)| *section == Section::MAP_LIST)
            .map_or(0, |entry| entry.2);
        for (index, (section, count, at)) in map.iter().enumerate() {
            let entry = (map_off - origin) as usize + 4 + 12 * index;
            put_at(&mut out, entry, &u32::from(section.0).to_le_bytes());
            put_at(&mut out, entry + 4, &count.to_le_bytes());
            put_at(&mut out, entry + 8, &at.to_le_bytes());
        }
        if let Some(dex) = unchanged {
            let end = dex.header().file_size.saturating_sub(dex.header().link_size) as usize;
            out.resize(out.len().max(end), 0);
        }
        let file_end = out.len();
        let link = plan.pool.base().map(Dex::link_data).unwrap_or_default();
        let link_off = if link.is_empty() { 0 } else { origin + file_end as u32 };
        out.extend_from_slice(link);
        let header = HeaderFields {
            map_off,
            data_off: data_off.unwrap_or(0),
            link: (link.len() as u32, link_off),
            file_end,
        };
        header.put(&mut out, plan, &map);
        Ok(out)
    }
}

/// Offsets that only the header has.
struct HeaderFields {
    map_off: u32,
    /// The first section behind the identifier tables.
    data_off: u32,
    /// Length and offset of the link data.
    link: (u32, u32),
    /// End of the sections, before the link data.
    file_end: usize,
}

impl HeaderFields {
    /// Fills the header in; `map` has the number of items and the offset of each section.
    fn put(&self, out: &mut [u8], plan: &Plan<'_, '_>, map: &[(Section, u32, u32)]) {
        let Self { map_off, data_off, link, file_end } = *self;
        let mut header = Vec::with_capacity(HEADER_SIZE_V41 as usize);
        header.extend(magic_of(plan.version));
        header.resize(32, 0);
        header.put_u32(out.len() as u32);
        let modern = plan.version >= 41;
        header.put_u32(if modern { HEADER_SIZE_V41 } else { HEADER_SIZE });
        header.put_u32(ENDIAN_CONSTANT);
        header.put_u32(link.0);
        header.put_u32(link.1);
        header.put_u32(map_off);
        for section in [
            Section::STRING_IDS,
            Section::TYPE_IDS,
            Section::PROTO_IDS,
            Section::FIELD_IDS,
            Section::METHOD_IDS,
            Section::CLASS_DEFS,
        ] {
            let found = map.iter().find(|(other, ..)| *other == section);
            header.put_u32(found.map_or(0, |entry| entry.1));
            header.put_u32(found.map_or(0, |entry| entry.2));
        }
        if modern {
            header.put_u32(0);
            header.put_u32(0);
            header.put_u32(plan.origin + out.len() as u32);
            header.put_u32(plan.origin);
        } else {
            header.put_u32((file_end as u32 + plan.origin).saturating_sub(data_off));
            header.put_u32(data_off);
        }
        put_at(out, 0, &header);
    }
}

/// Offset of a section of the source; 0 where the map lies.
fn old_place(dex: &Dex<'_>, section: Section) -> u32 {
    let entry = dex.map().get(section).filter(|entry| (entry.offset as usize) < dex.data().len());
    entry.map_or(0, |entry| entry.offset)
}

fn put_at(out: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(slot) = out.get_mut(at..at + bytes.len()) {
        slot.copy_from_slice(bytes);
    }
}

/// Writes signature and checksum of a logical file, whose bytes begin with its header.
pub fn seal(file: &mut [u8]) {
    let digest = Sha1::digest(file.get(SIGNED_AT..).unwrap_or_default());
    put_at(file, SIGNATURE_AT, &digest);
    let checksum = simd_adler32::adler32(&file.get(SIGNATURE_AT..).unwrap_or_default());
    put_at(file, 8, &checksum.to_le_bytes());
}
