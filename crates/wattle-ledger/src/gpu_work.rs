//! Which apps had work on a GPU at each instant.

use wattle_timeline::{GpuWorkPeriod, Uid, Window};
use wattle_units::BootNanos;

/// The apps with work on one GPU over time.
#[derive(Debug, Default)]
pub(crate) struct GpuWork {
    start: Vec<BootNanos>,
    /// First of the piece's apps in `apps`.
    first: Vec<u32>,
    apps: Vec<Uid>,
}

/// A range of [`GpuWork::apps`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apps {
    first: u32,
    end: u32,
}

impl GpuWork {
    /// From work periods in any order. Several periods of one app at an instant count once. Periods
    /// beyond `LIMIT` apps at one instant are left out: no device runs that many, but a file can say so.
    pub(crate) fn new(periods: &[GpuWorkPeriod]) -> Self {
        const LIMIT: usize = 64;
        let mut changes: Vec<(BootNanos, bool, Uid)> = periods
            .iter()
            .filter(|period| !period.window.is_empty())
            .flat_map(|period| {
                [(period.window.start, true, period.uid), (period.window.end, false, period.uid)]
            })
            .collect();
        changes.sort_unstable();
        let mut found = Self::default();
        let mut open: std::collections::BTreeMap<Uid, u32> = std::collections::BTreeMap::new();
        for at_once in changes.chunk_by(|one, other| one.0 == other.0) {
            for (_, begins, uid) in at_once {
                let count = open.entry(*uid).or_default();
                *count = if *begins { *count + 1 } else { count.wrapping_sub(1) };
                if *count == 0 {
                    open.remove(uid);
                }
            }
            let Some((time, ..)) = at_once.first() else { continue };
            found.start.push(*time);
            found.first.push(found.apps.len() as u32);
            found.apps.extend(open.keys().take(LIMIT));
        }
        found
    }

    /// Its pieces, from the beginning of time to the end.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Window, Apps)> + '_ {
        let first_start = self.start.first().copied().unwrap_or(BootNanos::MAX);
        let before =
            (Window { start: BootNanos::MIN, end: first_start }, Apps { first: 0, end: 0 });
        let pieces = self.start.iter().zip(&self.first).enumerate().map(|(i, (start, first))| {
            let end = self.start.get(i + 1).copied().unwrap_or(BootNanos::MAX);
            let last = self.first.get(i + 1).copied().unwrap_or(self.apps.len() as u32);
            (Window { start: *start, end }, Apps { first: *first, end: last })
        });
        std::iter::once(before).chain(pieces)
    }

    /// The apps of a piece.
    pub(crate) fn apps(&self, apps: Apps) -> &[Uid] {
        self.apps.get(apps.first as usize..apps.end as usize).unwrap_or_default()
    }
}
