//! Any bytes as polled counters: reading ends without a panic, counters never go down, and times are in order.

use wattle_ingest::read_bytes;

pub fn run(bytes: &[u8]) {
    for start in [&b"wattle-counters 1\n"[..], b"wattle-counters 1\n@ 1.00 -\n< /proc/net/dev\n"] {
        let Ok(timeline) = read_bytes("fuzz", &[start, bytes].concat()) else { continue };
        for counter in &timeline.system.counters {
            assert_eq!(counter.time.len(), counter.value.len());
            assert!(counter.time.is_sorted());
            assert!(counter.value.is_sorted(), "a counter goes down: {:?}", counter.value);
            assert!(counter.value.iter().all(|value| value.is_finite()));
        }
    }
}
