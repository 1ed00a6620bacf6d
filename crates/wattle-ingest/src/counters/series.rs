//! Counters from sample to sample: where they begin anew, they go on from where they were.

use rustc_hash::FxHashMap;
use wattle_timeline::{CounterKey, RawScope, TimelineBuilder};
use wattle_units::BootNanos;

use super::value::Value;
use crate::limits::MAX_POLLED_COUNTERS;

#[derive(Debug)]
struct Series {
    key: CounterKey,
    last: f64,
    /// What was counted before the last time it began anew.
    before: f64,
    /// When it was read last.
    time: BootNanos,
}

#[derive(Debug, Default)]
pub(crate) struct AllSeries {
    series: FxHashMap<(RawScope, String), Series>,
    /// How often a counter began anew.
    pub resets: u64,
    /// How often a counter forgot something.
    pub forgotten: u64,
    /// Values of counters beyond those that are kept.
    pub refused: u64,
}

impl AllSeries {
    pub fn push(&mut self, time: BootNanos, value: Value, builder: &mut TimelineBuilder) {
        let Value { scope, name, amount: value, forgets } = value;
        if self.series.len() >= MAX_POLLED_COUNTERS
            && !self.series.contains_key(&(scope, name.clone()))
        {
            self.refused += 1;
            return;
        }
        let series = self.series.entry((scope, name)).or_insert_with_key(|(scope, name)| {
            let name = builder.names.intern(name);
            Series { key: builder.counter_track(*scope, name), last: value, before: 0.0, time }
        });
        if value < series.last {
            if forgets {
                self.forgotten += 1;
                series.before += series.last - value;
            } else {
                self.resets += 1;
                series.before += series.last;
            }
        }
        series.last = value;
        // A clock that was damaged may go back; what was counted does not.
        let time = time.max(series.time);
        series.time = time;
        if let RawScope::Thread(tid) = scope {
            builder.thread_seen(time, tid);
        }
        builder.counter(series.key, time, series.before + value);
    }

    pub fn len(&self) -> usize {
        self.series.len()
    }
}
