//! Bad input through the public interface: a clear error or a partial result that says what is missing;
//! never a panic, a hang or memory without bound.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

pub mod archive;
mod archives;
mod damage;
mod extremes;
mod greed;
mod kinds;
mod memory;
mod noise;
mod order;

use crate::trace_build as build;
use crate::trace_split as split;
use wattle_ingest::{IngestError, read_bytes};
use wattle_timeline::Timeline;

const PIXEL: &str = "perfetto/api32_startup_warm_pixel6a.perfetto-trace";

const SMALL: &str = "perfetto/emanafa/trace-1626775333-1614351254.0";

/// Checks the invariants of any timeline, however bad the input was.
#[track_caller]
fn check_sane(timeline: &Timeline, context: &str) {
    let window = timeline.window;
    assert!(window.start <= window.end, "{context}: {window:?}");
    assert!(
        !timeline.tasks.threads.is_empty() && timeline.tasks.threads[0].tid.0 == 0,
        "{context}"
    );
    for thread in &timeline.tasks.threads {
        let known = thread.process.is_none_or(|p| p.index() < timeline.tasks.processes.len());
        assert!(known, "{context}: {thread:?}");
    }
    for cpu in &timeline.cpus {
        let mut end = wattle_units::BootNanos::MIN;
        for slice in cpu.sched.iter() {
            // Only what came with the last event of its CPU has no length.
            let is_length_right = slice.end_state.is_none() || !slice.window.is_empty();
            assert!(end <= slice.window.start && is_length_right, "{context}: {slice:?}");
            assert!(slice.thread.index() < timeline.tasks.threads.len(), "{context}: {slice:?}");
            end = slice.window.end;
        }
    }
    let covered: u64 = timeline.code.slices.tracks.iter().map(|track| u64::from(track.count)).sum();
    assert_eq!(covered, timeline.code.slices.len() as u64, "{context}: slices outside tracks");
    for rail in &timeline.energy.rails {
        assert_eq!(rail.time.len(), rail.energy.len(), "{context}");
    }
}

/// Reads bytes that are damaged; whatever comes out must be sane.
#[track_caller]
fn survive(name: &str, bytes: &[u8]) -> Result<Timeline, IngestError> {
    let result = read_bytes(name, bytes);
    match &result {
        Ok(timeline) => check_sane(timeline, name),
        Err(error) => assert!(!error.to_string().is_empty(), "{name}: an error without words"),
    }
    result
}

/// The error that input of a wrong kind gives: one line that has the word.
#[track_caller]
fn refuse(name: &str, bytes: &[u8], words: &[&str]) {
    let error = read_bytes(name, bytes).expect_err("this is no trace").to_string();
    assert_eq!(error.lines().count(), 1, "{error}");
    let lower = error.to_lowercase();
    assert!(words.iter().any(|word| lower.contains(&word.to_lowercase())), "{words:?}: {error}");
}

/// Notes of a timeline's artifacts, as code, offset and text.
fn notes(timeline: &Timeline) -> Vec<(String, Option<u64>, String)> {
    let notes = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    notes.map(|note| (note.code.clone(), note.offset, note.text.clone())).collect()
}

fn records(timeline: &Timeline) -> u64 {
    timeline.quality.artifacts.iter().map(|artifact| artifact.records).sum()
}

/// Returns the properties in which two timelines of the same bytes agree.
fn summary(timeline: &Timeline) -> impl PartialEq + std::fmt::Debug + use<> {
    let sched: Vec<_> = timeline.cpus.iter().map(|cpu| cpu.sched.clone()).collect();
    let frequency: Vec<_> = timeline.cpus.iter().map(|cpu| cpu.frequency.clone()).collect();
    let sizes =
        (timeline.code.slices.len(), timeline.system.counters.len(), timeline.wakeups.len());
    (
        timeline.window,
        sched,
        frequency,
        sizes,
        timeline.energy.rails.clone(),
        timeline.tasks.threads.clone(),
    )
}
