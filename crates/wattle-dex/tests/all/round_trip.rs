//! Files that nobody edits come back byte for byte.

use wattle_dex::{Dex, RoundTrip};
use wattle_testdata::requires;

use crate::support;

#[test]
fn made_files_come_back_unchanged() {
    check(&support::made_files());
}

#[requires(data)]
#[test]
fn real_files_come_back_unchanged() {
    check(&support::real_files());
}

#[track_caller]
fn check(files: &[(String, Vec<u8>)]) {
    let mut different = Vec::new();
    for (name, bytes) in files {
        match Dex::parse(bytes).and_then(|dex| RoundTrip::from_dex(&dex)) {
            Ok(RoundTrip::Identical) => {}
            other => different.push(format!("{name}: {other:?}")),
        }
    }
    assert!(
        different.is_empty(),
        "{} of {} differ:\n{}",
        different.len(),
        files.len(),
        different.join("\n")
    );
}
