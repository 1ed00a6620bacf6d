//! Events that are counted along with the one that is sampled (`PERF_FORMAT_GROUP`, `perf record -e '{a,b}:S'`).

use rustc_hash::FxHashMap;

/// What a counter showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// The counter's number.
    pub id: u64,
    pub value: u64,
}

/// What counters showed last, by number and thread.
#[derive(Debug, Default)]
pub(super) struct GroupReads(FxHashMap<(u64, u32), u64>);

impl GroupReads {
    /// What the counter rose by since it was last read; `thread` is 0 for counters that several threads share.
    pub fn rise(&mut self, reading: Reading, thread: u32) -> u64 {
        let last = self.0.insert((reading.id, thread), reading.value).unwrap_or(0);
        reading.value.saturating_sub(last)
    }
}
