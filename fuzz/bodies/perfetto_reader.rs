//! Any bytes: reading ends without a panic, and what it gives holds together.

use wattle_ingest::{read_bytes, read_stream};

use crate::timeline;

pub fn run(bytes: &[u8]) {
    let whole = read_bytes("fuzz", bytes);
    // A stream is read as the same bytes are, however it comes.
    let streamed = read_stream("fuzz", bytes);
    assert_eq!(whole.is_ok(), streamed.is_ok());
    let Ok(timeline) = whole else { return };
    timeline::check(&timeline);
    let streamed = streamed.unwrap_or_default();
    assert_eq!(timeline.tasks.threads, streamed.tasks.threads, "reading is not deterministic");
    assert_eq!(timeline.system.counters.len(), streamed.system.counters.len());
}
