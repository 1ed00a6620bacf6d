//! ZIP archives that a download or copy left without their end: what is whole in them is read, and the loss is noted.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

use std::io::Write as _;

use super::hostile::archive::{Entry, zip};
use super::traces;
use wattle_timeline::Timeline;

/// A trace whose rows of packets are not packed away to nothing.
fn trace() -> Vec<u8> {
    with_texts(traces::everything())
}

/// A trace that goes with [`trace`], of about its length.
fn companion() -> Vec<u8> {
    with_texts(traces::battery())
}

fn with_texts(mut trace: Vec<u8>) -> Vec<u8> {
    for number in 0..400u64 {
        let mut packet = wattle_wire::Writer::new();
        // A text of which nothing is used, different in each packet.
        packet.message(1, |packet| {
            packet.varint(8, 1_000_000 + number * 1_000);
            packet.string(9_999, &format!("{:x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        });
        trace.extend(packet.as_bytes());
    }
    trace
}

/// A member whose sizes and checksum follow its data, as programs write them that cannot go back.
fn streamed(files: &[(&str, &[u8])], has_mark: bool) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in files {
        let entry = Entry::deflated(name, content);
        archive.extend(b"PK\x03\x04\x14\0\x08\0\x08\0\0\0\x21\x58");
        archive.extend([0; 12]);
        archive.extend((name.len() as u16).to_le_bytes());
        archive.extend([0, 0]);
        archive.write_all(name.as_bytes()).unwrap();
        archive.extend(&entry.data);
        if has_mark {
            archive.extend(b"PK\x07\x08");
        }
        archive.extend(entry.crc.to_le_bytes());
        archive.extend((entry.data.len() as u32).to_le_bytes());
        archive.extend(entry.size.to_le_bytes());
    }
    archive
}

/// Names of the artifacts that were read, and whether a loss was noted.
fn artifacts(timeline: &Timeline) -> (Vec<&str>, bool) {
    let names = timeline.quality.artifacts.iter().map(|artifact| artifact.name.as_str());
    let is_cut = timeline.quality.notes.iter().any(|note| note.code == "archive-cut");
    (names.collect(), is_cut)
}

#[track_caller]
fn check(archive: &[u8], expected: &[&str], is_cut: bool) {
    let timeline = wattle_ingest::read_bytes("z", archive).unwrap();
    assert_eq!(artifacts(&timeline), (expected.to_vec(), is_cut));
}

/// The offset of the directory of an archive.
fn directory(archive: &[u8]) -> usize {
    archive.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap()
}

#[test]
fn whole_members_are_read() {
    let (trace, other) = (trace(), companion());
    for make in [Entry::deflated, Entry::stored] {
        let archive = zip(&[make("a", &trace), make("note.txt", b"hello"), make("b", &other)]);
        check(&archive, &["z/a", "z/b"], false);
        let end = directory(&archive);
        check(&archive[..end], &["z/a", "z/b"], true);
        check(&archive[..end + 40], &["z/a", "z/b"], true);
        // Within the header of the last member: it is lost.
        let packed = make("b", &other).data.len();
        check(&archive[..end - packed - 5], &["z/a"], true);
    }
    for has_mark in [true, false] {
        let archive = streamed(&[("a", &trace), ("note.txt", b"hello"), ("b", &other)], has_mark);
        check(&archive, &["z/a", "z/b"], true);
    }
}

/// Of the member in which the archive ends, what is before the cut is read, as of a cut gzip file.
#[test]
fn the_last_member_is_read_up_to_the_cut() {
    let trace = trace();
    let whole = wattle_ingest::read_bytes("t", &trace).unwrap().quality.artifacts[0].records;
    let archives = [
        zip(&[Entry::deflated("a", &trace)]),
        zip(&[Entry::stored("a", &trace)]),
        streamed(&[("a", &trace)], true),
    ];
    for (number, archive) in archives.into_iter().enumerate() {
        let length = Entry::deflated("a", &trace).data.len();
        let timeline = wattle_ingest::read_bytes("z", &archive[..length * 3 / 4]);
        let timeline = timeline.unwrap_or_else(|error| panic!("archive {number}: {error}"));
        let (names, is_cut) = artifacts(&timeline);
        assert_eq!((names, is_cut), (vec!["z/a"], true));
        let artifact = &timeline.quality.artifacts[0];
        assert!(artifact.records > 10 && artifact.records < whole, "{}", artifact.records);
        assert!(!artifact.notes.is_empty(), "the artifact itself does not say that it is cut");
    }
}

/// A whole archive within a cut one is not taken for the cut one.
#[test]
fn an_archive_within_a_cut_archive() {
    let trace = trace();
    let inner = zip(&[Entry::stored("inner", b"hello")]);
    let archive = zip(&[Entry::deflated("a", &trace), Entry::stored("inner.zip", &inner)]);
    check(&archive[..outer_directory(&archive)], &["z/a"], true);
}

/// The offset of the directory that is behind an inner one.
fn outer_directory(archive: &[u8]) -> usize {
    let names = archive.windows(4).enumerate();
    // Two members in the outer directory, one in the inner.
    let starts: Vec<_> =
        names.filter(|(_, bytes)| *bytes == b"PK\x01\x02").map(|(at, _)| at).collect();
    starts[1]
}

#[test]
fn damaged_members_are_left_out() {
    let (trace, other) = (trace(), companion());
    let wrong = Entry { crc: 1, ..Entry::deflated("b", &trace) };
    let archive = zip(&[Entry::deflated("a", &trace), wrong, Entry::deflated("c", &other)]);
    let archive = &archive[..directory(&archive)];
    check(archive, &["z/a", "z/c"], true);
    let timeline = wattle_ingest::read_bytes("z", archive).unwrap();
    let note = timeline.quality.notes.iter().find(|note| note.code == "archive-cut").unwrap();
    assert!(note.text.contains("contains 2 files whole"), "{}", note.text);
    assert!(note.text.contains("not used: 1 file"), "{}", note.text);
}

/// An archive in which nothing is read stays an error, wherever it is cut.
#[test]
fn cuts_everywhere() {
    let small = traces::everything();
    let archive = zip(&[Entry::deflated("a", &small), Entry::deflated("b", &small)]);
    let mut read = 0;
    for cut in 4..archive.len() {
        if let Ok(timeline) = wattle_ingest::read_bytes("z", &archive[..cut]) {
            assert!(artifacts(&timeline).1, "cut at {cut} and nothing said");
            read += 1;
        }
    }
    assert!(read > archive.len() / 3, "{read} of {} cuts were read", archive.len());
    let text = zip(&[Entry::deflated("readme.txt", b"hello")]);
    let error = wattle_ingest::read_bytes("z", &text[..directory(&text)]).unwrap_err();
    assert!(error.to_string().contains("cannot be opened"), "{error}");
}
