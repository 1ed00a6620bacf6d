//! Any bytes as a log: reading ends without a panic, gives the same however it comes, and counts each line once.

use wattle_ingest::{LogcatOptions, read_bytes, read_logcat};

/// Gives a few bytes at a time.
struct Drip<'a>(&'a [u8]);

impl std::io::Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let taken = 7.min(self.0.len()).min(into.len());
        into[..taken].copy_from_slice(&self.0[..taken]);
        self.0 = &self.0[taken..];
        Ok(taken)
    }
}

pub fn run(bytes: &[u8]) {
    let (mut given, mut texts) = (0, 0);
    let summary = read_logcat(bytes, LogcatOptions::default(), &mut |entry| {
        given += 1;
        texts += entry.message.len();
    });
    assert!(texts <= bytes.len(), "more text than there was");
    assert_eq!(summary.bytes, bytes.len() as u64 - untold(&summary, bytes));
    let is_text = summary.formats != ["binary"];
    assert!(!is_text || summary.entries == given);
    let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
    let told = summary.entries + summary.unparsed + summary.outside + summary.dividers;
    assert!(!is_text || told <= lines, "a line is counted twice");
    let again = read_logcat(Drip(bytes), LogcatOptions::default(), &mut |_| {});
    assert_eq!(again, summary, "reading is not deterministic");
    // Under its own name, and behind a line that makes it a log whatever follows.
    let _ = read_bytes("fuzz", bytes);
    let log = [b"--------- beginning of main\n", bytes].concat();
    let timeline = read_bytes("fuzz.txt", &log);
    let timeline = timeline.unwrap_or_else(|error| panic!("a log is refused: {error}"));
    assert!(timeline.window.start <= timeline.window.end, "{:?}", timeline.window);
}

/// A binary log is read up to the first bytes that are no record.
fn untold(summary: &wattle_ingest::LogcatSummary, bytes: &[u8]) -> u64 {
    if summary.formats == ["binary"] { bytes.len() as u64 - summary.bytes } else { 0 }
}
