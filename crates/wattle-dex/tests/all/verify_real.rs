//! The verifier finds nothing wrong with sound files.

use wattle_dex::{Dex, Verifier};
use wattle_testdata::requires;

use crate::support;

#[test]
fn made_files_have_no_defects() {
    assert_eq!(check(support::made_files()), 14, "methods");
}

#[requires(data)]
#[test]
fn real_files_have_no_defects() {
    assert!(check(support::real_files()) > 100_000);
}

/// Verifies all files; the number of methods.
#[track_caller]
fn check(files: Vec<(String, Vec<u8>)>) -> u64 {
    let mut defects = Vec::new();
    let mut methods = 0;
    for (name, bytes) in files {
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
    methods
}
