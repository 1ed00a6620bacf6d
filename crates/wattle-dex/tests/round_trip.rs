//! Files that nobody edits come back byte for byte.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod common;

use wattle_dex::{Dex, RoundTrip};

#[test]
fn real_files_come_back_unchanged() {
    let files = common::real_files();
    let mut different = Vec::new();
    for (name, bytes) in &files {
        match Dex::parse(bytes).and_then(|dex| RoundTrip::of(&dex)) {
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
