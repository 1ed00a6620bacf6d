//! The boundaries between crates, checked against the workspace's own metadata.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Which crates of the workspace each crate may use. What is not listed is forbidden: a report never opens
/// a trace, a power model never knows who will pay, attribution never knows a file format.
const MAY_USE: &[(&str, &[&str])] = &[
    ("wattle-units", &[]),
    ("wattle-table", &["wattle-units"]),
    ("wattle-workers", &[]),
    ("wattle-unpack", &[]),
    ("wattle-wire", &[]),
    ("wattle-timeline", &["wattle-units", "wattle-table"]),
    ("wattle-recording", &[]),
    // Files of other tools are taken as they are: no trace is opened.
    ("wattle-tool-results", &["wattle-recording"]),
    // Importers: what they share knows no format, and none of them knows the registry.
    ("wattle-import", &["wattle-units", "wattle-unpack", "wattle-timeline", "wattle-recording"]),
    (
        "wattle-kernel-traces",
        &[
            "wattle-units",
            "wattle-workers",
            "wattle-wire",
            "wattle-timeline",
            "wattle-recording",
            "wattle-import",
        ],
    ),
    // Files of perf hold the kernel's tracepoints.
    (
        "wattle-stacks",
        &[
            "wattle-units",
            "wattle-wire",
            "wattle-timeline",
            "wattle-recording",
            "wattle-import",
            "wattle-kernel-traces",
        ],
    ),
    (
        "wattle-etl",
        &["wattle-units", "wattle-wire", "wattle-timeline", "wattle-recording", "wattle-import"],
    ),
    (
        "wattle-meters",
        &["wattle-units", "wattle-wire", "wattle-timeline", "wattle-recording", "wattle-import"],
    ),
    // Navitas logs polled counters.
    (
        "wattle-android-logs",
        &[
            "wattle-units",
            "wattle-wire",
            "wattle-timeline",
            "wattle-recording",
            "wattle-import",
            "wattle-meters",
        ],
    ),
    (
        "wattle-ingest",
        &[
            "wattle-timeline",
            "wattle-recording",
            "wattle-import",
            "wattle-kernel-traces",
            "wattle-stacks",
            "wattle-android-logs",
            "wattle-etl",
            "wattle-meters",
            "wattle-workers",
        ],
    ),
    ("wattle-power", &["wattle-units", "wattle-table", "wattle-timeline"]),
    ("wattle-random", &[]),
    ("wattle-fit", &["wattle-random"]),
    ("wattle-change-points", &["wattle-fit"]),
    ("wattle-gate-bench", &["wattle-random", "wattle-fit", "wattle-change-points"]),
    // Numbers of runs only: no ledger, no terminal, no storage.
    ("wattle-compare", &["wattle-units", "wattle-table", "wattle-fit"]),
    (
        "wattle-calibrate",
        &["wattle-units", "wattle-workers", "wattle-timeline", "wattle-power", "wattle-fit"],
    ),
    // The judge of rails judges the fit that a report makes, so it calls attribution for its held-out estimates.
    (
        "wattle-accuracy",
        &[
            "wattle-units",
            "wattle-workers",
            "wattle-timeline",
            "wattle-ingest",
            "wattle-power",
            "wattle-fit",
            "wattle-calibrate",
            "wattle-ledger",
        ],
    ),
    (
        "wattle-ledger",
        &[
            "wattle-units",
            "wattle-table",
            "wattle-workers",
            "wattle-timeline",
            "wattle-fit",
            "wattle-power",
        ],
    ),
    (
        "wattle-diagnose",
        &["wattle-units", "wattle-table", "wattle-timeline", "wattle-power", "wattle-ledger"],
    ),
    (
        "wattle-report",
        &[
            "wattle-units",
            "wattle-table",
            "wattle-fit",
            "wattle-compare",
            "wattle-timeline",
            "wattle-power",
            "wattle-ledger",
            "wattle-diagnose",
        ],
    ),
    // Code on Android lies in packages and Dalvik executables as often as in files of its own.
    (
        "wattle-symbols",
        &["wattle-unpack", "wattle-timeline", "wattle-retrace", "wattle-apk", "wattle-dex"],
    ),
    (
        "wattle-export",
        &["wattle-units", "wattle-wire", "wattle-timeline", "wattle-power", "wattle-ledger"],
    ),
    ("wattle-sim", &["wattle-units", "wattle-random", "wattle-wire"]),
    ("wattle-dex", &["wattle-workers"]),
    ("wattle-apk", &["wattle-unpack", "wattle-workers"]),
    ("wattle-retrace", &[]),
    ("wattle-probe", &["wattle-workers", "wattle-dex", "wattle-apk", "wattle-retrace"]),
    ("wattle-device", &["wattle-recording", "wattle-wire", "wattle-apk"]),
    ("wattle-phone", &["wattle-units", "wattle-sim", "wattle-wire", "wattle-apk", "wattle-dex"]),
    // Histories have ledgers; what they are shown as is for others.
    ("wattle-store", &["wattle-units", "wattle-timeline", "wattle-power", "wattle-ledger"]),
    // Ledgers of jobs go into histories; what makes them is another program.
    ("wattle-jobs", &["wattle-units", "wattle-ledger", "wattle-store"]),
    // Judges figures that others have estimated and kept.
    ("wattle-gate", &["wattle-units", "wattle-change-points", "wattle-compare", "wattle-store"]),
    // Joins kept runs, the detector and the data of a page; writes none itself.
    (
        "wattle-history",
        &[
            "wattle-units",
            "wattle-change-points",
            "wattle-compare",
            "wattle-store",
            "wattle-report",
        ],
    ),
    // Shows kept ledgers by the libraries; uploads are parsed by programs that its workers start.
    (
        "wattle-serve",
        &[
            "wattle-units",
            "wattle-power",
            "wattle-ledger",
            "wattle-report",
            "wattle-export",
            "wattle-store",
            "wattle-history",
            "wattle-gate",
            "wattle-jobs",
        ],
    ),
    // Shows the figures of histories in editors; another process of the program reads ledgers for it.
    (
        "wattle-lsp",
        &["wattle-units", "wattle-compare", "wattle-ledger", "wattle-store", "wattle-gate"],
    ),
    // Answers agents from ledgers; other processes of the program make them, from recordings and histories.
    (
        "wattle-mcp",
        &[
            "wattle-units",
            "wattle-timeline",
            "wattle-power",
            "wattle-ledger",
            "wattle-diagnose",
            "wattle-report",
        ],
    ),
    ("wattle-requires", &[]),
    ("wattle-schema", &[]),
    ("xtask", &["wattle-random", "wattle-workers", "wattle-gate-bench"]),
    ("wattle-testdata", &["wattle-requires"]),
    (
        "wattle",
        &[
            "wattle-units",
            "wattle-unpack",
            "wattle-workers",
            "wattle-timeline",
            "wattle-ingest",
            "wattle-power",
            "wattle-ledger",
            "wattle-diagnose",
            "wattle-report",
            "wattle-symbols",
            "wattle-export",
            "wattle-sim",
            "wattle-dex",
            "wattle-apk",
            "wattle-probe",
            "wattle-retrace",
            "wattle-recording",
            "wattle-device",
            "wattle-phone",
            "wattle-fit",
            "wattle-calibrate",
            "wattle-accuracy",
            "wattle-tool-results",
            "wattle-store",
            "wattle-history",
            "wattle-jobs",
            "wattle-serve",
            "wattle-gate",
            "wattle-change-points",
            "wattle-lsp",
            "wattle-mcp",
        ],
    ),
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/wattle").to_owned()
}

#[test]
fn dependencies_go_one_way() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata");
    let table: BTreeMap<&str, BTreeSet<&str>> =
        MAY_USE.iter().map(|(name, uses)| (*name, uses.iter().copied().collect())).collect();
    for package in metadata.workspace_packages() {
        let allowed = table
            .get(package.name.as_str())
            .unwrap_or_else(|| panic!("{} is not in the table of crates", package.name));
        for dependency in &package.dependencies {
            // Tests may use more: they compare crates with each other.
            if dependency.kind == DependencyKind::Development || dependency.path.is_none() {
                continue;
            }
            assert!(
                allowed.contains(dependency.name.as_str()),
                "{} must not know {}",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn every_crate_of_the_table_exists() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata");
    let names: BTreeSet<String> =
        metadata.workspace_packages().iter().map(|package| package.name.to_string()).collect();
    for (name, uses) in MAY_USE {
        assert!(names.contains(*name), "{name} is in the table, not in the workspace");
        for used in *uses {
            assert!(names.contains(*used), "{used} is in the table, not in the workspace");
        }
    }
}

/// Rust files of the workspace outside tests, benches and fuzzing.
fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    for krate in std::fs::read_dir(workspace().join("crates")).expect("crates").flatten() {
        walk(&krate.path().join("src"), &mut files);
    }
    assert!(files.len() > 50, "only {} source files found", files.len());
    files
}

#[test]
fn files_stay_short() {
    for path in sources() {
        let text = std::fs::read_to_string(&path).expect("source file");
        let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
        assert!(code <= 600, "{}: {code} lines without tests, 600 is the most", path.display());
    }
}

#[test]
fn a_library_root_is_a_table_of_contents() {
    for path in sources() {
        if path.file_name().is_none_or(|name| name != "lib.rs")
            || path.ends_with("wattle-testdata/src/lib.rs")
            // An attribute has to be at the root of its crate.
            || path.ends_with("wattle-requires/src/lib.rs")
        {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("source file");
        assert!(text.starts_with("//!"), "{}: no crate documentation", path.display());
        for line in text.lines() {
            let code = ["fn ", "pub fn ", "impl ", "struct ", "pub struct ", "enum ", "pub enum "];
            assert!(
                !code.iter().any(|start| line.starts_with(start)),
                "{}: code in a table of contents: {line}",
                path.display()
            );
        }
    }
}
