//! Logs of Navitas in all their forms, and the counters that come of them.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

use std::fmt::Write as _;

use wattle_ingest::{read_all_bytes, read_bytes};
use wattle_testdata::requires;
use wattle_timeline::{CounterScope, Quantity, SliceScope, TestOutcome, Timeline};

fn read(name: &str, text: &str) -> Timeline {
    read_bytes(name, text.as_bytes()).expect("it is read")
}

/// Counts the occurrences of a note of the artifact.
fn count(timeline: &Timeline, code: &str) -> u64 {
    let notes = &timeline.quality.artifacts[0].notes;
    notes.iter().filter(|note| note.code == code).map(|note| note.count).sum()
}

/// Values of a counter with times in seconds from its first.
fn counter(timeline: &Timeline, name: &str) -> Vec<(f64, f64)> {
    let track =
        timeline.system.counters.iter().find(|track| timeline.names.get(track.name) == name);
    let Some(track) = track else { return Vec::new() };
    assert_eq!(track.scope, CounterScope::Global);
    let first = track.time[0];
    let times = track.time.iter().map(|time| (*time - first).seconds());
    times.zip(track.value.iter().copied()).collect()
}

/// A reading of two cores with one clock each, as JSON.
fn states(ticks: [u64; 2]) -> String {
    let core = |core: usize| {
        format!(
            "{{\"kernel\":{core},\"details\":[{{\"frequency\":400000,\"timestamp\":{}}}]}}",
            ticks[core]
        )
    };
    format!(
        "[{{\"component\":\"cpuTimeInStates\",\"details\":[{},{}]}},{{\"component\":\"brightness\",\"details\":0}}]",
        core(0),
        core(1)
    )
}

/// A method in a thread of a process, as its records name it.
struct Method(u32, u32, &'static str);

impl Method {
    fn enters(&self, ms: u64, ticks: [u64; 2]) -> String {
        self.record("true", ms, ticks)
    }

    fn exits(&self, ms: u64, ticks: [u64; 2]) -> String {
        self.record("false", ms, ticks)
    }

    fn record(&self, is_entry: &str, ms: u64, ticks: [u64; 2]) -> String {
        let Self(pid, tid, name) = self;
        format!(
            "{{\"header\":{{\"processID\":{pid},\"threadID\":{tid},\"methodName\":\"{name}\",\"isEntry\":{is_entry},\"timestamp\":{ms}}},\
             \"body\":{}}}",
            states(ticks)
        )
    }
}

const MS: u64 = 1_622_143_093_213;

/// A call of two threads.
fn two_threads() -> String {
    [
        Method(7, 7, "a.B.c").enters(MS, [100, 200]),
        Method(7, 8, "a.B$1.run").enters(MS + 10, [101, 201]),
        Method(7, 8, "a.B$1.run").exits(MS + 30, [103, 203]),
        Method(7, 7, "a.B.c").exits(MS + 50, [105, 205]),
    ]
    .join(",")
}

#[track_caller]
fn check_two_threads(timeline: &Timeline) {
    let names: Vec<_> = timeline
        .code
        .clocked_calls
        .iter()
        .map(|call| {
            let ids = (call.process.map(|pid| pid.0), call.thread.map(|tid| tid.0));
            let ticks: Vec<u64> = call.clocks.iter().map(|clock| clock.ticks()).collect();
            (timeline.names.get(call.name), ids, call.window.duration().value() / 1_000_000, ticks)
        })
        .collect();
    let expected = [
        ("a.B.c", (Some(7), Some(7)), 50, vec![5, 5]),
        ("a.B$1.run", (Some(7), Some(8)), 20, vec![2, 2]),
    ];
    assert_eq!(names, expected);
    assert_eq!(timeline.code.slices.len(), 2);
    assert!(timeline.code.slices.tracks.iter().all(|t| matches!(t.scope, SliceScope::Thread(_))));
    let [test] = timeline.code.tests.as_slice() else { panic!("{:?}", timeline.code.tests) };
    assert_eq!(timeline.names.get(test.name), "FooTest#bar");
    assert_eq!(test.outcome, TestOutcome::Unknown);
    assert_eq!(test.window.duration().value(), 50_000_000);
    let values = counter(timeline, "cpu.1.time_in_state.400000");
    let expected = [(0.0, 2.0), (0.01, 2.01), (0.03, 2.03), (0.05, 2.05)];
    for (found, expected) in values.iter().zip(expected) {
        assert!((found.0 - expected.0).abs() < 1e-9 && (found.1 - expected.1).abs() < 1e-9);
    }
    assert_eq!(values.len(), 4);
}

#[test]
fn forms_of_the_json() {
    let calls = two_threads();
    let object =
        format!("{{\"tests\":[{{\"logs\":{{\"cpu\":[{calls}]}},\"testName\":\"FooTest.bar\"}}]}}");
    let array = format!("{{\"tests\":[{{\"testName\":\"FooTest.bar\",\"logs\":[{calls}]}}]}}");
    // The oldest form of the radios: one figure a test.
    let figure = format!(
        "{{\"tests\":[{{\"logs\":{{\"wifi\":{{\"wifi\":0.0811,\"common\":0.0982,\"cpu\":0.0171}},\"cpu\":[{calls}]}},\
         \"testName\":\"FooTest.bar\"}}]}}"
    );
    for text in [&object, &array, &figure] {
        let timeline = read("logs.json", text);
        assert_eq!(timeline.quality.artifacts[0].format, "navitas-json");
        check_two_threads(&timeline);
    }
    let timeline = read("logs.json", &figure);
    let [usage] = timeline.system.usage.as_slice() else { panic!("{:?}", timeline.system.usage) };
    assert_eq!((usage.quantity, usage.uid), (Quantity::EstimatedCharge, None));
    assert_eq!(usage.tag.map(|tag| timeline.names.get(tag)), Some("wifi.residual"));
    assert!((usage.value - 0.0811).abs() < 1e-12);
    // It breaks off in the middle of a record behind the others.
    let damaged = format!(
        "{},{}",
        array.trim_end_matches("]}]}"),
        &Method(7, 7, "x").enters(MS, [1, 2])[..40]
    );
    let timeline = read("logs.json", &damaged);
    check_two_threads(&timeline);
    assert_eq!(count(&timeline, "damaged"), 1);
}

/// A file of today has all components; empty tests and records of no form are said.
#[test]
fn components_empty_tests_and_bad_records() {
    let text = format!(
        "{{\"tests\":[{{\"logs\":{{\"cpu\":[{},{{\"header\":{{}}}}],\
         \"gpu\":[{{\"header\":{{\"frequency\":-1.0,\"timestamp\":{MS}}},\"body\":{{\"common\":87,\"gpu\":87}}}}],\
         \"bluetooth\":[{{\"header\":{{\"frequency\":2.0,\"timestamp\":{MS}}},\"body\":{{\"common\":0.5,\"usage\":0.25}}}},\
         {{\"header\":{{\"frequency\":2.0,\"timestamp\":{}}},\"body\":{{\"common\":0.75,\"usage\":0.4}}}}]}},\
         \"testName\":\"FooTest.bar\"}},{{\"logs\":{{}},\"testName\":\"WifiConstants.wifiOn\"}}]}}",
        two_threads(),
        MS + 500
    );
    let timeline = read("logs.json", &text);
    check_two_threads(&timeline);
    assert_eq!(counter(&timeline, "gpu.mali.utilisation"), [(0.0, 87.0)]);
    let own = counter(&timeline, "batterystats.bluetooth.residual_mah");
    assert_eq!(own, [(0.0, 0.25), (0.5, 0.4)]);
    let common = counter(&timeline, "batterystats.bluetooth.residual.common_mah");
    assert_eq!(common, [(0.0, 0.5), (0.5, 0.75)]);
    assert!((timeline.system.usage[0].value - 0.15).abs() < 1e-12);
    assert_eq!(
        (count(&timeline, "navitas-unparsed"), count(&timeline, "navitas-empty-test")),
        (1, 1)
    );
}

/// Records from before the start of the last process belong to an earlier run.
#[test]
fn stale_processes_are_dropped() {
    let calls = [
        Method(3, 3, "a.Old.x").enters(MS - 800_000, [1, 1]),
        Method(3, 3, "a.Old.x").exits(MS - 799_990, [9, 9]),
        two_threads(),
    ]
    .join(",");
    let text = format!("{{\"tests\":[{{\"logs\":[{calls}],\"testName\":\"FooTest.bar\"}}]}}");
    let timeline = read("logs.json", &text);
    assert_eq!(count(&timeline, "navitas-stale"), 2);
    let stale: Vec<_> = timeline.code.clocked_calls.iter().map(|call| call.is_stale).collect();
    assert_eq!(stale, [true, false, false]);
    assert_eq!(timeline.code.slices.len(), 2);
    assert_eq!(timeline.code.tests[0].window.duration().value(), 50_000_000);
    assert_eq!(counter(&timeline, "cpu.0.time_in_state.400000").len(), 4);
}

/// Process and thread 0, stamped when the host parsed the log: one group, timed by the counters themselves.
#[test]
fn records_of_nobody_with_the_hosts_time() {
    let calls = [
        Method(0, 0, "a.B.c").enters(MS, [100, 100]),
        Method(0, 0, "a.B.c").exits(MS + 1, [350, 350]),
    ]
    .join(",");
    let text = format!("{{\"tests\":[{{\"logs\":[{calls}],\"testName\":\"FooTest.bar\"}}]}}");
    let timeline = read("logs.json", &text);
    assert_eq!(
        (count(&timeline, "navitas-no-thread"), count(&timeline, "navitas-host-time")),
        (2, 2)
    );
    let call = &timeline.code.clocked_calls[0];
    assert_eq!((call.process, call.thread), (None, None));
    assert_eq!(call.window.start.value(), 1_000_000_000);
    assert_eq!(call.window.duration().value(), 2_500_000_000);
    assert!(matches!(timeline.code.slices.tracks[0].scope, SliceScope::Global));
}

const TEXT: &str = "\
/system/bin/sh: tr: not found
    0.5 05-27 22:18:12.000
    Bluetooth: 0,0248 ( cpu=0,0004 bt=0,0244 ) Including smearing: 0,03    Wifi: 0.0100    0.5 05-27 22:18:13.000
    Bluetooth: 0.0249 ( cpu=0.0004 bt=0.0245 )    0.2 05-27 22:18:14.000
87 gpu 0.0 05-27 22:18:14.000
--------- beginning of main
05-27 22:18:13.213     7     7 D TEST    : Entry a.B.c TimeInStates cpu0 400000 100 ; cpu1 400000 200 ;  EndOfData 0
05-27 22:18:13.223     7     8 D TEST    : Entry a.B$1.run TimeInStates cpu0 400000 101 ; cpu1 400000 201 ;  EndOfData 0
05-27 22:18:13.243     7     8 D TEST    : Exit a.B$1.run TimeInStates cpu0 400000 103 ; cpu1 400000 203 ;  EndOfData 0
05-27 22:18:13.263     7     7 D TEST    : Exit a.B.c TimeInStates cpu0 400000 105 ; cpu1 400000 205 ;  EndOfData 0
";

#[test]
fn raw_text() {
    for text in [TEXT.to_owned(), TEXT.replace('\n', "\r\n")] {
        let timeline = read("profilingOutput/FooTest.bar.txt", &text);
        assert_eq!(timeline.quality.artifacts[0].format, "navitas-text");
        check_two_threads(&timeline);
        let own = counter(&timeline, "batterystats.bluetooth.residual_mah");
        assert_eq!(own, [(0.0, 0.0244), (1.0, 0.0245)]);
        assert_eq!(counter(&timeline, "batterystats.wifi.residual_mah"), [(0.0, 0.01)]);
        assert_eq!(counter(&timeline, "gpu.mali.utilisation"), [(0.0, 87.0)]);
        assert_eq!(
            (count(&timeline, "navitas-error-text"), count(&timeline, "navitas-empty-sample")),
            (1, 1)
        );
    }
}

/// Entries without exits, exits without entries, cores that are offline, counters that begin anew, lines that were cut.
#[test]
fn what_is_missing_in_raw_text() {
    let line = |ms: u32, word: &str, name: &str, states: &str| {
        format!("05-27 22:18:13.{ms:03} 7 7 D TEST    : {word} {name} TimeInStates {states}\n")
    };
    let text = [
        line(1, "Exit", "a.never", "cpu0 400000 1 ;  EndOfData 0"),
        line(2, "Entry", "a.outer", "cpu0 400000 295 ; cpu1 400000 50 ;  EndOfData 0"),
        line(3, "Entry", "a.thrown", "cpu0 400000 296 ; cpu1  EndOfData 0"),
        line(4, "Exit", "a.outer", "cpu0 400000 11 ; cpu1 400000 52 ;  EndOfData 0"),
        line(5, "Entry", "a.last", "cpu0 400000 12 ; cpu1 400000 52 ;  EndOfData 0"),
        line(6, "Entry", "a.cut", "cpu0 400000 13 ; cpu1 400000 5"),
        "05-27 22:18:13.007 7 7 D TEST    : Entry a.nothing\n".to_owned(),
    ]
    .concat();
    let timeline = read("FooTest.bar.txt", &text);
    let calls: Vec<_> = timeline
        .code
        .clocked_calls
        .iter()
        .map(|call| {
            let clocks: Vec<_> = call.clocks.iter().map(|c| (c.cpu.0, c.ticks())).collect();
            (timeline.names.get(call.name), call.caller, call.has_end, clocks)
        })
        .collect();
    let expected = [
        ("a.outer", None, true, vec![(0, 11), (1, 2)]),
        ("a.thrown", Some(0), false, vec![(0, 11)]),
        ("a.last", None, false, vec![(0, 1)]),
        ("a.cut", Some(2), false, vec![]),
    ];
    assert_eq!(calls, expected);
    for (code, expected) in [
        ("text-exit-unmatched", 1),
        ("text-exit-missing", 1),
        ("text-exit-open", 2),
        ("time-in-state-reset", 2),
        ("time-in-state-offline", 2),
        ("navitas-cut", 1),
        ("navitas-unparsed", 1),
    ] {
        assert_eq!(
            count(&timeline, code),
            expected,
            "{code}: {:?}",
            timeline.quality.artifacts[0].notes
        );
    }
}

/// In the device's whole log the same lines are read by the same piece.
#[test]
fn lines_in_a_whole_log() {
    let mut text = String::from(
        "05-27 22:18:12.000  1  1 I Zygote  : one\n05-27 22:18:12.001  1  1 I Zygote  : two\n",
    );
    for at in 0..12 {
        writeln!(text, "05-27 22:18:12.1{at:02}  1  1 I Other   : {at}")
            .expect("a string takes all");
    }
    text.push_str("05-27 22:18:13.213 7 7 D TEST    : Entry a.B.c TimeInStates cpu0 400000 100 ;  EndOfData 0\n");
    text.push_str("05-27 22:18:13.263 7 7 D TEST    : Exit a.B.c TimeInStates cpu0 400000 105 ;  EndOfData 0\n");
    let timeline = read("logcat.txt", &text);
    assert_eq!(timeline.quality.artifacts[0].format, "logcat");
    let [call] = timeline.code.clocked_calls.as_slice() else {
        panic!("{:?}", timeline.code.clocked_calls)
    };
    assert_eq!((call.clocks[0].ticks(), call.has_end, call.test), (5, true, None));
}

/// The first Orka logs where methods begin, and not where they end; later ones may leave the source's line out.
#[test]
fn logs_of_orka() {
    let line = |ms: u32, text: &str| format!("06-01 10:00:00.{ms:03} 70 71 I {text}\n");
    let old: String = (0..300)
        .map(|at| line(at, "bwestfield: entering handleMessage"))
        .chain([line(400, "bwestfield: making call to android/util/Log/d")])
        .collect();
    let timeline = read("logcat.txt", &old);
    assert_eq!(timeline.code.slices.len(), 301);
    assert_eq!(timeline.code.slices.depth.iter().max(), Some(&1));
    assert_eq!(count(&timeline, "text-no-exits"), 300);
    let new = [
        line(1, "orka    : entering Bar/run"),
        line(2, "orka    :     API call android/util/Log/d"),
        line(3, "orka    : invoking subroutine l3 Bar/baz"),
        line(4, "orka    :     API call l17 android/util/Log/i"),
        line(5, "orka    : exiting Bar/run"),
    ]
    .concat();
    let timeline = read("logcat.txt", &new);
    let names: Vec<_> =
        timeline.code.slices.name.iter().map(|name| timeline.names.get(*name)).collect();
    assert_eq!(names, ["Bar.run", "android.util.Log.d", "android.util.Log.i"]);
}

#[test]
fn the_list_of_2019() {
    let text = "time,thread_id,enter/exit,method_name\n1571234567890,12,enter,a.B.c(int, long)\n1571234567895,13,enter,a.D.e\n\
                1571234567900,12,exit,a.B.c(int, long)\nnonsense\n";
    let timeline = read("trace.csv", text);
    assert_eq!(timeline.quality.artifacts[0].format, "navitas-csv");
    assert_eq!((timeline.code.slices.len(), timeline.code.clocked_calls.len()), (2, 0));
    assert_eq!((count(&timeline, "navitas-unparsed"), count(&timeline, "text-exit-open")), (1, 1));
    assert_eq!(timeline.code.tests[0].window.duration().value(), 10_000_000);
}

/// Least squares: slope, in units of the values an hour.
fn slope(values: &[(f64, f64)]) -> f64 {
    let count = values.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| values.iter().map(of).sum::<f64>() / count;
    let (time, value) = (mean(|v| v.0), mean(|v| v.1));
    let (both, square) = values.iter().fold((0.0, 0.0), |(both, square), v| {
        (both + (v.0 - time) * (v.1 - value), square + (v.0 - time).powi(2))
    });
    both / square * 3600.0
}

/// As published of `bluetoothOn`: a counter that does not begin at 0 but at 0.0244 mAh, and rises by 0.383 to 0.386 mA at five rates of
/// sampling. Its slope is the constant; Navitas divides by the time since the first sample, and gets ten times as much.
#[test]
fn cumulative_residuals_for_calibration() {
    let rates = [(10.0, 0.383), (5.0, 0.384), (2.0, 0.3845), (1.0, 0.385), (0.5, 0.386)];
    let mut samples = Vec::new();
    let mut legacy = Vec::new();
    for (hertz, milliamperes) in rates {
        let period = (1000.0 / hertz) as u64;
        let values: Vec<(u64, f64)> = (0..=122_000 / period)
            .map(|at| at * period)
            .map(|ms| (ms, 0.0244 + milliamperes * ms as f64 / 3.6e6))
            .collect();
        let quotients = values.iter().skip(1).map(|(ms, mah)| mah / (*ms as f64 / 3.6e6));
        legacy.push((hertz, quotients.sum::<f64>() / (values.len() - 1) as f64));
        for (ms, mah) in values {
            samples.push(format!(
                "{{\"header\":{{\"frequency\":{hertz:.1},\"timestamp\":{}}},\"body\":{{\"bt\":{mah},\"common\":{},\"cpu\":0.0004}}}}",
                MS + ms,
                mah + 0.0004
            ));
        }
    }
    let text = format!(
        "{{\"tests\":[{{\"logs\":{{\"wifi\":[],\"bluetooth\":[{}],\"cpu\":[{}]}},\"testName\":\"BluetoothConstants.bluetoothOn\"}}]}}",
        samples.join(","),
        two_threads()
    );
    let timeline = read("logs.json", &text);
    let values = counter(&timeline, "batterystats.bluetooth.residual_mah");
    assert_eq!(values.len(), samples.len());
    assert!((values[0].1 - 0.0244).abs() < 1e-12);
    let found = slope(&values);
    assert!((0.383..=0.386).contains(&found), "{found}");
    // The straight line of Navitas over its five means, at rate 0: an order of magnitude off.
    let per_hour = slope(&legacy) / 3600.0;
    let mean =
        |of: fn(&(f64, f64)) -> f64| legacy.iter().map(of).sum::<f64>() / legacy.len() as f64;
    let at_zero = mean(|v| v.1) - per_hour * mean(|v| v.0);
    assert!(at_zero / found > 5.0, "{at_zero} against {found}");
    assert!(timeline.system.usage[0].value > 0.0129 && timeline.system.usage[0].value < 0.0131);
}

/// Beside a trace whose clocks say nothing of the log's, calls have bounds and no place.
#[test]
fn a_log_that_nothing_aligns() {
    let mut trace = wattle_wire::Writer::new();
    trace.message(1, |packet| packet.message(45, |info| info.string(9, "Tensor")));
    let text =
        format!("{{\"tests\":[{{\"logs\":[{}],\"testName\":\"FooTest.bar\"}}]}}", two_threads());
    let files = [("a.perfetto-trace", trace.as_bytes()), ("logs.json", text.as_bytes())];
    let timeline = read_all_bytes(&files).expect("both are read");
    assert_eq!(timeline.code.clocked_calls.len(), 2);
}

#[requires(data)]
#[test]
fn the_real_files() {
    let text = wattle_testdata::bytes("navitas_logs/navi_test-logs-2021.json");
    let timeline = read_bytes("logs.json", &text).expect("it is read");
    assert_eq!((timeline.code.tests.len(), timeline.code.clocked_calls.len()), (10, 359));
    assert_eq!(timeline.code.slices.len(), 359);
    let calls = |name: &str| {
        let calls = timeline.code.clocked_calls.iter();
        calls.filter(|call| call.test.is_some_and(|test| timeline.names.get(test) == name)).count()
    };
    // Half of each test's records.
    for (name, records) in [
        ("NavigationTest#mainActivity_to_childActivity_andBack_navigation", 106),
        ("WifiTest#startWifiActivity", 126),
        ("additional.SomeJavaTest#mainActivity_start", 6),
        ("InliningSeparateClassTest#start", 112),
        ("MultithreadingTest#startWithSort", 18),
        ("InliningAnonymousClassTest#start", 118),
        ("MultithreadingTest#startWithoutSort", 12),
        ("AnotherTest#mainActivity_start", 132),
        ("NavigationTest#mainActivity_to_childActivity_navigation", 64),
        ("BluetoothTest#startBluetoothActivity", 24),
    ] {
        assert_eq!(calls(name) * 2, records, "{name}");
    }
    assert_eq!(count(&timeline, "navitas-no-thread"), 718);
    // 131 of 718 records are different ones.
    assert_eq!(count(&timeline, "navitas-repeated"), 587);
    for (file, records, stale, errors) in [
        ("navi_test-MultithreadingTest.startWithSort-2021.txt", 18, 12, 97),
        ("navi_test-NavigationTest.child-2021.txt", 64, 24, 52),
    ] {
        let text = wattle_testdata::bytes(&format!("navitas_logs/{file}"));
        let timeline = read_bytes(file, &text).expect("it is read");
        assert_eq!(timeline.quality.artifacts[0].records, records, "{file}");
        assert_eq!(count(&timeline, "navitas-stale"), stale, "{file}");
        assert_eq!(count(&timeline, "navitas-error-text"), errors, "{file}");
        assert_eq!(timeline.code.slices.len() as u64, (records - stale) / 2, "{file}");
    }
}
