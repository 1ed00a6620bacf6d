//! PDB files inside archives that are no packages: PerfView packs those of .NET's native images beside its log.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

/// Larger ones are left out.
const LARGEST: u64 = 1 << 30;

/// The PDB files of an archive, by the names of their entries.
pub(crate) fn pdbs(archive: &[u8], mut found: impl FnMut(&str, &[u8])) {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(archive)) else { return };
    for index in 0..archive.len() {
        let Ok(member) = archive.by_index(index) else { continue };
        let Some(name) = member.name().ok().map(|it| it.to_string()) else { continue };
        if name.to_ascii_lowercase().ends_with(".pdb")
            && let Some(content) = read(member)
        {
            found(&name, &content);
        }
    }
}

/// The content of an entry.
pub(crate) fn entry(archive: &[u8], name: &str) -> Option<Vec<u8>> {
    read(ZipArchive::new(Cursor::new(archive)).ok()?.by_name(name).ok()?)
}

fn read(member: impl std::io::Read) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let read = member.take(LARGEST + 1).read_to_end(&mut content).ok()?;
    (read as u64 <= LARGEST).then_some(content)
}
