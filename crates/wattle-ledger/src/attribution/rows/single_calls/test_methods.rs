//! Which methods ran in the time of which test.

use rustc_hash::FxHashMap;
use wattle_timeline::{CallSlice, SiteId, SiteKind, Timeline, Window};
use wattle_units::BootNanos;

use super::ThreadTracks;
use super::call_visitor::{Visitor, visit};
use crate::TestMethodEntry;

/// By test and method, in order. `row` is the number that a method has in the ledger; methods without one are left out. A method
/// of which only framework calls have probes ran when one of these did.
pub(crate) fn test_methods(
    timeline: &Timeline,
    tracks: &[ThreadTracks<'_>],
    window: Window,
    row: impl Fn(SiteId) -> Option<u32>,
) -> Vec<TestMethodEntry> {
    let mut tests: Vec<(u32, Window)> = (0..)
        .zip(&timeline.code.tests)
        .map(|(index, test)| (index, test.window.intersect(window)))
        .filter(|(_, window)| !window.is_empty())
        .collect();
    if tests.is_empty() {
        return Vec::new();
    }
    tests.sort_by_key(|(_, window)| window.start);
    let mut counts: FxHashMap<(u32, SiteId), u64> = FxHashMap::default();
    for of_thread in tracks {
        let slices = of_thread.slices(timeline);
        let mut runs = Runs {
            timeline,
            tests: &tests,
            next: 0,
            current: Vec::new(),
            open: Vec::new(),
            counts: &mut counts,
        };
        visit(&slices, &mut runs);
    }
    let entries = counts.into_iter();
    let mut entries: Vec<_> = entries
        .filter_map(|((test, site), calls)| Some(TestMethodEntry { test, site: row(site)?, calls }))
        .collect();
    entries.sort_by_key(|entry| (entry.test, entry.site));
    entries
}

struct Runs<'a, 'c> {
    timeline: &'a Timeline,
    /// In order of start.
    tests: &'a [(u32, Window)],
    /// The first that has not begun.
    next: usize,
    /// Those that run: positions in `tests`.
    current: Vec<usize>,
    /// The methods that are open.
    open: Vec<Option<SiteId>>,
    counts: &'c mut FxHashMap<(u32, SiteId), u64>,
}

impl Runs<'_, '_> {
    /// Begins tests until the instant, or those that begin at it too, and ends those that are over.
    fn go_to(&mut self, time: BootNanos, with_it: bool) {
        while let Some((test, window)) = self.tests.get(self.next)
            && (window.start < time || (with_it && window.start == time))
        {
            // What was open when it began runs in it, too.
            for site in self.open.iter().flatten() {
                *self.counts.entry((*test, *site)).or_default() += 1;
            }
            self.current.push(self.next);
            self.next += 1;
        }
        let tests = self.tests;
        self.current.retain(|index| tests.get(*index).is_some_and(|(_, window)| time < window.end));
    }

    /// The method that a slice says runs.
    fn method(&self, slice: &CallSlice) -> Option<SiteId> {
        let id = slice.site?;
        let site = self.timeline.code.sites.get(id)?;
        match site.kind {
            SiteKind::Method => Some(id),
            // The method's own slice says it already.
            SiteKind::Call => site.within.filter(|_| {
                let around = self.open.last().copied().flatten();
                around != site.within
            }),
        }
    }
}

impl Visitor for Runs<'_, '_> {
    fn begin(&mut self, time: BootNanos, slice: &CallSlice) {
        self.go_to(time, true);
        let method = self.method(slice);
        if let Some(site) = method {
            for index in &self.current {
                if let Some((test, _)) = self.tests.get(*index) {
                    *self.counts.entry((*test, site)).or_default() += 1;
                }
            }
        }
        self.open.push(method);
    }

    fn end(&mut self, time: BootNanos, _whole: bool) {
        self.go_to(time, false);
        self.open.pop();
    }
}
