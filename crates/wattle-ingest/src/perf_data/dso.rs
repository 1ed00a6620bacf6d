//! Files with code, and their functions as far as a recording brings them (`DsoType`, `Dso::IpToVaddrInFile` of simpleperf).

use std::collections::BTreeMap;

use super::mapping::Mapping;
use super::symbol::{MAX_SYMBOLS, Symbols};

/// `DsoType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DsoKind {
    Kernel,
    KernelModule,
    #[default]
    Elf,
    Dex,
    SymbolMap,
    Unknown,
}

impl DsoKind {
    /// By the number in the file.
    pub fn of(number: u64) -> Self {
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
pub(super) struct Dso {
    pub kind: DsoKind,
    /// The least address of its code.
    pub min_vaddr: u64,
    /// Where that lies: in the file, of a module of the kernel in memory.
    pub offset_of_min_vaddr: Option<u64>,
    pub symbols: Symbols,
}

impl Dso {
    /// The function at an address of the process.
    fn function(&self, ip: u64, mapping: &Mapping) -> Option<&[u8]> {
        let in_mapping = ip.wrapping_sub(mapping.start);
        let in_file = in_mapping.wrapping_add(mapping.offset);
        let address = match (self.kind, self.offset_of_min_vaddr) {
            _ if mapping.holds_jit_symbols => ip,
            (DsoKind::Elf, Some(offset)) => {
                in_file.wrapping_sub(offset).wrapping_add(self.min_vaddr)
            }
            (DsoKind::Elf, None) => in_mapping.wrapping_add(self.min_vaddr),
            (DsoKind::KernelModule, offset) => {
                in_mapping.wrapping_sub(offset.unwrap_or(0)).wrapping_add(self.min_vaddr)
            }
            (DsoKind::Dex, _) => in_file,
            (DsoKind::Kernel | DsoKind::SymbolMap | DsoKind::Unknown, _) => ip,
        };
        self.symbols.find(address)
    }
}

/// All files whose functions are known, by path; those of the kernel apart.
#[derive(Debug, Default)]
pub(super) struct Dsos {
    pub by_path: BTreeMap<Vec<u8>, Dso>,
    pub kernel: Symbols,
    /// Functions that were not kept.
    pub refused: u64,
    count: usize,
}

impl Dsos {
    /// Adds a file. Where it is there already, its functions come to the others.
    pub fn add(&mut self, path: &[u8], kind: DsoKind) -> Option<&mut Dso> {
        if kind == DsoKind::Kernel {
            return None;
        }
        let dso = self.by_path.entry(path.to_owned()).or_default();
        dso.kind = kind;
        Some(dso)
    }

    /// Adds a function.
    pub fn symbol(&mut self, path: &[u8], kind: DsoKind, (start, len): (u64, u64), name: &[u8]) {
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

    /// Puts everything in order. Before anything is looked up.
    pub fn sort(&mut self) {
        self.kernel.sort();
        self.by_path.values_mut().for_each(|dso| dso.symbols.sort());
    }

    /// The kind of the file, if anything is known of it.
    pub fn kind(&self, path: &[u8]) -> Option<DsoKind> {
        self.by_path.get(path).map(|dso| dso.kind)
    }

    /// The function at an address of a process.
    pub fn function(&self, path: &[u8], ip: u64, mapping: &Mapping) -> Option<&[u8]> {
        self.by_path.get(path)?.function(ip, mapping)
    }

    /// How many functions are known.
    pub fn functions(&self) -> usize {
        self.kernel.len() + self.by_path.values().map(|dso| dso.symbols.len()).sum::<usize>()
    }
}
