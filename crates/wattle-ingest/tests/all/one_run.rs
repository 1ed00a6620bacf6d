//! Files of several recordings, given as one.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test by a panic")]

use std::path::{Path, PathBuf};

use crate::hostile::archive::{Entry, zip};
use crate::perf_data_writer::{self, Form};
use crate::traces;
use wattle_ingest::{
    IngestError, ReadOptions, read_all_bytes_as, read_bytes, read_paths, read_paths_as,
};
use wattle_testdata::requires;
use wattle_wire::Writer;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;
/// 2021-12-13 10:32:20 UTC.
const BOOT: u64 = 1_639_391_540 * SECOND;

const BLUEJAY: &str = "google/bluejay/bluejay:13/TQ1A/1:userdebug/dev-keys";
const UPDATED: &str = "google/bluejay/bluejay:14/AP1A/2:userdebug/dev-keys";
const RAVEN: &str = "google/raven/raven:13/TQ1A/1:user/release-keys";

/// A trace of a device that says which build it has.
fn of_build(fingerprint: &str) -> Vec<u8> {
    let mut trace = Writer::new();
    trace.message(1, |packet| packet.message(45, |info| info.string(2, fingerprint)));
    trace.as_bytes().to_vec()
}

/// A trace of a kernel.
fn of_kernel(release: &str) -> Vec<u8> {
    let mut trace = Writer::new();
    trace.message(1, |packet| {
        packet.message(45, |info| info.message(1, |names| names.string(3, release)));
    });
    trace.as_bytes().to_vec()
}

/// A trace that was recorded so long after a boot at that time.
fn at(boot: u64, after: u64) -> Vec<u8> {
    let mut trace = Writer::new();
    trace.message(1, |packet| {
        packet.message(6, |snapshot| {
            for (clock, time) in [(6, after), (1, boot + after)] {
                snapshot.message(1, |pair| {
                    pair.varint(1, clock);
                    pair.varint(2, time);
                });
            }
        });
    });
    trace.as_bytes().to_vec()
}

/// A trace of processes, by pid and name.
fn of_processes(processes: &[(u64, &str)]) -> Vec<u8> {
    let mut trace = Writer::new();
    trace.message(1, |packet| {
        packet.varint(8, 1000);
        packet.message(2, |tree| {
            for (pid, name) in processes {
                tree.message(1, |process| {
                    process.varint(1, *pid);
                    process.string(3, name);
                });
            }
        });
    });
    trace.as_bytes().to_vec()
}

/// A trace of a scheduler that switches between two threads, from and to these milliseconds after boot.
fn of_scheduler(from: u64, to: u64) -> Vec<u8> {
    let mut trace = Writer::new();
    trace.message(1, |packet| {
        packet.message(1, |bundle| {
            bundle.varint(1, 0);
            for (at, number) in (from..=to).step_by(10).zip(0..) {
                bundle.message(2, |event| {
                    event.varint(1, at * 1_000_000);
                    event.varint(2, 10 + number % 2);
                    event.message(4, |switch| {
                        switch.varint(2, 10 + number % 2);
                        switch.varint(6, 10 + (number + 1) % 2);
                    });
                });
            }
        });
    });
    trace.as_bytes().to_vec()
}

/// A trace of one power rail, from and to these milliseconds after boot.
fn of_rail(from: u64, to: u64) -> Vec<u8> {
    let mut trace = Writer::new();
    trace.message(1, |packet| {
        packet.varint(8, from * 1_000_000);
        packet.message(40, |rails| {
            rails.message(1, |rail| {
                rail.varint(1, 1);
                rail.string(2, "S1M_VDD_MIF");
            });
            for at in (from..=to).step_by(10) {
                rails.message(2, |sample| {
                    sample.varint(1, 1);
                    sample.varint(2, at);
                    sample.varint(3, at * 10);
                });
            }
        });
    });
    trace.as_bytes().to_vec()
}

/// Whether two files are refused as files of different recordings, and what is said; and that `join` reads them with an error.
#[track_caller]
fn check(one: &[u8], other: &[u8], expected: Option<&str>) {
    for files in
        [[("a.pftrace", one), ("b.pftrace", other)], [("b.pftrace", other), ("a.pftrace", one)]]
    {
        let read = read_all_bytes_as(&files, &ReadOptions::default());
        let join = ReadOptions { join: true, ..ReadOptions::default() };
        let joined = read_all_bytes_as(&files, &join).unwrap();
        let notes = joined.quality.notes.iter().filter(|note| note.text.contains("--join"));
        assert_eq!(notes.count(), usize::from(expected.is_some()));
        match (read, expected) {
            (Ok(_), None) => {}
            (Err(IngestError::Contradiction { reason, runs }), Some(part)) => {
                assert!(reason.contains(part), "{reason}");
                assert_eq!(runs.len(), 2, "{runs:?}");
            }
            (read, _) => panic!("{expected:?}: {:?}", read.map(|read| read.quality)),
        }
    }
}

#[test]
fn files_of_different_devices_and_builds() {
    let bluejay = of_build(BLUEJAY);
    check(&bluejay, &bluejay, None);
    check(&bluejay, &of_build(RAVEN), Some("different devices"));
    check(&bluejay, &of_build(UPDATED), Some("different builds"));
    check(&bluejay, &traces::everything(), None);
    check(&of_kernel("5.10.66-android12"), &of_kernel("5.10.66-android12"), None);
    check(&of_kernel("5.10.66-android12"), &of_kernel("4.14.117"), Some("different kernels"));
    check(&bluejay, &of_kernel("4.14.117"), None);
}

#[test]
fn files_of_different_boots_and_times() {
    let first = at(BOOT, 100 * SECOND);
    check(&first, &at(BOOT, 200 * SECOND), None);
    check(&first, &at(BOOT + 2 * SECOND, 600 * SECOND), None);
    check(&first, &at(BOOT + HOUR, 100 * SECOND), Some("different boots"));
    check(&first, &at(BOOT, 5 * HOUR), Some("4 h 58 min"));
    // A clock that was never set says nothing.
    check(&first, &at(1000 * SECOND, 100 * SECOND), None);
}

#[test]
fn files_of_different_processes() {
    let names = ["init", "surfaceflinger", "system_server", "com.a", "com.b", "com.c", "com.d"];
    let numbered = |first: u64| -> Vec<(u64, &str)> { (first..).zip(names).collect() };
    let one = of_processes(&numbered(100));
    check(&one, &one, None);
    check(&one, &of_processes(&numbered(101)), Some("different processes under the same numbers"));
    check(&one, &of_processes(&numbered(500)), None);
    // An app that a zygote has become, and a few numbers that were used again.
    let mut later = numbered(100);
    later[3].1 = "zygote64";
    later[4].1 = "com.e";
    check(&one, &of_processes(&later), None);
}

/// Traces that state neither device nor clock: what they recorded of one scheduler at one time cannot all be true.
#[test]
fn files_of_one_source_at_one_time() {
    let first = of_scheduler(1000, 9000);
    check(&first, &of_scheduler(1000, 9000), Some("both contain the scheduler for the same 8 s"));
    check(&first, &of_scheduler(7003, 20_000), Some("the scheduler for the same 1 s"));
    check(&of_scheduler(1000, 1400), &of_scheduler(1100, 1300), Some("the scheduler"));
    // Pieces of one trace.
    check(&first, &of_scheduler(9001, 20_000), None);
    check(&first, &of_scheduler(8800, 20_000), None);
    let rails = of_rail(1000, 9000);
    check(&rails, &of_rail(1005, 9005), Some("both contain the power rails for the same 7 s"));
    check(&rails, &of_rail(9001, 20_000), None);
    check(&rails, &first, None);
    // The view of another recorder.
    let text = "# tracer: nop\n  a-10 (10) [000] d..3 2.000000: sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=S ==> \
        next_comm=b next_pid=11 next_prio=120\n";
    let files = [("a.pftrace", first.as_slice()), ("b.txt", text.as_bytes())];
    read_all_bytes_as(&files, &ReadOptions::default()).unwrap();
}

/// A kernel's text of one switch, seconds after boot.
fn of_text(seconds: u64) -> String {
    format!(
        "# tracer: nop\n  a-10 (10) [000] d..3 {seconds}.000000: sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=S ==> \
         next_comm=b next_pid=11 next_prio=120\n"
    )
}

/// A method trace of one call of 0.8 ms, begun at this time in microseconds.
fn of_method(start: u64) -> Vec<u8> {
    let mut trace = b"*version\n3\ndata-file-overflow=false\nclock=dual\nelapsed-time-usec=1000\nvm=art\npid=7\n*threads\n1\tmain\n\
        *methods\n0x4\tcom.A\trun\t()V\tA.java\n*end\n"
        .to_vec();
    let records = trace.len() + 32;
    trace.extend(b"SLOW\x03\0\x20\0");
    trace.extend(start.to_le_bytes());
    trace.extend(14_u16.to_le_bytes());
    trace.resize(records, 0);
    for (word, time) in [(4_u32, 100_u32), (5, 900)] {
        trace.extend(1_u16.to_le_bytes());
        for part in [word, time, time] {
            trace.extend(part.to_le_bytes());
        }
    }
    trace
}

/// A `perf.data` that waits for others tells what it was recorded on.
#[test]
fn samples_of_another_machine() {
    let form = Form { is_big: false, is_pipe: false, writer: perf_data_writer::Writer::Perf };
    let samples = perf_data_writer::story(form);
    check(&samples, &samples, None);
    check(&samples, &of_kernel("4.14.117"), Some("different kernels"));
}

/// Statistics of different months, of which the history of one is used.
#[test]
fn histories_apart() {
    let history = |reset: &str| {
        format!(
            "Battery History (0% used, 1KB used of 4096KB, 3 strings using 1KB):\n\
             \x20                   0 (9) RESET:TIME: {reset}\n\
             \x20                   0 (2) 090 status=discharging health=good plug=none temp=250 volt=4100 +running +wake_lock +screen\n\
             \x20             +10s000ms (1) 089 -screen\n\
             \x20             +20s000ms (1) 089 +screen\n\n"
        )
    };
    let july = history("2020-07-26-10-00-00");
    check(july.as_bytes(), history("2020-07-26-10-05-00").as_bytes(), None);
    check(
        july.as_bytes(),
        history("2020-11-13-10-00-00").as_bytes(),
        Some("are 108 d 19 h apart in time, by their own clocks"),
    );
}

/// Files of clocks that nothing relates to device time: where their events would stand side by side decides.
#[test]
fn files_apart_in_the_recordings_clock() {
    let first = of_scheduler(1000, 9000);
    check(&first, &of_scheduler(10_500, 20_000), None);
    check(
        &first,
        &of_scheduler(12_500, 20_000),
        Some("are 3 s apart in time, by their own clocks"),
    );
    // Pieces of one trace: the one between them joins them, in whatever order.
    let pieces = [of_scheduler(12_500, 20_000), first.clone(), of_scheduler(8900, 12_400)];
    let names = ["c.pftrace", "a.pftrace", "b.pftrace"];
    let files: Vec<(&str, &[u8])> =
        names.into_iter().zip(pieces.iter().map(Vec::as_slice)).collect();
    read_all_bytes_as(&files, &ReadOptions::default()).unwrap();
    let error = read_all_bytes_as(&files[..2], &ReadOptions::default()).unwrap_err().to_string();
    assert!(
        error.contains("\n  a.pftrace: begins at 1.000 s of its clock, device unknown"),
        "{error}"
    );
    // One event that lies far from all others does not bring two recordings together.
    let with_stray = [of_scheduler(90_000, 99_000), of_scheduler(8000, 8000)].concat();
    check(&first, &with_stray, Some("are 81 s apart in time, by their own clocks"));
    check(&first, of_text(9).as_bytes(), None);
    // Its only event is an instant.
    check(&first, of_text(500).as_bytes(), None);
    check(&first, of_text(900).as_bytes(), Some("are 14 min apart in time, by"));
    // Both wait until all else was read.
    let microseconds = BOOT / 1000;
    check(&of_method(microseconds), &of_method(microseconds + 500_000), None);
    check(
        &of_method(microseconds),
        &of_method(microseconds + 3_660_000_000),
        Some("1 h 0 min apart"),
    );
    // What has no place beside the others is left out, and that is an error of its own.
    let form = Form { is_big: false, is_pipe: false, writer: perf_data_writer::Writer::Perf };
    check(&perf_data_writer::story(form), &of_method(microseconds), None);
}

fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("one-run-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

/// Reads a folder: the recordings that an error lists, empty if it is read.
#[track_caller]
fn check_folder(name: &str, files: &[(&str, &[u8])], expected: &[&str]) {
    let folder = folder(name, files);
    let read = read_paths(std::slice::from_ref(&folder));
    match (read, expected) {
        (Ok(_), []) => {}
        (
            Err(error @ (IngestError::SeveralRuns { .. } | IngestError::Contradiction { .. })),
            rows,
        ) => {
            let text = error.to_string();
            for row in rows {
                assert!(text.contains(row), "{row}: {text}");
            }
            let shown = text.lines().filter(|line| line.starts_with("  ")).count();
            assert_eq!(shown, rows.len(), "{text}");
            let join = ReadOptions { join: true, ..ReadOptions::default() };
            read_paths_as(&[folder], &join, &mut wattle_ingest::NoProgress).unwrap();
        }
        (read, _) => panic!("{:?}", read.map(|read| read.quality)),
    }
}

#[test]
fn folders_of_recordings_are_listed() {
    let recording = |model: &str, at: u64| {
        format!(
            r#"{{"created_host_ns": {at}, "device": {{"model": "{model}", "codename": "code"}}, "artifacts": ["t.pftrace"]}}"#
        )
    };
    let trace = traces::everything();
    let (one, two) = (recording("Phone", BOOT), recording("Tablet", BOOT + HOUR));
    let three = [
        ("a/recording.json", one.as_bytes()),
        ("a/t.pftrace", &trace),
        ("b/recording.json", two.as_bytes()),
        ("b/t.pftrace", &trace),
        ("c/t.pftrace", &trace),
        ("notes/readme.bin", b"\0\0\0"),
    ];
    let rows = [
        "a: 2021-12-13 10:32:20 UTC, Phone (code)",
        "b: 2021-12-13 11:32:20 UTC, Tablet (code)",
        "c: time unknown, device unknown",
    ];
    check_folder("three", &three, &rows);
    check_folder("one-of-them", &three[4..], &[]);
    check_folder("files-first", &[("t.pftrace", &trace), three[0], three[1]], &[]);
    // Files of several recordings side by side.
    let (bluejay, raven) = (of_build(BLUEJAY), of_build(RAVEN));
    let side_by_side = [("a.pftrace", &*bluejay), ("b.pftrace", &*bluejay), ("c.pftrace", &*raven)];
    let rows = [
        "a.pftrace, b.pftrace: time unknown, Pixel 6a (bluejay)",
        "c.pftrace: time unknown, Pixel 6 Pro (raven)",
    ];
    check_folder("side-by-side", &side_by_side, &rows);
}

/// Files that a recording lists are of it; two recordings are two.
#[test]
fn recordings_given_together() {
    let described = br#"{"device": {"codename": "other"}, "artifacts": ["t.pftrace"]}"#;
    let bluejay = of_build(BLUEJAY);
    let files: [(&str, &[u8]); 4] = [
        ("1/recording.json", described),
        ("1/t.pftrace", &bluejay),
        ("2/recording.json", described),
        ("2/t.pftrace", &bluejay),
    ];
    let folder = folder("together", &files);
    read_paths(&[folder.join("1")]).unwrap();
    let error = read_paths(&[folder.join("1"), folder.join("2")]).unwrap_err();
    let IngestError::Contradiction { reason, runs } = error else { panic!("{error}") };
    assert!(reason.contains("two recordings"), "{reason}");
    assert_eq!(runs.len(), 2);
    let entries =
        [Entry::deflated("recording.json", described), Entry::deflated("t.pftrace", &bluejay)];
    read_bytes("recording.zip", &zip(&entries)).unwrap();
}

/// Real traces of different phones and times: each pair is refused, each trace with itself is read.
#[requires(data)]
#[test]
fn real_traces() {
    let names = [
        "api32_startup_warm_pixel6a.perfetto-trace",
        "power_rails_pixel6pro.perfetto-trace",
        "ms_sched_freq_idle_galaxyS21.perfetto-trace",
        "emanafa/trace-1623058691-1622418866.0",
        "emanafa/trace-1626775333-1614351254.0",
    ];
    let paths = names.map(|name| wattle_testdata::path(&format!("perfetto/{name}")));
    let mut refused = 0;
    for (at, one) in paths.iter().enumerate() {
        for other in &paths[at + 1..] {
            match read_paths(&[one.clone(), other.clone()]) {
                Err(IngestError::Contradiction { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
                Ok(_) => eprintln!("{} and {} are read together", one.display(), other.display()),
            }
        }
    }
    assert_eq!(refused, 10);
}
