//! Ledgers as files beside a SQLite database.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::{KeptLedger, StoreLocation};

/// The ending of a ledger's file.
const ENDING: &str = ".ledger.json.zst";
/// The ending of a file that is being written.
const UNFINISHED: &str = ".unfinished";
/// The folder of marks.
const MARKS: &str = "pending";
/// The age from which a file that is being written has been given up.
const GIVEN_UP: Duration = Duration::from_hours(1);

/// The folder of ledgers.
#[derive(Clone, Debug)]
pub(crate) struct LedgerFolder(PathBuf);

impl LedgerFolder {
    /// The folder beside the database in `folder`.
    pub fn beside_database(folder: &Path) -> Self {
        Self(StoreLocation::ledgers_folder(folder))
    }

    /// The file of a ledger, in one of 256 folders by its first two digits.
    pub fn file(&self, sha256: &str) -> PathBuf {
        self.0.join(sha256.get(..2).unwrap_or("00")).join(format!("{sha256}{ENDING}"))
    }

    /// Writes a ledger, unless it is there. When this returns, the file and its name are on the disk, and a mark that no run has it yet.
    pub fn write(&self, ledger: &KeptLedger, bytes: &[u8]) -> io::Result<()> {
        let file = self.file(&ledger.sha256);
        // A shorter one is a file that something else damaged: it is replaced.
        if fs::metadata(&file).is_ok_and(|known| known.len() >= ledger.bytes) {
            return Ok(());
        }
        let folder = file.parent().unwrap_or(&self.0);
        fs::create_dir_all(folder)?;
        let mark = self.mark(&ledger.sha256);
        fs::create_dir_all(mark.parent().unwrap_or(&self.0))?;
        File::create(mark)?;
        let name = format!("{}-{}{UNFINISHED}", ledger.sha256, std::process::id());
        let unfinished = folder.join(name);
        let written =
            write_synced(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, &file));
        if written.is_err() {
            // What is left is swept later.
            let _ = fs::remove_file(&unfinished);
        }
        written?;
        sync_folder(folder)?;
        sync_folder(&self.0)
    }

    /// Takes this process's mark away: a run has the ledger.
    pub fn committed(&self, sha256: &str) {
        // Nobody had to write it, or the mark is swept later.
        let _ = fs::remove_file(self.mark(sha256));
    }

    fn mark(&self, sha256: &str) -> PathBuf {
        self.0.join(MARKS).join(format!("{sha256}-{}", std::process::id()))
    }

    /// The ledgers that were written for runs of which it is not known that they were committed.
    pub fn marked(&self) -> io::Result<Vec<String>> {
        let digest = |path: &PathBuf| {
            let name = path.file_name()?.to_str()?;
            let (sha256, _) = name.split_once('-')?;
            sha256.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| sha256.to_owned())
        };
        Ok(entries(&self.0.join(MARKS))?.iter().filter_map(digest).collect())
    }

    /// The bytes of a ledger's file.
    pub fn read(&self, sha256: &str, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.file(sha256))?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Deletes the files of ledgers that no run has, all marks, and what writers have given up. Returns the number of ledgers and
    /// unfinished files that were there.
    ///
    /// Nobody may commit a run meanwhile. Other files stay, whatever they are: the ledgers of a history whose database was lost must
    /// not be taken for litter.
    pub fn sweep(&self, orphans: &BTreeSet<String>) -> io::Result<usize> {
        let mut swept = 0;
        for file in orphans.iter().map(|sha256| self.file(sha256)) {
            swept += usize::from(file.is_file());
            remove(&file)?;
        }
        for mark in entries(&self.0.join(MARKS))? {
            remove(&mark)?;
        }
        for folder in entries(&self.0)?.into_iter().filter(|path| path.is_dir()) {
            for file in entries(&folder)? {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                if name.ends_with(UNFINISHED) && is_given_up(&file) {
                    remove(&file)?;
                    swept += 1;
                }
            }
        }
        Ok(swept)
    }
}

/// Deletes a file that may be gone already.
fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn is_given_up(file: &Path) -> bool {
    let changed = fs::metadata(file).and_then(|known| known.modified());
    let age = changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
    age.is_some_and(|age| age > GIVEN_UP)
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Puts the names in a folder on the disk. Windows has no such call, and needs none.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orphans_are_swept_and_unknown_files_stay() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = LedgerFolder::beside_database(place.path());
        assert_eq!(folder.sweep(&BTreeSet::new()).expect("an absent folder"), 0);
        let [kept, orphan, unknown] = [b"kept".as_slice(), b"orphan", b"unknown"].map(|bytes| {
            let ledger = KeptLedger::of_bytes(bytes);
            folder.write(&ledger, bytes).expect("written");
            folder.write(&ledger, bytes).expect("written again");
            ledger
        });
        folder.committed(&kept.sha256);
        folder.committed(&unknown.sha256);
        assert_eq!(folder.marked().expect("marks"), std::slice::from_ref(&orphan.sha256));
        let fresh = folder.file(&kept.sha256).with_extension("unfinished");
        fs::write(&fresh, "x").expect("written");
        let orphans = BTreeSet::from([orphan.sha256.clone()]);
        assert_eq!(folder.sweep(&orphans).expect("swept"), 1);
        assert_eq!(folder.sweep(&orphans).expect("swept"), 0);
        assert!(folder.marked().expect("marks").is_empty());
        let is_there = |ledger: &KeptLedger| folder.file(&ledger.sha256).is_file();
        assert!(is_there(&kept) && !is_there(&orphan) && is_there(&unknown) && fresh.exists());
        assert_eq!(folder.read(&kept.sha256, 100).expect("read"), b"kept");
    }
}
