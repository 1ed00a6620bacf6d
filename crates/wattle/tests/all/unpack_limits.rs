//! Input that needs very much: a clear refusal within bounded memory.

use std::path::{Path, PathBuf};
use std::process::Command;

use wattle_apk::{Alignment, Apk, ApkEditor, Compression};
use wattle_testdata::requires;

use crate::support::wattle;

/// Bytes of code of each package inside the archive.
const CODE: usize = 100 << 20;
/// Packages inside it.
const PACKAGES: usize = 12;

/// An archive of packages whose code is zeros: 1.2 GB in some megabytes at most.
fn nested_zeros(folder: &Path) -> PathBuf {
    let simple = wattle_testdata::bytes("apk/splits/tools-base-simple.apk");
    let simple = Apk::open(&simple).expect("a package");
    let mut inner = ApkEditor::new(&simple);
    inner.replace("classes.dex", vec![0; CODE], Compression::Level(1)).expect("code");
    let inner = inner.finish(Alignment::default()).expect("a package");
    // The end record of an archive without entries.
    let empty = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
    let empty = Apk::open(&empty).expect("an archive");
    let mut outer = ApkEditor::new(&empty);
    for nth in 0..PACKAGES {
        let name = format!("splits/base-{nth}.apk");
        outer.add(&name, inner.as_slice(), Compression::Level(9)).expect("a package");
    }
    let path = folder.join("zeros.apks");
    std::fs::write(&path, outer.finish(Alignment::default()).expect("an archive")).expect("a file");
    path
}

#[requires(data)]
#[test]
fn packages_of_zeros_are_refused_within_bounded_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let zeros = nested_zeros(folder.path());
    assert!(zeros.metadata().expect("a file").len() < 10_000_000);
    let out = folder.path().join("out.apks");
    let calls: [&[&str]; 2] =
        [&["verify"], &["instrument", "--output", out.to_str().expect("a name")]];
    for call in calls {
        // The address space of a debug build: the program itself is 300 MB of it.
        let line = "ulimit -v 1500000; exec \"$@\"";
        let mut limited = Command::new("sh");
        limited.args(["-c", line, "sh", env!("CARGO_BIN_EXE_wattle")]).args(call).arg(&zeros);
        let output = limited.output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{call:?}: {stderr}");
        assert!(
            stderr.contains("unpacks to more than 512MB of code and packages; --unpack-limit"),
            "{call:?}: {stderr}"
        );
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    }
    assert!(!out.exists());

    // With room enough the verdict is that of the packages.
    let run = wattle(["verify", zeros.to_str().expect("a name"), "--unpack-limit", "2GB"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
}

#[requires(data)]
#[test]
fn what_needs_more_memory_than_the_limit_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let out = out.to_str().expect("a name");
    let trace = wattle_testdata::path("perfetto/api32_startup_warm_pixel6a.perfetto-trace");
    let trace = trace.to_str().expect("a name");
    let calls: [&[&str]; 5] = [
        &["report", trace, "--html", out],
        &["diagnose", trace, "--json", out],
        &["export", trace, "-f", "chrome", "-o", out],
        &["diff", trace, trace, "--json", out],
        &["runs", "import", trace, "--app", "a.b", "--store", out],
    ];
    for call in calls {
        let run = wattle(call.iter().copied().chain(["--memory-limit", "5MB"]));
        assert_eq!(run.code, Some(3), "{call:?}: {}", run.stderr);
        let expected =
            "stopped because it takes more than 5MB of memory; --memory-limit sets another limit";
        assert!(run.stderr.contains(expected), "{call:?}: {}", run.stderr);
        assert_eq!(run.stderr.trim_end().lines().count(), 1, "{}", run.stderr);
        let left: Vec<_> = folder.path().read_dir().expect("a folder").collect();
        assert!(left.is_empty() || call[0] == "runs", "{call:?}: {left:?}");
    }
    let run = wattle(["report", trace, "--memory-limit", "1GB", "--time-limit", "0"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("expected seconds, 1 or more"), "{}", run.stderr);
    let run = wattle(["report", trace, "--memory-limit", "1GB", "--time-limit", "100"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
