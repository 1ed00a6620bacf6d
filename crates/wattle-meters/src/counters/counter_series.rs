//! Counters from sample to sample: where they begin anew, they go on from where they were.

use rustc_hash::FxHashMap;
use wattle_timeline::{CounterKey, RawScope, TimelineBuilder};
use wattle_units::BootNanos;

use super::counter_value::Value;
use crate::limits::MAX_POLLED_COUNTERS;

#[derive(Debug)]
struct Series {
    key: CounterKey,
    last: f64,
    /// Amount counted before the last time it began anew.
    before: f64,
    /// When it was read last.
    time: BootNanos,
}

/// The counters of one artifact.
#[derive(Debug, Default)]
pub struct AllSeries {
    series: FxHashMap<(RawScope, String), Series>,
    /// Number of times that a counter began anew.
    pub resets: u64,
    /// Number of times that a counter forgot something.
    pub forgotten: u64,
    /// Values of counters beyond those that are kept.
    pub refused: u64,
}

impl AllSeries {
    /// Adds a counter's value at a time.
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
            Series {
                key: builder.system().counter_track(*scope, name),
                last: value,
                before: 0.0,
                time,
            }
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
            builder.tasks().thread_seen(time, tid);
        }
        builder.system().counter(series.key, time, series.before + value);
    }

    /// Whether there is no counter.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// The number of counters.
    pub fn len(&self) -> usize {
        self.series.len()
    }
}
