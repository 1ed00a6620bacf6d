//! Ledgers as files beside a SQLite database.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::KeptLedger;

/// The folder of ledgers beside the database.
pub(crate) const LEDGERS: &str = "ledgers";
/// The ending of a ledger's file.
const ENDING: &str = ".ledger.json.zst";
/// The ending of a file that is being written.
const UNFINISHED: &str = ".unfinished";
/// The age from which a file that is being written has been given up.
const GIVEN_UP: Duration = Duration::from_hours(1);

/// The folder of ledgers.
#[derive(Clone, Debug)]
pub(crate) struct LedgerFolder(PathBuf);

impl LedgerFolder {
    /// The folder beside the database in `folder`.
    pub fn beside_database(folder: &Path) -> Self {
        Self(folder.join(LEDGERS))
    }

    /// The file of a ledger, in one of 256 folders by its first two digits.
    pub fn file(&self, sha256: &str) -> PathBuf {
        self.0.join(sha256.get(..2).unwrap_or("00")).join(format!("{sha256}{ENDING}"))
    }

    /// Writes a ledger, unless it is there. When this returns, the file and its name are on the disk.
    pub fn write(&self, ledger: &KeptLedger, bytes: &[u8]) -> io::Result<()> {
        let file = self.file(&ledger.sha256);
        // A shorter one is a file that something else damaged: it is replaced.
        if fs::metadata(&file).is_ok_and(|known| known.len() >= ledger.bytes) {
            return Ok(());
        }
        let folder = file.parent().unwrap_or(&self.0);
        fs::create_dir_all(folder)?;
        let unfinished =
            folder.join(format!("{}-{}{UNFINISHED}", ledger.sha256, std::process::id()));
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

    /// The bytes of a ledger's file.
    pub fn read(&self, sha256: &str, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.file(sha256))?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Deletes the files of ledgers that no run refers to, and what writers have given up. Returns the number of files.
    ///
    /// Nobody may commit a run meanwhile.
    pub fn sweep(&self, used: &BTreeSet<String>) -> io::Result<usize> {
        let mut swept = 0;
        for folder in entries(&self.0)? {
            if !folder.is_dir() {
                continue;
            }
            for file in entries(&folder)? {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let is_orphan = match name.strip_suffix(ENDING) {
                    Some(sha256) => !used.contains(sha256),
                    None => name.ends_with(UNFINISHED) && is_given_up(&file),
                };
                if is_orphan {
                    fs::remove_file(&file)?;
                    swept += 1;
                }
            }
        }
        Ok(swept)
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
    fn what_no_run_refers_to_is_swept() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = LedgerFolder::beside_database(place.path());
        assert_eq!(folder.sweep(&BTreeSet::new()).expect("an absent folder"), 0);
        let [kept, orphan] = [b"kept".as_slice(), b"orphan"].map(|bytes| {
            let ledger = KeptLedger::of_bytes(bytes);
            folder.write(&ledger, bytes).expect("written");
            folder.write(&ledger, bytes).expect("written again");
            ledger
        });
        let used = BTreeSet::from([kept.sha256.clone()]);
        let fresh = folder.file(&kept.sha256).with_extension("unfinished");
        fs::write(&fresh, "x").expect("written");
        assert_eq!(folder.sweep(&used).expect("swept"), 1);
        let is_there = |ledger: &KeptLedger| folder.file(&ledger.sha256).is_file();
        assert!(is_there(&kept) && !is_there(&orphan) && fresh.exists());
        assert_eq!(folder.read(&kept.sha256, 100).expect("read"), b"kept");
    }
}
