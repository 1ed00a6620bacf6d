//! Lines and inlined functions: DWARF.

use std::borrow::Cow;

use addr2line::gimli::{self, Dwarf, DwarfSections, EndianSlice, RunTimeEndian, SectionId, Unit};
use object::Object as _;
use wattle_unpack::UnpackBudget;

use super::elf_section;
use crate::Place;
use crate::demangle::demangle;

type Reader<'a> = EndianSlice<'a, RunTimeEndian>;

/// Sections of debug data, unpacked.
pub(crate) struct DebugSections<'a> {
    sections: DwarfSections<Cow<'a, [u8]>>,
    endian: RunTimeEndian,
}

impl<'a> DebugSections<'a> {
    /// Of a file; `None` where it has none.
    pub(crate) fn from_file(file: &object::File<'a>, unpacking: &UnpackBudget) -> Option<Self> {
        file.section_by_name(".debug_info")?;
        let load = |id: SectionId| {
            // Units say their ranges themselves; what says it again could say something else, see `is_too_deep`.
            let is_left_out = id == SectionId::DebugAranges;
            let content = if is_left_out {
                Cow::default()
            } else {
                elf_section::content(file, id.name(), unpacking)
            };
            Ok::<_, std::convert::Infallible>(content)
        };
        let Ok(sections) = DwarfSections::load(load);
        let endian =
            if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        Some(Self { sections, endian })
    }

    /// Ready to be asked about these addresses, which are in order; `None` where the units cannot be listed, or go deeper than any
    /// program.
    pub(crate) fn lines(&self, addresses: &[u64]) -> Option<Lines<'_>> {
        let dwarf = self.sections.borrow(|it| EndianSlice::new(it, self.endian));
        if is_too_deep(&dwarf, addresses) {
            return None;
        }
        addr2line::Context::from_dwarf(dwarf).ok().map(Lines)
    }
}

/// Whether entries of a unit that has one of the addresses are nested deeper than any program's. `addr2line` reads inlined functions
/// recursively, and a damaged file may nest them without end.
fn is_too_deep(dwarf: &Dwarf<Reader<'_>>, addresses: &[u64]) -> bool {
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        if has_any(dwarf, &unit, addresses).unwrap_or(true) && depth(&unit) > DEEPEST {
            return true;
        }
    }
    false
}

/// Whether one of the addresses, which are in order, can be in a unit. A unit without ranges has those of its lines.
fn has_any(
    dwarf: &Dwarf<Reader<'_>>,
    unit: &Unit<Reader<'_>>,
    addresses: &[u64],
) -> gimli::Result<bool> {
    let mut ranges = dwarf.unit_ranges(unit)?;
    let mut is_empty = true;
    while let Some(range) = ranges.next()? {
        is_empty &= range.begin >= range.end;
        let first = addresses.partition_point(|it| *it < range.begin);
        if addresses.get(first).is_some_and(|it| *it < range.end) {
            return Ok(true);
        }
    }
    Ok(is_empty)
}

/// Depths to which the entries of a unit are nested, as far as they can be read.
fn depth(unit: &Unit<Reader<'_>>) -> isize {
    let mut deepest = 0;
    let Ok(mut entries) = unit.entries_raw(None) else { return deepest };
    while !entries.is_empty() {
        match entries.read_abbreviation() {
            Ok(Some(abbreviation)) => {
                if entries.skip_attributes(abbreviation.attributes()).is_err() {
                    break;
                }
            }
            Ok(None) => {}
            Err(_) => break,
        }
        deepest = deepest.max(entries.next_depth());
    }
    deepest
}

/// Debug data that can be asked.
pub(crate) struct Lines<'a>(addr2line::Context<Reader<'a>>);

/// No compiler nests blocks and inlined functions as deep.
const DEEPEST: isize = 400;

impl Lines<'_> {
    /// The functions that an address is in, the innermost first. The last one is without a name where debug data knows lines only.
    pub(crate) fn places(&self, address: u64) -> Vec<Place> {
        let mut places = Vec::new();
        // The end of the address space, behind which `addr2line` would look.
        if address == u64::MAX {
            return places;
        }
        let Ok(mut frames) = self.0.find_frames(address).skip_all_loads() else { return places };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|it| it.raw_name().ok());
            let location = frame.location;
            places.push(Place {
                function: name.map(|name| demangle(&name).into_owned()).unwrap_or_default(),
                file: location.as_ref().and_then(|it| it.file).map(str::to_owned),
                line: location.and_then(|it| it.line).filter(|line| *line > 0),
                ..Place::default()
            });
        }
        places
    }
}
