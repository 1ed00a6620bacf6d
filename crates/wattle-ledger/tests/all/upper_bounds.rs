//! Upper bounds of calls from `time_in_state`, and the figure of Navitas beside them.
//!
//! Logs are built from values that are published of Navitas' own: an 86 ms `run()` with 6 to 9 ticks on each of 8 cores, six
//! processes of which five are left over from earlier runs, a test that Navitas shows as 22.93 "mAh". The currents of its default
//! profile stand here once more, so that the expected figures do not come from the code under test.

use std::fmt::Write as _;

use wattle_ledger::{AttributionOptions, Ledger, UpperBounds, attribute};
use wattle_power::{PowerOptions, PowerProfile};
use wattle_testdata::requires;
use wattle_timeline::Timeline;

/// Highest steps of both clusters of the default profile.
const LITTLE: (u64, f64) = (1_401_600, 109.05);
const BIG: (u64, f64) = (1_804_800, 275.35);

/// Milliampere-hours of so many ticks of 10 ms at so many milliamperes.
fn mah(ticks: f64, milliamperes: f64) -> f64 {
    ticks * 0.01 / 3600.0 * milliamperes
}

/// Writes `logs.json`.
#[derive(Default)]
struct Log {
    records: String,
    /// Ticks of each core so far: four little, four big.
    ticks: [u64; 8],
    time: u64,
}

impl Log {
    fn record(&mut self, owner: (u32, u32), is_entry: bool, method: &str) {
        let mut cores = String::new();
        for (core, ticks) in self.ticks.iter().enumerate() {
            let clock = if core < 4 { LITTLE.0 } else { BIG.0 };
            let comma = if core == 0 { "" } else { "," };
            write!(
                cores,
                "{comma}{{\"kernel\":{core},\"details\":[{{\"frequency\":{clock},\"timestamp\":{}}}]}}",
                ticks + 1000
            )
            .expect("a string takes all");
        }
        let comma = if self.records.is_empty() { "" } else { "," };
        write!(
            self.records,
            "{comma}{{\"header\":{{\"processID\":{},\"threadID\":{},\"methodName\":\"com.x.Main.{method}\",\"isEntry\":{is_entry},\
             \"timestamp\":{}}},\"body\":[{{\"component\":\"cpuTimeInStates\",\"details\":[{cores}]}},\
             {{\"component\":\"brightness\",\"details\":0}}]}}",
            owner.0,
            owner.1,
            1_622_143_000_000_u64 + self.time
        )
        .expect("a string takes all");
    }

    /// A call in which the cores went on by so many ticks.
    fn call(&mut self, owner: (u32, u32), method: &str, ticks: [u64; 8], milliseconds: u64) {
        self.record(owner, true, method);
        self.ticks.iter_mut().zip(ticks).for_each(|(core, more)| *core += more);
        self.time += milliseconds;
        self.record(owner, false, method);
        self.time += 1;
    }

    fn json(&self, test: &str) -> String {
        format!(
            "{{\"tests\":[{{\"logs\":{{\"cpu\":[{}]}},\"testName\":\"{test}\"}}]}}",
            self.records
        )
    }
}

/// So many ticks on the little cores together and on the big ones.
fn split(little: u64, big: u64) -> [u64; 8] {
    let part = |sum: u64, core: u64| sum / 4 + u64::from(core < sum % 4);
    std::array::from_fn(|core| {
        let core = core as u64;
        if core < 4 { part(little, core) } else { part(big, core - 4) }
    })
}

fn timeline(name: &str, text: &[u8]) -> Timeline {
    wattle_ingest::read_bytes(name, text).expect("it is read")
}

fn ledger(timeline: &Timeline, power: &PowerOptions, legacy: bool) -> Ledger {
    let estimate = wattle_power::estimate(timeline, power).expect("an estimate");
    let mut options = AttributionOptions::default();
    options.legacy = legacy;
    attribute(timeline, &estimate, &options).expect("a ledger")
}

fn bounds(name: &str, text: &[u8]) -> UpperBounds {
    let ledger = ledger(&timeline(name, text), &PowerOptions::default(), true);
    // Through its file, so that what a saved ledger says is what was found.
    let schema = include_str!("../../../../docs/schema/ledger-1.schema.json");
    let schema = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let value = serde_json::to_value(&ledger).expect("JSON");
    let errors: Vec<_> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let saved = Ledger::from_bytes(&ledger.to_bytes().expect("bytes")).expect("a ledger");
    assert_eq!(saved.sheets.upper_bounds, ledger.sheets.upper_bounds);
    assert_eq!(saved.total(), None, "bounds are not booked");
    ledger.sheets.upper_bounds.expect("upper bounds")
}

#[track_caller]
fn close(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found}, {expected} expected");
}

/// Ticks of little and big cores of the eleven other outermost calls.
const OTHERS: [(u64, u64); 11] = [
    (23, 15),
    (16, 15),
    (15, 19),
    (24, 17),
    (18, 17),
    (21, 13),
    (22, 9),
    (18, 9),
    (24, 22),
    (21, 11),
    (23, 19),
];

/// The processes and threads of the published log; only the last two are the test's.
const THREADS: [(u32, u32); 12] = [
    (13263, 13263),
    (13263, 13382),
    (13524, 13524),
    (13524, 13600),
    (14311, 14311),
    (14311, 14445),
    (14602, 14602),
    (14602, 14668),
    (16026, 16026),
    (16026, 16266),
    (16429, 16429),
    (16429, 16508),
];

#[test]
fn the_published_test() {
    let mut log = Log::default();
    for (owner, (little, big)) in THREADS.into_iter().zip(OTHERS) {
        log.call(owner, "onCreate", split(little, big), 40);
    }
    log.call((16429, 16508), "run", [9, 7, 8, 8, 9, 7, 8, 8], 86);
    let bounds = bounds("logs.json", log.json("MultithreadingTest.startWithSort").as_bytes());
    assert_eq!(bounds.model.name, "Navitas default");
    let [test] = bounds.tests.as_slice() else { panic!("{:?}", bounds.tests) };
    assert_eq!(test.name.as_deref(), Some("MultithreadingTest#startWithSort"));
    assert_eq!((test.calls, test.stale_calls), (2, 10));

    // What Navitas shows, and what it would mean in its own unit: a hundred times less.
    let legacy = test.legacy.expect("it was asked for");
    close(legacy.shown_mah, 22.93, 1e-6);
    close(legacy.formula_mah, 22.93, 2e-3);
    let all = test.sum_with_stale.charge.milliampere_hours();
    close(all, 0.2293, 2e-5);
    close(legacy.formula_mah / all, 100.0, 1e-4);

    // The test's own: two threads of the last process.
    let run = mah(32.0, LITTLE.1) + mah(32.0, BIG.1);
    close(run, 0.034, 5e-4);
    let own = run + mah(23.0, LITTLE.1) + mah(19.0, BIG.1);
    close(test.sum.charge.milliampere_hours(), own, 1e-12);
    close(test.bound.charge.milliampere_hours(), own, 1e-12);
    let groups: Vec<_> = bounds.groups.iter().map(|group| (group.pid, group.tid)).collect();
    assert_eq!(groups, [(Some(16429), Some(16429)), (Some(16429), Some(16508))]);
    let call = bounds.calls.iter().find(|call| call.name == "com.x.Main.run").expect("run()");
    assert_eq!((call.calls, call.wall.value()), (1, 86_000_000));
    close(call.bound.charge.milliampere_hours(), run, 1e-12);
    close(call.bound.joules().value(), run * 3.6 * 3.85, 1e-12);
    close(call.legacy.expect("it was asked for").shown_mah, 3.42, 1e-6);
    assert_eq!(call.bound.shared.value(), 0.0);
}

#[test]
fn legacy_figures_come_only_when_asked_for() {
    let mut log = Log::default();
    log.call((7, 7), "a", [1; 8], 10);
    let timeline = timeline("logs.json", log.json("T.a").as_bytes());
    let bounds =
        ledger(&timeline, &PowerOptions::default(), false).sheets.upper_bounds.expect("bounds");
    assert!(bounds.tests.iter().all(|test| test.legacy.is_none()));
    assert!(bounds.groups.iter().all(|group| group.legacy.is_none()));
    assert!(bounds.calls.iter().all(|call| call.legacy.is_none()));
}

/// Self is without callees; threads that run at once are each charged the whole machine, their test is not.
#[test]
fn nested_and_concurrent_calls() {
    let mut log = Log::default();
    let step = |log: &mut Log, milliseconds: u64| {
        log.ticks.iter_mut().for_each(|core| *core += milliseconds / 10);
        log.time += milliseconds;
    };
    log.record((7, 7), true, "outer");
    step(&mut log, 50);
    log.record((7, 8), true, "other");
    log.record((7, 7), true, "inner");
    step(&mut log, 30);
    log.record((7, 7), false, "inner");
    step(&mut log, 20);
    log.record((7, 7), false, "outer");
    step(&mut log, 10);
    log.record((7, 8), false, "other");
    let bounds = bounds("logs.json", log.json("T.a").as_bytes());
    // A tick of all eight cores.
    let tick = mah(4.0, LITTLE.1) + mah(4.0, BIG.1);
    let of = |name: &str| {
        let call = bounds.calls.iter().find(|call| call.name.ends_with(name)).expect(name);
        (call.bound.charge.milliampere_hours(), call.self_bound.charge.milliampere_hours())
    };
    for (name, inclusive, own) in
        [(".outer", 10.0, 7.0), (".inner", 3.0, 3.0), (".other", 6.0, 6.0)]
    {
        close(of(name).0, inclusive * tick, 1e-12);
        close(of(name).1, own * tick, 1e-12);
    }
    close(bounds.tests[0].sum.charge.milliampere_hours(), 16.0 * tick, 1e-12);
    close(bounds.tests[0].bound.charge.milliampere_hours(), 11.0 * tick, 1e-12);
}

/// Raw lines: 100 ticks at a clock on one core.
fn text(cpu: u32, kilohertz: u64, before: u64, after: u64) -> String {
    let line = |word: &str, ms: u32, ticks: u64| {
        format!(
            "05-27 22:18:13.{ms:03} 70 70 D TEST    : {word} com.x.A.b TimeInStates cpu{cpu} {kilohertz} {ticks} ;  EndOfData 0\n"
        )
    };
    format!("{}{}", line("Entry", 1, before), line("Exit", 900, after))
}

#[track_caller]
fn check_clock(line: (u32, u64, u64, u64), milliamperes: f64, legacy: f64, notes: &[&str]) {
    let (cpu, kilohertz, before, after) = line;
    let timeline = timeline("T.a.txt", text(cpu, kilohertz, before, after).as_bytes());
    let ledger = ledger(&timeline, &PowerOptions::default(), true);
    let bounds = ledger.sheets.upper_bounds.as_ref().expect("bounds");
    close(bounds.calls[0].bound.charge.milliampere_hours(), mah(100.0, milliamperes), 1e-9);
    let formula = bounds.calls[0].legacy.expect("it was asked for").formula_mah;
    close(formula, legacy, legacy.abs() * 1e-5);
    let said: Vec<_> =
        ledger.quality.notes.iter().chain(&ledger.quality.artifacts[0].notes).collect();
    for code in ["bound-clamped", "bound-other-cluster", "time-in-state-reset"] {
        let is_said = said.iter().any(|note| note.code == code);
        assert_eq!(is_said, notes.contains(&code), "{code}: {said:?}");
    }
}

#[test]
fn clocks_between_beyond_and_begun_anew() {
    let legacy = |ticks: f64, milliamperes: f64| ticks / 3600.0 * milliamperes;
    // A step of the profile.
    check_clock((0, 691_200, 50, 150), 53.6, legacy(100.0, 53.6), &[]);
    // Between two: Navitas leaves the lower one out.
    let above = (105.93 - 101.37) * (1_333_000.0 - 1_305_600.0) / (1_382_400.0 - 1_305_600.0);
    check_clock((1, 1_333_000, 50, 150), 101.37 + above, legacy(100.0, above), &[]);
    // Beyond the last.
    check_clock((3, 1_600_000, 0, 100), 109.05, legacy(100.0, 109.05), &["bound-clamped"]);
    // The CPU went and came: the counter begins anew, and Navitas counts backwards.
    let reset = (0, 400_000, 295, 100);
    check_clock(reset, 45.21, legacy(-195.0, 45.21), &["time-in-state-reset"]);
    // A core beyond the profile's: Navitas begins again with its first.
    let other = (8, 1_401_600, 0, 100);
    let most =
        172.87 + (232.71 - 172.87) * (1_401_600.0 - 1_382_400.0) / (1_612_800.0 - 1_382_400.0);
    check_clock(other, most, legacy(100.0, 109.05), &["bound-other-cluster"]);
}

/// With a profile that knows of shared power: the cluster once, the CPU once, whatever the number of cores.
#[test]
fn shared_power_is_drawn_once() {
    let profile = "<device name='two cores'>
        <item name='cpu.suspend'>1</item><item name='cpu.idle'>2</item><item name='cpu.active'>4</item>
        <array name='cpu.clusters.cores'><value>2</value></array>
        <item name='cpu.cluster_power.cluster0'>8</item>
        <array name='cpu.core_speeds.cluster0'><value>1000000</value></array>
        <array name='cpu.core_power.cluster0'><value>100</value></array></device>";
    let line = |word: &str, ms: u32, ticks: u64| {
        format!(
            "05-27 22:18:13.{ms:03} 70 70 D TEST    : {word} com.x.A.b TimeInStates cpu0 1000000 {ticks} ; cpu1 1000000 {ticks} ;  \
             EndOfData 0\n"
        )
    };
    let text = format!("{}{}", line("Entry", 1, 0), line("Exit", 900, 90));
    let timeline = timeline("T.a.txt", text.as_bytes());
    let mut power = PowerOptions::default();
    power.profiles.push(PowerProfile::parse("two cores", profile).expect("a profile"));
    power.voltage = Some(wattle_units::Volts::new(4.0));
    let bounds = ledger(&timeline, &power, false).sheets.upper_bounds.expect("bounds");
    assert_eq!(bounds.model.name, "two cores");
    let bound = bounds.calls[0].bound;
    close(bound.core.value(), 2.0 * 0.9 * 0.1 * 4.0, 1e-12);
    close(bound.shared.value(), 0.9 * (1.0 + 2.0 + 4.0 + 8.0) * 1e-3 * 4.0, 1e-12);
    close(bound.charge.milliampere_hours(), bound.joules().value() / 4.0 / 3.6, 1e-12);
}

/// The part of a bound that a polled on-CPU time of the thread gives.
#[test]
fn scaled_by_the_threads_cpu_time() {
    let counters = "wattle-counters 1\n@ 10.00 -\n< /proc/70/task/70/time_in_state\ncpu0\n400000 100\n> 10.00 -\n\
                    @ 12.00 -\n< /proc/70/task/70/time_in_state\ncpu0\n400000 140\n> 12.00 -\n";
    // Boot time on both sides: the log counts it, too.
    let line = |word: &str, at: &str, ticks: u64| {
        format!(
            "{at} 70 70 D TEST    : {word} com.x.A.b TimeInStates cpu0 400000 {ticks} ; cpu1 400000 {ticks} ;  EndOfData 0\n"
        )
    };
    let log = format!("{}{}", line("Entry", "   10.505", 0), line("Exit", "   11.505", 100));
    let files = [("counters.txt", counters.as_bytes()), ("T.a.txt", log.as_bytes())];
    let timeline = wattle_ingest::read_all_bytes(&files).expect("both are read");
    let bounds =
        ledger(&timeline, &PowerOptions::default(), false).sheets.upper_bounds.expect("bounds");
    let call = &bounds.calls[0];
    // 0.4 s in 2 s: 0.2 s in the call's second, of 2 s of cores.
    close(call.cpu.expect("polled").seconds(), 0.2, 1e-6);
    let expected = call.bound.core.value() * 0.1;
    close(call.scaled.expect("polled").value(), expected, expected * 1e-5);
}

/// The real files, against an independent computation: (test, calls, sum in mAh, as Navitas shows it).
const REAL: [(&str, u64, f64, f64); 10] = [
    (
        "NavigationTest#mainActivity_to_childActivity_andBack_navigation",
        53,
        0.318_619_706_018,
        31.71,
    ),
    ("WifiTest#startWifiActivity", 63, 0.435_848_456_019, 43.43),
    ("additional.SomeJavaTest#mainActivity_start", 3, 0.039_682_083_333, 3.97),
    ("InliningSeparateClassTest#start", 56, 0.361_028_039_352, 35.96),
    ("MultithreadingTest#startWithSort", 9, 0.115_041_076_389, 11.39),
    ("InliningAnonymousClassTest#start", 59, 0.398_286_789_352, 39.68),
    ("MultithreadingTest#startWithoutSort", 6, 0.075_729_166_667, 7.57),
    ("AnotherTest#mainActivity_start", 66, 0.473_410_122_685, 47.18),
    ("NavigationTest#mainActivity_to_childActivity_navigation", 32, 0.236_529_289_352, 23.51),
    ("BluetoothTest#startBluetoothActivity", 12, 0.153_208_576_389, 15.20),
];

#[requires(data)]
#[test]
fn the_real_json() {
    let text = wattle_testdata::bytes("navitas_logs/navi_test-logs-2021.json");
    let bounds = bounds("navi_test-logs-2021.json", &text);
    assert_eq!(bounds.tests.len(), REAL.len());
    for (test, (name, calls, sum, legacy)) in bounds.tests.iter().zip(REAL) {
        assert_eq!((test.name.as_deref(), test.calls, test.stale_calls), (Some(name), calls, 0));
        close(test.sum.charge.milliampere_hours(), sum, 1e-11);
        close(test.legacy.expect("it was asked for").shown_mah, legacy, 1e-5);
    }
    // Process and thread are 0 everywhere: one group a test.
    assert_eq!(bounds.groups.len(), REAL.len());
    assert!(bounds.groups.iter().all(|group| group.pid.is_none() && group.tid.is_none()));
}

#[requires(data)]
#[test]
fn the_real_texts() {
    let files = [
        (
            "navi_test-MultithreadingTest.startWithSort-2021.txt",
            6170,
            (3, 6),
            0.039_311_909_722,
            11.39,
        ),
        ("navi_test-NavigationTest.child-2021.txt", 7027, (20, 12), 0.083_320_712_963, 23.51),
    ];
    for (file, pid, calls, own, legacy) in files {
        let text = wattle_testdata::bytes(&format!("navitas_logs/{file}"));
        let bounds = bounds(file, &text);
        let [test] = bounds.tests.as_slice() else { panic!("{:?}", bounds.tests) };
        assert_eq!((test.calls, test.stale_calls), calls, "{file}");
        close(test.sum.charge.milliampere_hours(), own, 1e-11);
        close(test.legacy.expect("it was asked for").shown_mah, legacy, 1e-5);
        assert!(bounds.groups.iter().all(|group| group.pid == Some(pid)), "{:?}", bounds.groups);
        let rec = bounds
            .calls
            .iter()
            .filter(|call| call.name == "com.example.navi_test.ChildActivity.rec")
            .count();
        assert_eq!(rec, if pid == 7027 { 11 } else { 0 });
    }
}
