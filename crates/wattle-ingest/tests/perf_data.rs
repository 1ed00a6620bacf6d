//! Files of `perf record` and simpleperf. `perf script` is the independent reader of those that it can read; what newer recorders
//! wrote is brought to the form of its time first.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

#[path = "perf_data/older.rs"]
mod older;
#[path = "perf_data/script.rs"]
mod script;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use script::Sampled;
use wattle_ingest::read_bytes;
use wattle_timeline::Timeline;

fn read(path: &Path) -> Timeline {
    let name = path.file_name().unwrap().to_str().unwrap();
    read_bytes(name, &std::fs::read(path).unwrap()).unwrap()
}

/// What `perf script` prints of a file, in a form that it can read; `None`, said loudly, without `perf`.
fn oracle(path: &Path, stacks: Stacks) -> Option<Vec<Sampled>> {
    let bytes = older::for_perf_6_1(&std::fs::read(path).unwrap());
    let copy = std::env::temp_dir().join(format!(
        "wattle-perf-data-{}-{}",
        std::process::id(),
        path.file_name().unwrap().to_str().unwrap()
    ));
    std::fs::write(&copy, bytes).unwrap();
    let fields = "comm,pid,tid,time,period,event,ip,dso";
    let output = Command::new("perf")
        .args([
            "script",
            "--force",
            "--ns",
            "--no-inline",
            "--show-kernel-path",
            "-F",
            fields,
            "-i",
        ])
        .arg(&copy)
        .arg("--show-mmap-events")
        .args((stacks == Stacks::Foreign).then_some("-G"))
        .output();
    std::fs::remove_file(&copy).unwrap();
    let Ok(output) = output else {
        skip("perf is not installed");
        return None;
    };
    Some(script::parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Where the stacks of a file come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stacks {
    /// From the file.
    Recorded,
    /// From copies of the stack that `perf` unwinds; of those the file itself has the innermost frame alone.
    Unwound,
    /// The same, of a machine whose stacks this `perf` cannot unwind.
    Foreign,
}

#[track_caller]
fn check(path: &Path, stacks: Stacks) {
    let Some(mut expected) = oracle(path, stacks) else { return };
    assert!(!expected.is_empty(), "perf script prints nothing of {}", path.display());
    let timeline = read(path);
    // Without a stack they are the scheduler's.
    expected.retain(|sample| sample.event != "sched:sched_switch" || sample.stack.len() > 1);
    let mut found = script::of_timeline(&timeline, stacks == Stacks::Recorded);
    assert_eq!(found.len(), expected.len(), "{}: number of samples", path.display());
    if stacks != Stacks::Recorded {
        // The kernel's frames stand before it, which perf does not print without a chain.
        for sample in &mut found {
            sample.stack.drain(..sample.stack.len().saturating_sub(1));
        }
        for sample in &mut expected {
            sample.stack.truncate(1);
        }
        assert!(
            timeline
                .samples
                .samples
                .iter()
                .all(|sample| sample.is_truncated || sample.site.is_none())
        );
    }
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{}: sample {index}", path.display());
    }
}

/// Says past the test harness's capture that something was not tested.
fn skip(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED (tests/perf_data.rs): {why}");
}

fn data(name: &str) -> Option<PathBuf> {
    wattle_testdata::find(&format!("perfdata/{name}"))
}

#[test]
fn real_files_are_as_perf_script_prints_them() {
    for (name, stacks) in [
        ("linux-perf-data-fibo.compressed2.pipe.data", Stacks::Unwound),
        ("linux-perf-data-sleep.compressed.data", Stacks::Recorded),
        ("linux-perf-data-sleep.compressed.pipe.data", Stacks::Recorded),
        ("linux-perf-data-sleep.compressed2.data", Stacks::Recorded),
        ("linux-perf-data-sleep.data", Stacks::Recorded),
        ("simpleperf-has_embedded_native_libs_apk_perf.data", Stacks::Foreign),
        ("simpleperf-perf.data", Stacks::Recorded),
        ("simpleperf-perf_b.data", Stacks::Recorded),
        ("simpleperf-perf_g_fp.data", Stacks::Recorded),
        ("LinuxTracepoints-perf.data", Stacks::Recorded),
    ] {
        if let Some(path) = data(name) {
            check(&path, stacks);
        }
    }
}
