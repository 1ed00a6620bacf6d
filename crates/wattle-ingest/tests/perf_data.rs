//! Files of `perf record` and simpleperf. `perf script` is the independent reader of those that it can read; what newer recorders
//! wrote is brought to the form of its time first.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

#[path = "perf_data/older.rs"]
mod older;
#[path = "perf_data/script.rs"]
mod script;

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
fn oracle(path: &Path) -> Option<Vec<Sampled>> {
    let bytes = older::for_perf_6_1(&std::fs::read(path).unwrap());
    let copy = std::env::temp_dir().join(format!(
        "wattle-perf-data-{}-{}",
        std::process::id(),
        path.file_name().unwrap().to_str().unwrap()
    ));
    std::fs::write(&copy, bytes).unwrap();
    let fields = "comm,pid,tid,time,period,event,ip,dso";
    let output = Command::new("perf")
        .args(["script", "--force", "--ns", "--no-inline", "--show-kernel-path", "-F", fields, "-i"])
        .arg(&copy)
        .output();
    std::fs::remove_file(&copy).unwrap();
    let Ok(output) = output else {
        eprintln!("SKIPPED: perf is not installed");
        return None;
    };
    Some(script::parse(&String::from_utf8_lossy(&output.stdout)))
}

#[track_caller]
fn check(path: &Path) {
    let Some(expected) = oracle(path) else { return };
    assert!(!expected.is_empty(), "perf script prints nothing of {}", path.display());
    let timeline = read(path);
    let is_adjusted = !timeline.quality.artifacts[0].notes.iter().any(|_| false);
    let found = script::of_timeline(&timeline, is_adjusted);
    assert_eq!(found.len(), expected.len(), "{}: number of samples", path.display());
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{}: sample {index}", path.display());
    }
}

fn data(name: &str) -> Option<PathBuf> {
    wattle_testdata::find(&format!("perfdata/{name}"))
}

#[test]
fn real_files_are_as_perf_script_prints_them() {
    for name in [
        "linux-perf-data-fibo.compressed2.pipe.data",
        "linux-perf-data-sleep.compressed.data",
        "linux-perf-data-sleep.compressed.pipe.data",
        "linux-perf-data-sleep.compressed2.data",
        "linux-perf-data-sleep.data",
        "simpleperf-has_embedded_native_libs_apk_perf.data",
        "simpleperf-perf.data",
        "simpleperf-perf_b.data",
        "simpleperf-perf_g_fp.data",
        "LinuxTracepoints-perf.data",
    ] {
        if let Some(path) = data(name) {
            check(&path);
        }
    }
}
