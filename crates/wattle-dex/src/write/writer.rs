//! The whole of writing one logical file.

use sha1::{Digest as _, Sha1};

use super::blob::{Blob, Fixup, NEW, too_large};
use super::bodies::{bodies, dead_debug, owners, plain};
use super::classes::{ClassCompiler, put_class_data};
use super::dead::Dead;
use super::emit::Source;
use super::hidden;
use super::inventory::Inventory;
use super::numbering::{Kept, Numbering};
use super::parallel::emit_section;
use super::tables::{put_class, put_table};
use crate::cursor::Put;
use crate::dex_file::{Refused, Slot};
use crate::header::{
    ENDIAN_CONSTANT, HEADER_SIZE, HEADER_SIZE_V41, SIGNATURE_AT, SIGNED_AT, magic_of,
};
use crate::{ClassDefItem, Code, Dex, DexError, MethodSite, Pool, Result, Section};

/// What is to be written.
pub(crate) struct Plan<'p, 'a> {
    pub(crate) version: u16,
    pub(crate) pool: &'p Pool<'a>,
    pub(crate) slots: &'p [Slot],
    pub(crate) kept: &'p Kept,
    /// Gives a source method new code.
    pub(crate) rewrite: &'p (dyn Fn(&MethodSite<'_>) -> Result<Option<Code>> + Sync),
    /// Told of new code that cannot be had; the old is kept. Without it such code is an error.
    pub(crate) refused: Option<&'p Refused<'p>>,
    /// Whether `rewrite` ever does.
    pub(crate) rewrites: bool,
    pub(crate) threads: usize,
    /// Where the file begins in its container.
    pub(crate) origin: u32,
}

impl Plan<'_, '_> {
    /// The source, where nothing of it changes. Its gaps between sections are kept then; some tools leave
    /// large ones.
    fn unchanged_source(&self, numbering: &Numbering) -> Option<&Dex<'_>> {
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

/// A class of the written file. Its offsets are keys.
pub(crate) struct OutClass {
    pub(crate) item: ClassDefItem,
    /// The class of the source whose members it has.
    pub(crate) source: Option<crate::ClassIndex>,
}

/// Where everything is.
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

/// Writes a logical file. Container length and signatures come with [`seal`].
pub(crate) fn write(plan: &Plan<'_, '_>) -> Result<Vec<u8>> {
    let numbering = Numbering::of(plan.pool, plan.kept)?;
    let dex = plan.pool.base();
    let inventory = dex.map(Inventory::of).transpose()?.unwrap_or_default();
    let dead = Dead::of(dex, &inventory, plan)?;

    let mut blobs: Vec<Blob> = Vec::new();
    let mut apart = Vec::new();
    let mut debug = Vec::new();
    if let Some(dex) = dex {
        let source = Source { dex, remap: &numbering.remap };
        let owners = if plan.rewrites { owners(dex, plan.slots)? } else { Vec::new() };
        let mut dead_debug_items = None;
        // Bodies come first: they decide which line programs are still in use.
        for items in inventory.sections.iter().filter(|items| items.section == Section::CODE) {
            let (blob, written) = emit_section(items, plan.threads, &|range| {
                bodies(
                    &source,
                    items,
                    range,
                    &owners,
                    plan,
                    &numbering,
                    dead.of_section(Section::CODE),
                )
            })?;
            if plan.rewrites || dead.of_section(Section::CODE).is_some() {
                let mut unused = dead_debug(dex, &inventory, items, &blob)?;
                let gone = dead.of_section(Section::DEBUG_INFO).unwrap_or_default();
                unused.iter_mut().zip(gone).for_each(|(unused, gone)| *unused |= gone);
                dead_debug_items = Some(unused);
            }
            apart = written.apart;
            debug = written.debug;
            blobs.push(blob);
        }
        for items in &inventory.sections {
            let section = items.section;
            if matches!(
                section,
                Section::CODE | Section::CLASS_DATA | Section::MAP_LIST | Section::HIDDEN_API
            ) {
                continue;
            }
            let gone = dead.of_section(section);
            let gone = if section == Section::DEBUG_INFO {
                dead_debug_items.as_deref().or(gone)
            } else {
                gone
            };
            let (blob, _) =
                emit_section(items, plan.threads, &|range| plain(&source, items, range, gone))?;
            blobs.push(blob);
        }
    }
    apart.sort_unstable();
    let mut compiler = ClassCompiler::new(&mut blobs, &numbering, plan.pool);
    if debug.iter().any(|programs| programs.len() > 0) {
        compiler.programs(&debug)?;
        debug.clear();
    }
    let new_parameters = compiler.strings_and_parameters()?;
    let new_call_sites = compiler.call_sites()?;
    let (classes, members) = compiler.classes(plan.slots, dex)?;

    // Sections whose bytes depend on where others are.
    blobs.push(Blob::new(Section::CLASS_DATA));
    if let Some(blob) = hidden::emit(dex, &inventory, &classes)? {
        blobs.push(blob);
    }
    blobs.push(Blob::new(Section::MAP_LIST));
    let order = section_order(dex, &blobs, &numbering, &classes);
    let mut end = 0;
    for _ in 0..8 {
        let mut data = Blob::new(Section::CLASS_DATA);
        {
            let placement = Placement {
                blobs: &blobs,
                inventory: &inventory,
                new_parameters: &new_parameters,
                new_call_sites: &new_call_sites,
            };
            put_class_data(
                &mut data,
                &members,
                dead.of_section(Section::CLASS_DATA),
                &apart,
                dex,
                &numbering,
                &placement,
            )?;
        }
        let stable =
            blobs.iter_mut().find(|blob| blob.section == Section::CLASS_DATA).is_some_and(|blob| {
                let stable = blob.len == data.len && end != 0;
                data.base = blob.base;
                *blob = data;
                stable
            });
        if stable {
            break;
        }
        end = place(&mut blobs, &order, plan, &numbering, &classes)?;
    }
    let used: Vec<Section> = order
        .iter()
        .copied()
        .filter(|&section| section_count(section, &blobs, &numbering, &classes) > 0)
        .collect();
    assemble(
        plan,
        &numbering,
        blobs,
        &inventory,
        &used,
        end,
        &classes,
        &new_parameters,
        &new_call_sites,
    )
}

fn table_count(section: Section, numbering: &Numbering, classes: &[OutClass]) -> u32 {
    match section {
        Section::HEADER => 1,
        Section::STRING_IDS => numbering.strings.len(),
        Section::TYPE_IDS => numbering.types.len(),
        Section::PROTO_IDS => numbering.protos.len(),
        Section::FIELD_IDS => numbering.fields.len(),
        Section::METHOD_IDS => numbering.methods.len(),
        Section::CALL_SITE_IDS => numbering.call_sites.len(),
        Section::METHOD_HANDLES => numbering.handles.len(),
        _ => classes.len() as u32,
    }
}

fn section_count(
    section: Section,
    blobs: &[Blob],
    numbering: &Numbering,
    classes: &[OutClass],
) -> u32 {
    if section.entry_size().is_some() {
        return table_count(section, numbering, classes);
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
fn section_order(
    dex: Option<&Dex<'_>>,
    blobs: &[Blob],
    numbering: &Numbering,
    classes: &[OutClass],
) -> Vec<Section> {
    let mut order: Vec<Section> = Vec::new();
    if let Some(dex) = dex {
        order.extend(dex.map().entries().iter().map(|entry| entry.section));
    }
    let rank = |section: Section| Section::CANONICAL.iter().position(|&other| other == section);
    for (own, &section) in Section::CANONICAL.iter().enumerate() {
        let wanted = section_count(section, blobs, numbering, classes) > 0
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
fn place(
    blobs: &mut [Blob],
    order: &[Section],
    plan: &Plan<'_, '_>,
    numbering: &Numbering,
    classes: &[OutClass],
) -> Result<u32> {
    let mut at = plan.origin;
    let unchanged = plan.unchanged_source(numbering);
    let used = order
        .iter()
        .filter(|&&section| section_count(section, blobs, numbering, classes) > 0)
        .count() as u32;
    for &section in order {
        let count = section_count(section, blobs, numbering, classes);
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
            let old =
                unchanged.and_then(|dex| dex.map().get(section)).map_or(0, |entry| entry.offset);
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

/// Where a section of the source begins; 0 where the map lies.
fn old_place(dex: &Dex<'_>, section: Section) -> u32 {
    let entry = dex.map().get(section).filter(|entry| (entry.offset as usize) < dex.data().len());
    entry.map_or(0, |entry| entry.offset)
}

#[expect(clippy::too_many_arguments, reason = "the last step brings all parts together once")]
fn assemble(
    plan: &Plan<'_, '_>,
    numbering: &Numbering,
    mut blobs: Vec<Blob>,
    inventory: &Inventory,
    order: &[Section],
    end: u32,
    classes: &[OutClass],
    new_parameters: &[u32],
    new_call_sites: &[u32],
) -> Result<Vec<u8>> {
    let origin = plan.origin;
    let mut out: Vec<u8> = Vec::with_capacity((end - origin) as usize);
    let mut map: Vec<(Section, u32, u32)> = Vec::new();
    let mut pending: Vec<Fixup> = Vec::new();
    let mut data_off = None;
    let unchanged = plan.unchanged_source(numbering);
    for &section in order {
        out.pad_to(section.alignment());
        if let Some(dex) = unchanged {
            let old = old_place(dex, section).saturating_sub(origin) as usize;
            out.resize(out.len().max(old), 0);
        }
        let at = origin + out.len() as u32;
        map.push((section, section_count(section, &blobs, numbering, classes), at));
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
                let placement =
                    Placement { blobs: &blobs, inventory, new_parameters, new_call_sites };
                if section == Section::CLASS_DEFS {
                    for class in classes {
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
    let placement = Placement { blobs: &blobs, inventory, new_parameters, new_call_sites };
    for fixup in pending {
        let offset = placement.resolve(fixup.section, fixup.key)?;
        put_at(&mut out, fixup.at as usize, &offset.to_le_bytes());
    }
    let map_off =
        map.iter().find(|(section, ..)| *section == Section::MAP_LIST).map_or(0, |entry| entry.2);
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
    put_header(
        &mut out,
        plan,
        &map,
        map_off,
        data_off.unwrap_or(0),
        (link.len() as u32, link_off),
        file_end,
    );
    Ok(out)
}

fn put_header(
    out: &mut [u8],
    plan: &Plan<'_, '_>,
    map: &[(Section, u32, u32)],
    map_off: u32,
    data_off: u32,
    link: (u32, u32),
    file_end: usize,
) {
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
