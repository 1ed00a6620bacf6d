//! The time of tests, app starts, user journeys and states, cut where any of them begins or ends.
//!
//! Energy goes to stretches between cuts, and each test or start is a range of stretches: attribution looks at each piece of power
//! once, however many of them there are and however they overlap.

use std::ops::Range;

use rustc_hash::FxHashMap;
use wattle_power::SourceId;
use wattle_timeline::Window;
use wattle_units::{BootNanos, CompensatedSum, Nanos};

use super::span_owner::{SpanOwner, SpanOwners};
use crate::attribution::consumer::Consumer;

/// The stretches between all beginnings and ends.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    /// Instants at which something begins or ends, ascending; stretch *i* lies between the *i*-th and the next.
    cuts: Vec<BootNanos>,
}

impl Spans {
    /// Of windows in any order. The window of the ledger is cut, too, so that its stretches cover all of it.
    pub(crate) fn new(windows: impl Iterator<Item = Window>, within: Window) -> Self {
        let mut cuts: Vec<BootNanos> = windows
            .map(|window| window.intersect(within))
            .filter(|window| !window.is_empty())
            .flat_map(|window| [window.start, window.end])
            .collect();
        if !cuts.is_empty() {
            cuts.extend([within.start, within.end]);
        }
        cuts.sort_unstable();
        cuts.dedup();
        Self { cuts }
    }

    /// Whether there is no time of anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.cuts.is_empty()
    }

    /// The stretches that make up a window whose ends are cuts.
    pub(crate) fn of(&self, window: Window) -> Range<u32> {
        let index = |time| self.cuts.partition_point(|cut| *cut < time) as u32;
        index(window.start)..index(window.end)
    }

    /// The stretch at the instant or the first one after it, beginning to look at a stretch that is likely.
    fn at(&self, time: BootNanos, near: usize) -> usize {
        let begins = |index: usize| self.cuts.get(index).is_none_or(|cut| *cut <= time);
        let ends = |index: usize| self.cuts.get(index + 1).is_some_and(|cut| time < *cut);
        if begins(near) && ends(near) {
            return near;
        }
        self.cuts.partition_point(|cut| *cut <= time).saturating_sub(1)
    }
}

/// The key of a sum: owner, stretch, source.
pub(crate) type SpanKey = (SpanOwner, u32, SourceId);

/// Energies of one track by owner and stretch.
#[derive(Debug)]
pub(crate) struct SpanSums<'a> {
    spans: &'a Spans,
    owners: &'a SpanOwners,
    near: usize,
    sums: FxHashMap<SpanKey, CompensatedSum>,
}

impl<'a> SpanSums<'a> {
    /// None yet.
    pub(crate) fn new(spans: &'a Spans, owners: &'a SpanOwners) -> Self {
        Self { spans, owners, near: 0, sums: FxHashMap::default() }
    }

    /// Adds an energy in joules that was drawn evenly over the window.
    pub(crate) fn add(
        &mut self,
        window: Window,
        consumer: Consumer,
        source: SourceId,
        joules: f64,
    ) {
        let cuts = &self.spans.cuts;
        let (Some(first), Some(last)) = (cuts.first(), cuts.last()) else { return };
        let length = window.duration();
        if window.end <= *first || *last <= window.start || length <= Nanos::ZERO {
            return;
        }
        let owner = self.owners.get(consumer);
        let mut index = self.spans.at(window.start, self.near);
        self.near = index;
        while let (Some(start), Some(end)) = (cuts.get(index), cuts.get(index + 1))
            && *start < window.end
        {
            let part = Window { start: *start, end: *end }.intersect(window).duration();
            if part > Nanos::ZERO {
                let share = part.value() as f64 / length.value() as f64;
                let key = (owner, index as u32, source);
                self.sums.entry(key).or_default().add(joules * share);
            }
            index += 1;
        }
    }

    /// The sums, in order.
    pub(crate) fn into_sums(self) -> Vec<(SpanKey, CompensatedSum)> {
        let mut sums: Vec<_> = self.sums.into_iter().collect();
        sums.sort_unstable_by_key(|(key, _)| *key);
        sums
    }
}
