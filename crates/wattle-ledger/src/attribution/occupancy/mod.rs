//! Stage 2: the occupant of each core at each instant.
//!
//! In: the call paths, and the events of each CPU (idle states, interrupts, on-CPU slices). Out: [`Occupancy`], for each core its
//! pieces of time with one occupant each, and the on-CPU time of each path.

mod core_occupancy;
mod core_sweep;
mod interrupt_handlers;
mod occupant;
mod running_task;
mod step_cursor;

use wattle_power::WindowSet;
use wattle_timeline::{CpuTimeline, Window};
use wattle_units::{BootNanos, Nanos};

pub(crate) use core_occupancy::CoreOccupancy;
pub(crate) use interrupt_handlers::Handlers;
pub(crate) use occupant::Activity;

use super::call_paths::CallPaths;
use super::context::Context;
use core_sweep::CoreSweep;

/// All cores over time.
#[derive(Debug)]
pub(crate) struct Occupancy {
    /// By CPU.
    pub(crate) cores: Vec<CoreOccupancy>,
    /// Interrupt handlers, as occupants number them.
    pub(crate) handlers: Handlers,
    /// On-CPU time of each path over all cores, inside the window.
    pub(crate) cpu: PathTimes,
}

/// On-CPU time by path.
#[derive(Debug, Default)]
pub(crate) struct PathTimes {
    /// Of the path itself.
    pub(crate) own: Vec<Nanos>,
    /// The time that probes took inside it; empty without probes.
    pub(crate) probes: Vec<Nanos>,
}

impl Occupancy {
    /// The occupancy of all cores; `exits` is by CPU the time that leaving deep idle takes.
    pub(crate) fn new(context: &Context<'_>, paths: &CallPaths, exits: &[Nanos]) -> Self {
        let timeline = context.timeline;
        let handlers = Handlers::new(timeline);
        let sweep = CoreSweep {
            timeline,
            paths,
            handlers: &handlers,
            window: context.window,
            unfinished: context.options.unfinished,
            keep_runs: context.options.keep_tracks,
        };
        // Kept beside its CPU: a recording can have CPUs that the model does not cover.
        let exits = exits.iter().copied().chain(std::iter::repeat(Nanos::ZERO));
        let cpus: Vec<(&CpuTimeline, Nanos)> = timeline.cpus.iter().zip(exits).collect();
        let mut cores =
            wattle_workers::ordered(context.workers, &cpus, |(cpu, exit)| sweep.core(cpu, *exit));
        let count = paths.trees.len();
        let mut sum_up = |of: fn(&mut CoreOccupancy) -> &mut Vec<Nanos>| {
            let mut total = vec![Nanos::ZERO; count];
            for core in &mut cores {
                for (total, time) in total.iter_mut().zip(std::mem::take(of(core))) {
                    *total += time;
                }
            }
            total
        };
        let own = sum_up(|core| &mut core.self_cpu);
        let probes =
            if paths.probes.is_empty() { Vec::new() } else { sum_up(|core| &mut core.probe_cpu) };
        Self { cores, handlers, cpu: PathTimes { own, probes } }
    }

    /// When any core executes.
    pub(crate) fn awake(&self) -> WindowSet {
        let busy = self.cores.iter().flat_map(|core| {
            let ends = core.activity.iter().skip(1).map(|(time, _)| *time);
            let pieces = core.activity.iter().zip(ends.chain([BootNanos::MAX]));
            let busy = pieces.filter(|((_, activity), _)| *activity == Activity::Busy);
            busy.map(|((start, _), end)| Window { start: *start, end })
        });
        busy.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Activity;
    use crate::attribution::consumer::Consumer::{self, IdleFloor, Path, Unattributed};
    use crate::attribution::test_recording::TestRecording;

    /// The pieces of the first core: start, end, consumer, whether it is being woken.
    fn pieces(recording: &TestRecording) -> Vec<(i64, i64, Consumer, bool)> {
        let occupancy = recording.occupancy();
        let of_core = occupancy.cores.first().expect("a core");
        of_core
            .pieces_from(0)
            .map(|(window, (_, occupant))| {
                let (start, end) = (window.start.value(), window.end.value());
                (start, end, occupant.consumer(), occupant.is_waking())
            })
            .collect()
    }

    #[test]
    fn a_wake_belongs_to_the_task_that_follows() {
        // Idle until 20, awake without a task until 30, thread 1 until 60 inside a call from 40 on, idle again.
        let recording = TestRecording::new(1, 100)
            .calls(1, &[(40, 80, "a", 0)])
            .cpu(&[(0, 30, 0), (30, 60, 1), (60, 100, 0)], &[(0, 1), (20, -1), (60, 1)]);
        assert_eq!(
            pieces(&recording),
            [
                (0, 20, IdleFloor, false),
                (20, 30, Path(1), true),
                (30, 40, Path(1), false),
                (40, 60, Path(2), false),
                (60, 100, IdleFloor, false),
            ]
        );
        let occupancy = recording.occupancy();
        let own: Vec<_> = occupancy.cpu.own.iter().map(|time| time.value()).collect();
        assert_eq!(own, [0, 10, 20]);
        assert_eq!((occupancy.cores[0].busy, occupancy.cores[0].unknown), (30, 0));
    }

    #[test]
    fn without_events_nobody_is_known() {
        let recording = TestRecording::new(1, 50).cpu(&[(10, 20, 1)], &[]);
        assert_eq!(
            pieces(&recording),
            [(0, 10, Unattributed, false), (10, 20, Path(1), false), (20, 50, Unattributed, false)]
        );
    }

    proptest! {
        /// Pieces cover the window once, busy ones are the core's busy time, and on-CPU time is the scheduler's.
        #[test]
        fn all_time_has_one_occupant(
            lengths in prop::collection::vec((1_i64..20, 0_u32..4), 1..30),
            idle in prop::collection::vec((0_i64..300, -1_i8..2), 0..20),
        ) {
            let mut now = 0;
            let slices: Vec<_> = lengths
                .into_iter()
                .map(|(length, thread)| {
                    let start = now;
                    now += length;
                    (start, now, thread)
                })
                .collect();
            let mut idle = idle;
            idle.sort_unstable();
            idle.dedup_by_key(|change| change.0);
            let recording = TestRecording::new(3, 300).cpu(&slices, &idle);
            let occupancy = recording.occupancy();
            let core = &occupancy.cores[0];
            let (mut reached, mut busy) = (0, 0);
            for (window, (_, occupant)) in core.pieces_from(0) {
                prop_assert_eq!(window.start.value(), reached);
                reached = window.end.value();
                if occupant.activity() == Activity::Busy {
                    busy += window.duration().value();
                }
            }
            prop_assert_eq!(reached, 300);
            prop_assert_eq!(core.busy, busy);
            // What runs beyond the window is cut.
            let inside = |time: i64| time.min(300);
            let ran: i64 = slices
                .iter()
                .filter(|it| it.2 > 0)
                .map(|it| inside(it.1) - inside(it.0))
                .sum();
            let own: i64 = occupancy.cpu.own.iter().map(|time| time.value()).sum();
            prop_assert_eq!(own, ran);
        }
    }
}
