//! Logs in every format with every modifier, by a writer of this test's own, and real ones.

use crate::log_writer as writer;
use wattle_ingest::{LogClock, LogEntry, LogcatOptions, LogcatSummary, read_logcat};
use wattle_testdata::requires;
use writer::{FORMATS, Modifiers, Record, write, write_binary};

const SECOND: i64 = 1_000_000_000;

/// A line, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Owned {
    time: Option<(LogClock, i64, i64)>,
    uid: Option<String>,
    pid: Option<u32>,
    tid: Option<u32>,
    priority: char,
    tag: Option<String>,
    message: String,
}

fn owned(entry: &LogEntry<'_>) -> Owned {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Owned {
        time: entry.time.map(|time| (time.clock, time.nanos, time.step)),
        uid: entry.uid.map(text),
        pid: entry.pid,
        tid: entry.tid,
        priority: char::from(entry.priority),
        tag: entry.tag.map(text),
        message: text(entry.message),
    }
}

fn read(bytes: &[u8], around: Option<i64>) -> (Vec<Owned>, LogcatSummary) {
    let mut entries = Vec::new();
    let options = LogcatOptions::default().around(around);
    let summary = read_logcat(bytes, options, &mut |entry| entries.push(owned(entry)));
    (entries, summary)
}

/// 2021-12-13 10:32:20.030400500 UTC.
const START: i64 = 1_639_391_540 * SECOND + 30_400_500;

fn records() -> Vec<Record> {
    let record = |at: i64, uid, pid, tid, priority, tag, message| Record {
        real: START + at,
        monotonic: 12 * SECOND + at,
        uid,
        pid,
        tid,
        priority,
        tag,
        message,
    };
    vec![
        record(0, Some("10088"), 1234, 5678, 'I', "wattle", "E1 9f86d081 3 7001 0 0 5 E1.0X1.1"),
        record(1_000_000, Some("root"), 1, 1, 'W', "a very long tag: x", "text"),
        record(2_000_000, None, 99_999, 100_000, 'E', "short", "one\ntwo lines"),
        record(3_000_000, Some("1000"), 20, 20, 'D', "(odd)/tag", "(  7): colon: and (20): more"),
        record(SECOND, Some("shell"), 20, 21, 'V', "", "no tag"),
        record(2 * SECOND, Some("10088"), 1234, 1234, 'F', "empty", ""),
    ]
}

/// Returns the part of the records that a reader can know in a format.
fn expected(format: &str, modifiers: Modifiers) -> Vec<Owned> {
    let step = 10_i64.pow(9 - modifiers.digits as u32);
    let has_time = ["time", "threadtime", "long"].contains(&format);
    let has_pid = !["tag", "raw"].contains(&format);
    let has_tid = ["thread", "threadtime", "long"].contains(&format);
    let mut all = Vec::new();
    for record in records() {
        let lines: Vec<&str> = match format {
            "long" => vec![record.message],
            _ => record.message.split('\n').collect(),
        };
        let (clock, nanos) = match modifiers {
            Modifiers { monotonic: true, .. } => (LogClock::Monotonic, record.monotonic),
            Modifiers { epoch: true, .. } | Modifiers { zone: Some(_), .. } => {
                (LogClock::Real, record.real)
            }
            _ => (LogClock::Local, record.real),
        };
        for line in lines {
            all.push(Owned {
                time: has_time.then_some((clock, nanos / step * step, step)),
                uid: record.uid.filter(|_| has_pid && modifiers.uid).map(str::to_owned),
                pid: has_pid.then_some(record.pid),
                tid: has_tid.then_some(record.tid),
                priority: if format == "raw" { '?' } else { record.priority },
                tag: match format {
                    "raw" | "thread" => None,
                    _ => Some(record.tag.to_owned()),
                },
                message: line.to_owned(),
            });
        }
    }
    all
}

#[track_caller]
fn check(format: &str, modifiers: Modifiers) {
    let mut text = String::from("--------- beginning of main\n");
    for (index, record) in records().iter().enumerate() {
        if index == 3 {
            text.push_str("--------- switch to system\n");
        }
        text.push_str(&write(record, format, modifiers));
    }
    let (found, summary) = read(text.as_bytes(), Some(START - 40 * 86_400 * SECOND));
    let mut expected = expected(format, modifiers);
    // The tag of `tag` ends at the first colon, as that of `threadtime` does.
    if ["tag", "threadtime"].contains(&format) {
        let tag = Some("a very long tag".to_owned());
        expected[1] = Owned { tag, message: "x: text".to_owned(), ..expected[1].clone() };
    }
    assert_eq!(found.len(), expected.len(), "{format} {modifiers:?}\n{text}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "{format} {modifiers:?}\n{text}");
    }
    assert_eq!(summary.formats, [format], "{modifiers:?}");
    assert_eq!((summary.unparsed, summary.dividers), (0, 2), "{format} {modifiers:?}");
    assert_eq!(summary.entries, expected.len() as u64);
    assert_eq!(summary.bytes, text.len() as u64);
}

#[test]
fn every_format_with_every_modifier() {
    let mut tried = 0;
    for format in FORMATS {
        for bits in 0..16 {
            for digits in [3, 6, 9] {
                for zone in [None, Some(0), Some(60), Some(-330)] {
                    let is = |bit: u32| bits >> bit & 1 == 1;
                    let shapes = [(false, false), (true, false), (false, true)];
                    for (epoch, monotonic) in shapes {
                        let modifiers = Modifiers {
                            year: is(0),
                            zone,
                            epoch,
                            monotonic,
                            uid: is(1),
                            digits,
                            color: is(2),
                            crlf: is(3),
                        };
                        check(format, modifiers);
                        tried += 1;
                    }
                }
            }
        }
    }
    assert_eq!(tried, 8 * 16 * 3 * 4 * 3);
}

#[test]
fn binary_logs_of_all_versions() {
    for version in 1..=4 {
        let mut bytes = Vec::new();
        for record in records() {
            bytes.extend(write_binary(&record, version, 3));
        }
        // An event log's record: no text.
        if version > 2 {
            bytes.extend(write_binary(&records()[0], version, 2));
        }
        let (found, summary) = read(&bytes, None);
        let mut expected = expected(
            "threadtime",
            Modifiers { epoch: true, uid: true, digits: 9, ..Modifiers::default() },
        );
        for entry in &mut expected {
            let number = entry.uid.as_deref().and_then(|uid| uid.parse::<u32>().ok()).unwrap_or(0);
            entry.uid = (version == 4 || (version == 2 && number >= 8)).then(|| number.to_string());
        }
        assert_eq!(found, expected, "version {version}");
        assert_eq!(summary.formats, ["binary"]);
        assert_eq!(summary.binary_events, u64::from(version > 2));
        assert_eq!(summary.bytes, bytes.len() as u64);
        // Cut anywhere, all whole records are there, and the cut is told.
        let (found, summary) = read(&bytes[..bytes.len() - 3], None);
        assert!(summary.is_truncated, "version {version}");
        assert_eq!(found.len(), expected.len() - usize::from(version <= 2));
    }
}

/// Lines without a year over New Year, with what is known of the year.
#[test]
fn new_year() {
    let lines = "12-31 23:59:59.900  1  1 I a: b\n01-01 00:00:00.100  1  1 I a: b\n";
    let new_year_2022 = 1_640_995_200 * SECOND;
    for around in [new_year_2022 - 100 * 86_400 * SECOND, new_year_2022 + 100 * 86_400 * SECOND] {
        let (found, summary) = read(lines.as_bytes(), Some(around));
        let times: Vec<_> =
            found.iter().map(|entry| entry.time.unwrap().1 - new_year_2022).collect();
        assert_eq!(times, [-100_000_000, 100_000_000], "around {around}");
        assert_eq!((summary.year_turns, summary.year_is_unknown), (1, false));
        assert_eq!(summary.steps_back, 0);
    }
    let (found, summary) = read(lines.as_bytes(), None);
    assert!(summary.year_is_unknown);
    let apart = found[1].time.unwrap().1 - found[0].time.unwrap().1;
    assert_eq!(apart, 200_000_000, "the years are consistent");
}

/// The clock is set back, the device starts anew.
#[test]
fn time_that_goes_back() {
    let line = |time: &str| format!("2021-12-31 {time} +0000  1  1 I a: b\n");
    let back = |times: &[&str]| {
        let text = times.iter().map(|time| line(time)).collect::<Vec<_>>().concat();
        read(text.as_bytes(), None).1.steps_back
    };
    assert_eq!(back(&["10:00:00.000", "10:00:01.000", "10:00:00.500"]), 0);
    assert_eq!(back(&["10:00:00.000", "09:59:58.999", "10:00:00.000", "09:00:00.000"]), 2);
}

#[test]
fn what_is_lost_or_strange_is_counted() {
    let text = "\
12-13 10:32:20.030    20    20 I chatty  : uid=10088(com.example) worker identical 3 lines
- waiting for device -
12-13 10:32:20.031    20    20 I chatty  : uid=1000(system) expire 12 lines
12-13 10:32:20.032    20    20 I chatty  : uid=1000(system) expire 1 line

logcat: unexpected EOF!
12-13 10:32:20.033    20    20 I other   : uid=1000(system) expire 5 lines
";
    let (found, summary) = read(text.as_bytes(), None);
    assert_eq!(found.len(), 4);
    assert_eq!((summary.identical, summary.expired, summary.unparsed), (3, 13, 2));
    assert_eq!(summary.first_unparsed, Some(text.find("- wait").unwrap() as u64));
}

/// Counted by a regular expression in Python: `^MM-DD HH:MM:SS.mmm +pid +tid P tag *: ?text`, lines that begin with nine dashes
/// apart. Its lines end with two carriage returns.
#[requires(data)]
#[test]
fn a_real_log_of_windows_subsystem_for_android() {
    let log = wattle_testdata::bytes("logcat/ms-AndroidLogcatWSA.log");
    let (found, summary) = read(&log, Some(START));
    assert_eq!(summary.formats, ["threadtime"]);
    assert_eq!((summary.entries, summary.dividers, summary.unparsed), (6056, 5, 0));
    let priorities = [('V', 158), ('D', 2033), ('I', 3101), ('W', 509), ('E', 254), ('F', 1)];
    assert_eq!(summary.priorities, priorities.into_iter().collect());
    assert_eq!(summary.steps_back, 0);
    let of = |tag: &str| found.iter().filter(|entry| entry.tag.as_deref() == Some(tag)).count();
    assert_eq!(
        [of("SystemServerTiming"), of("init"), of("LibBpfLoader"), of("")],
        [1574, 536, 207, 146]
    );
    let pids: std::collections::BTreeSet<_> = found.iter().map(|entry| entry.pid).collect();
    assert_eq!(pids.len(), 68);
    // 10:32:20.030 to 10:32:35.178 of 2021-12-13.
    let times: Vec<_> = found.iter().filter_map(|entry| entry.time).collect();
    let (first, last) = (START - 400_500, START - 400_500 + 15_148_000_000);
    let milli = 1_000_000;
    assert_eq!(times.first(), Some(&(LogClock::Local, first, milli)));
    assert_eq!(times.last(), Some(&(LogClock::Local, last, milli)));
    assert!(found.iter().all(|entry| !entry.message.contains('\r')));
}

/// Counted by a Python script that follows the headers `------ … ------`.
#[requires(data)]
#[test]
fn logs_inside_a_bug_report() {
    let report = wattle_testdata::bytes("bugreport/chkbugreport-deadlock.txt");
    let (found, summary) = read(&report, None);
    assert_eq!(summary.formats, ["time"]);
    assert_eq!((summary.entries, summary.dividers, summary.unparsed), (1608, 2, 3));
    let priorities = [('V', 6), ('D', 509), ('I', 1013), ('W', 50), ('E', 30)];
    assert_eq!(summary.priorities, priorities.into_iter().collect());
    assert_eq!(summary.outside, 20_059);
    let slashes =
        found.iter().filter(|entry| entry.tag.as_deref() == Some("/system/xbin/run-parts"));
    assert!(slashes.count() > 10);
}

/// Of Navitas's files: lines that are neither empty nor headers, and those among them that are of the log; the rest is what its
/// samplers wrote.
const NAVITAS: [(&str, u64, u64); 2] = [
    ("navi_test-NavigationTest.child-2021.txt", 168, 64),
    ("navi_test-MultithreadingTest.startWithSort-2021.txt", 212, 18),
];

#[requires(data)]
#[test]
fn logs_of_navitas() {
    for (file, lines, of_test) in NAVITAS {
        let log = wattle_testdata::bytes(&format!("navitas_logs/{file}"));
        let (found, summary) = read(&log, None);
        assert_eq!(summary.formats, ["brief"], "{file}");
        assert_eq!(
            (summary.entries, summary.entries + summary.unparsed),
            (of_test, lines),
            "{file}"
        );
        assert!(found.iter().all(|entry| entry.tag.as_deref() == Some("TEST")), "{file}");
    }
}
