//! An ELF file with what belongs to it.

use object::Object as _;
use wattle_timeline::{FrameAddress, FrameKind};
use wattle_unpack::UnpackBudget;

use super::elf_lines::DebugSections;
use super::mini_debug;
use super::mini_debug_error::MiniDebugError;
use super::segments::Segments;
use super::symbol_table::SymbolTable;
use crate::demangle::demangle;
use crate::dotted_name::java_name;
use crate::java_method::JavaMethod;
use crate::{BuildId, Place};

/// A linked file and the files with its debug data.
pub struct ElfImage<'a> {
    segments: Segments,
    symbols: SymbolTable,
    /// Of each file that has some.
    debug: Vec<DebugSections<'a>>,
    /// Whether it is mapped where its addresses say (`ET_EXEC`).
    is_fixed: bool,
    /// Whether its functions are Java methods (OAT and ODEX files).
    is_java: bool,
    /// Parts of it that cannot be used.
    problems: Vec<MiniDebugError>,
}

impl<'a> ElfImage<'a> {
    /// Of the bytes of one or several files of the same build: one with the code, others with nothing but debug data. `None` where
    /// none of them is an ELF file.
    pub fn parse(files: &[&'a [u8]]) -> Option<Self> {
        Self::parse_within(files, &UnpackBudget::default())
    }

    /// The same within a budget for packed sections; those that do not fit are left out.
    pub fn parse_within(files: &[&'a [u8]], unpacking: &UnpackBudget) -> Option<Self> {
        let files: Vec<object::File<'a>> = files.iter().filter_map(|bytes| elf(bytes)).collect();
        let first = files.first()?;
        let mut image = Self {
            segments: Segments::default(),
            symbols: SymbolTable::default(),
            debug: Vec::new(),
            is_fixed: first.kind() == object::ObjectKind::Executable,
            is_java: false,
            problems: Vec::new(),
        };
        for file in &files {
            image.add(file, unpacking);
        }
        image.symbols.finish();
        Some(image)
    }

    /// The build id of a file.
    pub fn build_id(bytes: &[u8]) -> Option<BuildId> {
        elf(bytes)?.build_id().ok().flatten().and_then(BuildId::new)
    }

    fn add(&mut self, file: &object::File<'a>, unpacking: &UnpackBudget) {
        let segments = Segments::from_file(file);
        if segments.has_code() && !self.segments.has_code() {
            self.segments = segments;
        }
        self.symbols.add(file);
        self.is_java |= file.dynamic_symbols().take(4).any(|symbol| is_oat(&symbol));
        match mini_debug::read(file, unpacking) {
            Some(Ok(unpacked)) => {
                if let Some(inner) = elf(&unpacked) {
                    self.symbols.add(&inner);
                }
            }
            Some(Err(problem)) => self.problems.push(problem),
            None => {}
        }
        self.debug.extend(DebugSections::from_file(file, unpacking));
    }

    /// Adds methods of Java whose code is in the file.
    pub(crate) fn add_methods(&mut self, methods: Vec<JavaMethod>) {
        if !methods.is_empty() {
            self.is_java = true;
            self.symbols.add_methods(methods);
        }
    }

    /// Whether offsets in the file can be turned into addresses: files with nothing but debug data cannot tell.
    pub fn has_code(&self) -> bool {
        self.segments.has_code()
    }

    /// Whether it knows any function.
    pub fn has_symbols(&self) -> bool {
        !self.symbols.is_empty() || !self.debug.is_empty()
    }

    /// Parts of it that cannot be used.
    pub fn problems(&self) -> &[MiniDebugError] {
        &self.problems
    }

    /// The functions that each address is in, the innermost first: several where the compiler put calls in each other's place,
    /// none where nothing is known.
    pub fn places(&self, at: &[FrameAddress]) -> Vec<Vec<Place>> {
        let addresses: Vec<Option<u64>> = at.iter().map(|it| self.address(*it)).collect();
        let mut sorted: Vec<u64> = addresses.iter().copied().flatten().collect();
        sorted.sort_unstable();
        let lines: Vec<_> = self.debug.iter().filter_map(|it| it.lines(&sorted)).collect();
        let of = |address: Option<u64>| {
            let Some(address) = address else { return Vec::new() };
            let mut places = lines.iter().map(|it| it.places(address)).find(|it| !it.is_empty());
            let places = places.get_or_insert_with(|| vec![Place::default()]);
            self.complete(places, address);
            std::mem::take(places)
        };
        addresses.into_iter().map(of).collect()
    }

    /// An address as the file has it.
    fn address(&self, address: FrameAddress) -> Option<u64> {
        match address {
            FrameAddress::InFile(offset) => self.segments.address(offset),
            FrameAddress::InElf(address) => Some(address),
            FrameAddress::Absolute(address) => self.is_fixed.then_some(address),
            FrameAddress::Unknown => None,
        }
    }

    /// Takes the name of the function itself from the symbols where these know more: debug data may have lines of a function and not
    /// its name (assembly), or its name without what it is in (Rust without full debug data).
    fn complete(&self, places: &mut Vec<Place>, address: u64) {
        if let Some(itself) = places.last_mut().filter(|it| !it.function.contains("::")) {
            let symbol = self.symbols.name(address, &self.segments);
            if let Some(symbol) = symbol {
                let readable = demangle(symbol);
                if self.is_java && symbol.contains('.') {
                    itself.function = java_name(symbol).into_owned();
                    itself.kind = Some(FrameKind::Java);
                } else if itself.function.is_empty() || readable != symbol {
                    itself.function = readable.into_owned();
                }
            }
        }
        places.retain(|it| !it.function.is_empty());
    }
}

/// The file of some bytes, if it is an ELF file.
fn elf(bytes: &[u8]) -> Option<object::File<'_>> {
    let is_elf = bytes.starts_with(b"\x7fELF");
    is_elf.then(|| object::File::parse(bytes).ok()).flatten()
}

/// `oatdata`, the first symbol of what `dex2oat` writes.
fn is_oat<'a>(symbol: &impl object::ObjectSymbol<'a>) -> bool {
    symbol.name_bytes().is_ok_and(|name| name == b"oatdata" || name == b"oatexec")
}
