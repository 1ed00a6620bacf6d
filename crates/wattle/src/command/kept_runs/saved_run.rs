//! A run in a file: a saved ledger, with the facts of the history that it came from.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use wattle_ledger::Ledger;
use wattle_store::{LedgerFile, RunFacts};

use crate::command::input_names;
use crate::exit::Failure;

/// The most bytes of a ledger's file.
const MOST_BYTES: u64 = 1 << 30;

/// A run in a file.
pub struct SavedRun {
    /// Its facts; those that are not in the file are absent.
    pub facts: RunFacts,
    /// Its ledger.
    pub ledger: Ledger,
    /// The ledger as it is in the file, without the facts behind it.
    pub bytes: Vec<u8>,
}

impl SavedRun {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let name = || format!("ledger {}", input_names::shown(path));
        let file = Self::read_file(path)?;
        let ledger = Ledger::from_bytes(&file.ledger).with_context(name).map_err(Failure::Input)?;
        Ok(Self { facts: file.facts.unwrap_or_default(), ledger, bytes: file.ledger })
    }

    /// The facts alone, where the file has some.
    pub fn read_facts(path: &Path) -> Option<RunFacts> {
        Self::read_file(path).ok()?.facts
    }

    fn read_file(path: &Path) -> Result<LedgerFile, Failure> {
        let name = || format!("ledger {}", input_names::shown(path));
        let mut bytes = Vec::new();
        let opened = std::fs::File::open(path).with_context(name).map_err(Failure::Input)?;
        let read = opened.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        read.with_context(name).map_err(Failure::Input)?;
        if bytes.len() as u64 > MOST_BYTES {
            let text = format!("{}: expected at most {MOST_BYTES} bytes", name());
            return Err(Failure::Input(anyhow!(text)));
        }
        LedgerFile::from_bytes(bytes).with_context(name).map_err(Failure::Input)
    }
}
