//! Compressed recordings, whole, damaged and malicious.

use wattle_ingest::read_bytes;

use super::archive::{Entry, gzip, zip};
use super::noise::Random;
use super::{SMALL, notes, records, refuse, summary, survive};
use wattle_testdata::requires;

/// Compressed input gives what the same bytes give uncompressed.
#[requires(data)]
#[test]
fn archives_of_a_trace() {
    let trace = wattle_testdata::bytes(SMALL);
    let expected = summary(&read_bytes(SMALL, &trace).unwrap());
    let (left, right) = trace.split_at(trace.len() / 2);
    let archives = [
        ("trace.gz", gzip(&trace)),
        ("two members.gz", [gzip(left), gzip(right)].concat()),
        ("deflated.zip", zip(&[Entry::deflated("trace.perfetto-trace", &trace)])),
        ("stored.zip", zip(&[Entry::stored("a/b/trace.pftrace", &trace)])),
    ];
    for (name, archive) in archives {
        let timeline = survive(name, &archive).unwrap();
        assert!(summary(&timeline) == expected, "{name} differs from the bare trace");
    }
}

#[requires(data)]
#[test]
fn damaged_gzip() {
    let trace = wattle_testdata::bytes(SMALL);
    let whole = gzip(&trace);
    let mut before = 0;
    for percent in 1..100 {
        let cut = whole.len() * percent / 100;
        if let Ok(timeline) = survive(&format!("gzip at {percent} %"), &whole[..cut]) {
            assert!(!notes(&timeline).is_empty(), "gzip cut at {percent} % and nothing said");
            assert!(records(&timeline) >= before, "at {percent} %");
            before = records(&timeline);
        }
    }
    let all = records(&read_bytes(SMALL, &trace).unwrap());
    assert!(before * 10 > all * 8, "99 % of a gzip file gives {before} of {all} packets");
    refuse("garbage.gz", &[&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], &[0xff; 99]].concat(), &["gzip"]);
    let trailing = [whole, b"garbage after the end".to_vec()].concat();
    let timeline = survive("trailing garbage", &trailing).unwrap();
    assert_eq!(records(&timeline), all);
}

#[requires(data)]
#[test]
fn damaged_zip() {
    let trace = wattle_testdata::bytes(SMALL);
    let archive = zip(&[Entry::deflated("trace.perfetto-trace", &trace)]);
    for percent in 0..100 {
        let _ = survive(&format!("zip at {percent} %"), &archive[..archive.len() * percent / 100]);
    }
    let mut random = Random(7);
    for round in 0..300 {
        let mut damaged = archive.clone();
        let at = match round % 3 {
            0 => random.below(60),
            1 => damaged.len() - 1 - random.below(90),
            _ => random.below(damaged.len()),
        };
        damaged[at] ^= 1 << random.below(8);
        let _ = survive(&format!("zip, round {round}"), &damaged);
    }
    let wrong = Entry { crc: 1, ..Entry::deflated("trace.perfetto-trace", &trace) };
    if let Ok(timeline) = survive("wrong checksum", &zip(&[wrong])) {
        assert!(!notes(&timeline).is_empty(), "a wrong checksum and nothing said");
    }
    refuse("no trace.zip", &zip(&[Entry::stored("readme.txt", b"hello")]), &["trace", "artifact"]);
    refuse("nothing.zip", &zip(&[]), &["empty", "no ", "nothing"]);
}

#[test]
fn encrypted_zip() {
    let mut random = Random(3);
    let entry = Entry { flags: 1, ..Entry::stored("a.perfetto-trace", &random.bytes(400)) };
    refuse("secret.zip", &zip(&[entry]), &["encrypt", "password"]);
}

/// Names that lead out of the archive are names, nothing else: no file is written or read because of them.
#[requires(data)]
#[test]
fn paths_out_of_the_archive() {
    let trace = wattle_testdata::bytes(SMALL);
    let mark = format!("wattle-escape-{}.perfetto-trace", std::process::id());
    for name in [
        format!("../../../../../../../../tmp/{mark}"),
        format!("/tmp/{mark}"),
        format!("..\\..\\{mark}"),
        format!("a/./../../{mark}"),
        "nul\0byte.perfetto-trace".to_owned(),
    ] {
        let result = survive(&name, &zip(&[Entry::deflated(&name, &trace)]));
        if let Ok(timeline) = result {
            assert_eq!(timeline.cpus.len(), read_bytes(SMALL, &trace).unwrap().cpus.len());
        }
    }
    let written =
        ["/tmp", ".", "..", "../.."].map(|folder| std::path::Path::new(folder).join(&mark));
    assert!(written.iter().all(|path| !path.exists()), "a file was written outside");
}
