//! Files of atrace with several chunks: their figures are those of the same trace in one piece.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

use std::fmt::Write as _;
use std::io::Write as _;

use wattle_timeline::Timeline;

/// Lines of one generated trace.
const LINES: usize = 900;

/// A trace of two CPUs: switches, frequencies and marks.
fn lines() -> Vec<String> {
    let line = |i: usize| {
        let (cpu, time) = (i % 2, 5_000_000 + i * 137);
        let (tid, next) = (10 + i / 2 % 5 + 100 * cpu, 10 + (i / 2 + 1) % 5 + 100 * cpu);
        let mut line = format!(
            " t{tid}-{tid} (    9) [00{cpu}] d..2 {}.{:06}: ",
            time / 1_000_000,
            time % 1_000_000
        );
        match i % 10 {
            0 | 1 => write!(line, "cpu_frequency: state={} cpu_id={cpu}", 300_000 + i * 100),
            2 | 3 => write!(line, "tracing_mark_write: B|9|work{i}"),
            8 | 9 => write!(line, "tracing_mark_write: E|9"),
            _ => write!(
                line,
                "sched_switch: prev_comm=t{tid} prev_pid={tid} prev_prio=120 prev_state=S ==> \
                 next_comm=t{next} next_pid={next} next_prio=120"
            ),
        }
        .unwrap();
        line.push('\n');
        line
    };
    (0..LINES).map(line).collect()
}

fn zlib(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// The trace in chunks of so many lines, each behind what atrace prints before it.
fn chunked(lines: &[String], size: usize, pack: fn(&str) -> Vec<u8>) -> Vec<u8> {
    let chunk = |lines: &[String]| {
        let text = format!("# tracer: nop\n{}", lines.concat());
        [b"capturing trace... done\nTRACE:\n".to_vec(), pack(&text)].concat()
    };
    lines.chunks(size).flat_map(chunk).collect()
}

fn plain(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn read(bytes: &[u8]) -> Timeline {
    wattle_ingest::read_bytes("trace", bytes).unwrap()
}

fn codes(timeline: &Timeline) -> Vec<&str> {
    timeline.quality.artifacts[0].notes.iter().map(|note| note.code.as_str()).collect()
}

/// Asserts that all figures of two readings are equal.
#[track_caller]
fn check_equal(found: &Timeline, expected: &Timeline) {
    assert_eq!(found.window, expected.window);
    assert_eq!(found.tasks.threads, expected.tasks.threads);
    assert_eq!(format!("{:?}", found.cpus), format!("{:?}", expected.cpus));
    assert_eq!(format!("{:?}", found.code.slices), format!("{:?}", expected.code.slices));
    let (found, expected) = (&found.quality.artifacts[0], &expected.quality.artifacts[0]);
    assert_eq!((&found.events, found.records), (&expected.events, expected.records));
}

#[test]
fn chunks_are_read_whole() {
    let lines = lines();
    let expected = read(format!("# tracer: nop\n{}", lines.concat()).as_bytes());
    assert_eq!(expected.quality.artifacts[0].records, LINES as u64);
    for size in [LINES, 451, 100, 7] {
        for pack in [plain, zlib] {
            let file = chunked(&lines, size, pack);
            let found = read(&file);
            check_equal(&found, &expected);
            assert_eq!(codes(&found), codes(&expected));
            assert_eq!(found.quality.artifacts[0].bytes, file.len() as u64);
        }
    }
}

/// Both forms in one file, first the packed one.
#[test]
fn packed_chunks_before_a_text() {
    let lines = lines();
    let (left, right) = lines.split_at(300);
    let file = [chunked(left, 100, zlib), chunked(right, 100, plain)].concat();
    let expected = read(format!("# tracer: nop\n{}", lines.concat()).as_bytes());
    check_equal(&read(&file), &expected);
}

/// A cut within a chunk leaves the chunks before and a part of the last one, and a note; a damaged chunk leaves those around it.
#[test]
fn cut_and_damaged_chunks() {
    let lines = lines();
    let chunks: Vec<_> = lines.chunks(300).map(|part| chunked(part, 300, zlib)).collect();
    let file = chunks.concat();
    let cut = read(&file[..chunks[0].len() + chunks[1].len() + chunks[2].len() / 2]);
    let records = cut.quality.artifacts[0].records;
    assert!((600..900).contains(&records), "{records} records");
    assert!(codes(&cut).contains(&"damaged"), "{:?}", codes(&cut));
    let mut damaged = file;
    let at = chunks[0].len() + chunks[1].len() / 2;
    damaged[at..at + 64].fill(0xff);
    let found = read(&damaged);
    let records = found.quality.artifacts[0].records;
    assert!((600..900).contains(&records), "{records} records");
    assert_eq!(found.window, read(lines.concat().as_bytes()).window);
    assert!(codes(&found).contains(&"damaged"), "{:?}", codes(&found));
}

/// A page with several parts of the trace.
#[test]
fn page_with_several_chunks() {
    let lines = lines();
    let expected = read(format!("# tracer: nop\n{}", lines.concat()).as_bytes());
    let part = |lines: &[String]| {
        format!(
            "<script class=\"trace-data\" type=\"application/text\">\nTRACE:\n# tracer: nop\n{}</script>\n",
            lines.concat()
        )
    };
    let parts: String = lines.chunks(123).map(part).collect();
    let page = format!("<!DOCTYPE html>\n<title>Android System Trace</title>\n{parts}</html>\n");
    check_equal(&read(page.as_bytes()), &expected);
}
