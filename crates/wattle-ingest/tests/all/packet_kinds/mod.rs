//! Kinds of Perfetto's packets, one by one: on traces of which every number is known, on Perfetto's own tests of them, and on real
//! traces by an independent count.

mod app_wakelocks;
mod blocked_reasons;
mod damaged;
mod frames;
mod generic_events;
mod generic_kernel;
mod gpu_counters;
mod input_events;
mod machines;
mod packed;
mod statsd;

use wattle_ingest::read_bytes;
use wattle_timeline::{ArtifactQuality, CounterTrack, Timeline};

use crate::traces::Trace;

#[track_caller]
fn read(trace: Trace) -> Timeline {
    read_bytes("generated", &trace.bytes()).unwrap()
}

#[track_caller]
fn artifact(timeline: &Timeline) -> &ArtifactQuality {
    &timeline.quality.artifacts[0]
}

/// Codes of the notes on the file, with their counts.
#[track_caller]
fn notes(timeline: &Timeline) -> Vec<(&str, u64)> {
    let notes = artifact(timeline).notes.iter();
    notes.map(|note| (note.code.as_str(), note.count)).collect()
}

fn counter<'a>(timeline: &'a Timeline, name: &str) -> Option<&'a CounterTrack> {
    let mut counters = timeline.system.counters.iter();
    counters.find(|counter| timeline.names.get(counter.name) == name)
}

/// Times and values of a counter.
#[track_caller]
fn values(timeline: &Timeline, name: &str) -> Vec<(i64, f64)> {
    let counter = counter(timeline, name).expect(name);
    counter.time.iter().map(|time| time.value()).zip(counter.value.iter().copied()).collect()
}

/// Names and times of the slices on a track of the device.
fn moments<'a>(timeline: &'a Timeline, track: &str) -> Vec<(&'a str, i64)> {
    let name = timeline.names.find(track);
    let tracks = timeline.code.slices.tracks.iter().filter(|track| track.name == name);
    let slices = tracks.flat_map(|track| timeline.code.slices.of(track));
    slices.map(|slice| (timeline.names.get(slice.name), slice.start.value())).collect()
}
