//! Traces that are cut short or damaged in places.

use wattle_ingest::read_bytes;

use super::build::{bundle, bytes, cpu_frequency, event, number, packet, varint};
use super::noise::{Random, claimed};
use super::{PIXEL, SMALL, notes, records, split, survive};
use wattle_testdata::requires;

/// Real traces cut at every hundredth of their length. A longer piece never says less, and a cut inside a
/// packet is said, with where it is.
#[requires(data)]
#[test]
fn truncated_at_every_hundredth() {
    for path in [PIXEL, SMALL, "perfetto/power_rails_pixel6pro.perfetto-trace"] {
        let whole = wattle_testdata::bytes(path);
        let ends = ends_of(&whole);
        let mut before = 0;
        for percent in 1..=100 {
            let cut = whole.len() * percent / 100;
            let context = format!("{path} at {percent} %");
            let timeline = match survive(&context, &whole[..cut]) {
                Ok(timeline) => timeline,
                Err(error) => {
                    let first = ends[0];
                    assert!(cut < first, "{context}: {error}, though {first} bytes make a packet");
                    continue;
                }
            };
            let count = records(&timeline);
            let complete = ends.iter().filter(|end| **end <= cut).count() as u64;
            assert!(count >= before, "{context}: {count} records after {before}");
            assert!(
                count == complete || count == complete + 1,
                "{context}: {count} records of {complete} complete packets"
            );
            before = count;
            let inside = !ends.contains(&cut);
            let last = ends.iter().filter(|end| **end <= cut).max().copied().unwrap_or(0) as u64;
            let said = notes(&timeline).iter().any(|(_, offset, _)| {
                offset.is_some_and(|offset| offset >= last && offset <= cut as u64)
            });
            assert_eq!(said, inside, "{context}: cut inside a packet: {:?}", notes(&timeline));
        }
    }
}

/// Returns the end of each packet of a trace.
fn ends_of(trace: &[u8]) -> Vec<usize> {
    split::packets(trace).into_iter().map(|packet| packet.end).collect()
}

/// Small traces cut at every single byte.
#[requires(data)]
#[test]
fn truncated_at_every_byte() {
    for (name, trace) in small_traces() {
        for cut in 0..trace.len() {
            let _ = survive(&format!("{name} cut at {cut}"), &trace[..cut]);
        }
    }
}

/// Every single bit of small traces, flipped.
#[requires(data)]
#[test]
fn every_bit_flipped() {
    for (name, mut trace) in small_traces() {
        for bit in 0..trace.len() * 8 {
            trace[bit / 8] ^= 1 << (bit % 8);
            let _ = survive(&format!("{name} with bit {bit} flipped"), &trace);
            trace[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

fn small_traces() -> Vec<(String, Vec<u8>)> {
    let folder = wattle_testdata::path("perfetto/diff_tests");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut traces: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "pftrace"))
        .map(|path| (path.display().to_string(), std::fs::read(&path).unwrap()))
        .collect();
    traces.sort_unstable();
    assert!(traces.len() > 40, "{}", traces.len());
    traces
}

/// Large traces with bits flipped here and there.
#[requires(data)]
#[test]
fn some_bits_flipped() {
    let mut random = Random(0x5eed);
    for (path, rounds) in [(SMALL, 400), (PIXEL, 40)] {
        let whole = wattle_testdata::bytes(path);
        for round in 0..rounds {
            let mut trace = whole.clone();
            for _ in 0..=random.below(12) {
                let at = random.below(trace.len());
                trace[at] ^= 1 << random.below(8);
            }
            let _ = survive(&format!("{path}, round {round} of flipped bits"), &trace);
        }
    }
}

/// A damaged packet does not cost the packets around it: the rest of the file is read.
#[requires(data)]
#[test]
fn a_damaged_packet_costs_only_itself() {
    let whole = wattle_testdata::bytes(SMALL);
    let healthy = read_bytes(SMALL, &whole).unwrap();
    let ends = ends_of(&whole);
    let (start, end) = (ends[60], ends[61]);
    let mut damaged = whole.clone();
    // Its length stands; its content is fields of the wire type that does not exist.
    let header = if end - start > 129 { 3 } else { 2 };
    damaged[start + header..end].fill(0xff);
    let timeline = survive("one packet of 0xff", &damaged).unwrap();
    assert!(records(&timeline) + 1 >= records(&healthy), "{}", records(&timeline));
    assert_eq!(timeline.window.end, healthy.window.end);
    let place = start as u64..=end as u64;
    let said = notes(&timeline);
    assert!(said.iter().any(|(_, at, _)| at.is_some_and(|at| place.contains(&at))), "{said:?}");
}

#[test]
fn random_bytes() {
    let mut random = Random(1);
    for round in 0..3000 {
        let length = random.below(1 << (1 + round % 12));
        let noise = random.bytes(length);
        let _ = survive(&format!("noise {round}"), &noise);
        // The same as the content of a packet, of a bundle and of an event, so that inner readers see it.
        let _ = survive(&format!("packet of noise {round}"), &packet(std::slice::from_ref(&noise)));
        let _ =
            survive(&format!("bundle of noise {round}"), &bundle(0, std::slice::from_ref(&noise)));
        let kind = 1 + random.next() % 600;
        let inner = bundle(0, &[event(round, 1, kind, std::slice::from_ref(&noise))]);
        let _ = survive(&format!("event {kind} of noise {round}"), &inner);
        let inner = packet(&[number(8, round), bytes(1 + random.next() % 120, &noise)]);
        let _ = survive(&format!("field of noise {round}"), &inner);
    }
}

/// Packets before an impossible length field are kept, and the field's place is reported.
#[test]
fn what_precedes_a_false_length_is_kept() {
    for length in [u64::from(u32::MAX), 1 << 40, 1 << 63, u64::MAX] {
        let good = bundle(0, &[cpu_frequency(5, 2, 300_000)]);
        let trace = [good.clone(), claimed(1, length, b"short")].concat();
        let timeline = survive(&format!("length {length:#x}"), &trace).unwrap();
        assert_eq!(timeline.cpus[2].frequency.values().first().unwrap().kilohertz(), 300_000);
        let notes = notes(&timeline);
        let place = good.len() as u64..=trace.len() as u64;
        assert!(
            notes.iter().any(|(_, at, _)| at.is_some_and(|at| place.contains(&at))),
            "{notes:?}"
        );
    }
    // A varint that never ends.
    let good = bundle(0, &[cpu_frequency(5, 2, 300_000)]);
    let trace = [good, vec![0x0a], vec![0xff; 20]].concat();
    let timeline = survive("an endless varint", &trace).unwrap();
    assert_eq!(timeline.cpus[2].frequency.len(), 1);
    assert!(!notes(&timeline).is_empty());
    assert_eq!(varint(300), [0xac, 0x02], "the builder's varints are those of the format");
}
