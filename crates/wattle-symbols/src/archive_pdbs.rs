//! PDB files inside archives that are no packages: PerfView packs those of .NET's native images beside its log.

use std::io::Cursor;

use wattle_unpack::UnpackBudget;
use zip::ZipArchive;

/// Larger ones are left out.
const LARGEST: u64 = 1 << 30;

/// The PDB files of an archive, by the names of their entries.
pub(crate) fn pdbs(archive: &[u8], unpacking: &UnpackBudget, mut found: impl FnMut(&str, &[u8])) {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(archive)) else { return };
    if !unpacking.try_take((archive.len() as u64).saturating_mul(UnpackBudget::OF_ENTRY)) {
        return;
    }
    for index in 0..archive.len() {
        let Ok(member) = archive.by_index(index) else { continue };
        let Some(name) = member.name().ok().map(|it| it.to_string()) else { continue };
        if name.to_ascii_lowercase().ends_with(".pdb")
            && let Some(content) = read(member, unpacking)
        {
            found(&name, &content);
        }
    }
}

/// The content of an entry.
pub(crate) fn entry(archive: &[u8], name: &str, unpacking: &UnpackBudget) -> Option<Vec<u8>> {
    read(ZipArchive::new(Cursor::new(archive)).ok()?.by_name(name).ok()?, unpacking)
}

fn read(member: impl std::io::Read, unpacking: &UnpackBudget) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let read = unpacking.read_to_end(member, LARGEST + 1, &mut content).ok()?;
    (read as u64 <= LARGEST && !unpacking.is_exceeded()).then_some(content)
}
