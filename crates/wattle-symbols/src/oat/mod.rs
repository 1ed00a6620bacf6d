//! OAT files: which code is of which method, by the file's own tables.
//!
//! `dex2oat` writes an ELF file whose symbol `oatdata` begins a header. It leads to a record for each Dalvik executable, that to a
//! record for each of its classes, and that to the code of the class's methods in the order of the executable. Names are in the
//! executable alone: in the `.vdex` file beside, or in the package.

mod oat_bytes;
mod oat_error;
mod oat_file;
mod oat_layout;

pub use oat_error::OatError;
pub(crate) use oat_file::{OatDexFile, OatFile};
