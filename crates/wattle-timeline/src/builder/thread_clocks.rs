//! Stretches on a CPU by the clocks of threads: a method trace that read each thread's own clock says how long every call was on a
//! CPU, and not on which.

use wattle_units::{BootNanos, Nanos};

use super::virtual_cpus::{Stretch, VirtualCpus};
use crate::{CallSlices, SliceOrigin, SliceScope, SliceTrack, ThreadId, Timeline, Window};

/// The calls of method traces, by what clocks they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TracedClocks {
    /// There are no such calls.
    NoCalls,
    /// Only a wall clock was read, which also runs while a thread waits.
    Wall,
    /// Each thread's own clock was read.
    Thread,
}

impl TracedClocks {
    pub fn new(slices: &CallSlices) -> Self {
        if !slices.origin.contains(&SliceOrigin::MethodTrace) {
            return Self::NoCalls;
        }
        if slices.cpu.iter().any(Option::is_some) { Self::Thread } else { Self::Wall }
    }
}

/// The stretches that the clocks of threads show.
pub(super) fn stretches(timeline: &Timeline) -> VirtualCpus {
    let mut cpus = VirtualCpus::default();
    let slices = &timeline.code.slices;
    for track in &slices.tracks {
        let is_traced = slices.origin_of(track.first as usize) == SliceOrigin::MethodTrace;
        if let (SliceScope::Thread(thread), true) = (&track.scope, is_traced) {
            Calls::new(slices, track, timeline.window).lay(*thread, &mut cpus);
        }
    }
    cpus
}

/// A call whose callees are being looked at.
#[derive(Debug)]
struct Open {
    index: usize,
    end: BootNanos,
    /// Until when its own time and that of its callees is known.
    reached: BootNanos,
    /// The pieces of time in which none of its callees ran.
    own: Vec<Window>,
    /// By the thread's clock, in all callees.
    of_callees: Nanos,
}

/// The calls of one thread.
struct Calls<'a> {
    slices: &'a CallSlices,
    range: std::ops::Range<usize>,
    /// The last time that the trace has of the thread: calls without an end were open then.
    last: BootNanos,
}

impl<'a> Calls<'a> {
    fn new(slices: &'a CallSlices, track: &SliceTrack, window: Window) -> Self {
        let first = track.first as usize;
        let range = first..(first + track.count as usize).min(slices.len());
        let times = slices.start.iter().zip(&slices.end).skip(range.start).take(range.len());
        let known = times.flat_map(|(start, end)| [*start, *end]);
        let last = known.filter(|time| *time < BootNanos::MAX).max().unwrap_or(window.start);
        Self { slices, range, last: last.min(window.end) }
    }

    fn lay(&self, thread: ThreadId, cpus: &mut VirtualCpus) {
        let mut open: Vec<Open> = Vec::new();
        let mut found: Vec<Window> = Vec::new();
        for index in self.range.clone() {
            let (Some(start), Some(end)) =
                (self.slices.start.get(index), self.slices.end.get(index))
            else {
                continue;
            };
            let depth = usize::from(self.slices.depth.get(index).copied().unwrap_or_default());
            while open.len() > depth {
                self.close(&mut open, &mut found);
            }
            let around = open.last_mut();
            let within = around.as_ref().map_or(self.last, |around| around.end);
            let (start, end) = ((*start).min(within), (*end).min(within));
            if let Some(around) = around {
                around.own.push(Window::new(around.reached, start.max(around.reached)));
                around.reached = around.reached.max(end);
            }
            let (own, of_callees) = (Vec::new(), Nanos::ZERO);
            open.push(Open { index, end, reached: start, own, of_callees });
        }
        while !open.is_empty() {
            self.close(&mut open, &mut found);
        }
        found.sort_by_key(|window| window.start);
        // Pieces that touch are one stretch.
        let mut stretch: Option<Window> = None;
        for window in found {
            match &mut stretch {
                Some(known) if known.end >= window.start => known.end = known.end.max(window.end),
                known => {
                    let done = known.replace(window);
                    push(done, thread, cpus);
                }
            }
        }
        push(stretch, thread, cpus);
    }

    /// Ends the innermost open call: what its thread's clock counted in it and in none of its callees is laid on its own pieces, in
    /// proportion to their lengths, at the end of each.
    fn close(&self, open: &mut Vec<Open>, found: &mut Vec<Window>) {
        let Some(mut call) = open.pop() else { return };
        call.own.push(Window::new(call.reached, call.end.max(call.reached)));
        let counted = self.slices.cpu_of(call.index).unwrap_or(call.of_callees);
        let own = (counted - call.of_callees).max(Nanos::ZERO);
        let length: i64 = call.own.iter().map(|piece| piece.duration().value()).sum();
        if own > Nanos::ZERO && length > 0 {
            let share = (own.value() as f64 / length as f64).min(1.0);
            for piece in call.own.iter().filter(|piece| !piece.is_empty()) {
                let on = Nanos::new((piece.duration().value() as f64 * share).round() as i64);
                found.push(Window::new((piece.end - on).max(piece.start), piece.end));
            }
        }
        if let Some(around) = open.last_mut() {
            around.of_callees += counted.max(call.of_callees);
        }
    }
}

fn push(window: Option<Window>, thread: ThreadId, cpus: &mut VirtualCpus) {
    if let Some(window) = window {
        cpus.push(Stretch { window, thread, clock: None });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test that looks past the end has failed")]

    use super::*;
    use crate::{MethodCalls, MethodThread, TimelineBuilder};

    /// (start, end, depth, time by the thread's clock)
    type Call = (i64, i64, u16, Option<i64>);

    fn build(calls: &[Call]) -> Timeline {
        let mut builder = TimelineBuilder::new();
        let name = builder.names.intern("Main.run");
        let last = calls.iter().map(|it| it.1).filter(|end| *end < i64::MAX).max();
        builder.extend_to(BootNanos::new(last.unwrap_or(0)));
        let traced = MethodCalls {
            start: calls.iter().map(|it| BootNanos::new(it.0)).collect(),
            end: calls.iter().map(|it| BootNanos::new(it.1)).collect(),
            name: vec![name; calls.len()],
            site: vec![None; calls.len()],
            depth: calls.iter().map(|it| it.2).collect(),
            cpu: calls.iter().map(|it| it.3.map(Nanos::new)).collect(),
        };
        builder.code().method_calls(MethodThread::Kernel(7), traced);
        builder.finish()
    }

    #[track_caller]
    fn check(calls: &[Call], expected: &[(i64, i64)]) {
        let timeline = build(calls);
        let slices = timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter());
        let found: Vec<_> =
            slices.map(|it| (it.window.start.value(), it.window.end.value())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn calls_are_on_a_cpu_for_as_long_as_their_thread_s_clock_ran() {
        // Half of the time it waited.
        check(&[(0, 100, 0, Some(50))], &[(50, 100)]);
        // All of its callee, and 30 of its own 60, 10 and 20 of them before and after it.
        check(&[(0, 100, 0, Some(70)), (20, 60, 1, Some(40))], &[(10, 60), (80, 100)]);
        // More than there was time: a clock that is read later.
        check(&[(0, 10, 0, Some(12))], &[(0, 10)]);
        // Calls that were open at the end were on a CPU until the last event at most.
        check(&[(0, i64::MAX, 0, Some(20)), (0, 40, 1, Some(0))], &[]);
        check(&[(0, i64::MAX, 0, Some(20)), (10, 40, 1, Some(10))], &[(0, 10), (30, 40)]);
    }

    #[test]
    fn a_wall_clock_says_nothing_of_time_on_a_cpu() {
        check(&[(0, 100, 0, None)], &[]);
        let timeline = build(&[(0, 100, 0, None)]);
        assert!(timeline.quality.notes.iter().any(|note| note.code == "wall-clock-only"));
    }
}
