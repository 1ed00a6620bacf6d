//! The kernel's trace as text: real files, whose figures were counted apart from this reader (by regular expressions in another
//! language), and damage that tools did to them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

use std::collections::BTreeMap;
use std::io::Read;

use wattle_testdata::requires;
use wattle_timeline::{ThreadId, Timeline};

/// Expected counts of a file.
struct Counted<'a> {
    /// Events that are used and those that are not, by name.
    used: &'a [(&'a str, u64)],
    unread: &'a [(&'a str, u64)],
    /// Numbers of threads and processes that any line names, the idle task's too.
    threads: usize,
    cpus: &'a [usize],
    /// First and last time, microseconds.
    window: (i64, i64),
    /// Time of threads on CPUs whose coming and leaving is in the trace, microseconds.
    busy: i64,
    /// Marks that begin something in a thread or asynchronously.
    slices: usize,
    lost: u64,
}

fn timeline(file: &str) -> Timeline {
    wattle_ingest::read_paths(&[wattle_testdata::path(file)]).unwrap()
}

fn counts(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
    pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[track_caller]
fn check(file: &str, expected: &Counted<'_>) {
    let timeline = timeline(file);
    let [artifact] = timeline.quality.artifacts.as_slice() else {
        panic!("one artifact in {file}")
    };
    assert_eq!(artifact.format, "ftrace", "{file}");
    assert_eq!(artifact.events, counts(expected.used), "{file}");
    assert_eq!(artifact.unread, counts(expected.unread), "{file}");
    let all = artifact.events.values().chain(artifact.unread.values()).sum::<u64>();
    let of_no_event = artifact.unread.get("part in Chrome's JSON format").unwrap_or(&0);
    assert_eq!(artifact.records, all - of_no_event, "{file}");
    assert_eq!(artifact.lost_events, expected.lost, "{file}");
    assert_eq!(timeline.tasks.threads.len(), expected.threads, "{file}");
    let window = (timeline.window.start.value() / 1000, timeline.window.end.value() / 1000);
    assert_eq!(window, expected.window, "{file}");
    let last = expected.cpus.last().map_or(0, |cpu| cpu + 1);
    assert_eq!(timeline.cpus.len(), last, "{file}");
    assert_eq!(busy(&timeline), expected.busy, "{file}");
    assert_eq!(timeline.code.slices.len(), expected.slices, "{file}");
}

/// Of threads whose coming and leaving is known.
fn busy(timeline: &Timeline) -> i64 {
    let slices = timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter());
    let ended = slices.filter(|slice| slice.thread != ThreadId::IDLE && slice.end_state.is_some());
    ended.map(|slice| slice.window.duration().value()).sum::<i64>() / 1000
}

#[requires(data)]
#[test]
fn old_page_of_systrace() {
    check(
        "systrace/catapult-android_systrace.html",
        &Counted {
            used: &[("0", 13578), ("sched_switch", 11074), ("sched_wakeup", 6827)],
            unread: &[],
            threads: 65,
            cpus: &[0, 1],
            window: (50_260_647_576, 50_265_647_792),
            busy: 1_961_777,
            slices: 5984,
            lost: 0,
        },
    );
}

#[requires(data)]
#[test]
fn lines_of_a_string() {
    check(
        "systrace/catapult-android_systrace.txt",
        &Counted {
            used: &[("sched_switch", 58), ("sched_wakeup", 33)],
            unread: &[],
            threads: 13,
            cpus: &[0],
            window: (50_260_647_576, 50_260_767_491),
            busy: 21_956,
            slices: 0,
            lost: 0,
        },
    );
}

#[requires(data)]
#[test]
fn page_with_several_parts() {
    check(
        "systrace/trappy-trace_surfaceflinger.html",
        &Counted {
            used: &[
                ("clock_set_rate", 88),
                ("cpu_frequency", 104),
                ("cpu_idle", 621),
                ("sched_blocked_reason", 31),
                ("sched_switch", 715),
                ("sched_wakeup", 421),
                ("tracing_mark_write", 160),
            ],
            unread: &[("part in Chrome's JSON format", 1), ("sugov_set_iowait_boost", 366)],
            threads: 87,
            cpus: &[0, 1, 2, 3, 4, 5, 6, 7],
            window: (538_064_659, 538_802_729),
            busy: 138_202,
            slices: 70,
            lost: 0,
        },
    );
}

#[requires(data)]
#[test]
fn marks_that_atrace_packed() {
    for file in ["compressed_atrace_data.txt", "decompressed_atrace_data.txt"] {
        check(
            &format!("systrace/catapult-{file}"),
            &Counted {
                used: &[("tracing_mark_write", 1042)],
                unread: &[],
                threads: 7,
                cpus: &[0, 1, 2, 3, 4, 5],
                window: (683_201_354_908, 683_202_352_760),
                busy: 0,
                // 463 of threads, 17 asynchronous.
                slices: 480,
                lost: 0,
            },
        );
    }
}

#[requires(data)]
#[test]
fn report_of_trace_cmd() {
    check(
        "systrace/trappy-trace.txt",
        &Counted {
            used: &[("cdev_update", 201), ("thermal_temperature", 67)],
            unread: &[
                ("thermal_power_allocator", 67),
                ("thermal_power_allocator_pid", 67),
                ("thermal_power_cpu_get_power", 134),
                ("thermal_power_cpu_limit", 134),
                ("thermal_power_devfreq_get_power", 67),
                ("thermal_power_devfreq_limit", 67),
            ],
            threads: 2,
            cpus: &[4],
            window: (1_583_765_274, 1_590_426_828),
            busy: 0,
            slices: 0,
            lost: 0,
        },
    );
    let timeline = timeline("systrace/trappy-trace.txt");
    let zone = timeline
        .system
        .counters
        .iter()
        .find(|counter| timeline.names.get(counter.name) == "soc_thermal Temperature")
        .expect("a temperature");
    assert_eq!((zone.value[0], zone.time[0].value()), (68_786.0, 1_583_765_274_000));
}

/// PETrA's own test of its reader: the start and the first frequency, in milliseconds and kilohertz.
#[requires(data)]
#[test]
fn example_of_petra() {
    const FILE: &str = "systrace/petra-systrace_example";
    check(
        FILE,
        &Counted {
            used: &[("clock_set_rate", 1196), ("cpu_frequency", 718)],
            unread: &[],
            threads: 23,
            cpus: &[0, 1, 2, 3],
            window: (25_123_208_421, 25_237_413_060),
            busy: 0,
            slices: 0,
            lost: 0,
        },
    );
    let timeline = timeline(FILE);
    assert_eq!(timeline.window.start.value() / 1_000_000, 25_123_208);
    let (time, frequency) = timeline.cpus[0].frequency.iter().next().unwrap();
    assert_eq!((time.value() / 1_000_000, frequency.kilohertz()), (25_123_208, 486_000));
}

/// The archive holds samples of a power meter beside the trace.
#[requires(data)]
#[test]
fn trace_in_an_archive() {
    const FILE: &str = "power_meter/catapult-battor-with-systrace.zip";
    let path = wattle_testdata::path(FILE);
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut text = Vec::new();
    archive.by_name("systrace.txt").unwrap().read_to_end(&mut text).unwrap();
    let alone = wattle_ingest::read_bytes("systrace.txt", &text).unwrap();
    let artifact = &alone.quality.artifacts[0];
    let used = [
        ("regulator_disable_complete", 37),
        ("regulator_enable_complete", 33),
        ("regulator_set_voltage_complete", 219),
        ("sched_switch", 44_512),
        ("sched_wakeup", 26_837),
        ("tracing_mark_write", 16_859),
    ];
    assert_eq!(artifact.events, counts(&used));
    let unread = [
        ("regulator_disable", 37),
        ("regulator_enable", 33),
        ("regulator_enable_delay", 33),
        ("regulator_set_voltage", 219),
    ];
    assert_eq!(artifact.unread, counts(&unread));
    // `entries-in-buffer/entries-written: 88819/134210`
    assert_eq!((artifact.records, artifact.lost_events), (88_819, 134_210 - 88_819));
    assert_eq!(alone.tasks.threads.len(), 275);
    assert_eq!(alone.code.slices.len(), 7805);
    assert_eq!(alone.wakeups.time.len(), 26_837);
    assert_eq!(busy(&alone), 6_540_117);
    let inside = timeline(FILE);
    let text = inside.quality.artifacts.iter().find(|it| it.format == "ftrace").unwrap();
    assert_eq!((&text.events, text.records), (&artifact.events, artifact.records));
    assert_eq!(format!("{:?}", inside.code.slices), format!("{:?}", alone.code.slices));
}

/// Asserts that two readings of one trace are equal, as far as they can be compared.
#[track_caller]
fn assert_same(found: &Timeline, expected: &Timeline) {
    assert_eq!(found.window, expected.window);
    assert_eq!(found.tasks.threads, expected.tasks.threads);
    assert_eq!(found.tasks.processes, expected.tasks.processes);
    assert_eq!(format!("{:?}", found.code.slices), format!("{:?}", expected.code.slices));
    assert_eq!(found.system.counters, expected.system.counters);
    assert_eq!(format!("{:?}", found.cpus), format!("{:?}", expected.cpus));
    let events = |timeline: &Timeline| timeline.quality.artifacts[0].events.clone();
    assert_eq!(events(found), events(expected));
}

/// Puts so many carriage returns before each line feed, as `adb shell` of old does.
fn damaged(bytes: &[u8], added: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in bytes {
        if *byte == b'\n' {
            out.extend(std::iter::repeat_n(b'\r', added));
        }
        out.push(*byte);
    }
    out
}

#[requires(data)]
#[test]
fn packed_or_not_and_damaged_by_adb() {
    let read = |file: &str| wattle_testdata::bytes(&format!("systrace/catapult-{file}"));
    let text = read("decompressed_atrace_data.txt");
    let packed = read("compressed_atrace_data.txt");
    let expected = wattle_ingest::read_bytes("text", &text).unwrap();
    let announced = [b"capturing trace... done\nTRACE:\n", text.as_slice()].concat();
    for bytes in [&text, &packed, &announced] {
        for added in 0..3 {
            let damaged = damaged(bytes, added);
            let found = wattle_ingest::read_bytes("damaged", &damaged).unwrap();
            assert_same(&found, &expected);
            assert_eq!(found.quality.artifacts[0].bytes, damaged.len() as u64);
        }
    }
    let notes = |timeline: &Timeline| timeline.quality.artifacts[0].notes.clone();
    let whole = wattle_ingest::read_bytes("packed", &packed).unwrap();
    // Of the file's 25199 bytes, zlib's stream is 7592 behind the seven of the head.
    assert!(notes(&whole)[0].text.starts_with("17600 bytes"), "{:?}", notes(&whole));
    let cut = wattle_ingest::read_bytes("cut", &packed[..5000]).unwrap();
    let notes = &cut.quality.artifacts[0].notes;
    assert!(notes.iter().any(|note| note.code == "damaged"), "{notes:?}");
    assert!(cut.code.slices.len() > 100 && cut.code.slices.len() < expected.code.slices.len());
}

/// Chrome's tool packs a trace into its page.
#[requires(data, program = "base64")]
#[test]
fn page_with_a_packed_part() {
    let text = wattle_testdata::bytes("systrace/catapult-decompressed_atrace_data.txt");
    let mut packed = flate2::read::GzEncoder::new(&*text, flate2::Compression::fast());
    let mut bytes = Vec::new();
    packed.read_to_end(&mut bytes).unwrap();
    let mut child = std::process::Command::new("base64")
        .arg("-w0")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &bytes).unwrap();
    let base64 = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let page = format!(
        "<!DOCTYPE html>\n<title>trace-viewer</title>\n<script id=\"viewer-data\" type=\"text/plain\">\n{base64}\n</script>\n"
    );
    let found = wattle_ingest::read_bytes("page.html", page.as_bytes()).unwrap();
    let expected = wattle_ingest::read_bytes("text", &text).unwrap();
    assert_same(&found, &expected);
}

#[test]
fn what_is_lost_is_told() {
    const TEXT: &str = "# tracer: nop
# entries-in-buffer/entries-written: 5/9   #P:2
##### CPU 1 buffer started ####
 a-1 [000] 1.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=1 prev_state=S ==> next_comm=b next_pid=2 next_prio=1
CPU:0 [LOST 12 EVENTS]
 b-2 [000] 2.000000: sched_switch: prev_comm=c prev_pid=3 prev_prio=1 prev_state=S ==> next_comm=b next_pid=2 next_prio=1
 b-2 [000] 2.100000: sched_switch: prev_comm=b
 b-2 [000] 2.200000: function <-caller
 b-2 [000] 2.300000: print: tracing_mark_write: no mark
what is this
";
    let timeline = wattle_ingest::read_bytes("lost.txt", TEXT.as_bytes()).unwrap();
    let artifact = &timeline.quality.artifacts[0];
    assert_eq!(artifact.lost_events, 4 + 12);
    assert_eq!(artifact.events, counts(&[("sched_switch", 2), ("print", 1)]));
    let unread = [
        ("sched_switch", 1),
        ("function", 1),
        ("lines that are no event", 1),
        ("print without an atrace mark", 1),
    ];
    assert_eq!(artifact.unread, counts(&unread));
    let codes: Vec<_> = artifact.notes.iter().map(|note| note.code.as_str()).collect();
    let expected = [
        "event-malformed",
        "ftrace-lost-events",
        "late-cpu",
        "lines-unread",
        "overwritten",
        "switch-mismatch",
        "ignored-bytes",
    ];
    assert_eq!(codes, expected);
}

/// A clock that counts ticks cannot be put into time.
#[test]
fn clocks_without_seconds_are_refused_aloud() {
    const TEXT: &str = "# tracer: nop\n a-1 [000] .... 12345: cpu_idle: state=1 cpu_id=0\n";
    let timeline = wattle_ingest::read_bytes("ticks.txt", TEXT.as_bytes()).unwrap();
    let artifact = &timeline.quality.artifacts[0];
    assert_eq!(artifact.unread, counts(&[("cpu_idle", 1)]));
    assert_eq!(artifact.notes[0].code, "clock-not-time");
}

/// A trace without anything to compute energy from says so, whatever else it tells of CPUs.
#[test]
fn traces_without_energy_say_so() {
    #[track_caller]
    fn check(event: &str, is_told: bool) {
        let text = format!("# tracer: nop\n a-7 (    7) [001] d..2 1.000000: {event}\n");
        let timeline = wattle_ingest::read_bytes("trace.txt", text.as_bytes()).unwrap();
        let found = timeline.quality.notes.iter().any(|note| note.code == "no-power-data");
        assert_eq!(found, is_told, "{event}");
    }
    check("tracing_mark_write: B|7|x", true);
    check("cpu_frequency: state=1200000 cpu_id=1", false);
    check("sched_waking: comm=b pid=8 prio=120 target_cpu=001", true);
    check("cpu_idle: state=1 cpu_id=1", false);
    check("gpu_frequency: state=300000 gpu_id=0", false);
    let switch =
        "prev_comm=a prev_pid=7 prev_prio=1 prev_state=S ==> next_comm=b next_pid=8 next_prio=1";
    check(&format!("sched_switch: {switch}\n b-8 (    7) [001] d..2 2.000000: x: y"), false);
}

/// A log in wall time is placed by the mark that atrace writes of the wall clock.
#[test]
fn marks_lead_other_clocks_to_the_trace() {
    const TRACE: &str = "# tracer: nop
 atrace-9 (    9) [001] ...1   538.064761: tracing_mark_write: trace_event_clock_sync: parent_ts=538.064758
 atrace-9 (    9) [001] ...1   538.064769: tracing_mark_write: trace_event_clock_sync: realtime_ts=1495123564025
 a-7 (    7) [001] ...1   542.000000: tracing_mark_write: B|7|x
";
    // 2 s after the mark.
    const LOG: &str = "--------- beginning of main\n         1495123566.025  7  7 I TestRunner: started: t(C)\n         1495123566.525  7  7 I TestRunner: finished: t(C)\n";
    let artifacts = [("trace.txt", TRACE.as_bytes()), ("log.txt", LOG.as_bytes())];
    let timeline = wattle_ingest::read_all_bytes(&artifacts).unwrap();
    let test = timeline.code.tests.first().expect("a test");
    let start = test.window.start.value();
    assert!((start - 540_064_769_000).abs() < 3_000_000, "{start}");
}
