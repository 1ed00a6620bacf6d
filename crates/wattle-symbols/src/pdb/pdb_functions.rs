//! Functions and lines of addresses.
//!
//! A PDB file has procedures, with their extent and lines, in a stream for each compiled file, and public symbols, names alone, in one for
//! all. What Microsoft publishes of Windows has the latter only.

use pdb2::{
    AddressMap, DebugInformation, FallibleIterator as _, LineProgram, PDB,
    PdbInternalSectionOffset, ProcedureSymbol, StringTable, SymbolData, SymbolIndex,
};
use wattle_timeline::FrameKind;

use super::native_image_name::method_name;
use super::pdb_bytes::PdbBytes;
use crate::Place;

/// `S_LPROC32`, `S_GPROC32`, their forms with identities, and deferred procedure calls.
const PROCEDURES: [u16; 6] = [0x110f, 0x1110, 0x1146, 0x1147, 0x1155, 0x1156];
/// `S_PUB32`.
const PUBLIC: u16 = 0x110e;

/// More symbols, or contributions of compiled files, than any program has.
const MOST: usize = 1 << 26;

/// The places of addresses, which are in order.
pub(super) fn find(
    pdb: &mut PDB<'static, PdbBytes>,
    addresses: &[u32],
    native_image: Option<u32>,
) -> Vec<Option<Place>> {
    let mut places = vec![None; addresses.len()];
    if let Some(size) = native_image {
        if let Some(sections) = NativeSections::new(pdb, size) {
            let _ = publics(pdb, &sections, addresses, &mut places);
        }
        return places;
    }
    let Ok(map) = pdb.address_map() else { return places };
    if let Ok(debug) = pdb.debug_information() {
        let _ = procedures(pdb, &debug, &map, addresses, &mut places);
    }
    let _ = publics(pdb, &map, addresses, &mut places);
    places
}

/// The range of indices of the addresses from one to another.
fn range(addresses: &[u32], from: u32, to: u32) -> std::ops::Range<usize> {
    let start = addresses.partition_point(|it| *it < from);
    start..start.max(addresses.partition_point(|it| *it < to))
}

/// Finds procedures in the compiled files that contributed code where the addresses are.
fn procedures(
    pdb: &mut PDB<'static, PdbBytes>,
    debug: &DebugInformation<'_>,
    map: &AddressMap<'static>,
    addresses: &[u32],
    places: &mut [Option<Place>],
) -> pdb2::Result<()> {
    let mut wanted = Vec::new();
    let mut contributions = debug.section_contributions()?;
    while let Some(it) = contributions.next()? {
        let Some(start) = it.offset.to_rva(map) else { continue };
        if !range(addresses, start.0, start.0.saturating_add(it.size)).is_empty() {
            wanted.push(it.module);
        }
        if wanted.len() >= MOST {
            break;
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    let strings = pdb.string_table().ok();
    let mut modules = debug.modules()?;
    let mut number = 0;
    while let Some(module) = modules.next()? {
        if wanted.binary_search(&number).is_ok()
            && let Ok(Some(info)) = pdb.module_info(&module)
        {
            let lines = info.line_program().ok();
            let source = Source { map, lines: lines.as_ref(), strings: strings.as_ref() };
            // What is damaged in one compiled file says nothing about another.
            let _ = source.procedures(info.symbols()?, addresses, places);
        }
        number += 1;
    }
    Ok(())
}

/// The parts of a PDB file that place the procedures of one compiled file.
struct Source<'s> {
    map: &'s AddressMap<'static>,
    lines: Option<&'s LineProgram<'s>>,
    strings: Option<&'s StringTable<'static>>,
}

impl Source<'_> {
    fn procedures(
        &self,
        mut symbols: pdb2::SymbolIter<'_>,
        addresses: &[u32],
        places: &mut [Option<Place>],
    ) -> pdb2::Result<()> {
        while let Some(symbol) = symbols.next()? {
            if !PROCEDURES.contains(&symbol.raw_kind()) {
                continue;
            }
            let Ok(SymbolData::Procedure(procedure)) = symbol.parse() else { continue };
            let Some(start) = procedure.offset.to_rva(self.map) else { continue };
            let inside = range(addresses, start.0, start.0.saturating_add(procedure.len));
            if inside.is_empty() {
                continue;
            }
            let name = procedure.name.to_string();
            let function = crate::demangle(&name);
            for at in inside {
                let (Some(address), Some(place)) = (addresses.get(at), places.get_mut(at)) else {
                    continue;
                };
                let (file, line) = self.line(&procedure, *address).unzip();
                *place =
                    Some(Place { function: function.to_string(), file, line, ..Place::default() });
            }
        }
        Ok(())
    }

    /// The file and line of an address in a procedure.
    fn line(&self, procedure: &ProcedureSymbol<'_>, address: u32) -> Option<(String, u32)> {
        let lines = self.lines?;
        let mut best: Option<(u32, pdb2::LineInfo)> = None;
        let mut all = lines.lines_for_symbol(procedure.offset);
        while let Some(line) = all.next().ok()? {
            let Some(start) = line.offset.to_rva(self.map) else { continue };
            if start.0 <= address && best.as_ref().is_none_or(|(best, _)| *best <= start.0) {
                best = Some((start.0, line));
            }
        }
        let (_, line) = best?;
        let file = lines.get_file_info(line.file_index).ok()?;
        let file = file.name.to_string_lossy(self.strings?).ok()?.into_owned();
        Some((file, line.line_start))
    }
}

/// Sections of an image, in which its public symbols are.
trait Sections {
    /// The address of a symbol, relative to the image.
    fn address(&self, symbol: PdbInternalSectionOffset) -> Option<u32>;

    /// The number of the section that an address is in.
    fn section(&self, address: u32) -> Option<u16>;

    /// The function that a symbol's name means.
    fn place(&self, name: &str) -> Place {
        Place::named(crate::demangle(name))
    }
}

impl Sections for AddressMap<'_> {
    fn address(&self, symbol: PdbInternalSectionOffset) -> Option<u32> {
        symbol.to_rva(self).map(|it| it.0)
    }

    fn section(&self, address: u32) -> Option<u16> {
        pdb2::Rva(address).to_internal_offset(self).map(|it| it.section)
    }
}

/// Sections of a native image of .NET: start and end of each.
struct NativeSections(Vec<(u32, u32)>);

impl NativeSections {
    /// `SectionAlignment`, and where the first section begins, behind the headers.
    const ALIGNMENT: u32 = 0x1000;
    /// A PE file has 96 sections at most.
    const MOST: usize = 96;

    /// A native image's PDB file lists the sizes of sections only. One comes behind the other; that they end where the image ends shows
    /// that nothing is missing.
    fn new(pdb: &mut PDB<'static, PdbBytes>, image_size: u32) -> Option<Self> {
        let debug = pdb.debug_information().ok()?;
        let mut map = debug.section_map().ok()?;
        let (mut sections, mut start) = (Vec::new(), Self::ALIGNMENT);
        while let Some(item) = map.next().ok()?.filter(|_| sections.len() < Self::MOST) {
            let end = start.checked_add(item.section_length)?;
            sections.push((start, end));
            start = end.checked_next_multiple_of(Self::ALIGNMENT)?;
        }
        (start == image_size).then_some(Self(sections))
    }
}

impl Sections for NativeSections {
    fn address(&self, symbol: PdbInternalSectionOffset) -> Option<u32> {
        let (start, end) = *self.0.get(usize::from(symbol.section).checked_sub(1)?)?;
        start.checked_add(symbol.offset).filter(|it| *it < end)
    }

    fn section(&self, address: u32) -> Option<u16> {
        let at = self.0.iter().position(|(start, end)| (*start..*end).contains(&address))?;
        u16::try_from(at + 1).ok()
    }

    fn place(&self, name: &str) -> Place {
        Place { kind: Some(FrameKind::Java), ..Place::named(method_name(name)) }
    }
}

/// Finds the public symbols before addresses that no procedure covers.
fn publics(
    pdb: &mut PDB<'static, PdbBytes>,
    sections: &impl Sections,
    addresses: &[u32],
    places: &mut [Option<Place>],
) -> pdb2::Result<()> {
    if places.iter().all(Option::is_some) {
        return Ok(());
    }
    let table = pdb.global_symbols()?;
    let mut functions: Vec<(u32, SymbolIndex)> = Vec::new();
    let mut symbols = table.iter();
    while let Some(symbol) = symbols.next()? {
        if symbol.raw_kind() != PUBLIC || functions.len() >= MOST {
            continue;
        }
        let Ok(SymbolData::Public(public)) = symbol.parse() else { continue };
        if !(public.function || public.code) {
            continue;
        }
        functions.extend(sections.address(public.offset).map(|it| (it, symbol.index())));
    }
    functions.sort_by_key(|(start, index)| (*start, index.0));
    // Of several names of one place the first is taken, whatever the order of the table.
    functions.dedup_by_key(|(start, _)| *start);
    for (address, place) in addresses.iter().zip(places).filter(|(_, place)| place.is_none()) {
        let before = functions.partition_point(|(start, _)| start <= address);
        let nearest = before.checked_sub(1).and_then(|at| functions.get(at));
        let Some((start, index)) = nearest else { continue };
        // A name in another section says nothing about the address.
        let section = sections.section(*start);
        if section.is_none() || section != sections.section(*address) {
            continue;
        }
        let mut symbols = table.iter();
        let Some(symbol) = symbols.skip_to(*index)? else { continue };
        let Ok(SymbolData::Public(public)) = symbol.parse() else { continue };
        *place = Some(sections.place(&public.name.to_string()));
    }
    Ok(())
}
