//! Parts of a package that are no longer true once the package is rewritten.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::zip::{Apk, ApkEditor, SigningBlock};

/// Something that describes or signs the package as it was, and is invalid after rewriting.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Leftover {
    /// A baseline profile: it names methods by the checksums and numbers of the old code.
    BaselineProfile {
        /// Name of the entry.
        entry: String,
    },
    /// A file of code behind a gap in the numbers: Android does not load it, but would once the gap is filled.
    UnloadedCode {
        /// Name of the entry.
        entry: String,
    },
    /// The certificate of a source stamp.
    SourceStampCertificate {
        /// Name of the entry.
        entry: String,
    },
    /// The signature of a source stamp in the APK Signing Block.
    SourceStamp,
    /// The encrypted list of dependencies in the APK Signing Block, read by the Play store.
    DependencyInfo,
    /// Metadata of the Play store in the APK Signing Block.
    StoreMetadata,
    /// A signature of scheme v4 beside the package.
    Idsig {
        /// The file, or the entry of an archive.
        file: String,
    },
    /// Dex metadata beside the package: a profile of the old code.
    DexMetadata {
        /// The file, or the entry of an archive.
        file: String,
    },
}

impl Leftover {
    /// Entries with baseline profiles (AndroidX `profileinstaller`, Android Gradle plugin).
    const PROFILES: [&str; 2] = ["assets/dexopt/baseline.prof", "assets/dexopt/baseline.profm"];
    /// `SOURCE_STAMP_CERTIFICATE_HASH_ZIP_ENTRY_NAME` of apksig.
    const STAMP: &str = "stamp-cert-sha256";

    /// The entry that has to go; `None` for what is not an entry and goes by itself, or lies beside the package.
    pub fn entry(&self) -> Option<&str> {
        match self {
            Self::BaselineProfile { entry }
            | Self::SourceStampCertificate { entry }
            | Self::UnloadedCode { entry } => Some(entry),
            _ => None,
        }
    }

    /// The kind of a file beside a package, or of an entry beside it in an archive, by its name.
    pub(crate) fn beside(name: &str) -> Option<Self> {
        let file = name.to_owned();
        match Path::new(name).extension()?.to_str()? {
            "idsig" => Some(Self::Idsig { file }),
            "dm" => Some(Self::DexMetadata { file }),
            _ => None,
        }
    }

    /// The file or entry beside the package; `None` for what is inside.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Idsig { file } | Self::DexMetadata { file } => Some(file),
            _ => None,
        }
    }
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BaselineProfile { entry } => write!(f, "baseline profile {entry}"),
            Self::SourceStampCertificate { entry } => write!(f, "source stamp {entry}"),
            Self::UnloadedCode { entry } => write!(f, "code that Android does not load {entry}"),
            Self::SourceStamp => f.write_str("source stamp signature"),
            Self::DependencyInfo => f.write_str("dependency list for the Play store"),
            Self::StoreMetadata => f.write_str("metadata of the Play store"),
            Self::Idsig { file } => write!(f, "v4 signature {file}"),
            Self::DexMetadata { file } => write!(f, "profile of the code {file}"),
        }
    }
}

/// The number of a file of code: 1 for `classes.dex`, 2 for `classes2.dex`.
fn code_number(name: &str) -> Option<u32> {
    let number = name.strip_prefix("classes")?.strip_suffix(".dex")?;
    if number.is_empty() { Some(1) } else { number.parse().ok() }
}

impl Apk<'_> {
    /// Entries that become invalid when this package is changed and signed anew.
    ///
    /// Its signatures are not listed: signing replaces them.
    pub fn invalid_after_rewriting(&self) -> Vec<Leftover> {
        let mut found = Vec::new();
        for entry in Leftover::PROFILES.into_iter().filter(|name| self.entry(name).is_some()) {
            found.push(Leftover::BaselineProfile { entry: entry.to_owned() });
        }
        if self.entry(Leftover::STAMP).is_some() {
            let entry = Leftover::STAMP.to_owned();
            found.push(Leftover::SourceStampCertificate { entry });
        }
        let loaded = self.code_entries().count();
        for entry in self.entries().iter().filter(|entry| {
            code_number(entry.name()).is_some_and(|number| number as usize > loaded)
        }) {
            found.push(Leftover::UnloadedCode { entry: entry.name().to_owned() });
        }
        let parts = self.signing_block().map(SigningBlock::parts).unwrap_or_default();
        for part in parts {
            found.extend(match part.id {
                SigningBlock::SOURCE_STAMP_V1 | SigningBlock::SOURCE_STAMP_V2 => {
                    Some(Leftover::SourceStamp)
                }
                SigningBlock::DEPENDENCY_INFO => Some(Leftover::DependencyInfo),
                SigningBlock::FROSTING => Some(Leftover::StoreMetadata),
                _ => None,
            });
        }
        found.dedup();
        found
    }
}

impl ApkEditor<'_> {
    /// Removes the entries that rewriting makes invalid; returns all that is lost, for the caller to say.
    pub fn drop_invalid(&mut self) -> Vec<Leftover> {
        let found = self.apk().invalid_after_rewriting();
        for entry in found.iter().filter_map(Leftover::entry) {
            self.remove(entry);
        }
        found
    }
}

/// Files beside a package that are invalid after rewriting: `app.apk.idsig` and `app.dm`.
pub fn invalid_beside(package: &Path) -> Vec<Leftover> {
    let mut idsig = package.as_os_str().to_owned();
    idsig.push(".idsig");
    let files = [PathBuf::from(idsig), package.with_extension("dm")];
    let found = files.into_iter().filter(|path| path.is_file());
    found.filter_map(|path| Leftover::beside(&path.to_string_lossy())).collect()
}
