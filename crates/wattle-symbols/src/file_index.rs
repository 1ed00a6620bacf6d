//! Files with symbols: where each is, by build id and by name.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use object::{Object as _, ReadCache};
use rustc_hash::FxHashMap;
use wattle_unpack::UnpackBudget;

use crate::jit_dump::is_jit_dump;
use crate::pdb::{PdbBytes, PdbFile};
use crate::pe::{self, PeIdentity};
use crate::{BuildId, ElfImage, PerfMap, archive_pdbs, package_entries};

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// An ELF file, with code or with nothing but debug data.
    Elf,
    /// A PE file: `.exe`, `.dll`, `.sys`.
    Pe,
    /// The debug data of a PE file: `.pdb`.
    Pdb,
    /// Dalvik executables: `.dex`, `.vdex`.
    Dex,
    /// An Android package.
    Package,
    /// `perf-PID.map`.
    PerfMap,
    /// `jit-PID.dump`.
    JitDump,
    /// The kernel's functions.
    Kallsyms,
}

impl FileKind {
    /// By the first bytes, and by the name where these say nothing.
    fn new(path: &Path, start: &[u8]) -> Option<Self> {
        match start {
            [0x7f, b'E', b'L', b'F', ..] => Some(Self::Elf),
            [b'M', b'Z', ..] => Some(Self::Pe),
            _ if PdbFile::is_one(start) => Some(Self::Pdb),
            [b'd', b'e', b'x', b'\n', ..] | [b'v', b'd', b'e', b'x', ..] => Some(Self::Dex),
            _ if package_entries::is_package(start) => Some(Self::Package),
            _ if is_jit_dump(start) => Some(Self::JitDump),
            _ if PerfMap::is_name(path) => Some(Self::PerfMap),
            _ if path.file_name().is_some_and(|it| it == "kallsyms") => Some(Self::Kallsyms),
            _ => None,
        }
    }
}

/// A file, or a library in a package.
#[derive(Clone, Debug)]
pub(crate) struct SymbolFile {
    pub(crate) path: PathBuf,
    /// Of a library in a package the name of its entry.
    pub(crate) entry: Option<String>,
    pub(crate) kind: FileKind,
    pub(crate) build_id: Option<BuildId>,
    /// Of a PE file.
    pub(crate) pe: PeIdentity,
    /// The bytes that it may unpack to, with all other files.
    pub(crate) unpacking: UnpackBudget,
}

impl SymbolFile {
    /// Its content; `None` where it cannot be read, or is larger than anything real.
    pub(crate) fn read(&self) -> Option<Vec<u8>> {
        let content = read(&self.path).ok()?;
        match &self.entry {
            Some(entry) if self.kind == FileKind::Pdb => {
                archive_pdbs::entry(&content, entry, &self.unpacking)
            }
            Some(entry) => package_entries::entry(&content, entry, &self.unpacking),
            None => Some(content),
        }
    }

    /// It as a PDB file, of which no more is read than is asked for.
    pub(crate) fn pdb(&self) -> Option<PdbFile> {
        PdbFile::open(match &self.entry {
            Some(_) => PdbBytes::Memory(self.read()?),
            None => PdbBytes::open(&self.path).ok()?,
        })
    }

    /// Path, and entry in it, as a recorder would write it.
    pub(crate) fn shown(&self) -> String {
        match &self.entry {
            Some(entry) => format!("{}!/{entry}", self.path.display()),
            None => self.path.display().to_string(),
        }
    }

    /// The name that it is looked for by.
    fn name(&self) -> Option<&str> {
        match &self.entry {
            Some(entry) => entry.rsplit(['/', '\\']).next(),
            None => self.path.file_name()?.to_str(),
        }
    }
}

/// Larger files are left out.
const LARGEST: u64 = 4 << 30;
/// More files in the folders that a user names are not looked at.
const MOST_FILES: usize = 500_000;
/// Nor are folders deeper than this.
const DEEPEST: usize = 64;

/// The content of a regular file. What is none (a pipe, a device) could go on for ever.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let facts = std::fs::metadata(path)?;
    if !facts.is_file() || facts.len() > LARGEST {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mut content = Vec::new();
    File::open(path)?.take(LARGEST).read_to_end(&mut content)?;
    Ok(content)
}

/// All files that a user names, each read as far as its build id.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileIndex {
    pub(crate) files: Vec<SymbolFile>,
    by_build_id: FxHashMap<BuildId, Vec<usize>>,
    by_name: FxHashMap<String, Vec<usize>>,
    /// Whether there were more files than are looked at.
    pub(crate) is_cut: bool,
    /// The bytes that all files may unpack to.
    pub(crate) unpacking: UnpackBudget,
}

impl FileIndex {
    /// Adds a file, or all files of a folder that have symbols. Returns how many there are.
    pub(crate) fn add(&mut self, path: &Path) -> io::Result<usize> {
        let before = self.files.len();
        let facts = std::fs::metadata(path)?;
        if facts.is_dir() {
            self.folder(path, 0)?;
        } else if !facts.is_file() {
            // Nobody may ever write into a pipe.
            let text = "expected a file or a folder, found a pipe or a device";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        } else {
            self.file(path)?;
        }
        Ok(self.files.len() - before)
    }

    fn folder(&mut self, folder: &Path, depth: usize) -> io::Result<()> {
        let mut entries: Vec<_> = std::fs::read_dir(folder)?.flatten().collect();
        // The order of a folder is nobody's.
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if self.files.len() >= MOST_FILES || depth >= DEEPEST {
                self.is_cut = true;
                return Ok(());
            }
            // Links to folders may go in circles; links to files are how `.build-id` is made.
            if entry.file_type().is_ok_and(|it| it.is_dir()) {
                // What cannot be read in a tree is as good as not there.
                let _ = self.folder(&path, depth + 1);
            } else if path.is_file() {
                let _ = self.file(&path);
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let mut start = [0; 8];
        let mut read_so_far = 0;
        while let Some(rest) = start.get_mut(read_so_far..).filter(|rest| !rest.is_empty()) {
            match file.read(rest)? {
                0 => break,
                read => read_so_far += read,
            }
        }
        let Some(kind) = FileKind::new(path, start.get(..read_so_far).unwrap_or_default()) else {
            return Ok(());
        };
        self.unpacking.add_input(file.metadata()?.len());
        if kind == FileKind::Package {
            self.libraries(path);
        }
        let build_id = match kind {
            FileKind::Elf => build_id(file).or_else(|| tree_id(path)),
            FileKind::Pdb => {
                PdbBytes::open(path).ok().and_then(PdbFile::open).and_then(|mut it| it.build_id())
            }
            _ => None,
        };
        let pe = if kind == FileKind::Pe { pe_identity(path)? } else { PeIdentity::default() };
        let unpacking = self.unpacking.clone();
        self.push(SymbolFile { path: path.to_owned(), entry: None, kind, build_id, pe, unpacking });
        Ok(())
    }

    fn libraries(&mut self, path: &Path) {
        let Ok(content) = read(path) else { return };
        let unpacking = self.unpacking.clone();
        archive_pdbs::pdbs(&content, &unpacking, |entry, pdb| {
            let build_id = PdbFile::parse(pdb).and_then(|mut it| it.build_id());
            let entry = Some(entry.to_owned());
            let (kind, pe) = (FileKind::Pdb, PeIdentity::default());
            let (path, unpacking) = (path.to_owned(), unpacking.clone());
            self.push(SymbolFile { path, entry, kind, build_id, pe, unpacking });
        });
        package_entries::libraries(&content, &unpacking, |entry, library| {
            let build_id = ElfImage::build_id(library);
            let entry = Some(entry.to_owned());
            let (kind, pe) = (FileKind::Elf, PeIdentity::default());
            let (path, unpacking) = (path.to_owned(), unpacking.clone());
            self.push(SymbolFile { path, entry, kind, build_id, pe, unpacking });
        });
    }

    fn push(&mut self, file: SymbolFile) {
        let index = self.files.len();
        for id in [&file.build_id, &file.pe.image, &file.pe.debug_data].into_iter().flatten() {
            self.by_build_id.entry(id.clone()).or_default().push(index);
        }
        if let Some(name) = file.name() {
            // Case says nothing in names of Windows.
            let is_windows = matches!(file.kind, FileKind::Pe | FileKind::Pdb);
            let name = if is_windows { pe::file_name(name) } else { name.to_owned() };
            self.by_name.entry(name).or_default().push(index);
        }
        self.files.push(file);
    }

    /// The files of a build.
    pub(crate) fn by_build_id<'i>(&'i self, id: &BuildId) -> impl Iterator<Item = &'i SymbolFile> {
        self.by_build_id.get(id).into_iter().flatten().filter_map(|index| self.files.get(*index))
    }

    /// The files of a name.
    pub(crate) fn by_name<'i>(&'i self, name: &str) -> impl Iterator<Item = &'i SymbolFile> {
        self.by_name.get(name).into_iter().flatten().filter_map(|index| self.files.get(*index))
    }
}

/// The build id of an ELF file, without reading more of it than that takes.
pub(crate) fn build_id(file: File) -> Option<BuildId> {
    let cache = ReadCache::new(file);
    let file = object::File::parse(&cache).ok()?;
    file.build_id().ok().flatten().and_then(BuildId::new)
}

/// The identity of a PE file, without reading more of it than that takes.
fn pe_identity(path: &Path) -> io::Result<PeIdentity> {
    let cache = ReadCache::new(File::open(path)?);
    let file = object::File::parse(&cache).map_err(io::Error::other)?;
    Ok(PeIdentity::from_file(&file))
}

/// The identity in the path `.build-id/ab/cdef.debug` of a file that has lost its note.
fn tree_id(path: &Path) -> Option<BuildId> {
    let start = path.parent()?;
    let is_tree = start.parent()?.file_name()? == ".build-id";
    let digits = format!("{}{}", start.file_name()?.to_str()?, path.file_stem()?.to_str()?);
    is_tree.then(|| BuildId::parse(&digits)).flatten()
}
