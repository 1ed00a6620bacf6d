//! The time of tests, cut where any of them begins or ends.
//!
//! Energy goes to stretches, and each test is a range of stretches: attribution looks at each piece of power
//! once, however many tests there are and however they overlap.

use std::ops::Range;

use rustc_hash::FxHashMap;
use wattle_power::SourceId;
use wattle_timeline::{TestRun, Window};
use wattle_units::{BootNanos, CompensatedSum, Nanos};

use super::app_owners::Owners;
use crate::attribution::consumer::Consumer;

/// The stretches of all tests.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    /// Instants at which a test begins or ends, ascending; stretch *i* lies between the *i*-th and the next.
    cuts: Vec<BootNanos>,
}

impl Spans {
    /// Of tests in any order, inside the window.
    pub(crate) fn new(tests: &[TestRun], window: Window) -> Self {
        let mut cuts: Vec<BootNanos> = tests
            .iter()
            .map(|test| test.window.intersect(window))
            .filter(|window| !window.is_empty())
            .flat_map(|window| [window.start, window.end])
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        Self { cuts }
    }

    /// Whether there is no time of any test.
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

/// The key of a sum: stretch, source, whether it is the app's own.
pub(crate) type SpanKey = (u32, SourceId, bool);

/// Energies of one track by stretch.
#[derive(Debug)]
pub(crate) struct SpanSums<'a> {
    spans: &'a Spans,
    owners: &'a Owners,
    paths: &'a [bool],
    near: usize,
    sums: FxHashMap<SpanKey, CompensatedSum>,
}

impl<'a> SpanSums<'a> {
    /// None yet; `paths` says of each call path whether it is the app's own.
    pub(crate) fn new(spans: &'a Spans, owners: &'a Owners, paths: &'a [bool]) -> Self {
        Self { spans, owners, paths, near: 0, sums: FxHashMap::default() }
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
        let own = self.owners.owns(self.paths, consumer);
        let mut index = self.spans.at(window.start, self.near);
        self.near = index;
        while let (Some(start), Some(end)) = (cuts.get(index), cuts.get(index + 1))
            && *start < window.end
        {
            let part = Window { start: *start, end: *end }.intersect(window).duration();
            if part > Nanos::ZERO {
                let share = part.value() as f64 / length.value() as f64;
                let key = (index as u32, source, own);
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
