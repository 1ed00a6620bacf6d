//! Bad input through the public interface: a clear error or a partial result that says what is missing;
//! never a panic, a hang or memory without bound.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

#[path = "hostile/archive.rs"]
mod archive;
#[path = "support/build.rs"]
mod build;
#[path = "hostile/memory.rs"]
mod memory;
#[path = "hostile/noise.rs"]
mod noise;
#[path = "support/split.rs"]
mod split;

use archive::{Entry, gzip, zip};
use build::{bundle, bytes, cpu_frequency, event, number, packet, print, varint};
use noise::{Random, claimed};
use wattle_ingest::{IngestError, read_bytes, read_paths};
use wattle_timeline::{SliceScope, Timeline};

const PIXEL: &str = "perfetto/api32_startup_warm_pixel6a.perfetto-trace";
const SMALL: &str = "perfetto/emanafa/trace-1626775333-1614351254.0";

/// What must hold of any timeline, however bad the input was.
#[track_caller]
fn check_sane(timeline: &Timeline, context: &str) {
    let window = timeline.window;
    assert!(window.start <= window.end, "{context}: {window:?}");
    assert!(!timeline.threads.is_empty() && timeline.threads[0].tid.0 == 0, "{context}");
    for thread in &timeline.threads {
        let known = thread.process.is_none_or(|p| p.index() < timeline.processes.len());
        assert!(known, "{context}: {thread:?}");
    }
    for cpu in &timeline.cpus {
        let mut end = wattle_units::BootNanos::MIN;
        for slice in cpu.sched.iter() {
            assert!(end <= slice.window.start && !slice.window.is_empty(), "{context}: {slice:?}");
            assert!(slice.thread.index() < timeline.threads.len(), "{context}: {slice:?}");
            end = slice.window.end;
        }
    }
    let covered: u64 = timeline.slices.tracks.iter().map(|track| u64::from(track.count)).sum();
    assert_eq!(covered, timeline.slices.len() as u64, "{context}: slices outside tracks");
    for rail in &timeline.rails {
        assert_eq!(rail.time.len(), rail.energy.len(), "{context}");
    }
}

/// Reads bytes that are damaged; whatever comes out must be sane.
#[track_caller]
fn survive(name: &str, bytes: &[u8]) -> Result<Timeline, IngestError> {
    let result = read_bytes(name, bytes);
    match &result {
        Ok(timeline) => check_sane(timeline, name),
        Err(error) => assert!(!error.to_string().is_empty(), "{name}: an error without words"),
    }
    result
}

/// The error that input of a wrong kind gives: one line that has the word.
#[track_caller]
fn refuse(name: &str, bytes: &[u8], words: &[&str]) {
    let error = read_bytes(name, bytes).expect_err("this is no trace").to_string();
    assert_eq!(error.lines().count(), 1, "{error}");
    let lower = error.to_lowercase();
    assert!(words.iter().any(|word| lower.contains(&word.to_lowercase())), "{words:?}: {error}");
}

/// Notes of a timeline's artifacts, as code, offset and text.
fn notes(timeline: &Timeline) -> Vec<(String, Option<u64>, String)> {
    let notes = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    notes.map(|note| (note.code.clone(), note.offset, note.text.clone())).collect()
}

fn records(timeline: &Timeline) -> u64 {
    timeline.quality.artifacts.iter().map(|artifact| artifact.records).sum()
}

/// What two timelines of the same bytes have in common.
fn summary(timeline: &Timeline) -> impl PartialEq + std::fmt::Debug + use<> {
    let sched: Vec<_> = timeline.cpus.iter().map(|cpu| cpu.sched.clone()).collect();
    let frequency: Vec<_> = timeline.cpus.iter().map(|cpu| cpu.frequency.clone()).collect();
    let sizes = (timeline.slices.len(), timeline.counters.len(), timeline.wakeups.len());
    (timeline.window, sched, frequency, sizes, timeline.rails.clone(), timeline.threads.clone())
}

#[test]
fn empty_file() {
    refuse("empty.perfetto-trace", b"", &["empty"]);
    refuse("empty.gz", &gzip(b""), &["empty"]);
}

#[test]
fn files_of_another_kind_are_named() {
    let jpeg = [&b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"[..], &[0; 400]].concat();
    refuse("photo.jpg", &jpeg, &["JPEG"]);
    refuse("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01", &["PNG"]);
    refuse("page.html", b"<!DOCTYPE html>\n<html><body>404</body></html>\n", &["HTML"]);
    refuse("notes.txt", b"These are the notes of a meeting, nothing else.\n", &["text"]);
}

/// None of the other formats of the field is taken for a trace: profiles, bytecode, packages, logs, ETW, text.
#[test]
fn real_files_of_other_kinds() {
    let Some(root) = wattle_testdata::root() else { return };
    let mut folders = vec![root];
    let (mut tried, mut taken) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let perfetto =
                ["perfetto-trace", "pftrace", "0"].map(|end| name.ends_with(&format!(".{end}")));
            if perfetto.contains(&true) {
                continue;
            }
            tried += 1;
            match survive(&name, &std::fs::read(&path).unwrap()) {
                Ok(_) => taken.push(path),
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.lines().count() == 1 && error.len() < 400, "{error}");
                }
            }
        }
    }
    assert!(tried > 150, "{tried} files");
    assert!(taken.is_empty(), "taken for traces: {taken:?}");
}

#[test]
fn a_file_that_is_not_there() {
    let path = std::path::PathBuf::from("/no/such/folder/trace.perfetto-trace");
    let error = read_paths(&[path]).expect_err("the file is not there").to_string();
    assert!(error.contains("/no/such/folder/trace.perfetto-trace"), "{error}");
}

#[test]
fn paths_and_bytes_give_the_same() {
    let Some(path) = wattle_testdata::find(SMALL) else { return };
    let bytes = std::fs::read(&path).unwrap();
    let (by_path, by_bytes) = (read_paths(&[path]).unwrap(), read_bytes(SMALL, &bytes).unwrap());
    assert_eq!(summary(&by_path), summary(&by_bytes));
}

/// Real traces cut at every hundredth of their length. A longer piece never says less, and a cut inside a
/// packet is said, with where it is.
#[test]
fn truncated_at_every_hundredth() {
    for path in [PIXEL, SMALL, "perfetto/power_rails_pixel6pro.perfetto-trace"] {
        let Some(whole) = wattle_testdata::read(path) else { return };
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

/// Where each packet of a trace ends.
fn ends_of(trace: &[u8]) -> Vec<usize> {
    split::packets(trace).into_iter().map(|packet| packet.end).collect()
}

/// Small traces cut at every single byte.
#[test]
fn truncated_at_every_byte() {
    for (name, trace) in small_traces() {
        for cut in 0..trace.len() {
            let _ = survive(&format!("{name} cut at {cut}"), &trace[..cut]);
        }
    }
}

/// Every single bit of small traces, flipped.
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
    let Some(folder) = wattle_testdata::find("perfetto/diff_tests") else { return Vec::new() };
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
#[test]
fn some_bits_flipped() {
    let mut random = Random(0x5eed);
    for (path, rounds) in [(SMALL, 400), (PIXEL, 40)] {
        let Some(whole) = wattle_testdata::read(path) else { return };
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

/// The same bytes give the same timeline, to the last digit of it.
#[test]
fn the_same_every_time() {
    for path in [SMALL, PIXEL] {
        let Some(trace) = wattle_testdata::read(path) else { return };
        let [one, other] = [(); 2].map(|()| format!("{:?}", read_bytes(path, &trace).unwrap()));
        assert!(one == other, "{path} differs from itself");
    }
}

/// The recorder writes each CPU's buffer on its own, so packets come in no order of time. Whatever the order of
/// the CPUs, the timeline is the same.
#[test]
fn the_order_of_cpus_in_the_file_means_nothing() {
    let Some(trace) = wattle_testdata::read(PIXEL) else { return };
    let expected = read_bytes(PIXEL, &trace).unwrap();
    let packets: Vec<_> = split::packets(&trace).into_iter().map(|range| &trace[range]).collect();
    let cpus = 0..8;
    let reorders: [Vec<u64>; 2] = [cpus.clone().collect(), cpus.rev().collect()];
    for order in reorders {
        let first = |packet: &&&[u8]| split::bundle_cpu(packet).is_none();
        let mut reordered: Vec<&[u8]> = packets.iter().filter(first).copied().collect();
        for cpu in &order {
            let of_cpu = packets.iter().filter(|packet| split::bundle_cpu(packet) == Some(*cpu));
            reordered.extend(of_cpu.copied());
        }
        assert_eq!(reordered.len(), packets.len());
        let found = survive(&format!("CPUs in the order {order:?}"), &reordered.concat()).unwrap();
        assert_eq!(found.window, expected.window);
        for (cpu, (found, expected)) in found.cpus.iter().zip(&expected.cpus).enumerate() {
            assert_eq!(found.sched.len(), expected.sched.len(), "CPU {cpu}");
            assert_eq!(found.frequency, expected.frequency, "CPU {cpu}");
            assert_eq!(found.idle, expected.idle, "CPU {cpu}");
        }
        let [found, expected] = [&found, &expected].map(described);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "CPUs in the order {order:?}");
        }
        assert_eq!(found.len(), expected.len());
    }
}

/// Threads and slices in words that do not depend on the order in which they were met.
fn described(timeline: &Timeline) -> Vec<String> {
    let name = |name: Option<wattle_timeline::NameId>| name.map(|name| timeline.names.get(name));
    let pid =
        |id: Option<wattle_timeline::ProcessId>| id.map(|id| timeline.processes[id.index()].pid);
    let mut lines: Vec<_> = timeline
        .threads
        .iter()
        .map(|t| format!("{} {:?} {:?} {:?}", t.tid, pid(t.process), name(t.name), t.start))
        .collect();
    for track in &timeline.slices.tracks {
        let owner = match track.scope {
            SliceScope::Thread(id) => format!("thread {}", timeline.threads[id.index()].tid),
            SliceScope::Process(id) => format!("process {}", timeline.processes[id.index()].pid),
            SliceScope::Cpu(id) => format!("CPU {id}"),
            SliceScope::Global => "global".to_owned(),
        };
        for slice in timeline.slices.of(track) {
            let text = timeline.names.get(slice.name);
            let times = (slice.start.value(), slice.end.value());
            lines.push(format!("{owner} {times:?} {text} {}", slice.depth));
        }
    }
    lines.sort_unstable();
    lines
}

/// A damaged packet does not cost the packets around it: the rest of the file is read.
#[test]
fn a_damaged_packet_costs_only_itself() {
    let Some(whole) = wattle_testdata::read(SMALL) else { return };
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

/// Numbers at the ends of their ranges where a reader might take them for an index, a size or a time.
#[test]
fn numbers_at_the_ends_of_their_ranges() {
    let extremes = [0, 1, 1 << 31, (1 << 32) - 1, 1 << 32, i64::MAX as u64, 1 << 63, u64::MAX];
    for big in extremes {
        let context = format!("{big:#x}");
        for time in extremes {
            let trace = [
                bundle(0, &[cpu_frequency(time, big, big)]),
                bundle(0, &[print(time, big, "B|1|x"), print(big, big, "E|1")]),
                bundle(0, &[print(time, 1, "C|1|x|9223372036854775807")]),
                bundle(big, &[cpu_frequency(time, 0, 1)]),
                // Two clock snapshots (field 6) that disagree by more than a clock can say.
                packet(&[bytes(
                    6,
                    &[
                        bytes(1, &[number(1, 6), number(2, big)].concat()),
                        bytes(1, &[number(1, 3), number(2, time)].concat()),
                    ]
                    .concat(),
                )]),
                packet(&[number(8, big), number(58, 3), bytes(5, &number(1, big))]),
                // A power rail (field 40) whose index and energy are extreme.
                packet(&[
                    number(8, time),
                    bytes(
                        40,
                        &bytes(2, &[number(1, big), number(2, big), number(3, big)].concat()),
                    ),
                ]),
            ];
            let _ = survive(&format!("{context} at {time:#x}"), &trace.concat());
        }
    }
}

#[test]
fn deep_nesting() {
    // Groups in groups (wire type 3), never closed.
    let _ = survive("groups", &vec![0x0b; 1 << 20]);
    let _ = survive("groups in a packet", &packet(&[vec![0x0b; 1 << 20]]));
    // Messages in messages: debug annotations (field 4 of track_event, 11 of a packet) whose dictionary (11)
    // holds a dictionary, and so on.
    for field in [11, 12, 9, 1] {
        let mut inner = number(2, 1);
        for _ in 0..20_000 {
            inner = bytes(field, &inner);
        }
        let _ = survive("annotations", &packet(&[number(8, 1), bytes(11, &bytes(4, &inner))]));
        let _ = survive("packets in packets", &inner);
    }
}

/// More sections inside each other than a depth can count, then their ends.
#[test]
fn more_sections_than_a_depth_can_count() {
    let count = 70_000;
    let begin = (0..count).map(|i| print(10 + i, 7, "B|7|deep"));
    let end = (0..count).map(|i| print(10 + count + i, 7, "E|7"));
    let trace = bundle(0, &begin.chain(end).collect::<Vec<_>>());
    let timeline = survive("deep sections", &trace).unwrap();
    let slices = &timeline.slices;
    assert_eq!(slices.len(), count as usize);
    assert!((0..slices.len()).all(|i| !slices.get(i).unwrap().is_unfinished()));
}

/// Work that must not grow with the square of the input: many of everything that is looked up.
#[test]
fn many_of_everything() {
    let count = 60_000;
    let mut events: Vec<_> = (0..count).map(|i| print(1 + i, i, &format!("B|{i}|a{i}"))).collect();
    events.extend((0..count).map(|i| print(count + i, 1, &format!("S|1|work|{i}"))));
    events.extend((0..count).map(|i| print(2 * count + i, 1, &format!("C|1|counter{i}|{i}"))));
    let timeline = survive("many", &bundle(0, &events)).unwrap();
    assert_eq!(timeline.slices.len(), 2 * count as usize);
    assert_eq!(timeline.counters.len(), count as usize);
}

/// Compressed input gives what the same bytes give uncompressed.
#[test]
fn archives_of_a_trace() {
    let Some(trace) = wattle_testdata::read(SMALL) else { return };
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

#[test]
fn damaged_gzip() {
    let Some(trace) = wattle_testdata::read(SMALL) else { return };
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

#[test]
fn damaged_zip() {
    let Some(trace) = wattle_testdata::read(SMALL) else { return };
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
#[test]
fn paths_out_of_the_archive() {
    let Some(trace) = wattle_testdata::read(SMALL) else { return };
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

/// Input that claims or unpacks to far more than it is, and the memory that reading it may take.
const GREEDY: &[(&str, u64)] = &[
    ("a length of 4 GiB", 48 << 20),
    ("a length of 2^63", 48 << 20),
    ("lengths of 4 GiB inside", 48 << 20),
    ("a CPU number of 4 billion", 48 << 20),
    ("a zip bomb", 1 << 30),
    ("a zip bomb of packets", 1 << 30),
    ("a zip bomb that claims little", 1 << 30),
    ("a gzip bomb", 1 << 30),
    ("a zip in a zip in a zip", 64 << 20),
];

fn greedy(case: &str) -> Vec<u8> {
    let bomb_entry = |block: &[u8]| {
        let data = archive::bomb(block, 512);
        let name = "trace.perfetto-trace".to_owned();
        Entry { name, flags: 0, method: 8, crc: 0, data, size: u32::MAX }
    };
    match case {
        "a length of 4 GiB" => {
            [bundle(0, &[cpu_frequency(1, 0, 1)]), claimed(1, u64::from(u32::MAX), &[0; 100])]
                .concat()
        }
        "a length of 2^63" => {
            [bundle(0, &[cpu_frequency(1, 0, 1)]), claimed(1, 1 << 63, &[0; 100])].concat()
        }
        "lengths of 4 GiB inside" => (1..200)
            .flat_map(|field| {
                let inner = claimed(field, u64::from(u32::MAX), &[1; 20]);
                let event = [number(1, 1), number(2, 1), inner.clone()].concat();
                [packet(&[number(8, 1), inner]), bundle(0, &[event])].concat()
            })
            .collect(),
        "a CPU number of 4 billion" => {
            let mut random = Random(9);
            let mut trace = Vec::new();
            for round in 0..2000 {
                let cpu = if round < 8 { 0xffff_ffff - round } else { random.next() >> 32 };
                trace.extend(bundle(cpu, &[cpu_frequency(round, cpu, 1)]));
                // cpu_idle (field 13): state and CPU; sched_waking (20): thread and target CPU.
                let idle = event(round, 0, 13, &[number(1, 1), number(2, cpu)]);
                let waking = event(round, 0, 20, &[number(2, 5), number(5, cpu)]);
                trace.extend(bundle(0, &[idle, waking]));
            }
            trace
        }
        "a zip bomb" => zip(&[bomb_entry(&vec![0; 16 << 20])]),
        "a zip bomb that claims little" => {
            zip(&[Entry { size: 1000, ..bomb_entry(&vec![0x0a; 16 << 20]) }])
        }
        "a zip bomb of packets" => {
            let packets = bundle(0, &[cpu_frequency(1, 0, 1)]);
            let mut block = packets.repeat((16 << 20) / packets.len());
            block.resize(16 << 20, 0);
            zip(&[bomb_entry(&block)])
        }
        "a gzip bomb" => {
            let body = archive::bomb(&vec![0x0a; 16 << 20], 512);
            [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], &body, &[0; 8]].concat()
        }
        "a zip in a zip in a zip" => {
            let trace = bundle(0, &[cpu_frequency(1, 0, 1)]);
            let mut archive = zip(&[Entry::stored("trace.perfetto-trace", &trace)]);
            for _ in 0..200 {
                archive = zip(&[Entry::stored("inner.zip", &archive)]);
            }
            archive
        }
        case => panic!("unknown case {case}"),
    }
}

/// Not a test of its own: runs one greedy case when asked to by [`memory_is_bounded`].
#[test]
fn child_of_memory_is_bounded() {
    let Some(case) = memory::case() else { return };
    let input = greedy(&case);
    let before = memory::peak().unwrap_or(0);
    let result = survive(&case, &input);
    let after = memory::peak().unwrap_or(0);
    let said = match &result {
        Ok(timeline) => notes(timeline).len(),
        Err(_) => 1,
    };
    println!("answer:{} {} {said}", after.saturating_sub(before), input.len());
}

#[test]
fn memory_is_bounded() {
    if memory::case().is_some() || memory::peak().is_none() {
        return;
    }
    for (case, bound) in GREEDY {
        let answer = memory::run("child_of_memory_is_bounded", case);
        let figures: Vec<u64> = answer.split(' ').map(|figure| figure.parse().unwrap()).collect();
        let [taken, input, said] = figures[..] else { panic!("{answer}") };
        assert!(taken <= bound + input, "{case}: {taken} bytes of memory for {input} of input");
        assert!(said > 0 || *case == "a CPU number of 4 billion", "{case}: nothing was said of it");
    }
}

/// What comes before a length field that cannot be true is kept, and the field's place is said.
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
