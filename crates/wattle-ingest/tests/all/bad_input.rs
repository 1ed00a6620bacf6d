//! Bad input of every kind: a plain word or a partial result, in bounded memory, never a panic.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may panic"
)]

use crate::perfetto_reader;
use crate::traces;
use crate::wire_cursor;
use std::io::{Read, Write};

use proptest::prelude::*;
use wattle_ingest::{IngestError, read_bytes, read_paths, read_stream};
use wattle_timeline::Timeline;

#[track_caller]
fn check_wrong_type(bytes: &[u8], expected: &str) {
    let error = read_bytes("some.file", bytes).unwrap_err();
    assert!(matches!(error, IngestError::WrongType { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains(expected), "{text:?} does not say {expected:?}");
    assert!(!text.contains('\n'));
}

#[track_caller]
fn note(timeline: &Timeline, code: &str) -> wattle_timeline::Note {
    let notes = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    let found: Vec<_> = notes.cloned().collect();
    let note = found.iter().find(|note| note.code == code);
    note.unwrap_or_else(|| panic!("no note {code:?} among {found:?}")).clone()
}

#[test]
fn other_types_are_named() {
    check_wrong_type(b"", "an empty file");
    check_wrong_type(b"\xff\xd8\xff\xe0\0\x10JFIF", "JPEG");
    check_wrong_type(b"\x89PNG\r\n\x1a\n", "PNG");
    check_wrong_type(b"%PDF-1.7", "PDF");
    check_wrong_type(b"\x7fELF\x02", "ELF");
    check_wrong_type(b"dex\n039\0", "DEX");
    check_wrong_type(b"PERFFILE\x68", "perf.data");
    check_wrong_type(b"JAVA PROFILE 1.0.2\0", "heap dump");
    check_wrong_type(b"<!DOCTYPE html><html>", "HTML");
    check_wrong_type(b"{\"traceEvents\": []}", "Chrome");
    check_wrong_type(&[0x5a; 5000], "text");
    check_wrong_type(&[7, 0, 255, 254, 1, 2, 3, 9], "no format");
}

fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn gzip_of(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(content, flate2::Compression::fast());
    encoder.read_to_end(&mut packed).unwrap();
    packed
}

#[test]
fn archives() {
    let trace = traces::everything();
    let battery = traces::battery();
    let zip = zip_of(&[("a.perfetto-trace", &trace), ("notes.txt", b"hello"), ("b", &battery)]);
    let timeline = read_bytes("two.zip", &zip).unwrap();
    let names: Vec<_> = timeline.quality.artifacts.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["two.zip/a.perfetto-trace", "two.zip/b"]);
    assert_eq!(
        read_stream("two.zip", zip.as_slice()).unwrap().tasks.threads,
        timeline.tasks.threads
    );

    let packed = read_bytes("one.gz", &gzip_of(&trace)).unwrap();
    let plain = read_bytes("one", &trace).unwrap();
    assert_eq!(packed.tasks.threads, plain.tasks.threads);
    assert_eq!(packed.quality.artifacts[0].bytes, trace.len() as u64);

    check_wrong_type(&zip_of(&[("AndroidManifest.xml", b"x"), ("t", &trace)]), "APK");
    check_wrong_type(&gzip_of(b"hello, this is text"), "text");
    let nothing = read_bytes("no.zip", &zip_of(&[("readme.txt", b"hello")])).unwrap_err();
    assert!(matches!(nothing, IngestError::NothingInside { files: 1, .. }), "{nothing}");
    // Not even a whole header of a member.
    let broken = read_bytes("cut.zip", &zip[..25]).unwrap_err();
    assert!(matches!(broken, IngestError::Archive { .. }), "{broken}");
    let cut = read_bytes("cut.zip", &zip[..zip.len() / 2]).unwrap();
    assert!(cut.quality.notes.iter().any(|note| note.code == "archive-cut"));
}

#[test]
fn a_cut_gzip_gives_what_came_out() {
    let mut trace = traces::everything();
    for _ in 0..12 {
        trace.extend_from_within(..);
    }
    let packed = gzip_of(&trace);
    let timeline = read_bytes("cut.gz", &packed[..packed.len() - 20]).unwrap();
    assert!(timeline.quality.artifacts[0].records > 10);
    let worst = timeline.quality.worst();
    assert!(worst >= Some(wattle_timeline::Severity::Warning), "{worst:?}");
}

#[test]
fn a_zip_bomb_is_read_in_bounded_memory() {
    // A packet of padding that unpacks to 16 MB of zeros, and a bomb that is no trace at all.
    let mut padded = traces::everything();
    padded.extend([0x0a, 0x80, 0x80, 0x80, 0x08]);
    padded.resize(padded.len() + (16 << 20), 0);
    let timeline = read_bytes("bomb.gz", &gzip_of(&padded)).unwrap();
    assert_eq!(timeline.energy.rails.len(), 1);
    let zeros = vec![0; 16 << 20];
    check_wrong_type(&gzip_of(&zeros), "no format");
    assert!(read_bytes("bomb.zip", &zip_of(&[("zeros", &zeros)])).is_err());
}

#[test]
fn a_length_of_four_gigabytes_is_a_cut_packet() {
    let mut trace = traces::everything();
    let whole = trace.len() as u64;
    trace.extend([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3]);
    let timeline = read_bytes("long", &trace).unwrap();
    assert_eq!(note(&timeline, "truncated").offset, Some(whole));
    assert_eq!(timeline.energy.rails.len(), 1);
}

#[test]
fn damage_between_packets_keeps_what_was_before() {
    let mut trace = traces::everything();
    let whole = trace.len() as u64;
    trace.extend([0x07, 0x07, 0x07]);
    let timeline = read_bytes("damaged", &trace).unwrap();
    assert_eq!(note(&timeline, "damaged").offset, Some(whole));
    assert_eq!(timeline.energy.rails.len(), 1);
}

#[test]
fn every_cut_is_read_up_to_the_cut_packet() {
    let trace = traces::everything();
    let mut starts = vec![0];
    let mut fields = wattle_wire::Fields::new(&trace);
    while fields.next().is_some() {
        starts.push(fields.offset() as usize);
    }
    for cut in 2..trace.len() {
        let timeline = read_bytes("cut", &trace[..cut]).unwrap();
        let whole = starts.iter().filter(|start| **start > 0 && **start <= cut).count();
        let artifact = &timeline.quality.artifacts[0];
        // The packed packet holds another one.
        assert!((whole..=whole + 1).contains(&(artifact.records as usize)), "cut at {cut}");
        assert_eq!(artifact.bytes, cut as u64);
        if starts.contains(&cut) {
            assert!(artifact.notes.iter().all(|note| note.code != "truncated"));
        } else {
            assert_eq!(note(&timeline, "truncated").offset, Some(starts[whole] as u64));
        }
    }
}

#[test]
fn folders_are_read_by_their_list_or_by_what_is_in_them() {
    let folder = std::env::temp_dir().join(format!("wattle-ingest-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let trace = traces::everything();
    std::fs::write(folder.join("a.pftrace"), &trace).unwrap();
    std::fs::write(folder.join("b.pftrace"), traces::battery()).unwrap();
    std::fs::write(folder.join("log.txt"), "hello").unwrap();
    let names = |timeline: &Timeline| -> Vec<String> {
        timeline.quality.artifacts.iter().map(|a| a.name.clone()).collect()
    };
    let all = read_paths(std::slice::from_ref(&folder)).unwrap();
    assert_eq!(names(&all), ["a.pftrace", "b.pftrace"]);
    std::fs::write(folder.join("c.pftrace"), &trace).unwrap();
    let copied = read_paths(std::slice::from_ref(&folder)).unwrap_err().to_string();
    assert!(copied.contains("or one is a copy of the other"), "{copied}");
    std::fs::write(folder.join("recording.json"), r#"{"artifacts": ["b.pftrace"]}"#).unwrap();
    let listed = read_paths(std::slice::from_ref(&folder)).unwrap();
    assert_eq!(names(&listed), ["b.pftrace"]);
    for bad in [r#"{"artifacts": ["../x"]}"#, r#"{"artifacts": 5}"#, "{"] {
        std::fs::write(folder.join("recording.json"), bad).unwrap();
        let error = read_paths(std::slice::from_ref(&folder)).unwrap_err();
        assert!(matches!(error, IngestError::Recording { .. }), "{error}");
    }
    let missing = read_paths(&[folder.join("none")]).unwrap_err();
    assert!(matches!(missing, IngestError::Io { .. }), "{missing}");
    assert!(matches!(read_paths(&[]), Err(IngestError::NoInput)));
    std::fs::remove_dir_all(&folder).unwrap();
}

proptest! {
    #[test]
    fn mutated_traces_never_panic(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut trace = traces::everything();
        for (place, byte) in places {
            let place = place.index(trace.len());
            trace[place] = byte;
        }
        if let Some(cut) = cut {
            trace.truncate(cut.index(trace.len()));
        }
        wire_cursor::run(&trace);
        perfetto_reader::run(&trace);
    }

    #[test]
    fn spliced_traces_never_panic(
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
    ) {
        let mut trace = traces::everything();
        let (from, to) = (from.index(trace.len()), to.index(trace.len()));
        let part = trace[from.min(to)..from.max(to)].to_vec();
        let at = at.index(trace.len());
        trace.splice(at..at, part);
        perfetto_reader::run(&trace);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        wire_cursor::run(&bytes);
        perfetto_reader::run(&bytes);
        let mut packet = wattle_wire::Writer::new();
        packet.bytes(1, &bytes);
        perfetto_reader::run(packet.as_bytes());
    }
}
