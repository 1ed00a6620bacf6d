//! CPUs over time: their clocks, the threads that ran, and the time that paths had.

use rustc_hash::FxHashMap;
use wattle_timeline::Window;
use wattle_units::Nanos;

use super::TrackRows;
use crate::attribution::consumer::Consumer;
use crate::attribution::occupancy::Activity;
use crate::energy_bins::{MOST_BINS, MOST_CELLS};
use crate::track_detail::MOST_STRETCHES;
use crate::{CpuTimeBins, CpuTimeCell, PowerBins, TimeTrack, TrackKind, TrackStretch};

/// The value of a stretch in which nothing is known of a CPU.
const NOT_RECORDED: i64 = -1;

impl TrackRows<'_> {
    /// The clock of each CPU. Before the first known value there is no data.
    pub(super) fn clocks(&self) -> Vec<TimeTrack> {
        let cpus = (0..).zip(&self.timeline.cpus);
        cpus.map(|(number, cpu)| {
            let segments = cpu.frequency.segments(self.window);
            let stretches: Vec<TrackStretch> = segments
                .filter_map(|it| self.inside(it.window, (it.value.value() / 1000) as i64))
                .collect();
            of_cpu(TrackKind::CpuClock, number).with(&stretches).at_most(MOST_STRETCHES)
        })
        .collect()
    }

    /// The threads and interrupt handlers that ran on each CPU.
    pub(super) fn runs(&self) -> Vec<TimeTrack> {
        let cores = (0..).zip(&self.occupancy.cores);
        cores
            .map(|(number, core)| {
                let others = core.pieces_from(0).filter_map(|(window, (_, occupant))| {
                    match (occupant.activity(), occupant.consumer()) {
                        (Activity::Unknown, _) => Some((window, NOT_RECORDED)),
                        (Activity::Busy, Consumer::Interrupts(_)) => Some((window, 0)),
                        _ => None,
                    }
                });
                let tasks = core.runs.iter().flatten().map(|(window, consumer)| {
                    let row = path_of(*consumer)
                        .and_then(|path| self.thread(self.paths.trees.thread_of(path).0));
                    (*window, row.map_or(0, |row| i64::from(row) + 1))
                });
                let mut all: Vec<(Window, i64)> = tasks.chain(others).collect();
                all.sort_by_key(|(window, _)| window.start);
                let mut stretches: Vec<TrackStretch> = Vec::with_capacity(all.len());
                for (window, value) in all {
                    let Some(stretch) = self.inside(window, value) else { continue };
                    match stretches.last_mut() {
                        Some(last) if last.value == value && last.end() == stretch.start => {
                            last.length += stretch.length;
                        }
                        _ => stretches.push(stretch),
                    }
                }
                of_cpu(TrackKind::CpuRuns, number).with(&stretches).at_most(MOST_STRETCHES)
            })
            .collect()
    }

    /// On-CPU time of paths in bins, as many as there is room for.
    pub(super) fn cpu_time(&self, paths: usize) -> CpuTimeBins {
        let mut bins = PowerBins::over(self.window, MOST_BINS);
        let mut sums: FxHashMap<(u32, u32), i64> = FxHashMap::default();
        let runs = self.occupancy.cores.iter().flat_map(|core| core.runs.iter().flatten());
        for (window, consumer) in runs {
            let (Consumer::Path(path) | Consumer::Recorder(path)) = consumer else { continue };
            let row = self.numbers.path(*path).0;
            if row as usize >= paths {
                continue;
            }
            let width = bins.width.value().max(1);
            let (start, end) = (self.since_start(window.start), self.since_start(window.end));
            let last_bin = bins.count.saturating_sub(1);
            let (mut from, mut bin) = (start, (start / width) as u32);
            while from < end {
                let place = bin.min(last_bin);
                let to =
                    if place == last_bin { end } else { end.min((i64::from(bin) + 1) * width) };
                *sums.entry((row, place)).or_default() += to - from;
                (from, bin) = (to, bin + 1);
            }
            if sums.len() > 2 * MOST_CELLS && bins.count > 1 {
                sums = halved(&mut bins, sums);
            }
        }
        while sums.len() > MOST_CELLS.max(2 * paths) && bins.count > 1 {
            sums = halved(&mut bins, sums);
        }
        let mut cells: Vec<CpuTimeCell> =
            sums.into_iter().map(|((path, bin), nanos)| CpuTimeCell { path, bin, nanos }).collect();
        cells.sort_unstable();
        if cells.is_empty() {
            return CpuTimeBins::default();
        }
        CpuTimeBins::from_cells(bins, paths, &cells)
    }
}

fn of_cpu(kind: TrackKind, number: u32) -> TimeTrack {
    TimeTrack { owner: Some(number), ..TimeTrack::new(kind, String::new()) }
}

/// Bins joined in pairs.
fn halved(bins: &mut PowerBins, sums: FxHashMap<(u32, u32), i64>) -> FxHashMap<(u32, u32), i64> {
    let width = Nanos::new(bins.width.value().saturating_mul(2));
    *bins = PowerBins { width, count: bins.count.div_ceil(2), ..*bins };
    let mut fewer: FxHashMap<(u32, u32), i64> = FxHashMap::default();
    for ((path, bin), nanos) in sums {
        *fewer.entry((path, bin >> 1)).or_default() += nanos;
    }
    fewer
}

/// The path of a task.
fn path_of(consumer: Consumer) -> Option<u32> {
    match consumer {
        Consumer::Path(path) | Consumer::Recorder(path) | Consumer::Probes(path) => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use wattle_power::Scope;
    use wattle_timeline::CpuId;

    use super::NOT_RECORDED;
    use crate::attribution::test_recording::TestRecording;
    use crate::{Ledger, TrackKind};

    /// Thread 1 runs in `a 1`, which calls `b`, then thread 2.
    #[test]
    fn running_threads_and_their_time_are_tracks() {
        let mut recording = TestRecording::new(2, 100)
            .calls(1, &[(10, 80, "a 1", 0), (30, 50, "b", 1), (85, 90, "a 2", 0)])
            .cpu(&[(0, 60, 1), (70, 100, 2)], &[])
            .track(Scope::Core(CpuId(0)), &[(100, 1.0)]);
        recording.options.keep_tracks = true;
        let TestRecording { timeline, estimate, options } = &recording;
        let ledger = crate::attribute(timeline, estimate, options).expect("a ledger");
        let tracks = ledger.over_time.tracks.as_ref().expect("tracks");
        let of = |kind: TrackKind| -> Vec<_> {
            let of_kind = tracks.tracks.iter().filter(move |track| track.kind == kind);
            of_kind
                .flat_map(crate::TimeTrack::stretches)
                .map(|it| (it.start, it.length, it.value, it.depth))
                .collect()
        };
        assert_eq!(
            of(TrackKind::CpuRuns),
            [(0, 60, 1, 0), (60, 10, NOT_RECORDED, 0), (70, 30, 2, 0)]
        );
        assert_eq!(of(TrackKind::Slices), [(10, 70, 0, 0), (30, 20, 1, 1), (85, 5, 2, 0)]);
        assert_eq!(tracks.names, ["a 1", "b", "a 2"]);
        check_cpu_time(&ledger);
        let grouped = ledger.with_numbers_grouped().expect("numbers in names");
        assert!(grouped.rows.paths.len() < ledger.rows.paths.len());
        check_cpu_time(&grouped);
    }

    #[track_caller]
    fn check_cpu_time(ledger: &Ledger) {
        let tracks = ledger.over_time.tracks.as_ref().expect("tracks");
        let mut times = vec![0; ledger.rows.paths.len()];
        for cell in tracks.cpu_time.cells() {
            times[cell.path as usize] += cell.nanos;
        }
        let own: Vec<_> = ledger.rows.paths.iter().map(|path| path.self_cpu.value()).collect();
        assert_eq!(times, own);
    }
}
