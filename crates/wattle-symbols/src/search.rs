//! Finding the file that a recording means.

use std::fs::File;
use std::path::{Path, PathBuf};

use object::Object as _;

use crate::BuildId;
use crate::file_index::{self, FileIndex, FileKind, SymbolFile};
use crate::pe;

/// A mapping, as a recorder names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MappedName<'n> {
    /// The file.
    pub(crate) path: &'n str,
    /// The entry, if the file is a package.
    pub(crate) entry: Option<&'n str>,
}

impl<'n> MappedName<'n> {
    /// `/data/app/x/base.apk!libx.so` (libunwindstack), `base.apk!/lib/arm64-v8a/libx.so` (simpleperf), `[anon:dalvik-classes2.dex
    /// extracted in memory from /data/app/x/base.apk]` (ART), or a path.
    pub(crate) fn from_mapping(mapping: &'n str) -> Self {
        let mapping = mapping.strip_suffix(" (deleted)").unwrap_or(mapping);
        let extracted = mapping
            .strip_prefix("[anon:dalvik-")
            .and_then(|it| it.strip_suffix(']')?.split_once(" extracted in memory from "));
        if let Some((entry, path)) = extracted {
            let path = path.split_once('!').map_or(path, |(path, _)| path);
            return Self { path, entry: Some(entry) };
        }
        match mapping.split_once('!') {
            Some((path, entry)) => Self { path, entry: Some(entry.trim_start_matches('/')) },
            None => Self { path: mapping, entry: None },
        }
    }

    /// The last part of the path.
    pub(crate) fn file_name(self) -> &'n str {
        file_name(self.entry.unwrap_or(self.path))
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Why a file is not there, or of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No file of this build, nor of this name.
    NotFound,
    /// A file of this name has another build id.
    OtherBuild(String, BuildId),
    /// Several files of this name are of different builds, and the recording does not say which it was.
    Ambiguous(String, String),
    /// Nothing but debug data, and the recording has offsets in the file itself.
    NoCode(String),
    /// An OAT file, of which an executable that has the names was not found: its location on the device.
    NoDex(String, String),
    /// It was found, and has no symbol where the addresses are.
    NoSymbols(String),
}

/// Looks for ELF files, of one mapping.
pub(crate) struct Search<'s> {
    pub(crate) index: &'s FileIndex,
    pub(crate) name: MappedName<'s>,
    /// The build ids in the recording; several where a file was replaced meanwhile.
    pub(crate) build_ids: &'s [BuildId],
}

/// So may files of debug data be called.
const DEBUG_ENDINGS: [&str; 4] = ["", ".debug", ".dbg", ".sym"];
/// More files of one build add nothing.
const MOST: usize = 4;

impl Search<'_> {
    /// The contents of the files that belong to the mapping, and what they are called.
    pub(crate) fn files(&self) -> Result<(Vec<Vec<u8>>, String), Refusal> {
        let builds = || self.build_ids.iter().flat_map(|id| self.index.by_build_id(id));
        let mut found: Vec<&SymbolFile> = builds().take(MOST).collect();
        let mut refusal = Refusal::NotFound;
        if found.is_empty() {
            match self.by_name() {
                Ok(files) => found = files,
                Err(reason) => refusal = reason,
            }
        }
        let local = self.local();
        let shown = found.first().map(|it| it.shown());
        let shown = shown.or_else(|| local.first().map(|it| it.display().to_string()));
        let mut contents: Vec<Vec<u8>> = found.iter().filter_map(|it| it.read()).collect();
        let local = local.iter().filter_map(|path| file_index::read(path).ok());
        contents.extend(local.inspect(|it| self.index.unpacking.add_input(it.len() as u64)));
        let linked: Vec<_> = contents.iter().filter_map(|it| self.linked(it)).collect();
        if contents.len() == 1 {
            contents.extend(linked);
        }
        match shown {
            Some(shown) if !contents.is_empty() => Ok((contents, shown)),
            _ => Err(refusal),
        }
    }

    /// Files of the name, those that share the most of the path first; of no other build.
    fn by_name(&self) -> Result<Vec<&SymbolFile>, Refusal> {
        let name = self.name.file_name();
        let named = DEBUG_ENDINGS.iter().flat_map(|ending| {
            let name = format!("{name}{ending}");
            self.index.by_name(&name).collect::<Vec<_>>()
        });
        let named: Vec<_> = named.filter(|it| it.kind == FileKind::Elf).collect();
        let is_other = |file: &&SymbolFile| {
            let id = file.build_id.as_ref();
            id.is_some_and(|id| !self.build_ids.is_empty() && !self.build_ids.contains(id))
        };
        let fits: Vec<&SymbolFile> = named.iter().copied().filter(|it| !is_other(it)).collect();
        let path = self.name.entry.unwrap_or(self.name.path);
        let shared = |file: &&SymbolFile| {
            let of = file.entry.as_deref().map_or(&*file.path, Path::new);
            let parts = of.components().rev().skip(1).map(|it| it.as_os_str().to_string_lossy());
            let wanted = path.rsplit('/').skip(1);
            parts.zip(wanted).take_while(|(one, other)| one == other).count()
        };
        let Some(most) = fits.iter().map(shared).max() else {
            let other = named.first().and_then(|it| Some((it.shown(), it.build_id.clone()?)));
            return Err(other.map_or(Refusal::NotFound, |(path, id)| Refusal::OtherBuild(path, id)));
        };
        let best: Vec<&SymbolFile> = fits.into_iter().filter(|it| shared(it) == most).collect();
        let (first, rest) = best.split_first().ok_or(Refusal::NotFound)?;
        if let Some(other) = rest.iter().find(|it| it.build_id != first.build_id) {
            return Err(Refusal::Ambiguous(first.shown(), other.shown()));
        }
        // Without a build id nothing says that two files belong together.
        let kept = if first.build_id.is_some() { MOST } else { 1 };
        let all: Vec<&SymbolFile> = match &first.build_id {
            Some(id) => self.index.by_build_id(id).collect(),
            None => best,
        };
        Ok(all.into_iter().take(kept).collect())
    }

    /// The file itself where the recording was made on this machine: it is the same if its build id is.
    fn local(&self) -> Vec<PathBuf> {
        let path = Path::new(self.name.path);
        if self.build_ids.is_empty() || self.name.entry.is_some() || !path.is_absolute() {
            return Vec::new();
        }
        let has_id = |path: &Path| {
            let file = path.is_file().then(|| File::open(path).ok()).flatten();
            file.and_then(file_index::build_id).filter(|id| self.build_ids.contains(id))
        };
        let Some(id) = has_id(path) else { return Vec::new() };
        let digits = id.to_string();
        let debug = digits.split_at_checked(2).map(|(start, rest)| {
            PathBuf::from(format!("/usr/lib/debug/.build-id/{start}/{rest}.debug"))
        });
        let debug = debug.filter(|path| has_id(path).is_some());
        [Some(path.to_owned()), debug].into_iter().flatten().collect()
    }

    /// The debug data that a file names (`.gnu_debuglink`), if its checksum agrees.
    fn linked(&self, content: &[u8]) -> Option<Vec<u8>> {
        let file = object::File::parse(content).ok()?;
        let (name, crc) = file.gnu_debuglink().ok().flatten()?;
        let mut named = self.index.by_name(std::str::from_utf8(name).ok()?);
        named.find_map(|file| {
            let content = file.read()?;
            let mut sum = flate2::Crc::new();
            sum.update(&content);
            (sum.sum() == crc).then_some(content)
        })
    }

    /// The PE file that the mapping is of: by what identifies it, else by its name, where it is of no other build.
    pub(crate) fn pe(&self) -> Result<&SymbolFile, Refusal> {
        let is_pe = |it: &&SymbolFile| it.kind == FileKind::Pe;
        let mut builds = self.build_ids.iter().flat_map(|id| self.index.by_build_id(id));
        if let Some(found) = builds.find(is_pe) {
            return Ok(found);
        }
        let name = pe::file_name(self.name.path);
        let mut named = self.index.by_name(&name).filter(is_pe);
        let first = named.next().ok_or(Refusal::NotFound)?;
        // What the recording says of the build was looked for: a file of the name is another one.
        if let (Some(id), false) = (first.pe.shown(), self.build_ids.is_empty()) {
            return Err(Refusal::OtherBuild(first.shown(), id.clone()));
        }
        match named.find(|other| other.pe != first.pe) {
            Some(other) => Err(Refusal::Ambiguous(first.shown(), other.shown())),
            None => Ok(first),
        }
    }

    /// The PDB file of the mapping: by what the recording says identifies it, or by what `pe`, the PE file itself, says.
    pub(crate) fn pdb(&self, pe: Option<&SymbolFile>) -> Result<&SymbolFile, Refusal> {
        let ids = self.build_ids.iter().chain(pe.and_then(|it| it.pe.debug_data.as_ref()));
        let mut builds = ids.flat_map(|id| self.index.by_build_id(id));
        if let Some(found) = builds.find(|it| it.kind == FileKind::Pdb) {
            return Ok(found);
        }
        // One of its name is of another build: nothing but this says that it belongs to the mapping.
        let name = pe::file_name(self.name.path);
        let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
        let name = format!("{stem}.pdb");
        let mut named = self.index.by_name(&name).filter(|it| it.kind == FileKind::Pdb);
        let other = named.next().and_then(|it| Some((it.shown(), it.build_id.clone()?)));
        Err(other.map_or(Refusal::NotFound, |(path, id)| Refusal::OtherBuild(path, id)))
    }

    /// The package that the mapping is of, or in.
    pub(crate) fn package(&self) -> Option<&SymbolFile> {
        self.of_kind(FileKind::Package, self.name.path)
    }

    /// The file with Dalvik executables that the mapping is of.
    pub(crate) fn dex(&self) -> Option<&SymbolFile> {
        self.of_kind(FileKind::Dex, self.name.path)
    }

    /// A file of a name that is alone; packages are all called `base.apk`, so several say nothing.
    fn of_kind(&self, kind: FileKind, path: &str) -> Option<&SymbolFile> {
        let mut named = self.index.by_name(file_name(path)).filter(|it| it.kind == kind);
        let first = named.next()?;
        named.next().is_none().then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_mappings() {
        let check = |mapping, path, entry| {
            assert_eq!(MappedName::from_mapping(mapping), MappedName { path, entry }, "{mapping}");
        };
        check("/system/lib64/libc.so", "/system/lib64/libc.so", None);
        check("/memfd:x (deleted)", "/memfd:x", None);
        check("/data/app/x/base.apk!libx.so", "/data/app/x/base.apk", Some("libx.so"));
        check("a/base.apk!/lib/arm64-v8a/libx.so", "a/base.apk", Some("lib/arm64-v8a/libx.so"));
        let extracted = "[anon:dalvik-classes2.dex extracted in memory from /data/app/x/base.apk]";
        check(extracted, "/data/app/x/base.apk", Some("classes2.dex"));
    }
}
