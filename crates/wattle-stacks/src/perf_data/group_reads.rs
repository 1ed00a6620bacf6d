//! Events that are counted along with the one that is sampled (`PERF_FORMAT_GROUP`, `perf record -e '{a,b}:S'`).

use rustc_hash::FxHashMap;

use crate::perf_file::CounterValue;

/// Latest values of counters, by number and thread.
#[derive(Debug, Default)]
pub(super) struct GroupReads {
    latest: FxHashMap<(u64, u32), u64>,
    /// Readings below the one before them, which no counter has.
    pub falls: u64,
}

impl GroupReads {
    /// Increase of the counter since its value before; `thread` is 0 for counters that several threads share.
    pub fn rise(&mut self, reading: CounterValue, thread: u32) -> u64 {
        let last = self.latest.insert((reading.id, thread), reading.value).unwrap_or(0);
        self.falls += u64::from(reading.value < last);
        reading.value.saturating_sub(last)
    }
}
