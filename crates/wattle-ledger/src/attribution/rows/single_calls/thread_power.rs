//! Power of threads over time.

use std::collections::BTreeMap;

use wattle_timeline::{ThreadId, Window};
use wattle_units::BootNanos;

/// Power of one thread over time in joules a nanosecond: from each instant on, until the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadPower {
    pub(crate) from: Vec<BootNanos>,
    pub(crate) power: Vec<f64>,
}

impl ThreadPower {
    /// By thread, from the pieces of all tracks.
    pub(crate) fn all(
        pieces: impl Iterator<Item = Vec<(ThreadId, Window, f64)>>,
    ) -> BTreeMap<ThreadId, Self> {
        let mut edges: BTreeMap<ThreadId, Vec<(BootNanos, f64, i32)>> = BTreeMap::new();
        for (thread, window, joules) in pieces.flatten() {
            let power = joules / window.duration().value() as f64;
            let edges = edges.entry(thread).or_default();
            edges.push((window.start, power, 1));
            edges.push((window.end, -power, -1));
        }
        edges.into_iter().map(|(thread, edges)| (thread, Self::from_edges(edges))).collect()
    }

    fn from_edges(mut edges: Vec<(BootNanos, f64, i32)>) -> Self {
        edges.sort_by_key(|(time, ..)| *time);
        let mut found = Self::default();
        let (mut power, mut open) = (0.0, 0);
        for same in edges.chunk_by(|one, other| one.0 == other.0) {
            for (_, change, count) in same {
                power += change;
                open += count;
            }
            if open == 0 {
                // Nothing of earlier roundings is left where nobody draws.
                power = 0.0;
            }
            found.from.extend(same.first().map(|(time, ..)| *time));
            found.power.push(power);
        }
        found
    }
}
