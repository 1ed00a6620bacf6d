//! A PDB file and what identifies it.

use std::fmt;

use pdb2::PDB;

use super::pdb_bytes::PdbBytes;
use super::pdb_functions;
use crate::{BuildId, Place};

/// The first bytes of a PDB file, since Visual C++ 7.
const SIGNATURE: &[u8] = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0";

/// A PDB file.
pub struct PdbFile {
    pdb: PDB<'static, PdbBytes>,
}

impl fmt::Debug for PdbFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PdbFile").finish_non_exhaustive()
    }
}

impl PdbFile {
    /// Whether these can be the first bytes of one.
    pub(crate) fn is_one(start: &[u8]) -> bool {
        SIGNATURE.starts_with(start) && start.len() >= 8
    }

    pub(crate) fn open(bytes: PdbBytes) -> Option<Self> {
        PDB::open(bytes).ok().map(|pdb| Self { pdb })
    }

    /// From the bytes of a file; `None` where they are no PDB file.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        Self::open(PdbBytes::Memory(bytes.to_vec()))
    }

    /// Its GUID in the order in which it is written, and its age, four bytes, the most significant first: what the `RSDS` record of its
    /// PE file has, and a symbol server's folder is called.
    pub fn build_id(&mut self) -> Option<BuildId> {
        let information = self.pdb.pdb_information().ok()?;
        // Tools that change the file count in its header; the age that a linker writes into the PE file is that of the debug data.
        let age = self.pdb.debug_information().ok().and_then(|it| it.age());
        let age = age.unwrap_or(information.age);
        let mut bytes = information.guid.as_bytes().to_vec();
        bytes.extend(age.to_be_bytes());
        BuildId::new(&bytes)
    }

    /// The function that each address relative to the PE image is in, with the line where it is known; none where nothing is known.
    ///
    /// Of a native image of .NET the size has to be known (`SizeOfImage`), because its PDB file does not say where sections are. Its names
    /// are methods with their arguments, which are left out.
    pub fn places(
        &mut self,
        addresses: &[Option<u32>],
        native_image: Option<u32>,
    ) -> Vec<Option<Place>> {
        let mut sorted: Vec<u32> = addresses.iter().flatten().copied().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let found = pdb_functions::find(&mut self.pdb, &sorted, native_image);
        let of = |address: &Option<u32>| {
            let at = sorted.binary_search(&(*address)?).ok()?;
            found.get(at).cloned().flatten()
        };
        addresses.iter().map(of).collect()
    }
}
