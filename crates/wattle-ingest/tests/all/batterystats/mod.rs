//! Battery statistics in all their forms: real dumps, the format's own definition, and what breaks.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

mod checkin;
mod damage;
mod formats;
mod one_stretch;
mod proto;
mod real;
mod recording;

use wattle_timeline::{CounterScope, Quantity, StateKind, StateTrack, Timeline, Uid, Window};
use wattle_units::BootNanos;

/// A number by its quantity, uid and tag.
fn value(
    timeline: &Timeline,
    quantity: Quantity,
    uid: Option<u32>,
    tag: Option<&str>,
) -> Option<f64> {
    let mut found = timeline.system.usage.iter().filter(|usage| {
        usage.quantity == quantity
            && usage.uid.map(|uid| uid.0) == uid
            && usage.tag.map(|tag| timeline.names.get(tag)) == tag
    });
    let first = found.next().map(|usage| usage.value);
    assert!(found.next().is_none(), "{quantity:?} of {uid:?} {tag:?} is there twice");
    first
}

/// A quantity, whose, of which name, and how much; `None` stands for none.
type Expected<'a> = (Quantity, Option<u32>, Option<&'a str>, Option<f64>);

#[track_caller]
fn check(timeline: &Timeline, expected: &[Expected<'_>]) {
    for (quantity, uid, tag, expected) in expected {
        let found = value(timeline, *quantity, *uid, *tag);
        let is_close = match (found, expected) {
            (Some(found), Some(expected)) => {
                (found - expected).abs() <= 1e-6 * expected.abs().max(1.0)
            }
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(is_close, "{quantity:?} of {uid:?} {tag:?}: {found:?}, {expected:?} expected");
    }
}

/// The sum of a quantity over all uids, without tags.
fn sum(timeline: &Timeline, quantity: Quantity) -> f64 {
    let of = |usage: &&wattle_timeline::Usage| {
        usage.quantity == quantity && usage.uid.is_some() && usage.tag.is_none()
    };
    timeline.system.usage.iter().filter(of).map(|usage| usage.value).sum()
}

fn state<'a>(
    timeline: &'a Timeline,
    kind: StateKind,
    uid: Option<u32>,
    tag: Option<&str>,
) -> Option<&'a StateTrack> {
    let scope = uid.map_or(CounterScope::Global, |uid| CounterScope::Uid(Uid(uid)));
    timeline.system.states.iter().find(|track| {
        track.kind == kind
            && track.scope == scope
            && track.tag.map(|tag| timeline.names.get(tag)) == tag
    })
}

/// Milliseconds at a level until the end of a stretch, and how many times it was entered.
fn at_level(track: &StateTrack, level: u32, window: Window) -> (i64, usize) {
    let segments = track.level.segments(window).filter(|segment| segment.value == level);
    let (mut nanos, mut count) = (0, 0);
    for segment in segments {
        nanos += segment.window.duration().value();
        count += 1;
    }
    (nanos / 1_000_000, count)
}

/// Changes of a state: milliseconds after the first time of the timeline, and levels.
fn changes(
    timeline: &Timeline,
    kind: StateKind,
    uid: Option<u32>,
    tag: Option<&str>,
) -> Vec<(i64, u32)> {
    let start = timeline.window.start;
    let Some(track) = state(timeline, kind, uid, tag) else { return Vec::new() };
    track.level.iter().map(|(time, level)| ((time - start).value() / 1_000_000, level)).collect()
}

fn note(timeline: &Timeline, code: &str) -> u64 {
    let artifacts = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    let all = artifacts.chain(&timeline.quality.notes);
    all.filter(|note| note.code == code).map(|note| note.count).sum()
}

fn stretch(start: BootNanos, ms: i64) -> Window {
    Window::new(start, BootNanos::new(start.value() + ms * 1_000_000))
}
