//! Stage 5: the sharers of power that belongs to several cores at once.
//!
//! In: the occupancy of each core, and the sets of cores that power tracks name. Out: [`Shares`], for each set the cores that its power
//! is divided among at each instant.

mod set_activity;

use wattle_power::{PowerTrack, Scope};
use wattle_timeline::CpuId;

pub(crate) use set_activity::{SetActivity, Sharers, in_batches};

use super::context::Context;
use super::occupancy::Occupancy;

/// The sharers of every set of cores that has a power track.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    /// Each set once, in ascending order.
    sets: Vec<(Box<[CpuId]>, SetActivity)>,
}

impl Shares {
    /// Those of the sets that the tracks name.
    pub(crate) fn new(context: &Context<'_>, tracks: &[PowerTrack], occupancy: &Occupancy) -> Self {
        let sets = distinct_sets(tracks);
        let activities = wattle_workers::ordered(context.workers, &sets, |set| {
            SetActivity::new(set, &occupancy.cores, context.options.shared)
        });
        Self { sets: sets.into_iter().zip(activities).collect() }
    }

    /// Those of one set.
    pub(crate) fn of(&self, set: &[CpuId]) -> Option<&SetActivity> {
        self.sets.iter().find(|(cpus, _)| **cpus == *set).map(|(_, activity)| activity)
    }
}

/// The sets of cores that tracks are shared by, each once.
fn distinct_sets(tracks: &[PowerTrack]) -> Vec<Box<[CpuId]>> {
    let mut sets: Vec<Box<[CpuId]>> = tracks
        .iter()
        .filter_map(|track| match &track.scope {
            Scope::Cores(set) => Some(set.clone()),
            _ => None,
        })
        .collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

#[cfg(test)]
mod tests {
    use wattle_units::Joules;

    use super::{Sharers, in_batches};
    use crate::SharedPolicy;
    use crate::attribution::test_recording::{TestRecording, cores};

    /// Core 0 busy 10..40, core 1 busy 20..30 and 50..60; both idle else.
    fn recording(policy: SharedPolicy) -> TestRecording {
        let mut recording = TestRecording::new(2, 80)
            .cpu(&[(0, 10, 0), (10, 40, 1), (40, 80, 0)], &[])
            .cpu(&[(0, 20, 0), (20, 30, 2), (30, 50, 0), (50, 60, 2), (60, 80, 0)], &[])
            .track(cores(0..2), &[(25, 2.0), (80, 6.0)]);
        recording.options.shared = policy;
        recording
    }

    /// The stretches of the track: start, end, watts of each sharer, sharers.
    fn stretches(policy: SharedPolicy) -> Vec<(i64, i64, f64, Sharers)> {
        let recording = recording(policy);
        let shares = recording.shares();
        let track = &recording.estimate.tracks[0];
        let set = shares.of(&[wattle_timeline::CpuId(0), wattle_timeline::CpuId(1)]);
        let mut found = Vec::new();
        in_batches(track, set.expect("the set"), recording.timeline.window, |batch| {
            found.extend(batch.iter().map(|(window, (part, _, sharers))| {
                (window.start.value(), window.end.value(), part.value(), *sharers)
            }));
        });
        found
    }

    #[test]
    fn busy_cores_divide_shared_power_equally() {
        use Sharers::{Busy, Nobody};
        let expected = [
            (0, 10, 2.0, Nobody),
            (10, 20, 2.0, Busy(1)),
            (20, 25, 1.0, Busy(2)),
            (25, 30, 3.0, Busy(2)),
            (30, 40, 6.0, Busy(1)),
            (40, 50, 6.0, Nobody),
            (50, 60, 6.0, Busy(1)),
            (60, 80, 6.0, Nobody),
        ];
        assert_eq!(stretches(SharedPolicy::Proportional), expected);
    }

    #[test]
    fn the_first_waker_keeps_its_share_while_it_is_busy() {
        use Sharers::{Nobody, One};
        let found: Vec<_> =
            stretches(SharedPolicy::FirstWaker).into_iter().map(|it| (it.0, it.3)).collect();
        let expected =
            [(0, Nobody), (10, One(0)), (25, One(0)), (40, Nobody), (50, One(1)), (60, Nobody)];
        assert_eq!(found, expected);
    }

    #[test]
    fn parts_of_all_sharers_are_the_whole() {
        let total = recording(SharedPolicy::Proportional).estimate.tracks[0]
            .energy(crate::attribution::test_recording::window(0, 80));
        for policy in SharedPolicy::ALL {
            let sum: Joules = stretches(policy)
                .into_iter()
                .map(|(start, end, watts, sharers)| {
                    let cores =
                        if let Sharers::Busy(cores) = sharers { f64::from(cores) } else { 1.0 };
                    Joules::new(watts * cores * (end - start) as f64 * 1e-9)
                })
                .sum();
            assert!((sum - total).abs() < total * 1e-12, "{policy}: {sum:?} of {total:?}");
        }
    }
}
