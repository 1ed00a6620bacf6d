//! Whether a trace was read to its end.
//!
//! The recorder empties the buffers of the CPUs in turns, and adds its statistics (`FtraceStats`) where it stops; some add them in between,
//! too. Of a trace that was cut, or whose recorder was killed, the last turn may hold some CPUs and not others. What the others did
//! meanwhile is not known, so the recording ends where the last whole turn did. Traces that no recorder wrote say nothing of this.

use rustc_hash::FxHashSet;
use wattle_timeline::Severity;
use wattle_units::BootNanos;

use super::Reader;

/// So many turns may follow the statistics of a trace that is whole: the last one empties what came while they were made.
const TURNS_AFTER_END: u32 = 1;

/// Turns over the CPUs, and the recorder's own word.
#[derive(Debug, Default)]
pub(super) struct TraceEnd {
    /// Whether a recorder left marks of its own.
    is_recorded: bool,
    /// Turns that began since the last statistics.
    turns: u32,
    /// CPUs of which a bundle was read.
    seen: FxHashSet<u32>,
    /// The CPU of the last bundle.
    cpu: u32,
    /// The last time of all turns before this one.
    whole_until: Option<BootNanos>,
}

impl TraceEnd {
    /// A mark that only recorders leave.
    pub fn recorded(&mut self) {
        self.is_recorded = true;
    }

    /// The statistics at an end.
    pub fn ended(&mut self) {
        self.turns = 0;
    }

    /// Whether a bundle is the first of its CPU.
    pub fn is_first_of(&mut self, cpu: u32) -> bool {
        self.seen.insert(cpu)
    }

    /// A bundle of a CPU comes, after that last time.
    pub fn bundle(&mut self, cpu: u32, last: impl FnOnce() -> Option<BootNanos>) {
        if cpu < self.cpu {
            self.whole_until = last();
            self.turns = self.turns.saturating_add(1);
        }
        self.cpu = cpu;
    }

    /// When the last whole turn ended, of a trace that is not read to its end.
    pub fn cut_at(&self) -> Option<BootNanos> {
        self.whole_until.filter(|_| self.is_recorded && self.turns > TURNS_AFTER_END)
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
        let mut end = TraceEnd { is_recorded, ..TraceEnd::default() };
        for (at, cpu) in cpus.iter().enumerate() {
            match cpu {
                99 => end.ended(),
                cpu => end.bundle(*cpu, || Some(BootNanos::new(at as i64 - 1))),
            }
        }
        assert_eq!(end.cut_at(), expected.map(BootNanos::new));
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
