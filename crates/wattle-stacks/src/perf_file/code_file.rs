//! Files with code, and their functions as far as a recording brings them (`DsoType`, `CodeFile::IpToVaddrInFile` of simpleperf).

use std::collections::BTreeMap;

use super::mapping_record::Mapping;
use super::symbols::{MAX_SYMBOLS, Symbols};

/// `DsoType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodeFileKind {
    /// The kernel itself.
    Kernel,
    /// A module of the kernel.
    KernelModule,
    /// A program or library.
    #[default]
    Elf,
    /// Dalvik bytecode.
    Dex,
    /// Functions by their addresses in the process.
    SymbolMap,
    /// Anything else.
    Unknown,
}

impl CodeFileKind {
    /// The kind with a number of `DsoType`.
    pub fn from_number(number: u64) -> Self {
        match number {
            0 => Self::Kernel,
            1 => Self::KernelModule,
            2 => Self::Elf,
            3 => Self::Dex,
            4 => Self::SymbolMap,
            _ => Self::Unknown,
        }
    }
}

/// A file's functions, and how addresses in the process become addresses of them.
#[derive(Clone, Debug, Default)]
pub struct CodeFile {
    /// The kind of file.
    pub kind: CodeFileKind,
    /// Lowest address of its code.
    pub min_vaddr: u64,
    /// Offset of that address: in the file, or in memory for a module of the kernel.
    pub offset_of_min_vaddr: Option<u64>,
    /// Its functions.
    pub symbols: Symbols,
}

impl CodeFile {
    /// The function at an address of the process.
    fn function(&self, ip: u64, mapping: &Mapping) -> Option<&[u8]> {
        let in_mapping = ip.wrapping_sub(mapping.start);
        let in_file = in_mapping.wrapping_add(mapping.offset);
        let address = match (self.kind, self.offset_of_min_vaddr) {
            _ if mapping.holds_jit_symbols => ip,
            (CodeFileKind::Elf, Some(offset)) => {
                in_file.wrapping_sub(offset).wrapping_add(self.min_vaddr)
            }
            (CodeFileKind::Elf, None) => in_mapping.wrapping_add(self.min_vaddr),
            (CodeFileKind::KernelModule, offset) => {
                in_mapping.wrapping_sub(offset.unwrap_or(0)).wrapping_add(self.min_vaddr)
            }
            (CodeFileKind::Dex, _) => in_file,
            (CodeFileKind::Kernel | CodeFileKind::SymbolMap | CodeFileKind::Unknown, _) => ip,
        };
        self.symbols.find(address)
    }
}

/// All files whose functions are known, by path; those of the kernel apart.
#[derive(Debug, Default)]
pub struct CodeFiles {
    /// Files by their paths.
    pub by_path: BTreeMap<Vec<u8>, CodeFile>,
    /// Functions of the kernel.
    pub kernel: Symbols,
    /// Number of functions past the limit, which were not kept.
    pub refused: u64,
    count: usize,
    /// Functions that the file lists, several at one address included.
    pub listed: usize,
}

impl CodeFiles {
    /// Adds a file. Where it is there already, its functions come to the others.
    pub(super) fn add(&mut self, path: &[u8], kind: CodeFileKind) -> Option<&mut CodeFile> {
        if kind == CodeFileKind::Kernel {
            return None;
        }
        let dso = self.by_path.entry(path.to_owned()).or_default();
        dso.kind = kind;
        Some(dso)
    }

    /// Adds a function.
    pub(super) fn symbol(
        &mut self,
        path: &[u8],
        kind: CodeFileKind,
        (start, len): (u64, u64),
        name: &[u8],
    ) {
        if self.count >= MAX_SYMBOLS {
            self.refused += 1;
            return;
        }
        self.count += 1;
        match self.add(path, kind) {
            Some(dso) => dso.symbols.add(start, len, name),
            None => self.kernel.add(start, len, name),
        }
    }

    /// Brings all functions into order, which looking them up needs.
    pub(super) fn sort(&mut self) {
        self.listed = self.functions();
        self.kernel.sort();
        self.by_path.values_mut().for_each(|dso| dso.symbols.sort());
    }

    /// Kind of the file of this path, if the recording lists it.
    pub fn kind(&self, path: &[u8]) -> Option<CodeFileKind> {
        self.by_path.get(path).map(|dso| dso.kind)
    }

    /// The function at an address of a process.
    pub fn function(&self, path: &[u8], ip: u64, mapping: &Mapping) -> Option<&[u8]> {
        self.by_path.get(path)?.function(ip, mapping)
    }

    /// Number of functions.
    fn functions(&self) -> usize {
        self.kernel.len() + self.by_path.values().map(|dso| dso.symbols.len()).sum::<usize>()
    }
}
