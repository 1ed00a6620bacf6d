//! Sharing the increments of a counter among calls.

use wattle_timeline::{CounterTrack, Timeline, Window};
use wattle_units::{BootNanos, CompensatedSum, Nanos};

use super::innermost_calls::Calls;
use super::{Allocation, AllocationOptions};

/// Shares what a counter rose by between samples among the low-level calls that ran, each call by the time for which it
/// was its thread's innermost. What was given and what is unattributed add up to what was counted.
///
/// A counter that falls was reset: that interval counts nothing, and is counted in [`Allocation::resets`].
pub fn allocate(
    timeline: &Timeline,
    counter: &CounterTrack,
    options: &AllocationOptions,
) -> Allocation {
    let Calls { amounts: mut calls, paths, pieces, .. } =
        Calls::find(timeline, &options.calls, counter.scope);
    let Polls { times, increments, resets } = Polls::new(counter);
    let mut overlaps = vec![Nanos::ZERO; increments.len()];
    for (piece, _) in &pieces {
        for (interval, overlap) in intervals(&times, *piece) {
            if let Some(sum) = overlaps.get_mut(interval) {
                *sum += overlap;
            }
        }
    }
    let mut amounts = vec![CompensatedSum::default(); calls.len()];
    for (piece, call) in &pieces {
        let Some(amount) = amounts.get_mut(*call as usize) else { continue };
        for (interval, overlap) in intervals(&times, *piece) {
            if let (Some(increment), Some(all)) = (increments.get(interval), overlaps.get(interval))
            {
                amount.add(increment * (overlap.value() as f64 / all.value() as f64));
            }
        }
    }
    let mut found = Allocation {
        counted: increments.iter().copied().collect::<CompensatedSum>().value(),
        intervals: increments.len() as u64,
        resets,
        paths,
        ..Allocation::default()
    };
    let mut nobodys = CompensatedSum::default();
    let last = LastCalls::new(calls.iter().map(|call| call.window.end));
    for (at, (increment, overlap)) in increments.iter().zip(&overlaps).enumerate() {
        if *overlap > Nanos::ZERO || *increment == 0.0 {
            continue;
        }
        found.without_call += 1;
        let interval = times.get(at..at + 2).and_then(|ends| Some((*ends.first()?, *ends.last()?)));
        let heir = interval.and_then(|(start, end)| last.within(start - options.tail, end));
        match heir.and_then(|call| amounts.get_mut(call)) {
            Some(amount) => amount.add(*increment),
            None => nobodys.add(*increment),
        }
    }
    for (call, amount) in calls.iter_mut().zip(&amounts) {
        call.amount = amount.value();
    }
    Allocation { calls, unattributed: nobodys.value(), ..found }
}

/// A counter's samples as increments between them.
pub(super) struct Polls {
    pub times: Vec<BootNanos>,
    /// One fewer than times.
    pub increments: Vec<f64>,
    pub resets: u64,
}

impl Polls {
    /// Samples that go back in time or are no number are left out; of several at one instant the last counts.
    pub fn new(counter: &CounterTrack) -> Self {
        let mut times: Vec<BootNanos> = Vec::with_capacity(counter.time.len());
        let mut values: Vec<f64> = Vec::with_capacity(counter.time.len());
        for (time, value) in counter.time.iter().zip(&counter.value) {
            if !value.is_finite() || times.last().is_some_and(|last| time < last) {
                continue;
            }
            if times.last() == Some(time) {
                values.pop();
            } else {
                times.push(*time);
            }
            values.push(*value);
        }
        let mut resets = 0;
        let rise = |pair: &[f64]| match pair {
            [before, after] if after >= before => after - before,
            _ => {
                resets += 1;
                0.0
            }
        };
        let increments = values.windows(2).map(rise).collect();
        Self { times, increments, resets }
    }
}

/// The intervals between samples that a piece overlaps, and for how long.
fn intervals(times: &[BootNanos], piece: Window) -> impl Iterator<Item = (usize, Nanos)> + '_ {
    let first = times.partition_point(|time| *time <= piece.start).saturating_sub(1);
    let rest = times.get(first..).unwrap_or_default();
    (first..).zip(rest.windows(2)).map_while(move |(at, ends)| match ends {
        [start, end] if *start < piece.end => {
            Some((at, Window { start: *start, end: *end }.intersect(piece).duration()))
        }
        _ => None,
    })
}

/// Which call ended last.
struct LastCalls {
    /// Ascending.
    ends: Vec<(BootNanos, usize)>,
}

impl LastCalls {
    fn new(ends: impl Iterator<Item = BootNanos>) -> Self {
        let mut ends: Vec<_> = ends.enumerate().map(|(call, end)| (end, call)).collect();
        ends.sort_unstable();
        Self { ends }
    }

    /// The call that ended last of those that ended between these instants, the first one included.
    fn within(&self, from: BootNanos, until: BootNanos) -> Option<usize> {
        let after = self.ends.partition_point(|(end, _)| *end < until);
        let (end, call) = self.ends.get(after.checked_sub(1)?)?;
        (*end >= from).then_some(*call)
    }
}
