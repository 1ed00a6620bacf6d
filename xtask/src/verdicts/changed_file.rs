//! A file that is changed, and its kind.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, bail};

/// The kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A Dalvik executable.
    Code,
    /// An APK.
    Packages,
}

impl Kind {
    pub fn from_word(word: &str) -> Result<Self> {
        match word {
            "code" => Ok(Self::Code),
            "packages" => Ok(Self::Packages),
            other => bail!("expected code or packages, found {other}"),
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Self::Code => "dex",
            Self::Packages => "apk",
        }
    }
}

/// A file that all checkers accept.
#[derive(Debug)]
pub struct Subject {
    pub name: String,
    pub kind: Kind,
    pub bytes: Vec<u8>,
    /// A list of its classes for the runtime, with dots, one on a line.
    pub classes: PathBuf,
    /// Classes that the runtime does not verify, with its word for each.
    pub known: BTreeSet<String>,
}
