//! Time without a sign of life, by this process's own clock.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// Watches values that living things change, and says which have not changed for a while.
///
/// The time is that between two looks of one process at a monotonic clock, so it depends neither on wall clocks nor on whether
/// those of two machines agree. A process that has just started has seen nothing stand still yet.
#[derive(Debug)]
pub struct StillnessWatch<K, V> {
    seen: HashMap<K, (V, Instant)>,
}

impl<K, V> Default for StillnessWatch<K, V> {
    fn default() -> Self {
        Self { seen: HashMap::new() }
    }
}

impl<K: Eq + Hash + Clone, V: PartialEq> StillnessWatch<K, V> {
    /// Takes the present values, and returns the keys whose value has been the same for `patience`. Keys that are absent are forgotten.
    pub fn still(
        &mut self,
        values: impl IntoIterator<Item = (K, V)>,
        now: Instant,
        patience: Duration,
    ) -> Vec<K> {
        let mut before = std::mem::take(&mut self.seen);
        let mut still = Vec::new();
        for (key, value) in values {
            let since = match before.remove(&key) {
                Some((known, since)) if known == value => since,
                _ => now,
            };
            if now.saturating_duration_since(since) >= patience {
                still.push(key.clone());
            }
            self.seen.insert(key, (value, since));
        }
        still
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_still_is_still() {
        let mut watch = StillnessWatch::default();
        let start = Instant::now();
        let minute = Duration::from_mins(1);
        assert_eq!(watch.still([(1, 0), (2, 0)], start, minute), Vec::<i32>::new());
        assert_eq!(watch.still([(1, 1), (2, 0)], start + minute / 2, minute), Vec::<i32>::new());
        assert_eq!(watch.still([(1, 1), (2, 0)], start + minute, minute), [2]);
        // One that was away begins anew.
        assert_eq!(watch.still([(1, 1)], start + minute * 2, minute), [1]);
        assert_eq!(watch.still([(2, 0)], start + minute * 3, minute), Vec::<i32>::new());
    }
}
