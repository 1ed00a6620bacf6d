//! Tracks over time of a ledger.

mod cpu_tracks;
mod device_tracks;
mod frame_tracks;
mod power_tracks;
mod slice_tracks;

use rustc_hash::FxHashMap;
use wattle_power::{PowerEstimate, PowerTrack};
use wattle_timeline::{NameId, ProcessId, ThreadId, Timeline, Window};
use wattle_units::BootNanos;

use super::path_rows::PathRows;
use crate::attribution::call_paths::CallPaths;
use crate::attribution::context::Context;
use crate::attribution::occupancy::Occupancy;
use crate::track_detail::MOST_STRETCHES;
use crate::{Ledger, PathId, TimeTrack, TimeTracks, TrackStretch};

/// The rows that tracks point to, and what they are made from.
pub(super) struct TrackRows<'a> {
    timeline: &'a Timeline,
    window: Window,
    paths: &'a CallPaths,
    occupancy: &'a Occupancy,
    numbers: &'a PathRows,
    /// By thread of the timeline: its row.
    threads: Vec<Option<u32>>,
    workers: usize,
}

impl<'a> TrackRows<'a> {
    /// Rows of threads are those of which the root path has a row, in order.
    pub(super) fn new(
        context: &Context<'a>,
        paths: &'a CallPaths,
        occupancy: &'a Occupancy,
        numbers: &'a PathRows,
    ) -> Self {
        let timeline = context.timeline;
        let mut count = 0;
        let threads = (0..timeline.tasks.threads.len() as u32)
            .map(|thread| {
                let has_row = numbers.path(paths.trees.root(ThreadId(thread))) != PathId(u32::MAX);
                count += u32::from(has_row);
                has_row.then(|| count - 1)
            })
            .collect();
        let Context { window, workers, .. } = *context;
        Self { timeline, window, paths, occupancy, numbers, threads, workers }
    }

    /// All tracks within the budget of a ledger.
    pub(super) fn tracks(
        &self,
        estimate: &PowerEstimate,
        power: &[PowerTrack],
        ledger: &Ledger,
    ) -> TimeTracks {
        let kinds: [&(dyn Fn() -> Vec<TimeTrack> + Sync); 8] = [
            &|| self.clocks(),
            &|| self.runs(),
            &|| self.slices(),
            &|| self.powers(power),
            &|| self.rails(estimate),
            &|| self.frames(ledger),
            &|| self.batteries(),
            &|| self.wakelocks(),
        ];
        let made = wattle_workers::ordered(self.workers, &kinds, |make| make());
        let mut tracks: Vec<TimeTrack> = made.into_iter().flatten().collect();
        tracks.retain(|track| !track.is_empty());
        let cpu_time = self.cpu_time(ledger.rows.paths.len());
        let tracks = TimeTracks { names: Vec::new(), tracks, cpu_time }.within(MOST_STRETCHES);
        with_names(self.timeline, tracks)
    }

    /// The row of a thread.
    fn thread(&self, thread: ThreadId) -> Option<u32> {
        self.threads.get(thread.index()).copied().flatten()
    }

    /// Rows of processes, by those of their threads.
    fn processes(&self, ledger: &Ledger) -> FxHashMap<ProcessId, u32> {
        let threads = self.timeline.tasks.threads.iter().zip(&self.threads);
        let known = threads.filter_map(|(facts, row)| {
            let entry = ledger.rows.threads.get((*row)? as usize)?;
            Some((facts.process?, entry.process))
        });
        known.collect()
    }

    /// The part of a stretch of time inside the window; `None` if there is none.
    fn inside(&self, of: Window, value: i64) -> Option<TrackStretch> {
        let inside = of.intersect(self.window);
        let touches = of.start <= self.window.end && of.end >= self.window.start;
        (touches && inside.end >= inside.start).then(|| TrackStretch {
            start: self.since_start(inside.start),
            length: inside.duration().value(),
            value,
            depth: 0,
        })
    }

    fn since_start(&self, time: BootNanos) -> i64 {
        (time - self.window.start).value().max(0)
    }
}

/// Gives slices, whose values are the timeline's names so far, the names that are left, numbered anew in order of their first use.
fn with_names(timeline: &Timeline, mut tracks: TimeTracks) -> TimeTracks {
    let mut renumbered: FxHashMap<i64, i64> = FxHashMap::default();
    let TimeTracks { names, tracks: all, .. } = &mut tracks;
    let of_slices = all.iter_mut().filter(|track| track.kind == crate::TrackKind::Slices);
    for value in of_slices.flat_map(|track| &mut track.values) {
        let old = *value;
        *value = *renumbered.entry(old).or_insert_with(|| {
            let name = u32::try_from(old).map(NameId);
            names.push(name.map_or("", |name| timeline.names.get(name)).to_owned());
            names.len() as i64 - 1
        });
    }
    tracks
}
