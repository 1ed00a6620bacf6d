//! Any bytes as a file of trace-cmd: reading ends without a panic, what is told holds together, and each event is counted once.

use wattle_ingest::read_bytes;

use crate::timeline;

const SIGNATURE: &[u8] = b"\x17\x08\x44tracing";

/// Heads of both versions, in both orders of bytes, and of packed files.
const HEADS: [&[u8]; 6] = [
    b"",
    b"6\0\x00\x08\x00\x10\x00\x00header_page\0",
    b"6\0\x01\x04\x00\x00\x10\x00header_page\0",
    b"7\0\x00\x08\x00\x10\x00\x00none\0\0",
    b"7\0\x00\x08\x00\x10\x00\x00zlib\x001.2.13\0",
    b"7\0\x01\x08\x00\x00\x10\x00zstd\x001.5.4\0",
];

/// A whole file, as it is.
pub fn run_file(bytes: &[u8]) {
    let Ok(timeline) = read_bytes("fuzz", bytes) else { return };
    timeline::check(&timeline);
    for artifact in timeline.quality.artifacts.iter().filter(|it| it.format == "trace-dat") {
        assert!(
            artifact.events.values().sum::<u64>() <= artifact.records,
            "events are counted twice"
        );
        assert!(artifact.bytes <= bytes.len() as u64 || timeline::is_packed(bytes));
    }
}

pub fn run(bytes: &[u8]) {
    run_file(bytes);
    for head in HEADS {
        run_file(&[SIGNATURE, head, bytes].concat());
    }
}
