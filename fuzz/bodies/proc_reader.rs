//! Any bytes as files of the kernel's counters: reading ends without a panic, and counters never go down.

use wattle_ingest::read_bytes;

pub fn run(bytes: &[u8]) {
    let starts = [
        &b"Inter-|   Receive\n face |bytes packets|bytes packets\n"[..],
        b"cpu  1 2 3 4\ncpu0 1 2 3 4\n",
        b"8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n",
        b"uid: 300000 400000\n",
        b"cpu0\n300000 5\n",
        b"300000 5\n400000 6\n",
        b"1700000000.5\n300000 5\n400000 6\n",
    ];
    for start in starts {
        let Ok(timeline) = read_bytes("cpu4", &[start, bytes].concat()) else { continue };
        for counter in &timeline.system.counters {
            assert!(counter.time.is_sorted());
            assert!(counter.value.iter().all(|value| value.is_finite()));
        }
    }
}
