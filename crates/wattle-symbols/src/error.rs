//! Errors of files that a user names.

use std::path::PathBuf;

/// A source of names that cannot be used. What a recording names and nobody has is no error, see [`crate::Symbolised::missing`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolsError {
    /// The file or folder cannot be read.
    #[error("{}: cannot be read", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file has no symbols that are understood.
    #[error("{}: expected an ELF, PE or PDB file, a package, a .dex or .vdex file, perf-PID.map or kallsyms, or a folder of them", .path.display())]
    NotSymbols {
        /// Which.
        path: PathBuf,
    },
    /// The file is no mapping of R8 or ProGuard.
    #[error("{}: expected a mapping.txt of R8 or ProGuard; it names no class", .path.display())]
    NotMapping {
        /// Which.
        path: PathBuf,
    },
    /// The kernel's symbols have no addresses.
    #[error("{}: expected addresses of kernel functions, found none (all are 0 where kernel.kptr_restrict hides them)", .path.display())]
    NotKallsyms {
        /// Which.
        path: PathBuf,
    },
    /// The files unpack to more than is left of the budget of the run.
    #[error(
        "files with symbols: with what was unpacked before, they unpack to more than {}; --unpack-limit sets another limit",
        wattle_unpack::UnpackBudget::shown(*limit)
    )]
    UnpackLimit {
        /// The budget in bytes.
        limit: u64,
    },
}
