//! From the CPUs of a timeline to the events of its threads.

use wattle_timeline::{CpuId, SchedSlice, ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use super::{Run, ThreadEvents};

/// Events of the threads that are looked at, and how many others there were.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// By thread of the timeline; empty for those that are not looked at.
    pub(crate) threads: Vec<ThreadEvents>,
    /// When events of any thread but the idle task began, in order.
    pub(crate) machine: Vec<BootNanos>,
}

/// The part of the window's time that lies in each of the looked-at stretches, which are in order.
fn clipped(window: Window, looked: &[Window]) -> impl Iterator<Item = Window> + '_ {
    let first = looked.partition_point(|it| it.end <= window.start);
    looked
        .iter()
        .skip(first)
        .take_while(move |it| it.start < window.end)
        .map(move |it| it.intersect(window))
        .filter(|it| !it.is_empty())
}

/// Events within the looked-at stretches of time, which are in order and apart. `wanted` has an entry for each thread.
pub(crate) fn collect(timeline: &Timeline, looked: &[Window], wanted: &[bool]) -> Collected {
    let is_wanted = |thread: ThreadId| {
        !thread.is_idle() && wanted.get(thread.index()).copied().unwrap_or(false)
    };
    let mut slices: Vec<Vec<(SchedSlice, CpuId)>> = vec![Vec::new(); wanted.len()];
    let mut machine = Vec::new();
    for (cpu, of_cpu) in (0..).map(CpuId).zip(&timeline.cpus) {
        for slice in of_cpu.sched.iter().filter(|slice| !slice.thread.is_idle()) {
            machine.extend(clipped(slice.window, looked).map(|part| part.start));
            if is_wanted(slice.thread)
                && let Some(slices) = slices.get_mut(slice.thread.index())
            {
                slices.push((slice, cpu));
            }
        }
    }
    let is_inferred = timeline.is_schedule_inferred();
    let mut disk: Vec<Vec<BootNanos>> = vec![Vec::new(); wanted.len()];
    for operation in &timeline.hardware.disk {
        let begin = operation.window.start;
        let at = looked.partition_point(|window| window.end <= begin);
        let inside = looked.get(at).is_some_and(|window| window.contains(begin));
        if !inside || !operation.begin_seen || operation.thread.is_idle() {
            continue;
        }
        machine.push(begin);
        if is_wanted(operation.thread)
            && let Some(disk) = disk.get_mut(operation.thread.index())
        {
            disk.push(begin);
        }
    }
    machine.sort_unstable();
    let threads = slices
        .into_iter()
        .zip(disk)
        .map(|(mut slices, mut disk)| {
            disk.sort_unstable();
            slices.sort_by_key(|(slice, _)| (slice.window.start, slice.window.end));
            ThreadEvents::new(runs(&slices, looked, is_inferred), disk)
        })
        .collect();
    Collected { threads, machine }
}

/// The looked-at parts of a thread's stretches on CPUs.
fn runs(slices: &[(SchedSlice, CpuId)], looked: &[Window], is_inferred: bool) -> Vec<Run> {
    let mut runs = Vec::with_capacity(slices.len());
    let mut before: Option<SchedSlice> = None;
    for (index, (slice, cpu)) in slices.iter().enumerate() {
        // Two CPUs cannot have one thread at once. Where a recording says so, it lost how the thread left the first one: where it
        // came to the other, it was told.
        let next = slices.get(index + 1).map_or(BootNanos::MAX, |(next, _)| next.window.start);
        let window = Window::new(slice.window.start, slice.window.end.min(next));
        if window.is_empty() {
            continue;
        }
        let is_wakeup = before.is_none_or(|before| {
            let silence = window.start - before.window.end;
            match before.end_state {
                // Samples do not say that a thread slept; being away for longer than a sample stands for does.
                _ if is_inferred => silence > window.duration(),
                Some(state) if state.is_runnable() => false,
                _ => silence > Nanos::ZERO,
            }
        });
        before = Some(*slice);
        for part in clipped(window, looked) {
            let is_wakeup = is_wakeup && part.start == window.start;
            runs.push(Run { window: part, cpu: *cpu, is_wakeup });
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use wattle_timeline::{CpuTimeline, DiskKind, DiskOperation, TaskState, Thread};

    use super::*;

    fn window(start: i64, end: i64) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
    }

    /// (CPU, start, end, thread, state it was left in)
    type Slice = (usize, i64, i64, u32, u16);

    fn timeline(slices: &[Slice], disk: &[(i64, u32)], is_inferred: bool) -> Timeline {
        let mut timeline = Timeline {
            cpus: vec![CpuTimeline { sched_is_inferred: is_inferred, ..CpuTimeline::default() }; 2],
            ..Timeline::default()
        };
        timeline.tasks.threads = vec![Thread::default(); 4];
        for (cpu, start, end, thread, state) in slices {
            timeline.cpus[*cpu].sched.push(SchedSlice {
                window: window(*start, *end),
                thread: ThreadId(*thread),
                end_state: Some(TaskState(*state)),
            });
        }
        timeline.hardware.disk.extend(disk.iter().map(|(begin, thread)| DiskOperation {
            kind: DiskKind::Read,
            window: window(*begin, begin + 5),
            begin_seen: true,
            end_seen: true,
            thread: ThreadId(*thread),
            disk: None,
            offset: None,
            bytes: None,
            service: None,
            file: None,
        }));
        timeline
    }

    /// The stretches of thread 1 as (start, end, whether it had slept).
    #[track_caller]
    fn check(
        slices: &[Slice],
        looked: &[(i64, i64)],
        is_inferred: bool,
        expected: &[(i64, i64, bool)],
    ) {
        let timeline = timeline(slices, &[], is_inferred);
        let looked: Vec<Window> = looked.iter().map(|(s, e)| window(*s, *e)).collect();
        let found = collect(&timeline, &looked, &[true, true, false, false]);
        assert!(found.threads[0].is_empty() && found.threads[2].is_empty());
        let found = found.threads[1].runs.iter();
        let found: Vec<_> = found
            .map(|run| (run.window.start.value(), run.window.end.value(), run.is_wakeup))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_thread_is_followed_over_cpus() {
        let slices = [(0, 0, 10, 1, 1), (0, 10, 15, 2, 1), (1, 30, 40, 1, 0), (0, 45, 50, 1, 1)];
        let all = [(0, 10, true), (30, 40, true), (45, 50, false)];
        check(&slices, &[(0, 100)], false, &all);
        // What a window cuts off did not begin with waking up.
        check(
            &slices,
            &[(5, 35), (47, 60)],
            false,
            &[(5, 10, false), (30, 35, true), (47, 50, false)],
        );
        check(&slices, &[(10, 30)], false, &[]);
        check(&slices, &[], false, &[]);
        // On two CPUs at once it is only in damaged recordings.
        check(
            &[(0, 0, 10, 1, 1), (1, 5, 12, 1, 1)],
            &[(0, 100)],
            false,
            &[(0, 5, true), (5, 12, false)],
        );
    }

    #[test]
    fn samples_tell_of_sleep_by_silence() {
        let slices = [(0, 0, 10, 1, 0), (0, 10, 20, 1, 0), (0, 50, 60, 1, 0), (0, 65, 75, 1, 0)];
        let all = [(0, 10, true), (10, 20, false), (50, 60, true), (65, 75, false)];
        check(&slices, &[(0, 100)], true, &all);
    }

    #[test]
    fn disk_operations_are_events_too() {
        let timeline =
            timeline(&[(0, 0, 10, 1, 1), (1, 2, 4, 2, 1)], &[(3, 1), (5, 2), (70, 1)], false);
        let found = collect(&timeline, &[window(0, 50)], &[true; 4]);
        let begins =
            |times: &[BootNanos]| times.iter().map(|time| time.value()).collect::<Vec<_>>();
        assert_eq!(begins(&found.machine), [0, 2, 3, 5]);
        assert_eq!(begins(&found.threads[1].begins), [0, 3]);
        assert_eq!(begins(&found.threads[2].begins), [2, 5]);
        assert_eq!(found.threads[1].cpu.total(), Nanos::new(10));
    }
}
