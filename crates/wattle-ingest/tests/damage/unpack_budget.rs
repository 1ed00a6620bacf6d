//! Packed input that unpacks to more than its budget is refused, in whatever it is packed.

use std::io::{Read as _, Write as _};

use wattle_import::UnpackBudget;
use wattle_ingest::{IngestError, ReadOptions, read_all_bytes_as};
use wattle_testdata::requires;

/// Bytes that the input may unpack to.
const LIMIT: u64 = 100_000;

fn read(name: &str, bytes: &[u8], unpack_limit: Option<u64>) -> Result<(), IngestError> {
    let options =
        ReadOptions { unpacking: UnpackBudget::new(unpack_limit), ..ReadOptions::default() };
    read_all_bytes_as(&[(name, bytes)], &options).map(|_| ())
}

/// The input is read within the default budget, and refused by a smaller one.
#[track_caller]
fn check(name: &str, bytes: &[u8]) {
    read(name, bytes, None).expect("it is read");
    let error = read(name, bytes, Some(LIMIT)).expect_err("more than the budget");
    assert!(matches!(error, IngestError::UnpackLimit { limit: LIMIT, .. }), "{error}");
    let text = error.to_string();
    assert!(text.starts_with(name) && text.contains("--unpack-limit"), "{text}");
}

fn log(lines: usize) -> Vec<u8> {
    b"07-01 12:00:00.000  1000  1000 I tag     : message\n".repeat(lines)
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(content, flate2::Compression::fast());
    encoder.read_to_end(&mut packed).expect("memory can be read");
    packed
}

fn archive(members: &[&[u8]]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (nth, member) in members.iter().enumerate() {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(format!("{nth}.txt"), options).expect("a member");
        archive.write_all(member).expect("memory can be written");
    }
    archive.finish().expect("an archive").into_inner()
}

/// A trace of this number of packed packets, each of which is `inner` packets.
fn packed_packets(outer: usize, inner: usize) -> Vec<u8> {
    // Time 5.
    let packets = [0x0a, 2, 0x40, 5].repeat(inner);
    let mut packed = Vec::new();
    let mut encoder = flate2::read::ZlibEncoder::new(&*packets, flate2::Compression::fast());
    encoder.read_to_end(&mut packed).expect("memory can be read");
    let mut writer = wattle_wire::Writer::new();
    for _ in 0..outer {
        writer.message(1, |packet| packet.bytes(50, &packed));
    }
    writer.into_bytes()
}

#[test]
fn streams_and_archives_share_the_budget() {
    check("log.txt.gz", &gzip(&log(5_000)));
    check("logs.zip", &archive(&[&log(1_500), &log(1_500)]));
    check("packed-logs.zip", &archive(&[&gzip(&log(5_000))]));
    // Below the limit.
    assert!(read("log.txt.gz", &gzip(&log(1_500)), Some(LIMIT)).is_ok());
    // What is not packed has no budget.
    assert!(read("log.txt", &log(5_000), Some(LIMIT)).is_ok());
}

#[test]
fn packed_packets_share_the_budget() {
    check("trace.perfetto-trace", &packed_packets(3, 1_000));
    assert!(read("trace.perfetto-trace", &packed_packets(1, 1_000), Some(LIMIT)).is_ok());
    // Nothing of what small files unpack to takes long.
    let bomb = packed_packets(100, 10_000_000);
    let error = read("bomb.perfetto-trace", &bomb, None).expect_err("more than the budget");
    assert!(matches!(error, IngestError::UnpackLimit { .. }), "{error}");
}

/// Files that are not packed as a whole count with what their parts unpack to.
#[requires(data)]
#[test]
fn packed_records_and_texts_share_the_budget() {
    for path in [
        "perfdata/linux-perf-data-sleep.compressed.data",
        "perfdata/linux-perf-data-sleep.compressed2.data",
        "systrace/catapult-compressed_atrace_data.txt",
    ] {
        let bytes = wattle_testdata::bytes(path);
        read(path, &bytes, None).expect("it is read");
        let error = read(path, &bytes, Some(1000)).expect_err("more than the budget");
        assert!(matches!(error, IngestError::UnpackLimit { limit: 1000, .. }), "{error}");
    }
}

#[test]
fn members_of_archives_cost_more_than_their_bytes() {
    let member = log(1);
    let members = vec![member.as_slice(); 100];
    let archive = archive(&members);
    assert!(read("logs.zip", &archive, Some(2_000_000)).is_ok());
    let error = read("logs.zip", &archive, Some(1_000_000)).expect_err("more than the budget");
    assert!(matches!(error, IngestError::UnpackLimit { .. }), "{error}");
}
