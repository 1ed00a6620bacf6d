//! Processes that write at once, are killed, or have no room.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::time::Duration;

use wattle_store::{Store, StoreLocation};
use wattle_testdata::requires;

use crate::writers::{check_all_whole, printed, writer};

/// Runs that are killed, unless `WATTLE_STORE_KILLS` says another number.
const KILLS: u32 = 200;

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let place = tempfile::tempdir().expect("a folder");
    let store = place.path().to_str().expect("UTF-8");
    let children: Vec<_> =
        (0..6).map(|seed| writer(store, 10, seed).spawn().expect("starts")).collect();
    let mut committed = BTreeSet::new();
    for child in children {
        let output = child.wait_with_output().expect("ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        committed.extend(printed(&output.stdout));
    }
    assert_eq!(committed, (1..=60).collect::<BTreeSet<i64>>());
    let location = StoreLocation::Folder(place.path().to_owned());
    assert_eq!(check_all_whole(&location), (1..=60).collect::<Vec<i64>>());
}

#[test]
fn whatever_was_committed_is_whole_after_kills() {
    let kills = std::env::var("WATTLE_STORE_KILLS").ok();
    let kills = kills.map_or(KILLS, |text| text.parse().expect("a number of kills"));
    let place = tempfile::tempdir().expect("a folder");
    let store = place.path().to_str().expect("UTF-8");
    let location = StoreLocation::Folder(place.path().to_owned());
    let mut committed = BTreeSet::new();
    for kill in 0..kills {
        let mut child = writer(store, u32::MAX, kill + 1).spawn().expect("starts");
        // From the first moment, when the history is made, to the middle of the third run or so.
        std::thread::sleep(Duration::from_millis(2 + u64::from(kill * 7919 % 150)));
        child.kill().expect("killed");
        let mut stdout = Vec::new();
        child.stdout.take().expect("piped").read_to_end(&mut stdout).expect("read");
        child.wait().expect("ended");
        committed.extend(printed(&stdout));
    }
    let found: BTreeSet<i64> = check_all_whole(&location).into_iter().collect();
    assert!(found.is_superset(&committed), "lost: {:?}", committed.difference(&found));
    assert!(committed.len() as u32 > kills / 4, "only {} runs in {kills} kills", committed.len());
    // A run can be committed and its writer killed before it could say so: one a kill at most.
    assert!(found.len() <= committed.len() + kills as usize);
    let mut store = Store::open(&location).expect("opened");
    let swept = store.sweep().expect("swept");
    println!("{kills} kills, {} runs, {swept} files without a run", found.len());
    assert_eq!(store.sweep().expect("swept"), 0);
    assert_eq!(check_all_whole(&location).len(), found.len());
}

/// A process that may write files of so many bytes at most, as on a disk that is full.
#[requires(program = "prlimit")]
#[test]
fn a_full_disk_is_an_error_and_changes_nothing() {
    let place = tempfile::tempdir().expect("a folder");
    let location = StoreLocation::Folder(place.path().to_owned());
    let store = place.path().to_str().expect("UTF-8");
    assert!(writer(store, 3, 1).status().expect("runs").success());
    let mut failed = 0;
    // From too little for a ledger to too little for a page of the database.
    for limit in [1000, 5_000, 20_000, 60_000, 90_000, 120_000, 150_000, 200_000] {
        let before = check_all_whole(&location);
        let inner = writer(store, 1, limit);
        let mut limited = std::process::Command::new("prlimit");
        limited.arg(format!("--fsize={limit}")).arg("env").arg("--ignore-signal=XFSZ");
        limited.arg(inner.get_program()).args(inner.get_args());
        let output = limited.output().expect("runs");
        let after = check_all_whole(&location);
        if output.status.success() {
            assert_eq!(after.len(), before.len() + 1, "{limit}");
        } else {
            failed += 1;
            assert_eq!(after, before, "{limit}");
        }
    }
    assert!(failed > 2, "{failed} of 8 writers had no room");
    assert!(writer(store, 1, 1).status().expect("runs").success());
}
