//! A thread is on one CPU at a time, in every recording whose scheduler was recorded; and no CPU's knowledge of a thread goes beyond
//! the last event of its stream.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

use std::path::{Path, PathBuf};

use super::traces::Trace;
use wattle_testdata::requires;
use wattle_timeline::{ThreadId, Timeline, Window};

/// Folders of recordings that may hold a scheduler.
const FOLDERS: [&str; 7] =
    ["etl", "perf_script", "perfdata", "perfetto", "perfetto/emanafa", "power_meter", "systrace"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

/// The slices of all CPUs, except of the idle task, in order of their starts.
fn slices(timeline: &Timeline) -> Vec<(ThreadId, Window, usize)> {
    let cpus = timeline.cpus.iter().filter(|cpu| !cpu.sched_is_inferred).enumerate();
    let mut slices: Vec<_> = cpus
        .flat_map(|(id, cpu)| cpu.sched.iter().map(move |s| (s.thread, s.window, id)))
        .filter(|(thread, ..)| !thread.is_idle())
        .collect();
    slices.sort_by_key(|(thread, window, _)| (*thread, window.start, window.end));
    slices
}

#[track_caller]
fn check(timeline: &Timeline, name: &str) {
    let slices = slices(timeline);
    for pair in slices.windows(2) {
        let [(thread, first, on), (other, second, then)] = pair else { continue };
        assert!(
            thread != other || first.end <= second.start,
            "{name}: {thread:?} is on CPU {on} in {first:?} and on CPU {then} in {second:?}"
        );
    }
    for (id, cpu) in timeline.cpus.iter().enumerate() {
        let last = cpu.last_event.unwrap_or(timeline.window.end);
        for slice in cpu.sched.iter().filter(|slice| !slice.thread.is_idle()) {
            let is_known = cpu.sched_is_inferred || slice.window.end <= last;
            assert!(is_known, "{name}: CPU {id} has {slice:?} beyond its last event {last:?}");
        }
    }
}

#[requires(data)]
#[test]
fn real_recordings() {
    let (mut read, mut notes) = (0, Vec::new());
    for folder in FOLDERS {
        for file in files(&wattle_testdata::path(folder)) {
            let Ok(timeline) = wattle_ingest::read_paths(std::slice::from_ref(&file)) else {
                continue;
            };
            let artifacts = timeline.quality.artifacts.iter();
            let mut of_artifacts = artifacts.flat_map(|artifact| &artifact.notes);
            assert!(of_artifacts.all(|note| note.code != "time-outlier"), "{}", file.display());
            if slices(&timeline).is_empty() {
                continue;
            }
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            check(&timeline, &name);
            read += 1;
            let cut = timeline.quality.notes.iter().find(|note| note.code == "thread-on-two-cpus");
            notes.extend(cut.map(|note| (name, note.count)));
        }
    }
    assert_eq!(read, 10, "recordings with a scheduler");
    // The switches of this one were made: some of its threads are on two CPUs.
    assert_eq!(notes, [("SEMISYNTHETIC-cswitch-net45x86.etl.zip".to_owned(), 13)]);
}

/// The stream of a CPU ends while others go on: what it showed last ends with its last event, of whatever kind.
#[test]
fn a_stream_that_ends_early() {
    let trace = Trace::default()
        .bundle(0, |cpu| {
            cpu.switch(100, (0, "swapper/0"), 0, (7, "app"));
            cpu.numbers(150, 7, 11, &[(1, 300_000), (2, 0)]);
        })
        .bundle(1, |cpu| {
            cpu.switch(120, (0, "swapper/1"), 0, (8, "other"))
                .switch(400, (8, "other"), 1, (7, "app"))
                .switch(900, (7, "app"), 1, (0, "swapper/1"));
        })
        .bundle(2, |cpu| {
            cpu.switch(200, (0, "swapper/2"), 0, (9, "short"));
        });
    let timeline = wattle_ingest::read_bytes("early", &trace.bytes()).unwrap();
    check(&timeline, "early");
    let ends = |cpu: usize| {
        let slices = timeline.cpus[cpu].sched.iter();
        slices.map(|s| (s.window.start.value(), s.window.end.value())).collect::<Vec<_>>()
    };
    assert_eq!(ends(0), [(100, 150)]);
    assert_eq!(ends(1), [(120, 400), (400, 900)]);
    // It came with the last event of its CPU: it is there, without a length.
    assert_eq!(ends(2), [(200, 200)]);
    assert!(timeline.quality.notes.iter().all(|note| note.code != "thread-on-two-cpus"));
}

/// Events of a CPU are missing in the middle, and nothing says so but another CPU that has its thread.
#[test]
fn a_thread_that_another_cpu_took_over() {
    let trace = Trace::default()
        .bundle(0, |cpu| {
            cpu.switch(100, (0, "swapper/0"), 0, (7, "app"))
                .numbers(700, 0, 11, &[(1, 600_000), (2, 0)])
                .switch(800, (8, "other"), 1, (0, "swapper/0"));
            cpu.numbers(850, 0, 11, &[(1, 300_000), (2, 0)]);
        })
        .bundle(1, |cpu| {
            cpu.switch(300, (0, "swapper/1"), 0, (7, "app")).switch(
                350,
                (7, "app"),
                1,
                (0, "swapper/1"),
            );
        })
        .bundle(0, |cpu| {
            cpu.switch(900, (0, "swapper/0"), 1, (8, "other"));
            cpu.numbers(1_500, 8, 11, &[(1, 300_000), (2, 0)]);
        })
        .bundle(1, |cpu| {
            cpu.switch(1_000, (0, "swapper/1"), 0, (8, "other")).switch(
                1_200,
                (8, "other"),
                1,
                (0, "swapper/1"),
            );
        });
    let timeline = wattle_ingest::read_bytes("lost", &trace.bytes()).unwrap();
    check(&timeline, "lost");
    let note = timeline.quality.notes.iter().find(|note| note.code == "thread-on-two-cpus");
    let note = note.expect("a note");
    assert_eq!(note.count, 2, "{}", note.text);
}
