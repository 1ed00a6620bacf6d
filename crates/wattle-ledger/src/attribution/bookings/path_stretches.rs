//! Energy of call paths over time, gathered while power tracks are attributed.

use rustc_hash::FxHashMap;
use wattle_timeline::Window;
use wattle_units::{CompensatedSum, Joules, Nanos};

use crate::attribution::consumer::Consumer;
use crate::{ComponentId, PathId, Stretch};

/// The first time that stretches of one path may lie apart and still be merged, where there are too many.
const FIRST_GAP: Nanos = Nanos::new(1_000_000);

/// Energy of a path over a stretch of time, by its number in the call trees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathStretch {
    pub(crate) path: u32,
    pub(crate) window: Window,
    pub(crate) joules: CompensatedSum,
}

impl PathStretch {
    /// Takes another stretch of the same path in.
    fn merge(&mut self, window: Window, joules: CompensatedSum) {
        self.window.start = self.window.start.min(window.start);
        self.window.end = self.window.end.max(window.end);
        self.joules.merge(joules);
    }
}

/// Gathers the stretches of one track while it is booked.
#[derive(Debug)]
pub(crate) struct PathStretches {
    stretches: Vec<PathStretch>,
    /// The latest stretch of each path.
    latest: FxHashMap<u32, usize>,
    /// Stretches of one path that lie no further apart are one.
    gap: Nanos,
    most: usize,
}

impl PathStretches {
    /// For a track with so many stretches at most, or as many as it has paths.
    pub(crate) fn new(most: usize) -> Self {
        Self { stretches: Vec::new(), latest: FxHashMap::default(), gap: Nanos::ZERO, most }
    }

    /// An energy in joules that was drawn evenly over the window. What probes took from a path belongs to it here.
    pub(crate) fn add(&mut self, consumer: Consumer, window: Window, joules: f64) {
        let (Consumer::Path(path) | Consumer::Recorder(path) | Consumer::Probes(path)) = consumer
        else {
            return;
        };
        let mut sum = CompensatedSum::default();
        sum.add(joules);
        let (gap, latest) = (self.gap, self.latest.get(&path).copied());
        // Power changes far more often than who draws it.
        if let Some(stretch) = latest.and_then(|at| self.stretches.get_mut(at))
            && window.start <= stretch.window.end + gap
            && stretch.window.start <= window.end + gap
        {
            stretch.merge(window, sum);
            return;
        }
        self.latest.insert(path, self.stretches.len());
        self.stretches.push(PathStretch { path, window, joules: sum });
        if self.stretches.len() > self.most {
            self.coarsen();
        }
    }

    /// Merges stretches further apart, until half of the room is free or each path has one.
    fn coarsen(&mut self) {
        self.stretches.sort_unstable_by_key(|it| (it.path, it.window.start, it.window.end));
        let paths = self.stretches.chunk_by(|one, other| one.path == other.path).count();
        while self.stretches.len() > (self.most / 2).max(paths) {
            self.gap = if self.gap == Nanos::ZERO { FIRST_GAP } else { self.gap + self.gap };
            let gap = self.gap;
            self.stretches.dedup_by(|later, earlier| {
                let is_near =
                    later.path == earlier.path && later.window.start <= earlier.window.end + gap;
                if is_near {
                    earlier.merge(later.window, later.joules);
                }
                is_near
            });
        }
        // More paths than room: it grows with them.
        self.most = self.most.max(paths.saturating_mul(2));
        self.latest = self.stretches.iter().enumerate().map(|(at, it)| (it.path, at)).collect();
    }

    /// The stretches, and how far apart those were that were merged.
    pub(crate) fn into_stretches(self) -> (Vec<PathStretch>, Nanos) {
        (self.stretches, self.gap)
    }
}

/// Those of all tracks as a ledger has them: what touches or overlaps of one path and component is one. In order of start.
pub(crate) fn merged(
    stretches: &[(ComponentId, PathStretch)],
    row: impl Fn(u32) -> PathId,
) -> Vec<Stretch> {
    // Places are a third of the size of stretches, and are moved a dozen times.
    let key = |(component, it): &(ComponentId, PathStretch)| (it.path, *component, it.window.start);
    let mut order: Vec<_> = (0_u32..).zip(stretches).map(|(at, it)| (key(it), at)).collect();
    order.sort_unstable();
    let in_order = order.into_iter().filter_map(|(_, at)| stretches.get(at as usize));
    let mut merged: Vec<(ComponentId, PathStretch)> = Vec::with_capacity(stretches.len());
    for (component, it) in in_order {
        match merged.last_mut() {
            Some((before, earlier))
                if earlier.path == it.path
                    && before == component
                    && it.window.start <= earlier.window.end =>
            {
                earlier.merge(it.window, it.joules);
            }
            _ => merged.push((*component, *it)),
        }
    }
    let mut merged: Vec<Stretch> = merged
        .into_iter()
        .map(|(component, it)| Stretch {
            path: row(it.path),
            component,
            window: it.window,
            joules: Joules::new(it.joules.value()),
        })
        .collect();
    // Those of several numbers may be one row.
    merged.sort_unstable_by_key(|it| (it.window.start, it.path, it.component, it.window.end));
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wattle_units::BootNanos;

    use super::*;

    /// Stretches of paths one after the other: path, pause before it, length.
    fn gathered(most: usize, pieces: &[(u32, i64, i64)]) -> (Vec<PathStretch>, Nanos) {
        let mut stretches = PathStretches::new(most);
        let mut now = 0;
        for (path, pause, length) in pieces {
            let window =
                Window::new(BootNanos::new(now + pause), BootNanos::new(now + pause + length));
            stretches.add(Consumer::Path(*path), window, *length as f64);
            now += pause + length;
        }
        stretches.into_stretches()
    }

    fn sum(stretches: &[PathStretch], path: u32) -> f64 {
        let of_path = stretches.iter().filter(|it| it.path == path);
        of_path.map(|it| it.joules.value()).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn merging_keeps_energies_and_bounds_the_number(
            pieces in prop::collection::vec((0..9_u32, 0..3_000_000_i64, 1..1_000_000_i64), 0..400),
            most in 18..64_usize,
        ) {
            let (all, exact) = gathered(usize::MAX, &pieces);
            let (few, gap) = gathered(most, &pieces);
            prop_assert_eq!(exact, Nanos::ZERO);
            prop_assert!(few.len() <= most, "{} of {most}", few.len());
            prop_assert_eq!(gap == Nanos::ZERO, all.len() <= most);
            for path in 0..9 {
                prop_assert!((sum(&all, path) - sum(&few, path)).abs() < 1e-3, "path {path}");
                let hull = |it: &[PathStretch]| {
                    let of_path = || it.iter().filter(|it| it.path == path).map(|it| it.window);
                    (of_path().map(|it| it.start).min(), of_path().map(|it| it.end).max())
                };
                prop_assert_eq!(hull(&all), hull(&few));
            }
        }
    }
}
