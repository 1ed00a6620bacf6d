//! Events that are counted along with the one that is sampled (`PERF_FORMAT_GROUP`, `perf record -e '{a,b}:S'`).

use rustc_hash::FxHashMap;

use crate::perf_file::CounterValue;

/// Latest values of counters, by number and thread.
#[derive(Debug, Default)]
pub(super) struct GroupReads(FxHashMap<(u64, u32), u64>);

impl GroupReads {
    /// Increase of the counter since its value before; `thread` is 0 for counters that several threads share.
    pub fn rise(&mut self, reading: CounterValue, thread: u32) -> u64 {
        let last = self.0.insert((reading.id, thread), reading.value).unwrap_or(0);
        reading.value.saturating_sub(last)
    }
}
