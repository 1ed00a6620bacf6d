//! One hostile file, and the way that Wattle is given it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The part of Wattle that reads a file, which decides what commands it is given to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reader {
    /// Traces, logs, statistics, and archives of them: `report` and all that begins as it does.
    Trace,
    /// Dalvik executables and packages: `verify`, `instrument`.
    Package,
    /// Saved ledgers.
    Ledger,
    /// Samples of a power meter beside a trace: `--meter`.
    Meter,
    /// Device models and power profiles.
    Model,
    /// Costs of calls into the framework.
    ApiCosts,
    /// Mapping files of R8.
    Mapping,
    /// Libraries and lists of symbols.
    Symbols,
    /// `wattle.toml`.
    Configuration,
    /// Tables that models are fitted to.
    Table,
}

/// Content of a file, or of the files of a recording's folder with their names.
#[derive(Clone, Debug)]
pub enum Content {
    Bytes(Vec<u8>),
    Folder(Vec<(String, Vec<u8>)>),
}

/// A file that no well-behaved program writes.
#[derive(Clone, Debug)]
pub struct HostileFile {
    /// Unique within a corpus: format, damage and number.
    pub name: String,
    pub reader: Reader,
    pub content: Content,
}

impl HostileFile {
    pub fn new(name: impl Into<String>, reader: Reader, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), reader, content: Content::Bytes(bytes) }
    }

    /// Writes it below the folder and returns its path.
    pub fn write(&self, folder: &Path) -> Result<PathBuf> {
        let path = folder.join(&self.name);
        let place = || path.display().to_string();
        match &self.content {
            Content::Bytes(bytes) => std::fs::write(&path, bytes).with_context(place)?,
            Content::Folder(files) => {
                std::fs::create_dir_all(&path).with_context(place)?;
                for (name, bytes) in files {
                    std::fs::write(path.join(name), bytes).with_context(place)?;
                }
            }
        }
        Ok(path)
    }
}
