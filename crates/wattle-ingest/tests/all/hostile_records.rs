//! Damaged and malicious logs, records of probes and polled counters: never a panic, a hang or memory without bound.

use crate::counters_reader;
use crate::log_writer as writer;
use crate::logcat_reader;
use crate::navitas_reader;
use crate::probes_reader;
use crate::proc_reader;
use crate::record_writer as records;
use proptest::prelude::*;
use records::{BlockStart, Lines, MAP_ID, block, clocks_block, events_block, file};
use wattle_ingest::read_bytes;
use writer::{FORMATS, Modifiers, Record, write, write_binary};

fn record(at: i64) -> Record {
    Record {
        real: 1_640_995_199_000_000_000 + at * 300_000_000,
        monotonic: at,
        uid: Some("10088"),
        pid: 70,
        tid: 71,
        priority: 'I',
        tag: "TestRunner",
        message: "started: a(com.x.Foo)\nfinished: a(com.x.Foo)",
    }
}

fn log(format: usize, bits: u32) -> Vec<u8> {
    let is = |bit: u32| bits >> bit & 1 == 1;
    let modifiers = Modifiers {
        year: is(0),
        zone: is(1).then_some(60),
        epoch: is(2),
        monotonic: is(3),
        uid: is(4),
        digits: [3, 6, 9, 3][(bits >> 5 & 3) as usize],
        color: is(7),
        crlf: is(8),
    };
    let records = (0..8).map(record);
    match FORMATS.get(format) {
        Some(format) => {
            records.flat_map(|record| write(&record, format, modifiers).into_bytes()).collect()
        }
        None => records.flat_map(|record| write_binary(&record, bits % 4 + 1, 0)).collect(),
    }
}

fn probes() -> Vec<u8> {
    let mut bytes = file(70, "com.x", [1000, 1, 6000, 1100]);
    let records = [('E', 0, 10), ('X', 0, 20), ('E', 1, 30), ('C', 4, 40), ('B', 0, 50)];
    bytes.extend(events_block(BlockStart::main(70), &records));
    bytes.extend(clocks_block([9000, 2, 19_000, 9100]));
    bytes.extend(block("LATR", b"later"));
    bytes.extend(events_block(
        BlockStart { tid: 71, serial: 1, lost: 2, name: "other", ..BlockStart::default() },
        &[('D', 0, 5), ('R', 0, 9), ('X', 7, 9)],
    ));
    bytes.extend(events_block(BlockStart { number: 1, ..BlockStart::main(70) }, &[('U', 1, 60)]));
    bytes
}

fn probe_lines() -> Vec<u8> {
    let mut lines = Lines::new();
    let records = [('E', 0, 10), ('X', 0, 20), ('E', 1, 30), ('C', 4, 40), ('B', 0, 50)];
    let said = [
        lines.process(70, [1000, 1, 6000, 1100], "com.x"),
        lines.thread(70, 0, "main"),
        lines.events(70, 0, 0, &records),
        lines.clocks([9000, 2, 19_000, 9100]),
        lines.events(70, 0, 1, &[('U', 1, 60), ('F', 0, 60)]),
    ];
    said.iter().flat_map(|line| format!("I/wattle  (   70): {line}\n").into_bytes()).collect()
}

const COUNTERS: &str = "\
wattle-counters 1
# pid 7
@ 1.00 1700000000.5
< /proc/net/dev
 face |bytes packets|bytes packets
wlan0: 10 1 20 2
< /proc/diskstats
 8 0 sda 1 2 10 4 5 6 20 8 9 10 11
< /proc/uid_time_in_state
uid: 300000
10088: 5
< /proc/7/task/7/time_in_state
cpu0
300000 5
< !netstats
UID stats:
ident=[] uid=7 set=DEFAULT tag=0x0
st=1 rb=2 rp=3 tb=4 tp=5
> 1.01 1700000000.51
@ 2.00 -
< /proc/net/dev
 face |bytes packets|bytes packets
wlan0: 9 1 20 2
> 2.01 -
";

const NAVITAS: [&str; 2] = [
    "    Bluetooth: 0.00781 ( cpu=0.00419 bt=0.00362 )    Wifi: 0.00408 ( cpu=0.00313 wifi=0.000956 )    0.5 05-27 22:32:06.542
05-27 22:18:13.213 7 7 D TEST    : Entry a.B.c TimeInStates cpu0 400000 605 533000 159 ; cpu1 cpu2 400000 5 ;  EndOfData 0
05-27 22:18:13.413 7 7 D TEST    : Exit a.B.c TimeInStates cpu0 400000 625 533000 159 ; cpu1 400000 5 ;  EndOfData 0
",
    r#"{"tests":[{"logs":{"cpu":[{"header":{"processID":7,"threadID":8,"methodName":"a.B.c","isEntry":true,"timestamp":1622143093213},
"body":[{"component":"cpuTimeInStates","details":[{"kernel":0,"details":[{"frequency":400000,"timestamp":605}]}]}]}],
"wifi":[{"header":{"frequency":2.0,"timestamp":1622143926542},"body":{"common":0.00408,"wifi":0.000956}}]},"testName":"A.b"}]}"#,
];

const PROC: &str = "\
1700000000.5
==> /proc/net/dev <==
Inter-|   Receive  |  Transmit
 face |bytes packets|bytes packets
wlan0: 9 1 20 2
==> /sys/devices/system/cpu/cpu4/cpufreq/stats/time_in_state <==
300000 50
400000 20
";

/// Bytes put in places, a part moved, an end cut off.
fn damage(
    bytes: &mut Vec<u8>,
    places: &[(prop::sample::Index, u8)],
    cut: Option<prop::sample::Index>,
    part: (prop::sample::Index, prop::sample::Index),
) {
    for (place, byte) in places {
        let place = place.index(bytes.len());
        bytes[place] = *byte;
    }
    let (from, to) = (part.0.index(bytes.len()), part.1.index(bytes.len()));
    let copied = bytes[from.min(to)..from.max(to)].to_vec();
    if places.len().is_multiple_of(3) {
        bytes.splice(from..from, copied);
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_input_never_panics(
        kind in 0..7_u8,
        format in 0..9_usize,
        bits in 0..512_u32,
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
        part in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let mut bytes = match kind {
            0 => log(format, bits),
            1 => probes(),
            2 => probe_lines(),
            4 => PROC.as_bytes().to_vec(),
            5 | 6 => NAVITAS[usize::from(kind - 5)].as_bytes().to_vec(),
            _ => COUNTERS.as_bytes().to_vec(),
        };
        damage(&mut bytes, &places, cut, part);
        logcat_reader::run(&bytes);
        probes_reader::run(&bytes);
        counters_reader::run(&bytes);
        navitas_reader::run(&bytes);
        proc_reader::run(&bytes);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..1_000)) {
        logcat_reader::run(&bytes);
        probes_reader::run(&bytes);
        counters_reader::run(&bytes);
        navitas_reader::run(&bytes);
        proc_reader::run(&bytes);
    }

    /// A trace and records of one thread, in any order: slices nest.
    #[test]
    fn records_of_any_order_nest(
        steps in prop::collection::vec((0..8_usize, 0..3_u32, 0..3_i64), 0..200),
    ) {
        let mut time = 100;
        let records: Vec<_> = steps
            .iter()
            .map(|(kind, id, later)| {
                time += later;
                ("EXUCBFDR".as_bytes()[*kind] as char, *id, time)
            })
            .collect();
        let mut bytes = file(70, "com.x", [1000, 1, 6000, 1100]);
        bytes.extend(events_block(BlockStart::main(70), &records));
        probes_reader::run(&bytes[10..]);
        let timeline = read_bytes("a.probes", &bytes).unwrap();
        let begins = records.iter().filter(|record| "ECD".contains(record.0)).count();
        prop_assert_eq!(timeline.code.slices.len(), begins);
    }
}

/// A size declared in one line or block must not cost more than the file's own length.
#[test]
fn greedy_claims() {
    let huge = [u32::MAX.to_le_bytes(), 0_u32.to_le_bytes()].concat();
    let mut bytes = file(70, "com.x", [0; 4]);
    bytes.extend([&b"EVTS"[..], &huge].concat());
    bytes.extend(vec![0; 1000]);
    let timeline = read_bytes("a.probes", &bytes).unwrap();
    assert!(timeline.code.slices.is_empty());
    // More records announced than there are.
    let mut content = Vec::new();
    for word in [70, 0, 0, u32::MAX, 0_u32] {
        content.extend(word.to_le_bytes());
    }
    content.extend([0; 10]);
    let bytes = [file(70, "com.x", [0; 4]), block("EVTS", &content)].concat();
    let notes = &read_bytes("a.probes", &bytes).unwrap().quality.artifacts[0].notes;
    assert!(notes.iter().any(|note| note.code == "probes-damaged"), "{notes:?}");
    // Numbers of lines and times as large as they get.
    let map = &MAP_ID[..8];
    let max = u64::MAX;
    let log = format!(
        "I/wattle  (   70): E1 {map} {max} 70 0 {max} 9223372036854775807 E1.1\n\
         I/wattle  (   70): E1 {map} 18446744073709551616 70 0 0 0 E1.zzzzzzzzzzzzzzzzzzzzz\n\
         I/wattle  (   70): C1 {map} 5 -9223372036854775808 0 9223372036854775807 -9223372036854775808\n\
         I/chatty  (   70): uid=1 expire {max} lines\nI/chatty  (   70): uid=1 expire {max} lines\n"
    );
    let timeline = read_bytes("log", log.as_bytes()).unwrap();
    assert_eq!(timeline.quality.artifacts[0].lost_events, max);
}

/// Time grows with length, not with its square.
#[test]
fn long_lines_and_deep_stacks() {
    let megabyte = 1 << 20;
    for byte in ["(", ")", "/", ":", " ", "[", "\x1b[", "-", "1", "(1", "I/a(1"] {
        let line = byte.repeat(megabyte / byte.len());
        logcat_reader::run(line.as_bytes());
        logcat_reader::run(format!("I/{line}").as_bytes());
        counters_reader::run(line.as_bytes());
    }
    // Entries that are never left, then exits that reach to the bottom, and exits of nothing.
    let deep: Vec<_> = (0..200_000).map(|at| ('E', 1 + at % 7, i64::from(at))).collect();
    let mut records = vec![('C', 9, 0)];
    records.extend(&deep);
    records.extend((0..200_000).map(|at| ('X', 99, 300_000 + at)));
    records.push(('B', 0, 600_000));
    let mut bytes = file(70, "com.x", [0, 0, 0, 0]);
    bytes.extend(events_block(BlockStart::main(70), &records));
    let timeline = read_bytes("a.probes", &bytes).unwrap();
    assert_eq!(timeline.code.slices.len(), 200_001);
    let quality = &timeline.quality.artifacts[0];
    let count =
        |code: &str| quality.notes.iter().find(|note| note.code == code).map(|note| note.count);
    assert_eq!(
        (count("probe-exit-missing"), count("probe-exit-unmatched")),
        (Some(200_000), Some(200_000))
    );
}
