//! Any bytes as a method trace: reading ends without a panic, what is told holds together, and each event is counted once.

use wattle_ingest::read_bytes;

use crate::timeline;

/// Heads of all formats.
const HEADS: [&[u8]; 6] = [
    b"*version\n3\nclock=dual\npid=7\n*threads\n7\tmain\n*methods\n0x4\ta.B\tc\t()V\tB.java\n*end\n",
    b"SLOW\x01\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"SLOW\xf2\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"SLOW\xf3\0\x20\0\0\0\0\0\0\0\0\0\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"SLOW\xf4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"SLOW\xf5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
];

/// A whole file, as it is.
pub fn run_file(bytes: &[u8]) {
    let Ok(timeline) = read_bytes("fuzz", bytes) else { return };
    timeline::check(&timeline);
    for artifact in timeline.quality.artifacts.iter().filter(|it| it.format == "art-trace") {
        assert!(
            artifact.events.values().sum::<u64>() <= artifact.records,
            "events are counted twice"
        );
        assert!(artifact.bytes <= bytes.len() as u64 || timeline::is_packed(bytes));
    }
    let slices = &timeline.code.slices;
    assert!(slices.cpu.is_empty() || slices.cpu.len() == slices.len());
    assert!(slices.cpu.iter().flatten().all(|cpu| cpu.value() >= 0));
}

pub fn run(bytes: &[u8]) {
    run_file(bytes);
    for head in HEADS {
        run_file(&[head, bytes].concat());
    }
}
