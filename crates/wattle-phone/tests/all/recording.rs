//! Recordings: `perfetto`, logs and counters of scripted apps.

use std::process::Stdio;

use crate::support;
use crate::support::{connected, options, text};
use wattle_phone::{Event, Step, TestOutcome, TestSpec};
use wattle_testdata::requires;
use wattle_wire::Writer;

/// A configuration that asks for what Wattle asks for.
fn config(package: &str, write_period_ms: Option<u64>) -> Vec<u8> {
    let mut out = Writer::new();
    for (name, fields) in
        [("linux.ftrace", 100), ("linux.process_stats", 103), ("android.power", 106)]
    {
        out.message(2, |source| {
            source.message(1, |config| {
                config.string(1, name);
                config.message(fields, |own| match fields {
                    100 => {
                        own.string(1, "sched/sched_switch");
                        own.string(3, package);
                    }
                    106 => {
                        own.varint(2, 1);
                        own.bool(3, true);
                    }
                    _ => own.bool(2, true),
                });
            });
        });
    }
    out.varint(3, 600_000);
    if let Some(period) = write_period_ms {
        out.bool(8, true);
        out.varint(9, period);
    }
    out.into_bytes()
}

/// Starts a recording. Gives its process.
fn start(adb: &support::Adb, path: &str, config: &[u8]) -> u32 {
    let command = format!("perfetto --background-wait -c - -o {path}");
    let mut started = adb
        .command()
        .args(["-s", &adb.serial, "shell", &command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("adb");
    std::io::Write::write_all(&mut started.stdin.take().expect("stdin"), config).expect("written");
    let output = started.wait_with_output().expect("ended");
    text(&output.stdout).trim().parse().expect("a number")
}

#[requires(program = "adb")]
#[test]
fn a_restart_leaves_what_was_written() {
    let (phone, adb) = connected(options());
    for (path, period, is_left) in [
        ("/data/misc/perfetto-traces/a", Some(100), true),
        ("/data/misc/perfetto-traces/b", None, false),
    ] {
        start(&adb, path, &config("*", period));
        std::thread::sleep(std::time::Duration::from_millis(350));
        phone.reboot();
        let size = std::fs::metadata(phone.host_path(path)).map_or(0, |file| file.len());
        assert_eq!(size > 0, is_left, "{path}: {size}");
        std::thread::sleep(std::time::Duration::from_secs(2));
        adb.connect();
    }
}

#[requires(program = "adb")]
#[test]
fn a_trace_holds_what_ran() {
    let mut options = options();
    let folder = tempfile::tempdir().expect("a folder");
    options.packages = support::probed_packages(folder.path(), "trace");
    let steps = vec![Step::call("com.example.news.Feed.load", vec![Step::busy(30)])];
    options.tests = vec![TestSpec::new("com.example.news.FeedTest", "loads").with_steps(steps)];
    let (phone, adb) = connected(options);
    let path = "/data/misc/perfetto-traces/t";
    let pid = start(&adb, path, &config("com.example.news", None));
    assert!(phone.recorders().iter().any(|(other, name)| *other == pid && name == "perfetto"));
    adb.shell("am instrument -w -r com.example.news.test/androidx.test.runner.AndroidJUnitRunner");
    adb.shell(&format!(
        "kill -0 {pid} && kill -TERM {pid}; while kill -0 {pid} 2>/dev/null; do sleep 0.05; done"
    ));
    let to = adb.folder().join("t");
    assert!(adb.run(&["pull", path, &to.to_string_lossy()]).status.success());
    let trace = std::fs::read(to).expect("trace");
    let label = b"com.example.news.Feed.load #1@";
    assert!(
        trace.windows(label.len()).any(|window| window == label),
        "no section in {} bytes",
        trace.len()
    );
    let [truth] = phone.truths().try_into().expect("one recording");
    let app = truth.truth.threads.iter().find(|thread| thread.process == "com.example.news");
    let seconds = app.expect("the app").cpu.value() as f64 * 1e-9;
    assert!(
        (0.08..0.5).contains(&seconds),
        "60 ms to begin, 30 ms in the test and some: {seconds} s"
    );
    assert!(
        truth.truth.threads.iter().any(|thread| thread.recorder && thread.process == "perfetto")
    );
    assert_eq!(
        phone.events(),
        [
            Event::InstallStarted,
            Event::InstallStarted,
            Event::RecordingStarted,
            Event::ScenarioStarted,
            Event::TestStarted,
            Event::ScenarioEnded,
            Event::RecordingStopped,
            Event::PullStarted
        ]
    );
}

#[requires(program = "adb")]
#[test]
fn tests_report_as_the_runner_does() {
    let mut options = options();
    let folder = tempfile::tempdir().expect("a folder");
    options.packages = support::probed_packages(folder.path(), "logcat");
    let test = |method: &str, outcome| {
        let steps = vec![Step::call("com.example.news.Feed.load", vec![Step::busy(3)])];
        TestSpec::new("com.example.news.FeedTest", method).with_steps(steps).with_outcome(outcome)
    };
    options.tests = vec![
        test("a", TestOutcome::Passes),
        test("b", TestOutcome::Fails("java.lang.AssertionError: no\n\tat com.example".to_owned())),
        test("c", TestOutcome::Ignored),
        test("d", TestOutcome::Crashes("java.lang.Error: gone".to_owned())),
        test("e", TestOutcome::Passes),
    ];
    let (phone, adb) = connected(options);
    let runner = "com.example.news.test/androidx.test.runner.AndroidJUnitRunner";
    let output = adb.shell(&format!("am instrument -w -r {runner}"));
    let codes: Vec<&str> = output
        .lines()
        .filter_map(|line| line.strip_prefix("INSTRUMENTATION_STATUS_CODE: "))
        .collect();
    assert_eq!(codes, ["1", "0", "1", "-2", "1", "-3", "1"], "{output}");
    assert!(
        output.ends_with(
            "INSTRUMENTATION_RESULT: shortMsg=java.lang.Error\nINSTRUMENTATION_CODE: 0\n"
        )
    );
    assert!(phone.processes_of("com.example.news").is_empty());
    let crash = adb.shell("logcat -d -b crash -v raw");
    assert!(
        crash.contains("FATAL EXCEPTION: main") && crash.contains("java.lang.Error: gone"),
        "{crash}"
    );
    let one =
        adb.shell(&format!("am instrument -w -r -e class com.example.news.FeedTest#a {runner}"));
    assert!(
        one.contains("numtests=1") && one.contains("OK (1 test)") && one.ends_with("CODE: -1\n"),
        "{one}"
    );
    let lines = adb.shell("logcat -d -s wattle:V -v raw");
    let records = lines.lines().filter(|line| line.starts_with("E1 ")).count();
    assert!(lines.contains("H1 ") && lines.contains("T1 ") && records >= 1, "{lines}");
    let unknown = adb.run(&["shell", "am instrument -w com.none/.R"]);
    assert!(text(&unknown.stdout).contains("Unable to find instrumentation info"), "{unknown:?}");
}

#[requires(program = "adb")]
#[test]
fn counters_grow_by_what_the_app_moves() {
    let mut options = options();
    let folder = tempfile::tempdir().expect("a folder");
    options.packages = support::probed_packages(folder.path(), "file");
    let steps =
        vec![Step::Network { rx: 1_448_000, tx: 0 }, Step::Storage { read: 0, write: 409_600 }];
    options.tests = vec![TestSpec::new("com.example.news.FeedTest", "moves").with_steps(steps)];
    let (phone, adb) = connected(options);
    let received = |text: &str| -> u64 {
        let line = text.lines().find(|line| line.trim().starts_with("wlan0:")).expect("wlan0");
        line.split_whitespace().nth(1).expect("bytes").parse().expect("a number")
    };
    let before = received(&adb.shell("cat /proc/net/dev"));
    adb.shell("am instrument -w com.example.news.test/androidx.test.runner.AndroidJUnitRunner");
    let after = adb.shell("cat /proc/net/dev");
    assert_eq!(received(&after) - before, 1_448_000 + 1000 * 66);
    // What the shell reads by itself is the same a little later.
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(
        adb.shell("sleep 0.1; while read -r l; do echo \"$l\"; done < /proc/net/dev | grep wlan0")
            .trim(),
        after.lines().find(|line| line.contains("wlan0")).expect("wlan0").trim()
    );
    let uid = phone.package("com.example.news").expect("installed").uid;
    let detail = adb.shell("dumpsys netstats detail");
    let of_uid = detail.split(&format!("uid={uid} ")).nth(1).expect("the app");
    assert!(of_uid.contains(&format!("rb={}", 1_448_000 + 1000 * 66)), "{detail}");
}

#[requires(program = "adb")]
#[test]
fn clocks_differ_from_the_hosts() {
    let (phone, adb) = connected(options());
    let host = || {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .expect("time")
            .as_secs_f64()
    };
    let begin = host();
    let words = adb.shell("date +%s.%N; cat /proc/uptime; date +%z");
    let end = host();
    let lines: Vec<&str> = words.lines().collect();
    let wall: f64 = lines[0].parse().expect("a time");
    assert!(
        (begin + 37.25 - 0.01..end + 37.25 + 0.01).contains(&wall),
        "{wall} between {begin} and {end}"
    );
    let uptime: f64 = lines[1].split(' ').next().expect("uptime").parse().expect("a number");
    let now = phone.boot_now().value() as f64 * 1e-9;
    assert!(uptime > 93_784.0 && uptime <= now && now - uptime < 5.0, "{uptime} and {now}");
    assert_eq!(lines[2], "+0530");
}
