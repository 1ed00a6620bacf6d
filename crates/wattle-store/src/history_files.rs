//! Files that belong to histories.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::StoreLocation;
use crate::location::LEDGERS;

/// Folders between a ledger and the folder of all ledgers, that one included.
const DEPTH: usize = 3;

/// Whether a file is a SQLite database, as a history's is, or lies among the ledgers of a history. Histories write these by themselves.
pub fn is_of_history(file: &Path) -> bool {
    const DATABASE: &[u8] = b"SQLite format 3\0";
    let mut beginning = [0; DATABASE.len()];
    let is_database = file.is_file()
        && File::open(file).and_then(|mut file| file.read_exact(&mut beginning)).is_ok()
        && beginning == DATABASE;
    let is_ledgers = |folder: &Path| {
        let above = folder.parent().filter(|_| folder.file_name().is_some_and(|it| it == LEDGERS));
        above.is_some_and(|above| StoreLocation::database_file(above).is_file())
    };
    is_database || file.ancestors().skip(1).take(DEPTH).any(is_ledgers)
}

#[cfg(test)]
mod tests {
    use super::is_of_history;

    #[test]
    fn databases_and_ledgers_are_a_historys_and_results_are_not() {
        let place = tempfile::tempdir().expect("a folder");
        let ledger = place.path().join("ledgers/ab/cd.ledger.json.zst");
        std::fs::create_dir_all(ledger.parent().expect("a folder")).expect("made");
        assert!(!is_of_history(&ledger), "no history is beside these ledgers");
        let database = place.path().join("history.db");
        std::fs::write(&database, b"SQLite format 3\0 and more").expect("written");
        assert!(is_of_history(&database) && is_of_history(&ledger));
        for name in ["report.json", "ledgers.json", "short.db"] {
            std::fs::write(place.path().join(name), b"SQLite").expect("written");
            assert!(!is_of_history(&place.path().join(name)), "{name}");
        }
    }
}
