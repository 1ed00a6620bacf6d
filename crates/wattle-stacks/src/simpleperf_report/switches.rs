//! When threads were on a CPU, by the records of their switches.

use rustc_hash::FxHashMap;
use wattle_timeline::{TimelineBuilder, Window};
use wattle_units::BootNanos;

/// A thread that is being watched.
#[derive(Clone, Copy, Debug, Default)]
struct Watched {
    /// Since when it is on a CPU.
    on: Option<i64>,
    /// A switch of it was seen.
    has_switched: bool,
    /// Its first sample before any switch: it was on a CPU then.
    first_sample: Option<i64>,
    /// Its last sample.
    last_sample: Option<i64>,
}

/// Makes stretches on a CPU out of switches.
#[derive(Debug, Default)]
pub(super) struct Switches {
    threads: FxHashMap<u32, Watched>,
    /// Switches that were told.
    pub count: u64,
    /// Those that come where none should: others between were lost.
    pub unmatched: u64,
}

impl Switches {
    /// The thread was on a CPU at this time.
    pub fn sample(&mut self, tid: u32, time: i64) {
        let thread = self.threads.entry(tid).or_default();
        if !thread.has_switched {
            thread.first_sample = Some(thread.first_sample.map_or(time, |first| first.min(time)));
        }
        thread.last_sample = thread.last_sample.max(Some(time));
    }

    /// The thread came to a CPU, or left it.
    pub fn switch(&mut self, tid: u32, time: i64, is_on: bool, builder: &mut TimelineBuilder) {
        self.count += 1;
        let thread = self.threads.entry(tid).or_default();
        let is_first = !std::mem::replace(&mut thread.has_switched, true);
        if is_on {
            // Where it left in between is not known.
            self.unmatched += u64::from(thread.on.is_some());
            thread.on = Some(time);
            return;
        }
        // It was there since before the recording: since its first sample at least.
        let since = thread.on.take().or(thread.first_sample.filter(|_| is_first));
        match since {
            Some(since) if since <= time => run(builder, since, time, tid),
            _ => self.unmatched += u64::from(!is_first),
        }
    }

    /// Ends reading: who is still on a CPU was so at its last sample.
    pub fn finish(self, builder: &mut TimelineBuilder) {
        let mut open: Vec<_> = self.threads.into_iter().collect();
        open.sort_unstable_by_key(|(tid, _)| *tid);
        for (tid, thread) in open {
            if let (Some(on), Some(last)) = (thread.on, thread.last_sample)
                && last > on
            {
                run(builder, on, last, tid);
            }
        }
    }
}

fn run(builder: &mut TimelineBuilder, from: i64, to: i64, tid: u32) {
    builder.cpus().run_somewhere(Window::new(BootNanos::new(from), BootNanos::new(to)), tid);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples (`None`) and switches of one thread, and the stretches that follow.
    #[track_caller]
    fn check(events: &[(i64, Option<bool>)], runs: &[(i64, i64)], unmatched: u64) {
        let (mut builder, mut switches) = (TimelineBuilder::new(), Switches::default());
        for (time, event) in events {
            match event {
                None => switches.sample(7, *time),
                Some(is_on) => switches.switch(7, *time, *is_on, &mut builder),
            }
        }
        assert_eq!(switches.unmatched, unmatched);
        switches.finish(&mut builder);
        let timeline = builder.finish();
        let found: Vec<_> = timeline
            .cpus
            .iter()
            .flat_map(|cpu| cpu.sched.iter())
            .map(|slice| (slice.window.start.value(), slice.window.end.value()))
            .collect();
        assert_eq!(found, runs);
    }

    #[test]
    fn stretches_between_switches() {
        check(
            &[(1, Some(true)), (5, Some(false)), (9, Some(true)), (12, Some(false))],
            &[(1, 5), (9, 12)],
            0,
        );
        // On since before the first record.
        check(&[(3, None), (4, None), (6, Some(false))], &[(3, 6)], 0);
        check(&[(6, Some(false)), (8, Some(false))], &[], 1);
        // Still on at the end.
        check(&[(6, Some(true)), (8, None), (11, None)], &[(6, 11)], 0);
        check(&[(1, Some(true)), (5, Some(true)), (9, Some(false))], &[(5, 9)], 1);
    }
}
