//! Whether a trace was read to its end.
//!
//! The recorder empties the buffers of the CPUs in turns, and adds its statistics (`FtraceStats`) where it stops; some add them in between,
//! too. Of a trace that was cut, or whose recorder was killed, the last turn may hold some CPUs and not others, and where several
//! writers record (one of switches, one of idle states), each is written as far as its own buffer was. What the others did meanwhile is
//! not known, so the recording ends where the last whole turn of the writer did that is furthest behind. Traces that no recorder wrote
//! say nothing of this.

use rustc_hash::{FxHashMap, FxHashSet};
use wattle_timeline::Severity;
use wattle_units::BootNanos;

use super::Reader;

/// So many turns may follow the statistics of a trace that is whole: the last one empties what came while they were made.
const TURNS_AFTER_END: u32 = 1;

/// Writers whose turns are followed. Recorders have some data sources of the kernel at most.
const MAX_FOLLOWED: usize = 64;

/// Turns over the CPUs, and the recorder's own word.
#[derive(Debug, Default)]
pub(super) struct TraceEnd {
    /// Whether a recorder left marks of its own.
    is_recorded: bool,
    /// CPUs of which a bundle was read.
    seen: FxHashSet<u32>,
    writers: FxHashMap<u32, Turns>,
}

/// The turns of one writer.
#[derive(Debug, Default)]
struct Turns {
    /// Those that began since the last statistics.
    count: u32,
    /// Whether there were statistics at an end.
    has_ended: bool,
    /// The CPU of the last bundle.
    cpu: u32,
    /// Whether it tells what CPUs do.
    tells_of_cpus: bool,
    /// The last time of all bundles.
    last: Option<BootNanos>,
    /// The last time of all turns before this one.
    whole_until: Option<BootNanos>,
}

/// The end of a bundle.
#[derive(Clone, Copy, Debug)]
pub(super) struct BundleEnd {
    /// Its last time.
    pub last: Option<BootNanos>,
    /// Whether its events tell what the CPU does.
    pub tells_of_cpu: bool,
}

impl TraceEnd {
    /// A mark that only recorders leave.
    pub fn recorded(&mut self) {
        self.is_recorded = true;
    }

    /// The statistics of a writer at an end.
    pub fn ended(&mut self, writer: u32) {
        if let Some(turns) = self.writers.get_mut(&writer) {
            turns.count = 0;
            turns.has_ended = true;
        }
    }

    /// Whether a bundle is the first of its CPU.
    pub fn is_first_of(&mut self, cpu: u32) -> bool {
        self.seen.insert(cpu)
    }

    /// A bundle of a CPU was read.
    pub fn bundle(&mut self, writer: u32, cpu: u32, end: BundleEnd) {
        if self.writers.len() >= MAX_FOLLOWED && !self.writers.contains_key(&writer) {
            return;
        }
        let turns = self.writers.entry(writer).or_default();
        if cpu < turns.cpu {
            turns.whole_until = turns.last;
            turns.count = turns.count.saturating_add(1);
        }
        turns.cpu = cpu;
        turns.tells_of_cpus |= end.tells_of_cpu;
        turns.last = turns.last.max(end.last);
    }

    /// When the last whole turn ended of the writer that is furthest behind, of a trace that is not read to its end.
    pub fn cut_at(&self) -> Option<BootNanos> {
        let followed = || self.writers.values().filter(|turns| turns.tells_of_cpus);
        let goes_on = |turns: &Turns| turns.count > TURNS_AFTER_END;
        // One that stopped says that the recorder did.
        let has_stopped = followed().any(|turns| turns.has_ended && !goes_on(turns));
        if !self.is_recorded || has_stopped || !followed().any(goes_on) {
            return None;
        }
        // Of one that began its first turn it is not known how far that reaches.
        followed().filter_map(|turns| turns.whole_until).min()
    }
}

impl Reader<'_> {
    /// Ends the recording where every CPU is known.
    pub(super) fn finish_cut(&mut self) {
        let Some(until) = self.end.cut_at() else { return };
        let Some((_, last)) = self.builder.span() else { return };
        self.builder.complete_until(until);
        let left_out = (last - until).seconds();
        self.counts.note(Severity::Warning, "trace-unfinished", None, || {
            format!(
                "the trace ends before its recorder did (it was cut, or the recorder was killed): its last {left_out:.3} s, which not \
                 all CPUs have, are left out"
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bundles of CPUs, each of which ends at its place in the list; `99` stands for statistics.
    fn check(cpus: &[u32], is_recorded: bool, expected: Option<i64>) {
        let of_one: Vec<(u32, u32)> = cpus.iter().map(|cpu| (1, *cpu)).collect();
        check_writers(&of_one, is_recorded, expected);
    }

    /// The same of several writers: writer and CPU. Those from 10 on tell of no CPUs.
    #[track_caller]
    fn check_writers(bundles: &[(u32, u32)], is_recorded: bool, expected: Option<i64>) {
        let mut end = TraceEnd { is_recorded, ..TraceEnd::default() };
        for (at, (writer, cpu)) in (0..).zip(bundles) {
            let last = Some(BootNanos::new(at));
            match cpu {
                99 => end.ended(*writer),
                cpu => {
                    end.bundle(*writer, *cpu, BundleEnd { last, tells_of_cpu: *writer < 10 });
                }
            }
        }
        assert_eq!(end.cut_at(), expected.map(BootNanos::new));
    }

    #[test]
    fn the_writer_that_is_furthest_behind_decides() {
        let (one, two) = ([(1, 0), (1, 1), (1, 2)], [(2, 0), (2, 1), (2, 2)]);
        let both = [one, two].concat().repeat(3);
        // The last turns began at 12 and 15; those before ended at 8 and 11.
        check_writers(&both, true, Some(8));
        // Writer 2 has written nothing since its third turn began: what it wrote before reaches to 11.
        let behind = [&both[..], &one.repeat(5)].concat();
        check_writers(&behind, true, Some(11));
        // One that ended.
        check_writers(&[&behind[..], &[(1, 99)]].concat(), true, None);
        // One whose first turn is the last says nothing.
        let first = [&one.repeat(5)[..], &two].concat();
        check_writers(&first, true, Some(11));
        // Writers of other events may write seldom.
        let others = [&[(10, 0), (10, 1), (10, 0), (10, 1), (10, 0)][..], &one.repeat(5)].concat();
        check_writers(&others, true, Some(16));
    }

    #[test]
    fn the_last_turn_over_the_cpus_is_left_out_where_the_recorder_has_no_end() {
        check(&[0, 1, 2, 3, 0, 2, 2, 3, 0, 1], true, Some(7));
        check(&[0, 1, 2, 3, 0, 2, 2, 3, 0, 1, 99], true, None);
        check(&[0, 1, 2, 3, 0, 2, 2, 3, 99, 0, 1], true, None);
        check(&[0, 1, 99, 3, 0, 2, 2, 3, 0, 1], true, Some(7));
        check(&[0, 1, 2, 3, 0, 2, 2, 3, 0, 1], false, None);
        // Nobody knows whether one turn is whole.
        check(&[0, 1, 2, 3], true, None);
        check(&[], true, None);
    }
}
