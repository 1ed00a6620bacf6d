//! The regions of one thread.

use wattle_timeline::Window;

use super::Means;
use super::cluster::{clusters, longest_silence};
use super::regular::regular;
use super::single::single;
use super::sliding::Sliding;
use super::trim::trimmed;
use crate::RegionOptions;
use crate::events::{ThreadEvents, count_within};
use crate::windows::{difference, union};

/// A clock's beat within a region of this many times its CPU use is what goes on beside it: they are apart.
const APART: f64 = 3.0;

/// A region and what is known of how it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) window: Window,
    /// It is one event alone.
    pub(crate) is_single: bool,
}

/// Finds the stretches in which the thread does more than it should, in order of time, none overlapping another.
/// `looked` are the looked-at stretches in order.
pub(crate) fn find(
    events: &ThreadEvents,
    means: Means,
    looked: &[Window],
    is_sampled: bool,
    options: &RegionOptions,
) -> Vec<Found> {
    if events.is_empty() {
        return Vec::new();
    }
    let sliding = Sliding { events, means, options, is_sampled };
    let spans = events.spans();
    let mut windows = Vec::new();
    let mut stretches = looked.iter().peekable();
    for cluster in clusters(&spans, longest_silence(&spans, options), looked) {
        while stretches.next_if(|it| it.end <= cluster.start).is_some() {}
        let Some(stretch) = stretches.peek() else { break };
        windows.extend(sliding.qualifying(cluster, **stretch));
    }
    let trim = |windows: Vec<Window>| -> Vec<Window> {
        let trimmed = union(windows).into_iter().filter_map(|window| trimmed(window, events));
        trimmed.collect()
    };
    let standing_out = trim(windows);
    let beats = if is_sampled { Vec::new() } else { regular(events, looked, options) };
    let mut all = joined(standing_out, beats, events, options);
    all.extend(single(events, options));
    let is_shown = |window: &Window| !window.is_empty();
    union(all)
        .into_iter()
        .filter(is_shown)
        .map(|window| Found { window, is_single: touching_runs(events, window) == 1 })
        .collect()
}

/// Counts the stretches on a CPU that overlap the window; disk operations count, too.
fn touching_runs(events: &ThreadEvents, window: Window) -> u64 {
    let first = events.runs.partition_point(|run| run.window.end <= window.start);
    let beyond = events.runs.partition_point(|run| run.window.start < window.end);
    beyond.saturating_sub(first) as u64 + count_within(&events.disk, window)
}

/// Windows that stand out and beats as one list. A beat that goes on beside something far hotter is what is left of it.
fn joined(
    standing_out: Vec<Window>,
    beats: Vec<Window>,
    events: &ThreadEvents,
    options: &RegionOptions,
) -> Vec<Window> {
    let cpu_use = |window: Window| {
        let seconds = window.duration().seconds();
        if seconds > 0.0 { events.cpu.within(window).seconds() / seconds } else { 0.0 }
    };
    let mut all = Vec::new();
    for beat in beats {
        let first = standing_out.partition_point(|it| it.end <= beat.start);
        let inside = standing_out.iter().skip(first).take_while(|it| it.start < beat.end);
        let hot: Vec<Window> = inside.copied().collect();
        let rest = difference(&[beat], &hot);
        let outside: f64 = rest.iter().map(|it| events.cpu.within(*it).seconds()).sum();
        let length: f64 = rest.iter().map(|it| it.duration().seconds()).sum();
        let usual = if length > 0.0 { outside / length } else { 0.0 };
        let apart: Vec<Window> =
            hot.into_iter().filter(|it| usual > 0.0 && cpu_use(*it) >= APART * usual).collect();
        if apart.is_empty() {
            all.push(beat);
            continue;
        }
        let least = u64::from(options.regular_events) / 2;
        let long = |it: &Window| count_within(&events.wakeups, *it) >= least;
        // A nanosecond of distance keeps what touches from being joined again.
        let rest = difference(&[beat], &apart).into_iter().filter(long);
        all.extend(rest.filter_map(|it| trimmed(shrunk(it), events)));
    }
    all.extend(standing_out);
    all
}

/// The window without its first and last nanosecond.
fn shrunk(window: Window) -> Window {
    let one = wattle_units::Nanos::new(1);
    Window::new(window.start + one, window.end - one)
}
