//! Any bytes as a `perf.data`: reading ends without a panic, and what is told holds together.

use wattle_ingest::read_bytes;

use crate::timeline;

/// Heads of files and of streams, in both orders of bytes.
const HEADS: [&[u8]; 4] = [
    b"PERFILE2\x10\0\0\0\0\0\0\0",
    b"2ELIFREP\0\0\0\0\0\0\0\x10",
    b"PERFILE2\x68\0\0\0\0\0\0\0",
    b"2ELIFREP\0\0\0\0\0\0\0\x68",
];

/// The attributes of one event of a stream, as a record: all fields, times and threads at the end of each record.
fn attributes(is_big: bool) -> Vec<u8> {
    let word = |value: u32| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
    let long = |value: u64| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
    let flags: u64 = 1 << 18;
    let mut attr = [word(1), word(112)].concat();
    let flags = if is_big { flags.reverse_bits() } else { flags };
    for value in [0, 1000, 0x1ffff, 15, flags, 0, 0, 0, 3 << 17, 5, 0, 0, 0] {
        attr.extend(long(value));
    }
    let size = (attr.len() + 8) as u16;
    let size = if is_big { size.to_be_bytes() } else { size.to_le_bytes() };
    [&word(64)[..], &[0, 0], &size, &attr].concat()
}

/// A whole file, as it is.
pub fn run_file(bytes: &[u8]) {
    let Ok(timeline) = read_bytes("fuzz", bytes) else { return };
    timeline::check(&timeline);
    let samples = &timeline.code.samples;
    for sample in &samples.samples {
        assert!(sample.thread.index() < timeline.tasks.threads.len());
        assert!(samples.event(sample.event).is_some());
        assert!(sample.site.is_none_or(|site| (site as usize) < samples.sites.len()));
    }
    for site in &samples.sites {
        assert!((site.frame as usize) < samples.frames.len());
    }
    for artifact in timeline.quality.artifacts.iter().filter(|it| it.format == "perf-data") {
        assert!(artifact.bytes <= bytes.len() as u64 || timeline::is_packed(bytes));
    }
}

pub fn run(bytes: &[u8]) {
    run_file(bytes);
    for (index, head) in HEADS.iter().enumerate() {
        run_file(&[head, bytes].concat());
        run_file(&[head, attributes(index % 2 == 1).as_slice(), bytes].concat());
    }
}
