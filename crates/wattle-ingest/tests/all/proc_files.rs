//! Files of the kernel's counters on their own, by the kernel's documentation.

#![expect(clippy::expect_used, reason = "a helper of a test fails the test by a panic")]

use wattle_ingest::read_bytes;
use wattle_timeline::{CounterScope, Timeline, Uid};

/// Series of the timeline: scope and name, then seconds and values.
fn series(timeline: &Timeline) -> Vec<(String, Vec<(f64, f64)>)> {
    let mut all: Vec<_> = timeline
        .system
        .counters
        .iter()
        .map(|track| {
            let name = timeline.names.get(track.name);
            let of = match track.scope {
                CounterScope::Global => name.to_owned(),
                CounterScope::Uid(Uid(uid)) => format!("{name} of uid {uid}"),
                CounterScope::Thread(thread) => {
                    format!("{name} of thread {}", timeline.tasks.threads[thread.index()].tid)
                }
                other => format!("{name} of {other:?}"),
            };
            let times = track.time.iter().map(|time| time.value() as f64 / 1e9);
            (of, times.zip(track.value.iter().copied()).collect())
        })
        .collect();
    all.sort_by(|one: &(String, _), other| one.0.cmp(&other.0));
    all
}

#[track_caller]
fn check(file: &str, text: &str, expected: &[(&str, &[(f64, f64)])], notes: &[&str]) {
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        let timeline = read_bytes(file, text.as_bytes()).expect("it is read");
        assert_eq!(timeline.quality.artifacts[0].format, "proc");
        let found = series(&timeline);
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        for ((name, found), (_, expected)) in found.iter().zip(expected) {
            let is_close = |(a, b): (&(f64, f64), &(f64, f64))| {
                (a.0 - b.0).abs() < 1e-6 && (a.1 - b.1).abs() < 1e-9
            };
            let close = found.len() == expected.len() && found.iter().zip(*expected).all(is_close);
            assert!(close, "{name}: {found:?}, {expected:?} expected");
        }
        let codes: Vec<_> =
            timeline.quality.artifacts[0].notes.iter().map(|note| note.code.as_str()).collect();
        assert_eq!(codes, notes);
    }
}

#[test]
fn time_in_state_of_a_cpu() {
    // 1.5 s and 2.5 s of wall time by its own counters; then the CPU went and came, and was there for 0.05 s.
    check(
        "cpu4_time_in_state.txt",
        "300000 100\n400000 50\n300000 180\n400000 70\n300000 3\n400000 2\n",
        &[
            ("cpu.4.time_in_state.300000", &[(1.5, 1.0), (2.5, 1.8), (2.55, 1.83)]),
            ("cpu.4.time_in_state.400000", &[(1.5, 0.5), (2.5, 0.7), (2.55, 0.72)]),
        ],
        &["proc-own-clock", "counters-reset"],
    );
}

#[test]
fn several_cpus_with_times() {
    check(
        "states.txt",
        "# time: 1700000000,5\n==> /sys/devices/system/cpu/cpu0/cpufreq/stats/time_in_state <==\n300000 100\n400000 50\n\n\
         ==> /sys/devices/system/cpu/cpufreq/policy4/stats/time_in_state <==\n500000 7\n600000 8\n\
         # time: 1700000001,5\n==> /sys/devices/system/cpu/cpu0/cpufreq/stats/time_in_state <==\n300000 150\n400000 100\n",
        &[
            ("cpu.0.time_in_state.300000", &[(1_700_000_000.5, 1.0), (1_700_000_001.5, 1.5)]),
            ("cpu.0.time_in_state.400000", &[(1_700_000_000.5, 0.5), (1_700_000_001.5, 1.0)]),
            ("cpu.4.time_in_state.500000", &[(1_700_000_000.5, 0.07)]),
            ("cpu.4.time_in_state.600000", &[(1_700_000_000.5, 0.08)]),
        ],
        &[],
    );
}

#[test]
fn time_in_state_of_nobody_knows_which_cpu() {
    check(
        "time_in_state",
        "300000 100\n400000 50\n",
        &[
            ("cpu.0.time_in_state.300000", &[(1.5, 1.0)]),
            ("cpu.0.time_in_state.400000", &[(1.5, 0.5)]),
        ],
        &["proc-unnamed", "proc-own-clock"],
    );
}

#[test]
fn uid_and_thread_times() {
    check(
        "uid_time_in_state",
        "@ 10.0\nuid: 300000 400000 300000\n10088: 5 6 7\n@ 12.0\nuid: 300000 400000 300000\n10088: 5 16 7\n",
        &[
            ("cpu.uid.time_in_state.300000 of uid 10088", &[(10.0, 0.05), (12.0, 0.05)]),
            ("cpu.uid.time_in_state.300000#2 of uid 10088", &[(10.0, 0.07), (12.0, 0.07)]),
            ("cpu.uid.time_in_state.400000 of uid 10088", &[(10.0, 0.06), (12.0, 0.16)]),
        ],
        &[],
    );
    check(
        "tid71.txt",
        "12.50 3.00\ncpu0\n300000 5\n400000 6\ncpu4\n500000 7\n13.50 4.00\ncpu0\n300000 9\n400000 6\ncpu4\n500000 8\n",
        &[
            ("cpu.0.time_in_state.300000 of thread 71", &[(12.5, 0.05), (13.5, 0.09)]),
            ("cpu.0.time_in_state.400000 of thread 71", &[(12.5, 0.06), (13.5, 0.06)]),
            ("cpu.4.time_in_state.500000 of thread 71", &[(12.5, 0.07), (13.5, 0.08)]),
        ],
        &[],
    );
}

#[test]
fn network_and_disks() {
    let net = |received: u32| {
        format!(
            "Inter-|   Receive                |  Transmit\n face |bytes    packets errs drop|bytes    packets errs drop\n\
             wlan0: {received} 2 0 0 40 5 0 0\n"
        )
    };
    check(
        "net_dev.txt",
        &format!("{}{}", net(100), net(300)),
        &[
            ("net.wlan0.rx_bytes", &[(1.0, 100.0), (2.0, 300.0)]),
            ("net.wlan0.rx_packets", &[(1.0, 2.0), (2.0, 2.0)]),
            ("net.wlan0.tx_bytes", &[(1.0, 40.0), (2.0, 40.0)]),
            ("net.wlan0.tx_packets", &[(1.0, 5.0), (2.0, 5.0)]),
        ],
        &["proc-no-time"],
    );
    check(
        "diskstats",
        "2021-05-27 22:18:13\n   8       0 sda 1 2 10 4 5 6 20 8 9 10 11\n   8       1 sda1 1 2 10 4 5 6 20 8 9 10 11\n\
         2021-05-27 22:18:14\n   8       0 sda 1 2 12 4 5 6 20 8 9 10 11\n   8       1 sda1 1 2 10 4 5 6 20 8 9 10 11\n",
        &[
            ("disk.sda.read_bytes", &[(1_622_153_893.0, 5120.0), (1_622_153_894.0, 6144.0)]),
            ("disk.sda.write_bytes", &[(1_622_153_893.0, 10240.0), (1_622_153_894.0, 10240.0)]),
        ],
        &[],
    );
}

#[test]
fn proc_stat_by_its_own_clock() {
    // 10 s of cpu0: user nice system idle iowait irq softirq steal.
    check(
        "stat",
        "cpu  200 0 100 1600 0 0 100 0 0 0\ncpu0 100 0 50 800 0 0 50 0 0 0\nintr 5\nctxt 7\n\
         cpu  300 0 100 1700 0 0 100 0 0 0\ncpu0 150 0 50 850 0 0 50 0 0 0\n",
        &[("cpu.0.busy", &[(10.0, 2.0), (11.0, 2.5)]), ("cpu.0.idle", &[(10.0, 8.0), (11.0, 8.5)])],
        &["proc-own-clock"],
    );
}

#[test]
fn other_numbers_are_not_taken_for_counters() {
    for text in
        ["0.1 3.5\n0.2 3.6\n", "1 2\n3 4\n", "1700000000 5\n", "300000\n400000\n", "cpu0\nhello\n"]
    {
        let error = read_bytes("numbers.txt", text.as_bytes()).expect_err(text).to_string();
        assert!(error.contains("text"), "{error}");
    }
}
