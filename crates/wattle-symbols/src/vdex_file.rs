//! The executables of a `.vdex` file with their checksums (AOSP, `art/runtime/vdex_file.h`).

use crate::dex_tables::DexTables;
use crate::number_bytes::u32_at;

/// No file has more executables.
const MOST: usize = 1 << 12;
/// More sections than this are in no version.
const MOST_SECTIONS: usize = 16;

/// The executables that a `.vdex` file holds, each with the checksum of what it was made from. None where it holds none, as where they
/// are in a package that can be mapped, and where its version is not known.
pub(crate) fn executables(bytes: &[u8]) -> Vec<(u32, DexTables<'_>)> {
    let checksums = checksums(bytes).unwrap_or_default();
    let tables = DexTables::find(bytes);
    if checksums.len() == tables.len() {
        checksums.into_iter().zip(tables).collect()
    } else {
        Vec::new()
    }
}

fn checksums(bytes: &[u8]) -> Option<Vec<u32>> {
    let (start, count) = match bytes.get(..8)? {
        // Behind the header, whose number of executables is its fourth field.
        b"vdex019\0" => (20, u32_at(bytes, 12)? as usize),
        b"vdex021\0" => (28, u32_at(bytes, 12)? as usize),
        b"vdex027\0" => section(bytes)?,
        _ => return None,
    };
    let all = bytes.get(start..start.checked_add(count.min(MOST) * 4)?)?;
    Some(all.chunks_exact(4).filter_map(|it| u32_at(it, 0)).collect())
}

/// Start of the section of checksums, and their number.
fn section(bytes: &[u8]) -> Option<(usize, usize)> {
    /// `kChecksumSection`.
    const CHECKSUMS: u32 = 0;
    let count = (u32_at(bytes, 8)? as usize).min(MOST_SECTIONS);
    let mut headers = (0..count).map(|nth| 12 + 12 * nth);
    let at = headers.find(|at| u32_at(bytes, *at) == Some(CHECKSUMS))?;
    Some((u32_at(bytes, at + 4)? as usize, u32_at(bytes, at + 8)? as usize / 4))
}
