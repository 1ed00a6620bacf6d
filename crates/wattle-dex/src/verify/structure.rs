//! Header, map and sections.

use super::defect::Defect;
use crate::dex_header::{SIGNATURE_AT, SIGNED_AT};
use crate::write::Inventory;
use crate::{Dex, Section};

/// Whether the signature is the SHA-1 of the file. Android never looks; some compilers leave a stale one.
pub(crate) fn signature_fits(dex: &Dex<'_>) -> bool {
    use sha1::Digest as _;
    let file = dex.file_bytes();
    let digest = sha1::Sha1::digest(file.get(SIGNED_AT..).unwrap_or_default());
    digest.as_slice() == dex.header().signature
}

/// Checks the checksum, the map against the header, and that sections follow each other.
pub(crate) fn check(dex: &Dex<'_>, inventory: &Inventory, defects: &mut Vec<Defect>) {
    let header = dex.header();
    let at = header.header_offset;
    let file = dex.file_bytes();
    let checksum = simd_adler32::adler32(&file.get(SIGNATURE_AT..).unwrap_or_default());
    if checksum != header.checksum {
        let found = format!("{:#010x}", header.checksum);
        defects.push(Defect::new(
            "checksum",
            (Section::HEADER, at + 8),
            format!("{checksum:#010x}"),
            found,
        ));
    }
    if header.version < 41 && header.file_size as usize != dex.data().len() {
        let expected = dex.data().len().to_string();
        defects.push(Defect::new(
            "file-size",
            (Section::HEADER, at + 32),
            expected,
            header.file_size.to_string(),
        ));
    }
    if header.version < 41 {
        areas(dex, defects);
    }
    if !header.map_off.is_multiple_of(4) {
        let found = format!("{:#x}", header.map_off);
        defects.push(Defect::new(
            "alignment",
            (Section::MAP_LIST, at + 52),
            "an offset divisible by 4",
            found,
        ));
    }
    for section in [
        Section::HEADER,
        Section::STRING_IDS,
        Section::TYPE_IDS,
        Section::PROTO_IDS,
        Section::FIELD_IDS,
        Section::METHOD_IDS,
        Section::CLASS_DEFS,
        Section::MAP_LIST,
    ] {
        let (count, offset) = match section {
            Section::MAP_LIST => (1, header.map_off),
            _ => dex.table(section),
        };
        if offset % 4 != 0 {
            let found = format!("{offset:#x}");
            defects.push(Defect::new(
                "alignment",
                (section, offset),
                "an offset divisible by 4",
                found,
            ));
        }
        let listed = dex.map().get(section).map(|entry| (entry.count, entry.offset));
        let wanted = (count > 0).then_some((count, offset));
        if listed != wanted {
            defects.push(Defect::new(
                "map",
                (Section::MAP_LIST, header.map_off),
                format!("{section}: {wanted:x?}, as the header says"),
                format!("{listed:x?}"),
            ));
        }
    }
    sections(dex, inventory, defects);
}

/// The areas that the header names lie in the file; one of no length has no place.
fn areas(dex: &Dex<'_>, defects: &mut Vec<Defect>) {
    let header = dex.header();
    let areas = [
        ("link", 44, (header.link_size, header.link_off)),
        ("strings", 56, header.tables[0]),
        ("types", 64, header.tables[1]),
        ("signatures", 72, header.tables[2]),
        ("fields", 80, header.tables[3]),
        ("methods", 88, header.tables[4]),
        ("classes", 96, header.tables[5]),
        ("data", 104, (header.data_size, header.data_off)),
    ];
    for (name, at, (size, offset)) in areas {
        let expected = if size == 0 && offset != 0 {
            format!("offset 0 of {name} without length")
        } else if offset >= header.file_size && size > 0 {
            format!("{name} in the file")
        } else {
            continue;
        };
        let found = format!("{size} bytes at {offset:#x}");
        defects.push(Defect::new("area", (Section::HEADER, at), expected, found));
    }
}

/// Bytes between sections and between items, which align them, are 0.
fn padding(dex: &Dex<'_>, inventory: &Inventory, ends: &[(u32, u64)], defects: &mut Vec<Defect>) {
    let filled = |from: usize, to: usize| {
        let gap = dex.data().get(from..to).unwrap_or_default();
        gap.iter().position(|byte| *byte != 0).map(|at| from + at)
    };
    let between = ends.windows(2).filter_map(|pair| match pair {
        [(_, end), (start, _)] => filled(usize::try_from(*end).ok()?, *start as usize),
        _ => None,
    });
    let inside = inventory.sections.iter().filter_map(|items| items.filled.map(|at| at as usize));
    for at in between.chain(inside) {
        let found = dex.data().get(at).map_or_else(String::new, |byte| format!("{byte:#04x}"));
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        defects.push(Defect::new("padding", (Section::MAP_LIST, at), "0 between items", found));
    }
}

/// No section may reach into the next or out of the data area; each begins aligned.
fn sections(dex: &Dex<'_>, inventory: &Inventory, defects: &mut Vec<Defect>) {
    let header = dex.header();
    // Files of a container share their data.
    let is_alone = header.version < 41;
    let area =
        u64::from(header.data_off)..=u64::from(header.data_off) + u64::from(header.data_size);
    let mut ends = Vec::new();
    for entry in dex.map().entries() {
        if entry.offset % entry.section.alignment() != 0 {
            let expected = format!("an offset divisible by {}", entry.section.alignment());
            let found = format!("{:#x}", entry.offset);
            defects.push(Defect::new("alignment", (entry.section, entry.offset), expected, found));
        }
        let end = match (entry.section.entry_size(), inventory.get(entry.section)) {
            (Some(_), _) if entry.section == Section::HEADER => {
                u64::from(entry.offset) + u64::from(dex.header().header_size)
            }
            (Some(size), _) => u64::from(entry.offset) + u64::from(size) * u64::from(entry.count),
            (None, Some(items)) => u64::from(items.end),
            (None, None) => u64::from(entry.offset),
        };
        ends.push((entry.offset, end));
        if is_alone && !entry.section.is_known() {
            let found = format!("{}", entry.section);
            let place = (Section::MAP_LIST, header.map_off);
            defects.push(Defect::new("map", place, "sections that the format has", found));
        }
        // The header alone says where the map is.
        let is_data = entry.section.entry_size().is_none() && entry.section != Section::MAP_LIST;
        if is_alone && is_data && !(area.contains(&u64::from(entry.offset)) && area.contains(&end))
        {
            let expected = format!("a section from {:#x} to {:#x}", area.start(), area.end());
            let found = format!("{:#x} to {end:#x}", entry.offset);
            defects.push(Defect::new("area", (entry.section, entry.offset), expected, found));
        }
        // Strings of a container lie where its files agree on.
        let shared = dex.header().version >= 41 && entry.section == Section::STRING_DATA;
        if let Some(next) = dex.map().next_after(entry.offset)
            && end > u64::from(next)
            && !shared
        {
            let expected = format!("a section that ends at {next:#x} or before");
            defects.push(Defect::new(
                "overlap",
                (entry.section, entry.offset),
                expected,
                format!("{end:#x}"),
            ));
        }
    }
    if is_alone {
        ends.sort_unstable();
        padding(dex, inventory, &ends, defects);
    }
}
