//! Lines and inlined functions: DWARF.

use std::borrow::Cow;

use addr2line::gimli::{DwarfSections, EndianSlice, RunTimeEndian};
use object::Object as _;

use super::section;
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
    pub(crate) fn of(file: &object::File<'a>) -> Option<Self> {
        file.section_by_name(".debug_info")?;
        let load = |id: addr2line::gimli::SectionId| {
            Ok::<_, std::convert::Infallible>(section::content(file, id.name()))
        };
        let Ok(sections) = DwarfSections::load(load);
        let endian =
            if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        Some(Self { sections, endian })
    }

    /// Ready to be asked; `None` where the units cannot be listed.
    pub(crate) fn lines(&self) -> Option<Lines<'_>> {
        let dwarf = self.sections.borrow(|it| EndianSlice::new(it, self.endian));
        addr2line::Context::from_dwarf(dwarf).ok().map(Lines)
    }
}

/// Debug data that can be asked.
pub(crate) struct Lines<'a>(addr2line::Context<Reader<'a>>);

/// More functions are not put in each other's place.
const DEEPEST: usize = 256;

impl Lines<'_> {
    /// The functions that an address is in, the innermost first. The last one is without a name where debug data knows lines only.
    pub(crate) fn places(&self, address: u64) -> Vec<Place> {
        let mut places = Vec::new();
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
            if places.len() >= DEEPEST {
                break;
            }
        }
        places
    }
}
