//! Libraries and executables inside Android packages.

use wattle_apk::{Apk, Entry, Method};
use wattle_unpack::UnpackBudget;

/// Whether bytes begin as an archive does.
pub(crate) fn is_package(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04")
}

/// The native libraries of a package, by the names of their entries.
pub(crate) fn libraries(
    package: &[u8],
    unpacking: &UnpackBudget,
    mut found: impl FnMut(&str, &[u8]),
) {
    let Ok(apk) = Apk::open(package) else { return };
    // `lib/ABI/libNAME.so`; what else lies there is no ELF file and drops out by its content.
    for entry in apk.entries().iter().filter(|it| it.name().starts_with("lib/")) {
        if let Ok(content) = entry.read_within(unpacking) {
            found(entry.name(), &content);
        }
    }
}

/// The content of an entry.
pub(crate) fn entry(package: &[u8], name: &str, unpacking: &UnpackBudget) -> Option<Vec<u8>> {
    Apk::open(package).ok()?.entry(name)?.read_within(unpacking).ok()
}

/// The content of an entry, if its checksum (CRC-32) is the one that is asked for.
pub(crate) fn entry_of(
    package: &[u8],
    (name, checksum): (&str, u32),
    unpacking: &UnpackBudget,
) -> Option<Vec<u8>> {
    let apk = Apk::open(package).ok()?;
    let entry = apk.entry(name).filter(|it| it.crc32() == checksum)?;
    entry.read_within(unpacking).ok()
}

/// Ranges of the entries of a package that can be mapped as they are: those that are not compressed.
pub(crate) fn stored(package: &[u8]) -> Vec<(u64, u64, String)> {
    let Ok(apk) = Apk::open(package) else { return Vec::new() };
    let stored = apk.entries().iter().filter(|it| it.method() == Method::Stored && it.size() > 0);
    let range = |it: &Entry<'_>| {
        let start = it.data_offset() as u64;
        (start, start + u64::from(it.size()), it.name().to_owned())
    };
    let mut ranges: Vec<_> = stored.map(range).collect();
    ranges.sort();
    ranges
}
