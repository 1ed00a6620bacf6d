//! The verifier finds nothing wrong with real files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod common;

use wattle_dex::{Dex, Verifier};

#[test]
fn real_files_have_no_defects() {
    let mut defects = Vec::new();
    let mut methods = 0;
    for (name, bytes) in common::real_files() {
        let dex = Dex::parse(&bytes).unwrap();
        let verification = Verifier::new(&dex).all(2);
        methods += verification.methods;
        defects.extend(verification.defects.iter().map(|defect| format!("{name}: {defect}")));
    }
    let shown: Vec<_> = defects.iter().take(60).map(String::as_str).collect();
    assert!(
        defects.is_empty(),
        "{} defects in {methods} methods:\n{}",
        defects.len(),
        shown.join("\n")
    );
    println!("{methods} methods");
}
