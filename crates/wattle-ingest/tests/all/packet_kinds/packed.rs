//! Packets that are packed into one, by zlib and by zstd, and bombs of them.

use std::io::Read;

use wattle_ingest::{IngestError, read_bytes};

use super::{notes, read};
use crate::traces::Trace;

const ZLIB: u32 = 50;
const ZSTD: u32 = 133;
/// The window of zstd's highest level: 128 MiB.
const LARGEST_WINDOW: u8 = (27 - 10) << 3;

/// A frame of zstd (RFC 8878) with a window and blocks of its own: kind (0 as it is, 1 one byte repeated), size, content.
fn frame(window: u8, blocks: &[(u32, u32, &[u8])]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, window];
    for (index, (kind, size, content)) in blocks.iter().enumerate() {
        let is_last = u32::from(index + 1 == blocks.len());
        frame.extend(&(is_last | kind << 1 | size << 3).to_le_bytes()[..3]);
        frame.extend(*content);
    }
    frame
}

fn zstd(content: &[u8]) -> Vec<u8> {
    frame(LARGEST_WINDOW, &[(0, content.len() as u32, content)])
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    flate2::read::ZlibEncoder::new(content, flate2::Compression::best())
        .read_to_end(&mut packed)
        .unwrap();
    packed
}

fn battery(time: u64) -> Vec<u8> {
    Trace::default().at(time, 38, |battery| battery.int(3, -5)).bytes()
}

fn packed(trace: Trace, field: u32, content: &[u8]) -> Trace {
    trace.packet(|packet| packet.bytes(field, content))
}

fn samples(trace: Trace) -> (Vec<i64>, Vec<(String, u64)>) {
    let timeline = read(trace);
    let batteries = timeline.energy.batteries.iter().flat_map(|battery| &battery.samples);
    let times = batteries.map(|sample| sample.time.value()).collect();
    (times, notes(&timeline).into_iter().map(|(code, count)| (code.to_owned(), count)).collect())
}

#[test]
fn both_packings_are_read() {
    let trace = packed(Trace::default(), ZLIB, &zlib(&battery(10)));
    let trace = packed(trace, ZSTD, &zstd(&battery(20)));
    // Two frames in one packet, and packed within packed.
    let trace = packed(trace, ZSTD, &[zstd(&battery(30)), zstd(&battery(40))].concat());
    let within = packed(Trace::default(), ZSTD, &zstd(&battery(50))).bytes();
    let (times, notes) = samples(packed(trace, ZLIB, &zlib(&within)));
    assert_eq!((times, notes), (vec![10, 20, 30, 40, 50], vec![]));
}

#[test]
fn what_does_not_unpack_is_noted() {
    let cut = zstd(&battery(20));
    let bad = [&cut[..cut.len() - 2], b"no zstd at all", &[], &cut[..5], &[0xff; 40]];
    for content in bad {
        let trace = Trace::default().at(1, 38, |battery| battery.int(3, 1));
        let (times, notes) = samples(packed(trace, ZSTD, content));
        assert_eq!(times[0], 1, "{content:?}");
        assert!(
            content.is_empty() || notes.iter().any(|(code, _)| code == "damaged"),
            "{content:?}: {notes:?}"
        );
    }
}

/// One byte repeated: 128 KiB out of 4 bytes.
fn repeated(blocks: usize) -> Vec<u8> {
    frame(LARGEST_WINDOW, &vec![(1, 128 << 10, &[0x0a][..]); blocks])
}

#[test]
fn a_bomb_is_cut_at_the_limit() {
    let started = std::time::Instant::now();
    let (_, notes) = samples(packed(Trace::default(), ZSTD, &repeated(4_000)));
    assert!(notes.iter().any(|(code, _)| code == "damaged"), "{notes:?}");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

/// A thousand bombs in a packet that is packed itself: 500 GB out of some kilobytes if nothing stopped it.
#[test]
fn bombs_within_a_packed_packet_share_one_budget() {
    let bomb = repeated(400);
    let mut inner = Trace::default();
    for _ in 0..1_000 {
        inner = packed(inner, ZSTD, &bomb);
    }
    let outer = zlib(&inner.bytes());
    assert!(outer.len() < 100_000, "{}", outer.len());
    let trace = packed(Trace::default(), ZLIB, &outer);
    let error = read_bytes("bombs", &trace.bytes()).unwrap_err();
    assert!(matches!(error, IngestError::UnpackLimit { limit: 512_000_000, .. }), "{error}");
}
