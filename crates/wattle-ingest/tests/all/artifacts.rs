//! Several artifacts of one recording, as paths: files, archives, folders.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

use crate::trace_split as split;
use std::path::{Path, PathBuf};

use wattle_ingest::{read_bytes, read_paths};
use wattle_testdata::requires;
use wattle_timeline::Timeline;

const PIXEL: &str = "perfetto/api32_startup_warm_pixel6a.perfetto-trace";

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[track_caller]
fn check_same(found: &Timeline, expected: &Timeline) {
    assert_eq!(found.window, expected.window);
    assert_eq!(found.device, expected.device);
    let rails = |timeline: &Timeline| -> Vec<_> {
        let rails = timeline.energy.rails.iter();
        rails
            .map(|r| (timeline.names.get(r.name).to_owned(), r.time.clone(), r.energy.clone()))
            .collect()
    };
    assert_eq!(rails(found), rails(expected));
    assert_eq!(found.energy.batteries, expected.energy.batteries);
    assert_eq!(found.tasks.processes.len(), expected.tasks.processes.len());
    assert_eq!(found.tasks.threads.len(), expected.tasks.threads.len());
    assert_eq!(found.code.slices.len(), expected.code.slices.len());
    for (cpu, (found, expected)) in found.cpus.iter().zip(&expected.cpus).enumerate() {
        assert_eq!(found.sched.len(), expected.sched.len(), "CPU {cpu}");
        assert_eq!(found.frequency, expected.frequency, "CPU {cpu}");
        assert_eq!(found.idle, expected.idle, "CPU {cpu}");
    }
}

/// A recording that keeps the kernel's events in one file and everything else in another is the same
/// recording.
#[requires(data)]
#[test]
fn one_recording_in_two_files() {
    let trace = wattle_testdata::bytes(PIXEL);
    let whole = read_bytes(PIXEL, &trace).unwrap();
    let (mut kernel, mut rest) = (Vec::new(), Vec::new());
    for packet in split::packets(&trace) {
        let packet = &trace[packet];
        if split::bundle_cpu(packet).is_some() { &mut kernel } else { &mut rest }
            .extend_from_slice(packet);
    }
    let folder = folder("one_recording_in_two_files");
    let paths =
        [("rest.perfetto-trace", rest), ("kernel.perfetto-trace", kernel)].map(|(name, bytes)| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        });
    let both = read_paths(&paths).unwrap();
    assert_eq!(both.quality.artifacts.len(), 2, "{:?}", both.quality.artifacts);
    check_same(&both, &whole);
}

/// A folder is a recording of the files in it.
#[requires(data)]
#[test]
fn a_folder() {
    let trace = wattle_testdata::bytes(PIXEL);
    let whole = read_bytes(PIXEL, &trace).unwrap();
    let folder = folder("a_folder");
    std::fs::write(folder.join("trace.perfetto-trace"), &trace).unwrap();
    let found = read_paths(&[folder]).unwrap();
    check_same(&found, &whole);
}

/// A file that is none of a recording's is refused by its name, also beside one that can be read.
#[requires(data)]
#[test]
fn one_good_file_and_one_bad() {
    let trace = wattle_testdata::bytes(PIXEL);
    let folder = folder("one_good_file_and_one_bad");
    let (good, bad) = (folder.join("good.perfetto-trace"), folder.join("bad.perfetto-trace"));
    std::fs::write(&good, &trace).unwrap();
    std::fs::write(&bad, b"\xff\xd8\xff\xe0 this is a photo").unwrap();
    let error = read_paths(&[good, bad]).unwrap_err().to_string();
    assert!(error.contains("bad.perfetto-trace") && error.contains("JPEG"), "{error}");
}
