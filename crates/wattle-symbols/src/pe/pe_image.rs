//! A PE file's functions.
//!
//! Source: Microsoft's "PE Format".

use object::pe::{
    IMAGE_DIRECTORY_ENTRY_EXCEPTION, IMAGE_FILE_MACHINE_AMD64, IMAGE_SCN_MEM_EXECUTE,
};
use object::read::pe::{ImageNtHeaders, PeFile};
use object::{LittleEndian as LE, Object as _, ObjectSymbol as _, SymbolKind};
use wattle_timeline::FrameAddress;
use wattle_unpack::UnpackBudget;

use super::pe_identity::PeIdentity;
use crate::demangle;
use crate::elf::DebugSections;
use crate::{BuildId, Place};

/// A name at an address.
#[derive(Clone, Debug)]
struct Function {
    /// Relative to where the image begins.
    start: u32,
    /// Of several names of one address the best goes first: more is better.
    rank: u8,
    name: Box<str>,
}

/// `IMAGE_SECTION_HEADER`, as far as it says where what lies.
#[derive(Clone, Copy, Debug)]
struct Section {
    start: u32,
    size: u32,
    offset: u32,
    is_code: bool,
}

/// The most entries that are read of one table.
const MOST: usize = 1 << 22;

/// A PE file with what it says of its functions.
pub struct PeImage<'a> {
    base: u64,
    sections: Vec<Section>,
    /// In order of their starts, one each.
    functions: Vec<Function>,
    /// Whether `functions` are all: a COFF symbol table lists them, exports are only what others may call.
    is_complete: bool,
    /// `RUNTIME_FUNCTION`: begin and end of each function, in order; only x86-64 has them in this form.
    extents: Vec<(u32, u32)>,
    debug: Option<DebugSections<'a>>,
}

impl<'a> PeImage<'a> {
    /// Of a file's bytes; `None` where they are no PE file.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        Self::parse_within(bytes, &UnpackBudget::default())
    }

    /// The same within a budget for packed sections; those that do not fit are left out.
    pub fn parse_within(bytes: &'a [u8], unpacking: &UnpackBudget) -> Option<Self> {
        let file = parse(bytes)?;
        let mut image = Self {
            base: file.relative_address_base(),
            sections: Vec::new(),
            functions: Vec::new(),
            is_complete: false,
            extents: Vec::new(),
            debug: DebugSections::from_file(&file, unpacking),
        };
        match &file {
            object::File::Pe32(pe) => image.add(pe, bytes),
            object::File::Pe64(pe) => image.add(pe, bytes),
            _ => return None,
        }
        for symbol in file.symbols().take(MOST) {
            image.add_symbol(&symbol);
        }
        image.functions.sort_by(|one, other| {
            let key = |it: &Function| (it.start, std::cmp::Reverse(it.rank));
            key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
        });
        image.functions.dedup_by_key(|it| it.start);
        Some(image)
    }

    /// The identity of a file by its header; `None` where it is no PE file.
    pub fn build_id(bytes: &[u8]) -> Option<BuildId> {
        PeIdentity::from_file(&parse(bytes)?).image
    }

    fn add<Pe: ImageNtHeaders>(&mut self, pe: &PeFile<'a, Pe>, bytes: &'a [u8]) {
        self.sections = pe
            .section_table()
            .iter()
            .map(|it| Section {
                start: it.virtual_address.get(LE),
                size: it.virtual_size.get(LE).max(it.size_of_raw_data.get(LE)),
                offset: it.pointer_to_raw_data.get(LE),
                is_code: it.characteristics.get(LE).0 & IMAGE_SCN_MEM_EXECUTE.0 != 0,
            })
            .collect();
        if let Ok(Some(table)) = pe.export_table() {
            for (pointer, index) in table.name_iter().take(MOST) {
                let Ok(name) = table.name_from_pointer(pointer) else { continue };
                let Ok(start) = table.address_by_index(index) else { continue };
                if !table.is_forward(start) && self.is_code(start) {
                    let name = String::from_utf8_lossy(name).into();
                    self.functions.push(Function { start, rank: 0, name });
                }
            }
        }
        let directory = pe.data_directory(IMAGE_DIRECTORY_ENTRY_EXCEPTION);
        let is_amd64 = pe.nt_headers().file_header().machine.get(LE) == IMAGE_FILE_MACHINE_AMD64;
        let entries =
            directory.filter(|_| is_amd64).and_then(|it| it.data(bytes, &pe.section_table()).ok());
        let word = |entry: &[u8], at: usize| {
            u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]])
        };
        let entries = entries.unwrap_or_default().chunks_exact(12).take(MOST);
        self.extents = entries
            .map(|it| (word(it, 0), word(it, 4)))
            .filter(|(begin, end)| begin < end)
            .collect();
        self.extents.sort_unstable();
    }

    fn add_symbol<'f>(&mut self, symbol: &object::Symbol<'a, 'f>)
    where
        'a: 'f,
    {
        let Some(name) = symbol.name().ok().filter(|it| !it.is_empty()) else { return };
        let start = symbol.address().checked_sub(self.base).and_then(|it| u32::try_from(it).ok());
        let Some(start) = start.filter(|it| self.is_code(*it)) else { return };
        if symbol.kind() != SymbolKind::Text || symbol.section_index().is_none() {
            return;
        }
        self.is_complete = true;
        let rank = if symbol.is_global() { 2 } else { 1 };
        self.functions.push(Function { start, rank, name: name.into() });
    }

    fn section(&self, address: u32) -> Option<&Section> {
        self.sections.iter().find(|it| address >= it.start && address - it.start < it.size)
    }

    fn is_code(&self, address: u32) -> bool {
        self.section(address).is_some_and(|it| it.is_code)
    }

    /// Whether it knows any function.
    pub fn has_symbols(&self) -> bool {
        !self.functions.is_empty() || self.debug.is_some()
    }

    /// The functions that each address is in, the innermost first; none where nothing is known.
    pub fn places(&self, at: &[FrameAddress]) -> Vec<Vec<Place>> {
        let addresses: Vec<Option<u32>> = at.iter().map(|it| self.address(*it)).collect();
        let absolute = |address: u32| self.base.checked_add(u64::from(address));
        let mut sorted: Vec<u64> =
            addresses.iter().flatten().filter_map(|it| absolute(*it)).collect();
        sorted.sort_unstable();
        let lines = self.debug.as_ref().and_then(|it| it.lines(&sorted));
        let of = |address: &Option<u32>| {
            let Some(address) = *address else { return Vec::new() };
            let places =
                lines.as_ref().zip(absolute(address)).map(|(lines, address)| lines.places(address));
            let mut places =
                places.filter(|it| !it.is_empty()).unwrap_or_else(|| vec![Place::default()]);
            if let Some(itself) = places.last_mut().filter(|it| it.function.is_empty())
                && let Some(name) = self.name(address)
            {
                itself.function = name;
            }
            places.retain(|it| !it.function.is_empty());
            places
        };
        addresses.iter().map(of).collect()
    }

    /// An address relative to where the image begins.
    fn address(&self, address: FrameAddress) -> Option<u32> {
        match address {
            FrameAddress::InElf(address) => u32::try_from(address).ok(),
            FrameAddress::InFile(offset) => {
                let offset = u32::try_from(offset).ok()?;
                let has = |it: &&Section| {
                    offset >= it.offset && offset - it.offset < it.size && it.offset > 0
                };
                let section = self.sections.iter().filter(has).max_by_key(|it| it.offset)?;
                section.start.checked_add(offset - section.offset)
            }
            FrameAddress::Absolute(_) | FrameAddress::Unknown => None,
        }
    }

    /// The function that an address is in. Where only exports are known it may be another one behind them: then the name says how far
    /// behind (`memcpy+0x1f0`), unless the unwind table has both in one function.
    fn name(&self, address: u32) -> Option<String> {
        let code = self.section(address).filter(|it| it.is_code)?;
        let end = self.functions.partition_point(|it| it.start <= address);
        let nearest = self.functions.get(end.checked_sub(1)?)?;
        if nearest.start < code.start {
            return None;
        }
        let readable = demangle(&nearest.name);
        let behind = address - nearest.start;
        if behind == 0 || self.is_complete || self.is_one(nearest.start, address) {
            return Some(readable.into_owned());
        }
        Some(format!("{readable}+{behind:#x}"))
    }

    /// Whether the unwind table has both addresses in one function.
    fn is_one(&self, start: u32, address: u32) -> bool {
        let at = self.extents.partition_point(|(begin, _)| *begin <= address);
        let extent = at.checked_sub(1).and_then(|at| self.extents.get(at));
        extent.is_some_and(|(begin, end)| *begin <= start && address < *end)
    }
}

/// The file of some bytes, if it is a PE file.
fn parse(bytes: &[u8]) -> Option<object::File<'_>> {
    let is_pe = bytes.starts_with(b"MZ");
    is_pe.then(|| object::File::parse(bytes).ok()).flatten()
}
