//! Histories that cannot be used, and the reasons.

use std::fs;
use std::path::Path;

use wattle_store::{RunId, SCHEMA_VERSION, Store, StoreError, StoreLocation};
use wattle_testdata::requires;

use crate::{ledgers, writers};

fn history(folder: &Path) -> StoreLocation {
    let location = StoreLocation::Folder(folder.to_owned());
    let mut store = Store::open(&location).expect("opened");
    store.keep(&ledgers::run(20, 1.0, 1)).expect("kept");
    store.close().expect("closed");
    location
}

#[requires(program = "python3")]
#[test]
fn tables_of_a_later_version_are_refused_and_left_alone() {
    let place = tempfile::tempdir().expect("a folder");
    let location = history(place.path());
    change(place.path(), "UPDATE wattle_history SET version = 99");
    let error = Store::open(&location).expect_err("a later version");
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("version 99") && text.contains("a later wattle wrote it"), "{text}");
    assert!(error.is_unreadable());
    change(place.path(), &format!("UPDATE wattle_history SET version = {SCHEMA_VERSION}"));
    assert_eq!(writers::check_all_whole(&location), [1]);
}

#[requires(program = "python3")]
#[test]
fn tables_of_the_first_version_are_changed_and_their_runs_stay() {
    let place = tempfile::tempdir().expect("a folder");
    let location = history(place.path());
    change(place.path(), "DROP TABLE kept_once");
    change(place.path(), "UPDATE wattle_history SET version = 1");
    let mut store = Store::open(&location).expect("changed");
    assert_eq!(store.keep_once(&ledgers::run(20, 2.0, 2), "key").expect("kept"), RunId(2));
    store.close().expect("closed");
    assert_eq!(writers::check_all_whole(&location), [1, 2]);
}

#[requires(program = "python3")]
#[test]
fn databases_of_something_else_are_refused() {
    let place = tempfile::tempdir().expect("a folder");
    change(place.path(), "CREATE TABLE bookmarks (url TEXT)");
    let location = StoreLocation::Folder(place.path().to_owned());
    let error = Store::open(&location).expect_err("somebody's bookmarks");
    assert!(matches!(error, StoreError::Foreign { .. }), "{error:?}");
}

/// Changes a database by another program's SQLite.
fn change(folder: &Path, statement: &str) {
    let script =
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()";
    let file = StoreLocation::database_file(folder);
    let status = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(file)
        .arg(statement)
        .status()
        .expect("python runs");
    assert!(status.success());
}

#[test]
fn no_damage_to_the_database_file_is_taken_for_a_history() {
    let place = tempfile::tempdir().expect("a folder");
    let location = history(place.path());
    let file = StoreLocation::database_file(place.path());
    let whole = fs::read(&file).expect("read");
    let mut refused = 0;
    // The beginning and the middle of each page.
    for at in (0..whole.len()).step_by(2048) {
        let mut damaged = whole.clone();
        for byte in damaged.iter_mut().skip(at).take(64) {
            *byte = !*byte;
        }
        fs::write(&file, damaged).expect("written");
        // Nothing may panic or hang. Most of a new database is free space, which can be damaged unseen; SQLite has no checksums, so that
        // figures in a row can be, too. Ledgers have them.
        let looked = Store::open(&location).and_then(|mut store| {
            let run = store.run(RunId(1))?;
            assert_eq!(run.id, RunId(1));
            store.methods_of(RunId(1))?;
            store.ledger(RunId(1))
        });
        refused += usize::from(looked.is_err());
        if at == 0 {
            let error = looked.expect_err("no header");
            let text = error.to_string();
            assert!(matches!(error, StoreError::Damaged { .. }), "{text}");
            assert!(text.contains("wattle runs import"), "{text}");
        }
    }
    let pages = whole.len() / 4096;
    assert!(refused > pages / 4, "only {refused} damages of {pages} pages were seen");
    fs::write(&file, whole).expect("written");
    assert_eq!(writers::check_all_whole(&location), [1]);
}

#[test]
fn a_ledger_that_is_not_what_was_kept_is_an_error_of_its_run_alone() {
    let place = tempfile::tempdir().expect("a folder");
    let location = history(place.path());
    let mut store = Store::open(&location).expect("opened");
    store.keep(&ledgers::run(20, 2.0, 2)).expect("kept");
    let file = store.ledger_file(RunId(1)).expect("a run").expect("a file");
    let mut bytes = fs::read(&file).expect("read");
    bytes[40] ^= 1;
    fs::write(&file, &bytes).expect("written");
    let error = store.ledger(RunId(1)).expect_err("damaged");
    assert!(error.to_string().starts_with("the ledger of run:1 is damaged"), "{error}");
    fs::remove_file(&file).expect("removed");
    let error = store.ledger(RunId(1)).expect_err("missing");
    assert!(error.to_string().contains("is missing"), "{error}");
    store.ledger(RunId(2)).expect("whole");
    // Keeping it again repairs it.
    store.keep(&ledgers::run(20, 1.0, 1)).expect("kept");
    store.ledger(RunId(1)).expect("whole again");
}

#[test]
fn servers_elsewhere_need_encryption_or_a_word_that_says_otherwise() {
    let location: StoreLocation =
        "postgres://team:secret@db.example.invalid/energy".parse().expect("a URL");
    let error = Store::open(&location).expect_err("no encryption, or no such host");
    let text = error.to_string();
    assert!(!text.contains("secret"), "{text}");
}
