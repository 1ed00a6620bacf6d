//! Names of sampled addresses and of shrunk methods.
//!
//! A recorder writes what it could find on the device: often an address in a file, or a name that a shrinker made. This crate
//! finds the rest where it can: symbol tables and lines of ELF files (also `.gnu_debugdata`), exports of PE files, functions and lines of PDB files, inlined functions, methods of Dalvik
//! executables, maps that just-in-time compilers write, the kernel's own table, and `mapping.txt` of R8 and ProGuard; and callers in stacks
//! that a recorder only copied. It changes names, frames and call sites of a timeline and nothing else.
//!
//! ```
//! use wattle_symbols::{Sources, symbolise};
//! use wattle_timeline::Timeline;
//!
//! let mut timeline = Timeline::default();
//! let sources = Sources::open(&["no/such/folder".into()], &[], None);
//! assert!(sources.is_err(), "what a user names must be there");
//! let done = symbolise(&mut timeline, &Sources::default());
//! assert_eq!(done.named(), 0);
//! # Ok::<(), wattle_symbols::SymbolsError>(())
//! ```

mod archive_pdbs;
mod build_id;
mod code_place;
mod demangle;
mod dex_methods;
mod dex_tables;
mod dotted_name;
mod elf;
mod error;
mod file_index;
mod frame_replacement;
mod java_method;
mod jit_dump;
mod kernel_symbols;
mod msvc_name;
mod number_bytes;
mod oat;
mod oat_executables;
mod package_entries;
mod pdb;
mod pe;
mod perf_map;
mod recorded_names;
mod renamed;
mod requests;
mod search;
mod symbol_path;
mod symbol_sources;
mod symbolise;
mod symbolised;
mod tracing_frames;
mod unwinding;
mod vdex_file;

pub use build_id::BuildId;
pub use code_place::Place;
pub use demangle::demangle;
pub use dex_methods::DexMethods;
pub use elf::{ElfImage, MiniDebugError, unpack_mini_debug};
pub use error::SymbolsError;
pub use java_method::JavaMethod;
pub use kernel_symbols::Kallsyms;
pub use oat::OatError;
pub use oat_executables::oat_methods;
pub use pdb::PdbFile;
pub use pe::PeImage;
pub use perf_map::PerfMap;
pub use symbol_sources::Sources;
pub use symbolise::symbolise;
pub use symbolised::{MissingFile, NamedBy, Symbolised};
pub use unwinding::Unwound;
