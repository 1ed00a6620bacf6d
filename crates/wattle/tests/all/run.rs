//! `wattle run` and `wattle record` from end to end: real packages, the real adb, the simulated phone.

use std::time::Duration;

use crate::phone_bench::{PhoneBench, options};
use crate::support::{list, number};
use serde_json::Value;
use wattle_phone::{Event, Fault, Step, TestOutcome, TestSpec};
use wattle_testdata::requires;

/// A real app whose tests are scripted.
const APP: &str = "apk/androguard-a2dp.Vol_137.apk";
const PACKAGE: &str = "a2dp.Vol";

fn tests() -> Vec<TestSpec> {
    let work = |milliseconds| {
        vec![
            Step::call(
                "a2dp.Vol.main.onCreate",
                vec![
                    Step::busy(milliseconds),
                    Step::call("a2dp.Vol.DeviceDB.selectAll", vec![Step::busy(2 * milliseconds)]),
                ],
            ),
            Step::sleep(50),
        ]
    };
    vec![
        TestSpec::new("a2dp.Vol.MainTest", "opens").with_steps(work(40)),
        TestSpec::new("a2dp.Vol.MainTest", "lists").with_steps(work(120)),
    ]
}

fn text(path: &std::path::Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The row of a list whose key has a value that ends so.
#[track_caller]
fn row<'a>(value: &'a Value, pointer: &str, key: &str, ends: &str) -> &'a Value {
    list(value, pointer)
        .iter()
        .find(|row| row[key].as_str().is_some_and(|text| text.ends_with(ends)))
        .unwrap_or_else(|| {
            panic!("no {ends} in {pointer}: {}", value.pointer(pointer).expect("a list"))
        })
}

#[requires(data, program = "adb")]
#[test]
fn a_real_app_with_tests_becomes_a_ledger_that_closes() {
    let app = wattle_testdata::path(APP);
    let mut phone = options();
    phone.tests = tests();
    let bench = PhoneBench::new(phone);
    let test_apk = text(&bench.tests_of(PACKAGE, Vec::new()));
    let run = bench.run([
        "run",
        &text(&app),
        "--all",
        "--short-methods",
        "probe",
        "--test-apk",
        &test_apk,
        "--out",
        "rec",
        "--json",
        "report.json",
    ]);
    // A ledger that does not close ends with 70.
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    bench.assert_restored("a run");
    for stage in ["instrument", "install", "scenario", "pull", "restore", "report"] {
        assert!(
            run.stdout.contains(&format!("\n  {stage} ")),
            "no time of {stage}:\n{}",
            run.stdout
        );
    }

    let report: Value =
        serde_json::from_slice(&std::fs::read(bench.path("report.json")).expect("a report"))
            .expect("JSON");
    let tests = list(&report, "/tests");
    assert_eq!(tests.len(), 2, "{tests:?}");
    let [opens, lists] = ["#opens", "#lists"].map(|name| row(&report, "/tests", "name", name));
    assert!(number(lists, "/joules") > number(opens, "/joules"));
    let energy = number(&report, "/app/joules");
    let whole = number(&report, "/total_joules");
    assert!(energy > 0.0 && energy < whole, "{energy} of {whole}");
    let process = row(&report, "/processes", "name", PACKAGE);
    assert!(list(process, "/threads").iter().any(|thread| number(thread, "/joules") > 0.0));
    let method = row(&report, "/slices", "name", "DeviceDB.selectAll");
    assert!(number(method, "/self_joules") > 0.0);
    assert_eq!(method["calls"], 2);

    let recording = bench.recording("rec");
    assert_eq!(recording["iterations"][0]["outcome"], "passed");
    assert_eq!(list(&recording, "/iterations/0/tests").len(), 2);
    for file in
        ["report.html", "run.ledger.json.zst", "power_profile.xml", "probes.jsonl", "logcat.txt"]
    {
        assert!(bench.path("rec").join(file).is_file(), "{file}");
    }

    // What the phone truly spent, by the device model that it was built from.
    let [truth] = bench.phone.truths().try_into().expect("one trace");
    std::fs::write(bench.path("phone.toml"), &truth.device_model).expect("written");
    let report = bench.run([
        "report",
        "rec",
        "--device-model",
        "phone.toml",
        "--app",
        PACKAGE,
        "--window",
        "all",
        "--json",
        "-",
    ]);
    let report = report.json();
    // Without set-up and tear-down, of which both are in the recording, unless they are asked for.
    let scenario = bench.run(["report", "rec", "--json", "-"]).json();
    let (scenario, all) = (number(&scenario, "/duration_s"), number(&report, "/duration_s"));
    let marks = |name: &str| number(&recording, &format!("/iterations/0/{name}_boot_ns"));
    let marked = (marks("end") - marks("start")) / 1e9;
    assert!((scenario - marked).abs() < 1e-6 && scenario < all, "{scenario} s of {all} s");
    let component = row(&report, "/components", "name", "cpu");
    let (found, spent) = (number(component, "/joules"), truth.truth.total.value());
    assert!((found / spent - 1.0).abs() < 0.05, "{found} J of {spent} J");
    let own: f64 = truth
        .truth
        .threads
        .iter()
        .filter(|thread| thread.process == PACKAGE)
        .map(|thread| thread.charges.total().value())
        .sum();
    // Memory and all else beside the processor that the app used, too.
    let devices = truth.truth.devices.iter().flat_map(|device| &device.processes);
    let devices = devices.filter(|process| process.process == PACKAGE);
    let own: f64 = own + devices.map(|process| process.joules.value()).sum::<f64>();
    let found = number(&report, "/app/joules");
    assert!((found / own - 1.0).abs() < 0.1, "{found} J of {own} J");
}

/// Checks the exit code of a run with a fault, and words of its message.
#[track_caller]
fn check(bench: &PhoneBench, number: usize, fault: Fault, code: i32, words: &[&str]) {
    let name = format!("{fault:?}");
    let app = wattle_testdata::path(APP);
    let folder = format!("rec-{number}");
    bench.phone.inject(fault);
    let tests = text(&bench.tests_of(PACKAGE, Vec::new()));
    let run = bench.run(["run", &text(&app), "--test-apk", &tests, "--out", &folder]);
    assert_eq!(run.code, Some(code), "{name}: {}\n{}", run.stdout, run.stderr);
    for word in words {
        assert!(run.stderr.contains(word), "{name}: no {word:?} in {}", run.stderr);
    }
    bench.phone.repair();
    bench.assert_restored(&name);
    let recording = bench.recording(&folder);
    if recording.get("iterations").is_some() {
        // What was recorded until then can be looked at.
        let report = bench.run(["report", &folder]);
        assert_eq!(report.code, Some(0), "{name}: {}", report.stderr);
    }
}

#[requires(data, program = "adb")]
#[test]
fn every_fault_ends_with_a_clear_message_and_a_device_as_it_was() {
    let mut phone = options();
    phone.tests = tests();
    phone.reboot_takes = Duration::from_secs(1);
    let bench = PhoneBench::new(phone);
    let event = Event::TestStarted;
    let delay = Duration::from_millis(50);
    let away = Some(Duration::from_secs(1));
    let faults: Vec<(Fault, i32, &[&str])> = vec![
        (
            Fault::RefuseInstall { reason: "INSTALL_FAILED_USER_RESTRICTED".into() },
            4,
            &["does not allow it", "was restored"],
        ),
        (Fault::FullStorage { free_bytes: 64 << 10 }, 4, &["free storage", "was restored"]),
        (Fault::CrashTest { number: 0 }, 1, &["crashed", "recording is in"]),
        (Fault::DisconnectAt { event, delay, away }, 4, &["disconnected", "was restored"]),
        (Fault::RebootAt { event, delay }, 4, &["disconnected", "was restored"]),
        (Fault::Hot { celsius: 46.0 }, 4, &["46.0 °C", "--force"]),
        (Fault::LowBattery { percent: 7 }, 4, &["7 %", "--force"]),
        (Fault::PowerSave, 4, &["power-save mode", "--force"]),
        (Fault::Charging, 0, &["plugged in"]),
        (Fault::SlowLink { bytes_per_second: 2_000_000 }, 0, &[]),
        (
            Fault::RefuseRecording,
            1,
            &["perfetto cannot be recorded", "no scheduler data", "recording is in"],
        ),
    ];
    for (number, (fault, code, words)) in faults.into_iter().enumerate() {
        check(&bench, number, fault, code, words);
    }
}

#[requires(data, program = "adb")]
#[test]
fn a_failed_test_is_a_failed_run() {
    let app = wattle_testdata::path(APP);
    let mut phone = options();
    let fails = TestOutcome::Fails("java.lang.AssertionError: expected 1, found 2".into());
    phone.tests = tests();
    phone.tests.push(TestSpec::new("a2dp.Vol.MainTest", "fails").with_outcome(fails));
    let bench = PhoneBench::new(phone);
    let tests = text(&bench.tests_of(PACKAGE, Vec::new()));
    let run = bench.run(["run", &text(&app), "--test-apk", &tests, "--out", "rec"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("1 of 3") || run.stderr.contains("fails"), "{}", run.stderr);
    let chosen =
        ["run", &text(&app), "--test-apk", &tests, "--test", "MainTest#opens", "--out", "one"];
    assert_eq!(bench.run(chosen).code, Some(0));
    assert_eq!(list(&bench.recording("one"), "/iterations/0/tests").len(), 1);
    bench.assert_restored("failed tests");
}

#[requires(data, program = "adb")]
#[test]
fn lost_log_lines_are_reported_in_number() {
    let app = wattle_testdata::path(APP);
    let mut phone = options();
    // Enough calls for some hundred log lines.
    let calls =
        |count| (0..count).map(|_| Step::call("a2dp.Vol.main.onCreate", Vec::new())).collect();
    phone.tests = vec![TestSpec::new("a2dp.Vol.MainTest", "calls").with_steps(calls(60_000))];
    let bench = PhoneBench::new(phone);
    bench.phone.inject(Fault::LoseLogLines { fraction: 0.01 });
    let tests = text(&bench.tests_of(PACKAGE, Vec::new()));
    let run = bench.run([
        "run",
        &text(&app),
        "--sink",
        "logcat",
        "--test-apk",
        &tests,
        "--out",
        "rec",
        "--json",
        "report.json",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report: Value =
        serde_json::from_slice(&std::fs::read(bench.path("report.json")).expect("a report"))
            .expect("JSON");
    let lost = bench.phone.lost_log_lines().get("wattle").copied().unwrap_or(0);
    assert!(lost > 0, "the fault did nothing: {:?}", bench.phone.lost_log_lines());
    let log = row(&report, "/quality/artifacts", "name", "logcat.txt");
    assert_eq!(number(log, "/lost_events"), lost as f64, "{log}");
    assert!(run.stdout.contains(&format!("{lost} event")), "{}", run.stdout);
}

#[requires(data, program = "adb")]
#[test]
fn builds_take_turns_and_a_series_is_resumed() {
    let app = wattle_testdata::path(APP);
    let mut phone = options();
    phone.tests = tests();
    let bench = PhoneBench::new(phone);
    let tests = text(&bench.tests_of(PACKAGE, Vec::new()));
    let arguments = |more: &[&str]| -> Vec<String> {
        let all = [
            "run",
            &text(&app),
            "--compare",
            &text(&app),
            "--test-apk",
            &tests,
            "--repeat",
            "2",
            "--out",
            "rec",
        ];
        all.iter().chain(more).map(|&word| word.to_owned()).collect()
    };
    let run = bench.run(arguments(&["--json", "series.json"]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let series: Value =
        serde_json::from_slice(&std::fs::read(bench.path("series.json")).expect("a series"))
            .expect("JSON");
    let builds: Vec<&str> =
        list(&series, "/runs").iter().map(|run| run["build"].as_str().expect("a build")).collect();
    assert_eq!(builds, ["A", "B", "B", "A"]);
    assert_eq!(series["differences"][0]["from"], "A");
    assert!(number(&series, "/builds/0/mean_joules") > 0.0);
    // Nothing is left to do, so nothing is done again.
    let before = std::fs::metadata(bench.path("rec/3/trace.perfetto-trace")).expect("a trace");
    assert_eq!(bench.run(arguments(&["--resume"])).code, Some(0));
    let after = std::fs::metadata(bench.path("rec/3/trace.perfetto-trace")).expect("a trace");
    assert_eq!(before.modified().expect("a time"), after.modified().expect("a time"));
    // A run that is missing is made.
    std::fs::remove_dir_all(bench.path("rec/2")).expect("removed");
    let resumed = bench.run(arguments(&["--resume"]));
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(bench.path("rec/2/trace.perfetto-trace").is_file());
    bench.assert_restored("a series");
}

/// The way to ask a program to stop, without unsafe code.
fn interrupt(child: &std::process::Child) {
    let done = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(done.expect("kill runs").success());
}

#[requires(data, program = "adb")]
#[test]
fn an_interrupted_run_puts_the_device_back() {
    let app = wattle_testdata::path(APP);
    let bench = PhoneBench::new(options());
    let child = bench.start(["run", &text(&app), "--duration", "60", "--out", "rec"]);
    let begun = std::time::Instant::now();
    while !bench.phone.events().contains(&Event::ScenarioStarted) {
        assert!(begun.elapsed() < Duration::from_mins(1), "the scenario never began");
        std::thread::sleep(Duration::from_millis(50));
    }
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("the device was restored"), "{said}");
    bench.assert_restored("Ctrl-C");
    assert_eq!(bench.recording("rec")["iterations"][0]["outcome"], "interrupted");
    assert_eq!(bench.run(["report", "rec"]).code, Some(0));
}
