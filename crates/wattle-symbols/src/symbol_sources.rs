//! Sources of names.

use std::path::{Path, PathBuf};

use wattle_retrace::Mapping;
use wattle_unpack::UnpackBudget;

use crate::file_index::{self, FileIndex, FileKind};
use crate::symbol_path;
use crate::{Kallsyms, PerfMap, SymbolsError};

/// Everything that a user names, opened. Empty, it still lets files be found that a recording made on this machine names.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub(crate) files: FileIndex,
    pub(crate) perf_maps: Vec<PerfMap>,
    pub(crate) kallsyms: Option<Kallsyms>,
    pub(crate) mappings: Vec<Mapping>,
}

impl Sources {
    /// Opens files and folders with symbols, mappings of R8 or ProGuard, and the functions of the kernel.
    pub fn open(
        symbols: &[PathBuf],
        mappings: &[PathBuf],
        kallsyms: Option<&Path>,
    ) -> Result<Self, SymbolsError> {
        Self::open_within(symbols, mappings, kallsyms, &UnpackBudget::default())
    }

    /// The same within a budget for everything that is unpacked of the files, now and when they are asked for names.
    pub fn open_within(
        symbols: &[PathBuf],
        mappings: &[PathBuf],
        kallsyms: Option<&Path>,
        unpacking: &UnpackBudget,
    ) -> Result<Self, SymbolsError> {
        let mut sources = Self::default();
        sources.files.unpacking = unpacking.clone();
        for path in &symbols.iter().flat_map(|path| symbol_path::folders(path)).collect::<Vec<_>>()
        {
            let read = |source| SymbolsError::Read { path: path.clone(), source };
            if sources.files.add(path).map_err(read)? == 0 {
                return Err(SymbolsError::NotSymbols { path: path.clone() });
            }
        }
        for file in &sources.files.files {
            match file.kind {
                FileKind::PerfMap => {
                    sources.perf_maps.extend(file.read().map(|text| PerfMap::parse(&text)));
                }
                FileKind::JitDump => {
                    let dump = file.read().map(|bytes| PerfMap::from_jit_dump(&bytes));
                    sources.perf_maps.extend(dump);
                }
                FileKind::Kallsyms if sources.kallsyms.is_none() => {
                    sources.kallsyms = file.read().and_then(|text| Kallsyms::parse(&text));
                }
                _ => {}
            }
        }
        for path in mappings {
            let text = read(path)?;
            let mapping = Mapping::parse(&text);
            let none = || SymbolsError::NotMapping { path: path.clone() };
            sources.mappings.push(mapping.ok_or_else(none)?);
        }
        if let Some(path) = kallsyms {
            let none = || SymbolsError::NotKallsyms { path: path.to_owned() };
            sources.kallsyms = Some(Kallsyms::parse(&read(path)?).ok_or_else(none)?);
        }
        sources.check_budget()?;
        Ok(sources)
    }

    /// Whether everything that was asked for could be unpacked within the budget.
    ///
    /// # Errors
    /// If the budget is exceeded: names may be missing then.
    pub fn check_budget(&self) -> Result<(), SymbolsError> {
        let budget = &self.files.unpacking;
        if budget.is_exceeded() {
            return Err(SymbolsError::UnpackLimit { limit: budget.limit() });
        }
        Ok(())
    }

    /// Whether a user named none.
    pub fn is_empty(&self) -> bool {
        self.files.files.is_empty() && self.mappings.is_empty() && self.kallsyms.is_none()
    }
}

fn read(path: &Path) -> Result<Vec<u8>, SymbolsError> {
    // `/proc/kallsyms` is a regular file of no length.
    file_index::read(path).map_err(|source| SymbolsError::Read { path: path.to_owned(), source })
}
