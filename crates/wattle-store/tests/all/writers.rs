//! Processes that keep runs.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use wattle_ledger::Ledger;
use wattle_store::{RunFilter, Store, StoreLocation};

/// The example `keep_runs`, which `cargo test` builds beside the tests.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().expect("this test's path");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let program = folder.join("examples/keep_runs");
    assert!(
        program.is_file(),
        "{} is not built: run `cargo test -p wattle-store`",
        program.display()
    );
    program
}

/// A writer of so many runs.
pub fn writer(store: &str, count: u32, seed: u32) -> Command {
    let mut command = Command::new(program());
    command.args([store, &count.to_string(), &seed.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The numbers that a writer printed.
pub fn printed(stdout: &[u8]) -> Vec<i64> {
    // A killed writer's last line may be cut off.
    let text = String::from_utf8_lossy(stdout);
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| line.parse().expect("a number")).collect()
}

/// Checks that every run of a history is whole: its ledger is what was kept, reads, and has the energy of its row; its figures of methods
/// are those of the ledger. Returns the runs' numbers.
#[track_caller]
pub fn check_all_whole(location: &StoreLocation) -> Vec<i64> {
    let mut store = Store::open(location).expect("the history opens");
    let runs = store.runs(&RunFilter::default()).expect("runs");
    for run in &runs {
        let file = store.ledger(run.id).expect("a whole ledger");
        let ledger = Ledger::from_bytes(&file.ledger).expect("a ledger");
        assert_eq!(ledger.total(), run.total, "{}", run.id);
        let methods = store.methods_of(run.id).expect("figures of methods");
        assert_eq!(methods.len(), ledger.rows.paths.len() - 2, "{}", run.id);
    }
    runs.iter().map(|run| run.id.0).collect()
}
