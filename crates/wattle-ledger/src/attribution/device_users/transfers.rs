//! The calls that moved data through a component.

use std::collections::BTreeMap;

use wattle_timeline::{CounterScope, Timeline, Uid, Window};
use wattle_units::{BootNanos, Nanos};

use super::concurrent_users::Concurrent;
use crate::Prefer;
use crate::allocation::{Calls, NamePattern};
use crate::attribution::call_paths::CallTrees;

use super::using_path::{UsingPath, paths_of, uid_of};

/// Low-level calls over time.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    running: Concurrent<u32>,
    prefer: Prefer,
    calls: Vec<Call>,
    /// When calls ended, by app, in order of time.
    ends: BTreeMap<Option<Uid>, Vec<(BootNanos, UsingPath)>>,
}

/// One call.
#[derive(Clone, Copy, Debug)]
struct Call {
    path: u32,
    uid: Option<Uid>,
    /// Bytes that it moved for each nanosecond for which it was innermost.
    rate: f64,
}

/// Which of two shares of a stretch: by time, and by bytes where they are known.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    time: f64,
    bytes: f64,
}

impl Transfers {
    pub(crate) fn new(
        timeline: &Timeline,
        trees: &CallTrees,
        names: &[NamePattern],
        prefer: Prefer,
    ) -> Self {
        let found = Calls::find(timeline, names, CounterScope::Global);
        let paths = paths_of(&found.paths, trees);
        let mut times = vec![Nanos::ZERO; found.amounts.len()];
        for (piece, call) in &found.pieces {
            if let Some(time) = times.get_mut(*call as usize) {
                *time += piece.duration();
            }
        }
        let rates = found.own_bytes().into_iter().zip(times).map(|(bytes, time)| {
            if time > Nanos::ZERO { bytes as f64 / time.value() as f64 } else { 0.0 }
        });
        let calls: Vec<Call> = found
            .amounts
            .iter()
            .zip(rates)
            .map(|(call, rate)| Call {
                path: paths.get(call.path as usize).map_or(0, |path| path.path),
                uid: uid_of(timeline, call.thread),
                rate,
            })
            .collect();
        let mut ends: BTreeMap<Option<Uid>, Vec<(BootNanos, UsingPath)>> = BTreeMap::new();
        for (amount, call) in found.amounts.iter().zip(&calls) {
            let path = paths.get(amount.path as usize).copied().unwrap_or_default();
            ends.entry(call.uid).or_default().push((amount.window.end, path));
        }
        for ends in ends.values_mut() {
            ends.sort_unstable();
        }
        Self { running: Concurrent::new(found.pieces), prefer, calls, ends }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// The call paths that ran inside a stretch, of one app or of all, with their parts of it, which add up to 1.
    pub(crate) fn shares(&self, stretch: Window, uid: Option<Uid>) -> Vec<(u32, f64)> {
        let mut weights: BTreeMap<u32, Weight> = BTreeMap::new();
        for (piece, group) in self.running.pieces_from(stretch.start) {
            if piece.start >= stretch.end {
                break;
            }
            let time = piece.intersect(stretch).duration().value() as f64;
            for call in self.running.users(group) {
                let Some(call) = self.calls.get(*call as usize) else { continue };
                if uid.is_none() || call.uid == uid {
                    let weight = weights.entry(call.path).or_default();
                    weight.time += time;
                    weight.bytes += time * call.rate;
                }
            }
        }
        let sum = |of: fn(&Weight) -> f64| weights.values().map(of).sum::<f64>();
        let of: fn(&Weight) -> f64 =
            if self.prefer == Prefer::Split && sum(|weight| weight.bytes) > 0.0 {
                |weight| weight.bytes
            } else {
                |weight| weight.time
            };
        let all = sum(of);
        if all <= 0.0 {
            return Vec::new();
        }
        weights.iter().map(|(path, weight)| (*path, of(weight) / all)).collect()
    }

    /// The path of the app's call that ended last before an instant.
    pub(crate) fn last_before(&self, time: BootNanos, uid: Option<Uid>) -> Option<u32> {
        let ends = self.ends.get(&uid)?;
        let passed = ends.partition_point(|(end, _)| *end <= time);
        Some(ends.get(passed.checked_sub(1)?)?.1.path)
    }
}
