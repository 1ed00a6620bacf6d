//! Several packages that are one app: a base package and its splits, as files or in one archive.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use wattle_unpack::UnpackBudget;

use crate::crypto::SigningKey;
use crate::leftover::{Leftover, invalid_beside};
use crate::signature::{SignOptions, sign};
use crate::zip::{Alignment, Apk, ApkEditor, Compression};
use crate::{ApkError, Manifest, SetProblem};

/// The bytes that are read of a file that is no package: enough for an error to say how it begins.
const HEAD: u64 = 4096;

/// The packages of one app, which must be signed with one key and installed together.
#[derive(Debug, Clone)]
pub struct ApkSet {
    members: Vec<SetMember>,
    base: usize,
    /// The archive they came in (`.apks`, `.xapk`, `.apkm`).
    archive: Option<Vec<u8>>,
    leftovers: Vec<Leftover>,
    budget: UnpackBudget,
}

/// One package of a set.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SetMember {
    /// Path of the file, or name of the entry in the archive.
    pub name: String,
    /// The package.
    pub bytes: Vec<u8>,
    /// Its manifest.
    pub manifest: Manifest,
}

/// A set, written again in the form it had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenSet {
    /// Name and content of each package.
    Files(Vec<(String, Vec<u8>)>),
    /// The archive.
    Archive(Vec<u8>),
}

impl ApkSet {
    /// Opens one package, a base package with its splits, or one archive of packages, by content.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Self, ApkError> {
        let mut files = Vec::with_capacity(paths.len());
        let mut leftovers = Vec::new();
        for path in paths.iter().map(AsRef::as_ref) {
            let bytes = Self::read_file(path)
                .map_err(|source| ApkError::Io { path: path.to_owned(), source })?;
            files.push((path.to_string_lossy().into_owned(), bytes));
            leftovers.append(&mut invalid_beside(path));
        }
        let mut set = Self::from_files(files)?;
        leftovers.append(&mut set.leftovers);
        set.leftovers = leftovers;
        Ok(set)
    }

    /// The content of a file that begins like a package or a Dalvik executable; of any other the beginning alone, so that what has no
    /// end (a device) is refused.
    ///
    /// # Errors
    /// If it cannot be read; the error does not name the file.
    pub fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut file = fs::File::open(path)?;
        file.by_ref().take(HEAD).read_to_end(&mut bytes)?;
        if [&b"PK"[..], b"dex\n"].iter().any(|magic| bytes.starts_with(magic)) {
            file.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }

    /// Opens what was read already: names and contents.
    pub fn from_files(files: Vec<(String, Vec<u8>)>) -> Result<Self, ApkError> {
        Self::within(files, UnpackBudget::default())
    }

    /// The same within a budget for everything that is unpacked, which [`budget`](Self::budget) gives to those who unpack more of it.
    pub fn within(
        mut files: Vec<(String, Vec<u8>)>,
        budget: UnpackBudget,
    ) -> Result<Self, ApkError> {
        if let [(_, only)] = files.as_slice()
            && is_archive_of_packages(&Apk::open(only)?)
        {
            let archive = files.pop().map(|(_, bytes)| bytes).unwrap_or_default();
            return Self::from_archive(archive, budget);
        }
        let mut members = Vec::with_capacity(files.len());
        for (name, bytes) in files {
            let apk = Apk::open(&bytes).map_err(|error| in_member(&name, error))?;
            if is_archive_of_packages(&apk) {
                return Err(ApkError::Set(SetProblem::ArchiveAmongFiles { archive: name }));
            }
            members.push(SetMember::read(name, bytes)?);
        }
        let base = check_same_app(&members)?;
        check_installable_together(&members, base)?;
        Ok(Self { members, base, archive: None, leftovers: Vec::new(), budget })
    }

    fn from_archive(archive: Vec<u8>, budget: UnpackBudget) -> Result<Self, ApkError> {
        let mut members = Vec::new();
        let mut leftovers = Vec::new();
        for entry in Apk::open(&archive)?.entries() {
            let name = entry.name();
            leftovers.extend(Leftover::beside(name));
            if is_package(name) {
                members.push(SetMember::read(name.to_owned(), entry.read_within(&budget)?)?);
            }
        }
        // An archive may have several base packages: bundletool writes one for each kind of device.
        let base = check_same_app(&members)?;
        Ok(Self { members, base, archive: Some(archive), leftovers, budget })
    }

    /// The packages, in the order they were given or have in the archive.
    pub fn members(&self) -> &[SetMember] {
        &self.members
    }

    /// The packages themselves, in that order.
    pub fn into_members(self) -> Vec<SetMember> {
        self.members
    }

    /// The budget for everything that is unpacked of them.
    pub fn budget(&self) -> &UnpackBudget {
        &self.budget
    }

    /// The base package; in an archive with several the first one.
    pub fn base(&self) -> Option<&SetMember> {
        self.members.get(self.base)
    }

    /// Whether the set came in one archive.
    pub const fn is_archive(&self) -> bool {
        self.archive.is_some()
    }

    /// The lowest API level that any base package of the set installs on; 1 when it is not said.
    pub fn min_sdk(&self) -> u32 {
        let bases = self.members.iter().filter(|member| member.manifest.is_base());
        bases.map(|base| base.manifest.min_sdk.unwrap_or(1)).min().unwrap_or(1)
    }

    /// Files that become invalid beside the packages (signatures of scheme v4, profiles of the code); see also [`Apk::invalid_after_rewriting`].
    pub fn leftovers(&self) -> &[Leftover] {
        &self.leftovers
    }

    /// Writes the set with new packages, one for each of [`members`](Self::members) in its order.
    ///
    /// All other entries of an archive stay bit for bit, except [`leftovers`](Self::leftovers), which are dropped.
    pub fn write(&self, packages: Vec<Vec<u8>>) -> Result<WrittenSet, ApkError> {
        let named = self.members.iter().map(|member| member.name.clone()).zip(packages);
        let Some(archive) = &self.archive else {
            return Ok(WrittenSet::Files(named.collect()));
        };
        let archive = Apk::open(archive)?;
        let mut editor = ApkEditor::new(&archive);
        for (name, package) in named {
            editor.replace(&name, package, Compression::AsBefore)?;
        }
        for file in self.leftovers.iter().filter_map(Leftover::file) {
            editor.remove(file);
        }
        editor.finish(Alignment::default()).map(WrittenSet::Archive)
    }

    /// Signs all packages with one key and writes the set.
    pub fn sign(&self, key: &SigningKey, options: &SignOptions) -> Result<WrittenSet, ApkError> {
        let signed = self.members.iter().map(|member| {
            sign(&member.bytes, key, options).map_err(|error| in_member(&member.name, error))
        });
        self.write(signed.collect::<Result<_, _>>()?)
    }
}

impl SetMember {
    fn read(name: String, bytes: Vec<u8>) -> Result<Self, ApkError> {
        let manifest = Apk::open(&bytes).and_then(|apk| apk.manifest());
        let manifest = manifest.map_err(|error| in_member(&name, error))?;
        Ok(Self { name, bytes, manifest })
    }
}

fn in_member(name: &str, error: ApkError) -> ApkError {
    ApkError::Member { member: name.to_owned(), source: Box::new(error) }
}

fn is_package(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("apk"))
}

/// Whether it is no package itself, but has packages inside.
fn is_archive_of_packages(apk: &Apk<'_>) -> bool {
    apk.entry(Apk::MANIFEST).is_none() && apk.entries().iter().any(|entry| is_package(entry.name()))
}

/// All packages are of one app; gives the place of its base package.
fn check_same_app(members: &[SetMember]) -> Result<usize, ApkError> {
    let first = members.first().ok_or(ApkError::Set(SetProblem::Empty))?;
    let other = members.iter().find(|member| member.manifest.package != first.manifest.package);
    if let Some(other) = other {
        return Err(ApkError::Set(SetProblem::Packages {
            first: first.name.clone(),
            first_package: first.manifest.package.clone(),
            second: other.name.clone(),
            second_package: other.manifest.package.clone(),
        }));
    }
    let base = members.iter().position(|member| member.manifest.is_base());
    base.ok_or(ApkError::Set(SetProblem::NoBase))
}

/// One base package, every split once, all of one version: what `pm install-create` asks for.
fn check_installable_together(members: &[SetMember], base: usize) -> Result<(), ApkError> {
    let Some(base) = members.get(base) else { return Ok(()) };
    for (index, member) in members.iter().enumerate() {
        let code = |member: &SetMember| member.manifest.version_code.unwrap_or(0);
        if code(member) != code(base) {
            return Err(ApkError::Set(SetProblem::Versions {
                first: base.name.clone(),
                first_code: code(base),
                second: member.name.clone(),
                second_code: code(member),
            }));
        }
        let earlier = members.get(..index).unwrap_or_default();
        let same = earlier.iter().find(|other| other.manifest.split == member.manifest.split);
        if let Some(other) = same {
            let (first, second) = (other.name.clone(), member.name.clone());
            return Err(ApkError::Set(match &member.manifest.split {
                None => SetProblem::TwoBases { first, second },
                Some(split) => SetProblem::SameSplit { first, second, split: split.clone() },
            }));
        }
    }
    Ok(())
}
