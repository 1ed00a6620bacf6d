//! When threads were on a CPU, whichever it was.

use wattle_timeline::{CpuTimeline, InterruptSlices, SchedSlice, ThreadId, Timeline, Window};
use wattle_units::BootNanos;

use crate::Unfinished;
use crate::attribution::interrupt_cursor::InterruptCursor;

/// The stretches for which some threads were on a CPU, interrupts taken out.
#[derive(Debug, Default)]
pub(crate) struct OnCpu {
    /// By thread, in order of time; empty for threads that nobody asked for.
    stretches: Vec<Vec<Window>>,
}

impl OnCpu {
    /// Those of the threads that are wanted.
    pub(crate) fn new(timeline: &Timeline, wanted: &[bool], unfinished: Unfinished) -> Self {
        let mut stretches = vec![Vec::new(); timeline.tasks.threads.len()];
        for cpu in &timeline.cpus {
            let interrupted = interrupted(&cpu.interrupts);
            let mut next = 0;
            for slice in cpu.sched.iter() {
                let thread = slice.thread.index();
                if slice.thread.is_idle() || !wanted.get(thread).copied().unwrap_or(false) {
                    continue;
                }
                let Some(stretches) = stretches.get_mut(thread) else { continue };
                let window = bounded(cpu, slice, unfinished).window;
                while interrupted.get(next).is_some_and(|gap| gap.end <= window.start) {
                    next += 1;
                }
                without(window, interrupted.get(next..).unwrap_or_default(), stretches);
            }
        }
        for stretches in &mut stretches {
            // One run a CPU: merged in linear time.
            stretches.sort_by_key(|stretch| stretch.start);
        }
        Self { stretches }
    }

    /// Those of one thread.
    pub(crate) fn thread(&self, thread: ThreadId) -> &[Window] {
        self.stretches.get(thread.index()).map_or(&[], Vec::as_slice)
    }
}

/// The slice, as long as it is taken to have run. A CPU with nothing to run is silent, so the idle task
/// always runs on.
pub(crate) fn bounded(
    cpu: &CpuTimeline,
    mut slice: SchedSlice,
    unfinished: Unfinished,
) -> SchedSlice {
    if let (Unfinished::UntilLastEvent, false, None, Some(last)) =
        (unfinished, slice.thread.is_idle(), slice.end_state, cpu.last_event)
    {
        slice.window.end = slice.window.end.min(last.max(slice.window.start));
    }
    slice
}

/// The stretches in which any interrupt runs.
fn interrupted(interrupts: &InterruptSlices) -> Vec<Window> {
    let mut found: Vec<Window> = Vec::new();
    let mut cursor = InterruptCursor::new(interrupts);
    let mut now = BootNanos::MIN;
    while now < BootNanos::MAX {
        cursor.advance(now);
        let until = cursor.until();
        if cursor.running().is_some() {
            match found.last_mut() {
                Some(last) if last.end == now => last.end = until,
                _ => found.push(Window::new(now, until)),
            }
        }
        now = until;
    }
    found
}

/// Appends what is left of a stretch without the gaps, which come in order of time.
fn without(mut rest: Window, gaps: &[Window], to: &mut Vec<Window>) {
    for gap in gaps {
        if rest.end <= gap.start {
            break;
        }
        let before = Window { start: rest.start, end: gap.start };
        if before.start < before.end {
            to.push(before);
        }
        rest.start = rest.start.max(gap.end);
    }
    if rest.start < rest.end {
        to.push(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(start: i64, end: i64) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
    }

    #[track_caller]
    fn check(gaps: &[(i64, i64)], expected: &[(i64, i64)]) {
        let gaps: Vec<_> = gaps.iter().map(|(start, end)| window(*start, *end)).collect();
        let mut found = Vec::new();
        without(window(10, 20), &gaps, &mut found);
        let expected: Vec<_> = expected.iter().map(|(start, end)| window(*start, *end)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn gaps_are_cut_out() {
        check(&[], &[(10, 20)]);
        check(&[(5, 10), (20, 25)], &[(10, 20)]);
        check(&[(5, 12), (14, 15), (18, 30)], &[(12, 14), (15, 18)]);
        check(&[(5, 30)], &[]);
        check(&[(10, 11), (19, 20)], &[(11, 19)]);
    }
}
