//! The Dalvik executables of an OAT file: they have the names of its methods.

use crate::dex_tables::DexTables;
use crate::file_index::{FileKind, SymbolFile};
use crate::java_method::JavaMethod;
use crate::number_bytes::u32_at;
use crate::oat::{OatDexFile, OatFile};
use crate::search::Search;
use crate::{OatError, package_entries, vdex_file};

/// Many files of a user may have one name, such as `base.apk`: more are not looked at.
const MOST: usize = 16;

/// The methods of an OAT file by address, with the names that a `.vdex` file or a Dalvik executable (`.dex`) has: those of executables of
/// which the OAT file has the checksum. `None` where the bytes are no OAT file.
pub fn oat_methods(oat: &[u8], executables: &[u8]) -> Option<Result<Vec<JavaMethod>, OatError>> {
    let named = |oat: OatFile<'_>| {
        let known = known(executables);
        let files = oat.dex_files().iter();
        let files: Vec<_> = files.filter_map(|file| Some((file, find(file, &known)?))).collect();
        oat.methods(&files)
    };
    Some(OatFile::parse(oat)?.map(named))
}

/// The executables in a `.vdex` or `.dex` file, with the checksums that an OAT file has of them.
fn known(content: &[u8]) -> Vec<(u32, DexTables<'_>)> {
    if content.starts_with(b"vdex") {
        return vdex_file::executables(content);
    }
    let Some(tables) = DexTables::parse(content, 0) else { return Vec::new() };
    // That of a file in no package is in its header, that of an entry of a package is the entry's.
    let mut sum = flate2::Crc::new();
    sum.update(content);
    u32_at(content, 8).into_iter().chain([sum.sum()]).map(|it| (it, tables)).collect()
}

fn find<'d>(file: &OatDexFile, known: &[(u32, DexTables<'d>)]) -> Option<DexTables<'d>> {
    known.iter().find(|(checksum, _)| *checksum == file.checksum).map(|(_, tables)| *tables)
}

/// The outcome for the OAT file of a mapping.
#[derive(Debug, Default)]
pub(crate) struct OatOutcome {
    /// The methods that have names.
    pub(crate) methods: Vec<JavaMethod>,
    /// The first executable that was not found, by its location on the device.
    pub(crate) missing: Option<String>,
    /// Why there are no methods.
    pub(crate) error: Option<OatError>,
}

impl OatOutcome {
    /// Reads the tables of the OAT file among the contents of a mapping, and names from the files that a user gave: a `.vdex` file of
    /// the mapping's name, packages and executables of the names that the OAT file has of them.
    pub(crate) fn new(search: &Search<'_>, contents: &[Vec<u8>]) -> Self {
        let mut found = Self::default();
        let oat = match contents.iter().find_map(|it| OatFile::parse(it)) {
            None => return found,
            Some(Err(error)) => return Self { error: Some(error), ..found },
            Some(Ok(oat)) => oat,
        };
        let holders = vdex_files(search);
        let vdex: Vec<(u32, DexTables<'_>)> = holders.iter().flat_map(|it| known(it)).collect();
        let others = oat.dex_files().iter().filter(|file| find(file, &vdex).is_none());
        let unpacked: Vec<(u32, Vec<u8>)> =
            others.filter_map(|file| Some((file.checksum, executable(search, file)?))).collect();
        let dex = unpacked
            .iter()
            .filter_map(|(checksum, content)| Some((*checksum, DexTables::parse(content, 0)?)));
        let known: Vec<(u32, DexTables<'_>)> = vdex.iter().copied().chain(dex).collect();
        let mut files = Vec::new();
        for file in oat.dex_files() {
            match find(file, &known) {
                Some(tables) => files.push((file, tables)),
                None if found.missing.is_none() => found.missing = Some(file.location.clone()),
                None => {}
            }
        }
        found.methods = oat.methods(&files);
        found
    }
}

/// The `.vdex` files that have the name of the mapping.
fn vdex_files(search: &Search<'_>) -> Vec<Vec<u8>> {
    let name = search.name.file_name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    named(search, &format!("{stem}.vdex"), FileKind::Dex).filter_map(SymbolFile::read).collect()
}

/// An executable that was compiled: an entry of a package, or a file.
fn executable(search: &Search<'_>, file: &OatDexFile) -> Option<Vec<u8>> {
    let (path, entry) =
        file.location.split_once('!').unwrap_or((file.location.as_str(), "classes.dex"));
    let name = path.rsplit('/').next().unwrap_or(path);
    let entry = (entry, file.checksum);
    let packed = named(search, name, FileKind::Package).find_map(|package| {
        package_entries::entry_of(&package.read()?, entry, &search.index.unpacking)
    });
    packed.or_else(|| {
        let mut files = named(search, name, FileKind::Dex).filter_map(SymbolFile::read);
        files.find(|content| find(file, &known(content)).is_some())
    })
}

fn named<'s>(
    search: &'s Search<'_>,
    name: &str,
    kind: FileKind,
) -> impl Iterator<Item = &'s SymbolFile> {
    search.index.by_name(name).filter(move |it| it.kind == kind && it.entry.is_none()).take(MOST)
}
