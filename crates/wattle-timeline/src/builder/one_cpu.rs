//! A thread is on one CPU at a time.
//!
//! A CPU whose events were lost, or whose stream ends before those of others, still shows a thread that another CPU has taken over
//! since. The thread left the first CPU by then at the latest; what that CPU did afterwards is not known.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use wattle_units::{BootNanos, Nanos};

use crate::{Note, SchedSlices, Severity};

/// Slices that were cut because their thread came to another CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overlaps {
    count: u64,
    time: Nanos,
}

/// The last slice of a thread.
struct Last {
    cpu: usize,
    index: usize,
    end: BootNanos,
}

/// Ends each slice where its thread comes to another CPU. Slices name threads by their kernel number.
pub(crate) fn enforce(cpus: &mut [&mut SchedSlices]) -> Overlaps {
    let mut found = Overlaps::default();
    let mut threads: FxHashMap<u32, Last> = FxHashMap::default();
    let starts = cpus
        .iter()
        .enumerate()
        .filter_map(|(cpu, slices)| Some(Reverse((slices.get(0)?.window.start, cpu, 0))));
    let mut queue: BinaryHeap<Reverse<(BootNanos, usize, usize)>> = starts.collect();
    while let Some(mut top) = queue.peek_mut() {
        let Reverse((start, cpu, index)) = *top;
        let Some(slices) = cpus.get(cpu) else { break };
        let slice = slices.get(index);
        match slices.get(index + 1) {
            Some(next) => *top = Reverse((next.window.start, cpu, index + 1)),
            None => drop(std::collections::binary_heap::PeekMut::pop(top)),
        }
        let Some(slice) = slice.filter(|slice| !slice.thread.is_idle()) else { continue };
        let last = Last { cpu, index, end: slice.window.end };
        let before = threads.insert(slice.thread.0, last);
        if let Some(before) = before.filter(|before| before.end > start)
            && let Some(slices) = cpus.get_mut(before.cpu)
        {
            slices.end_at(before.index, start);
            found.count += 1;
            found.time =
                Nanos::new(found.time.value().saturating_add((before.end - start).value()));
        }
    }
    found
}

impl Overlaps {
    /// Says how many slices were cut, and by how much; `None` if there was none.
    pub(crate) fn note(self) -> Option<Note> {
        if self.count == 0 {
            return None;
        }
        let text = format!(
            "threads came to a CPU while another CPU still showed them, because events were lost or its stream ended: they are taken \
             to have left it by then; {:.3} ms of that CPU's time are unattributed",
            self.time.seconds() * 1e3
        );
        Some(Note::new(Severity::Warning, "thread-on-two-cpus", text).times(self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SchedSlice, ThreadId, Window};

    type Slice = (i64, i64, u32);

    fn slices(of: &[Slice]) -> SchedSlices {
        let mut slices = SchedSlices::default();
        for (start, end, tid) in of {
            let window = Window::new(BootNanos::new(*start), BootNanos::new(*end));
            slices.push(SchedSlice { window, thread: ThreadId(*tid), end_state: None });
        }
        slices
    }

    #[track_caller]
    fn check(cpus: [&[Slice]; 2], expected: [&[Slice]; 2], count: u64, time: i64) {
        let mut cpus = cpus.map(slices);
        let found = enforce(&mut cpus.iter_mut().collect::<Vec<_>>());
        assert_eq!(found, Overlaps { count, time: Nanos::new(time) });
        assert_eq!(found.note().is_some(), count > 0);
        for (cpu, expected) in cpus.iter().zip(expected) {
            let of = |s: SchedSlice| (s.window.start.value(), s.window.end.value(), s.thread.0);
            assert_eq!(cpu.iter().map(of).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn the_later_cpu_has_the_thread() {
        let both: [&[Slice]; 2] = [&[(0, 10, 7), (10, 20, 8)], &[(0, 10, 8), (10, 30, 7)]];
        check(both, both, 0, 0);
        check(
            [&[(0, 100, 7)], &[(40, 60, 7), (60, 90, 8)]],
            [&[(0, 40, 7)], &[(40, 60, 7), (60, 90, 8)]],
            1,
            60,
        );
        check(
            [&[(0, 100, 7), (100, 120, 8)], &[(20, 30, 7), (30, 110, 8)]],
            [&[(0, 20, 7), (100, 120, 8)], &[(20, 30, 7), (30, 100, 8)]],
            2,
            90,
        );
        // The idle task is on every CPU.
        let idle: [&[Slice]; 2] = [&[(0, 100, 0)], &[(20, 30, 0)]];
        check(idle, idle, 0, 0);
        // From CPU to CPU and back.
        check(
            [&[(0, 50, 7), (50, 60, 7)], &[(10, 55, 7)]],
            [&[(0, 10, 7), (50, 60, 7)], &[(10, 50, 7)]],
            2,
            45,
        );
    }
}
