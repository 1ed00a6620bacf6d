//! Kinds of events that no real trace at hand holds, with the values and the expectations of Perfetto's own
//! tests and sources: each test names where they come from. The bytes are built here, field by field.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

mod kernel;
mod recorder;
mod services;

use crate::trace_build as build;
use wattle_timeline::{CallSlice, SliceTrack, Steps, Timeline};
use wattle_units::BootNanos;

/// Reads a trace, after reading it with every bit flipped and cut at every byte: no real trace holds these
/// kinds of events, so nothing else shows that their readers stand damage.
#[track_caller]
fn read(packets: &[Vec<u8>]) -> Timeline {
    let mut trace = packets.concat();
    for bit in 0..trace.len() * 8 {
        trace[bit / 8] ^= 1 << (bit % 8);
        drop(wattle_ingest::read_bytes("flipped.perfetto-trace", &trace));
        trace[bit / 8] ^= 1 << (bit % 8);
    }
    for cut in 0..trace.len() {
        drop(wattle_ingest::read_bytes("cut.perfetto-trace", &trace[..cut]));
    }
    wattle_ingest::read_bytes("built.perfetto-trace", &trace).unwrap()
}

fn text(field: u64, text: &str) -> Vec<u8> {
    build::bytes(field, text.as_bytes())
}

fn changes<T: Copy + PartialEq, N>(steps: &Steps<T>, number: impl Fn(T) -> N) -> Vec<(i64, N)> {
    steps.iter().map(|(time, value)| (time.value(), number(value))).collect()
}

fn at<T: Copy + PartialEq>(steps: &Steps<T>, time: i64) -> Option<T> {
    steps.at(BootNanos::new(time))
}

/// Slices as (name, start, length); -1 for one without an end.
fn slices(timeline: &Timeline, of: impl Fn(&SliceTrack) -> bool) -> Vec<(&str, i64, i64, u16)> {
    let tracks = timeline.code.slices.tracks.iter().filter(|track| of(track));
    let row = |slice: CallSlice| {
        let length = if slice.is_unfinished() { -1 } else { (slice.end - slice.start).value() };
        (timeline.names.get(slice.name), slice.start.value(), length, slice.depth)
    };
    let mut rows: Vec<_> =
        tracks.flat_map(|track| timeline.code.slices.of(track).map(row)).collect();
    rows.sort_by_key(|(_, start, _, depth)| (*start, *depth));
    rows
}
