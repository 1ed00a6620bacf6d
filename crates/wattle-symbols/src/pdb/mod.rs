//! PDB files: which address of a PE file is of which function, and of which line.

mod native_image_name;
mod pdb_bytes;
mod pdb_file;
mod pdb_functions;

pub(crate) use pdb_bytes::PdbBytes;
pub use pdb_file::PdbFile;
