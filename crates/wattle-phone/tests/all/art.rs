//! Programs and tests on the real Android runtime: what they did comes back whole, at the right times, and can be
//! replayed.

use std::path::Path;
use std::time::Duration;

use crate::art_bench::{Bench, bench};
use wattle_phone::art::{
    ArtEntry, ArtError, ArtEvent, ArtEventKind, ArtJob, ArtRun, ArtRuntime, LogPriority,
    TestMethod, test_methods,
};
use wattle_sim::PhoneSpec;
use wattle_sim::replay::{RecordedSources, Replay, ReplayClocks, ReplayWindow};
use wattle_testdata::requires;
use wattle_units::{BootNanos, Nanos};

/// A phone that is an hour ahead of the host's clock.
const AHEAD: Nanos = Nanos::new(3_600_000_000_000);
const PID: u32 = 5000;

fn job(bench: &Bench, entry: ArtEntry) -> ArtJob {
    let mut job = ArtJob::new(vec![bench.code.clone()], entry, PID, std::env::temp_dir());
    job.uid = 10_123;
    job.boot_ahead = AHEAD;
    job
}

fn program(bench: &Bench, arguments: &[&str]) -> ArtRun {
    let arguments = arguments.iter().map(|it| (*it).to_owned()).collect();
    let entry = ArtEntry::Main { class: "shop.Program".to_owned(), arguments };
    let run = bench.runtime.start(&job(bench, entry)).unwrap().wait().unwrap();
    assert_eq!(run.unread, 0);
    assert!(run.events.is_sorted_by_key(|event| event.at), "events are in order of time");
    run
}

fn logs(events: &[ArtEvent]) -> Vec<(LogPriority, &str, &str)> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            ArtEventKind::Log { priority, tag, message } => {
                Some((*priority, tag.as_str(), message.as_str()))
            }
            _ => None,
        })
        .collect()
}

/// `(thread, label, begin, end)` of each section.
fn sections(events: &[ArtEvent]) -> Vec<(u32, &str, BootNanos, BootNanos)> {
    let mut all = Vec::new();
    for (place, event) in events.iter().enumerate() {
        let ArtEventKind::Begin(label) = &event.kind else { continue };
        let mut depth = 0;
        let end = events[place..].iter().filter(|it| it.thread == event.thread).find(|it| {
            depth += match it.kind {
                ArtEventKind::Begin(_) => 1,
                ArtEventKind::End => -1,
                _ => 0,
            };
            depth == 0
        });
        all.push((event.thread.0, label.as_str(), event.at, end.unwrap().at));
    }
    all
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn a_program_tells_what_it_does() {
    let bench = bench();
    let before = AHEAD.value() + monotonic();
    let run = program(bench, &["sections", "two  words"]);
    let after = AHEAD.value() + monotonic();
    assert!(run.status.success(), "{}", run.output);
    assert_eq!(run.output, "printed\n");
    assert!(matches!(run.events[0].kind, ArtEventKind::Thread { .. }));
    assert_eq!(run.events[1].kind, ArtEventKind::Ready);
    assert_eq!(run.events.last().unwrap().kind, ArtEventKind::Done);
    assert!(run.events.iter().all(|it| (before..=after).contains(&it.at.value())));
    let logs = logs(&run.events);
    assert_eq!(logs[0], (LogPriority::Info, "numbers", "5000 5000 10123"));
    assert_eq!((logs[1].0, logs[1].1), (LogPriority::Warning, "lines"));
    let text = logs[1].2;
    assert!(text.starts_with("one\n\ttwo\\n\njava.lang.IllegalStateException: three\n\tat shop."));
    let millis: i64 = logs[2].2.parse().unwrap();
    assert!((before / 1_000_000..=after / 1_000_000).contains(&millis));
    assert_eq!(logs[3], (LogPriority::Info, "argument", "two  words"));
    let found = sections(&run.events);
    let names: Vec<&str> = found.iter().map(|it| it.1).collect();
    assert_eq!(names, ["outer of all", "inner", "on the worker"]);
    assert_eq!((found[0].0, found[1].0), (PID, PID));
    assert!((PID + 1..PID + 100).contains(&found[2].0), "{}", found[2].0);
    // What sleeps takes at least as long as it was told to.
    let length = |index: usize| (found[index].3 - found[index].2).milliseconds();
    assert!(length(0) >= 80.0 + length(2) && length(1) >= 80.0 && length(2) > 1.0);
}

fn monotonic() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn a_run_can_be_replayed() {
    let bench = bench();
    let run = program(bench, &["sections"]);
    let process = run.replayed("com.example.shopping").of_package("com.example.shopping");
    let (first, last) = (run.events[0].at, run.events.last().unwrap().at);
    assert_eq!((process.pid, process.uid, process.start), (PID, 10_123, first));
    let main = &process.threads[0];
    assert_eq!((main.tid, main.name.as_str()), (PID, "xample.shopping"));
    let window = ReplayWindow::new(first - Nanos::new(10_000_000), last + Nanos::new(10_000_000));
    let mut replay = Replay::new(PhoneSpec::pixel_like(), ReplayClocks::default(), 1);
    replay.add(process);
    let mut sources = RecordedSources::default();
    sources.atrace_apps = vec!["com.example.shopping".to_owned()];
    let truth = replay.run(window, &sources).unwrap().truth;
    let cpu = |path: &[&str]| {
        let of_path = truth.methods.iter().filter(|it| it.path == path);
        of_path.map(|it| it.self_cpu.milliseconds()).sum::<f64>()
    };
    // Work is work, and sleep is none; two million rounds against one and a half, on a machine that may be busy.
    let (outer, inner) = (cpu(&["outer of all"]), cpu(&["outer of all", "inner"]));
    let worker = cpu(&["on the worker"]);
    assert!(outer > 5.0 && inner < 0.5 * outer, "{outer} and {inner}");
    assert!((0.1..5.0).contains(&(worker / outer)), "{worker} and {outer}");
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn tests_are_found() {
    let bench = bench();
    let found = test_methods(&bench.code, &[]).unwrap();
    let names: Vec<(String, bool)> = found.iter().map(|it| (it.name(), it.ignored)).collect();
    let wanted = [
        ("shop.CartTest#testFails", false),
        ("shop.CartTest#testPasses", false),
        ("shop.CartTest#testThrows", false),
        ("shop.PriceTest#divides", false),
        ("shop.PriceTest#doesNotThrow", false),
        ("shop.PriceTest#inherited", false),
        ("shop.PriceTest#notToday", true),
        ("shop.PriceTest#sums", false),
    ];
    let mut sorted: Vec<(&str, bool)> = names.iter().map(|it| (it.0.as_str(), it.1)).collect();
    sorted.sort_unstable();
    assert_eq!(sorted, wanted);
}

/// Runs tests; how each ended: nothing, or what was thrown and its message.
fn outcomes(run: &ArtRun) -> Vec<(String, Option<(String, String)>)> {
    let mut running: Option<String> = None;
    let mut all = Vec::new();
    for event in &run.events {
        match &event.kind {
            ArtEventKind::TestBegin(test) => {
                assert!(running.replace(test.clone()).is_none(), "one test at a time");
            }
            ArtEventKind::TestPassed(test) => {
                assert_eq!(running.take().as_ref(), Some(test));
                all.push((test.clone(), None));
            }
            ArtEventKind::TestFailed { test, class, message, stack } => {
                assert_eq!(running.take().as_ref(), Some(test));
                assert!(stack.starts_with(class.as_str()), "{stack}");
                all.push((test.clone(), Some((class.clone(), message.clone()))));
            }
            _ => {}
        }
    }
    all
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn tests_pass_and_fail() {
    let bench = bench();
    let tests: Vec<TestMethod> =
        test_methods(&bench.code, &[]).unwrap().into_iter().filter(|it| !it.ignored).collect();
    let run = bench.runtime.start(&job(bench, ArtEntry::Tests(tests))).unwrap().wait().unwrap();
    assert!(run.status.success(), "{}", run.output);
    let mut found = outcomes(&run);
    found.sort();
    let threw = |class: &str, message: &str| Some((class.to_owned(), message.to_owned()));
    let wanted = [
        (
            "shop.CartTest#testFails",
            threw("junit.framework.AssertionFailedError", "ready is not broken"),
        ),
        ("shop.CartTest#testPasses", None),
        ("shop.CartTest#testThrows", threw("java.lang.UnsupportedOperationException", "null")),
        ("shop.PriceTest#divides", None),
        (
            "shop.PriceTest#doesNotThrow",
            threw(
                "java.lang.AssertionError",
                "expected an exception: java.lang.ArithmeticException",
            ),
        ),
        ("shop.PriceTest#inherited", None),
        ("shop.PriceTest#sums", None),
    ];
    let wanted: Vec<_> = wanted.into_iter().map(|(name, end)| (name.to_owned(), end)).collect();
    assert_eq!(found, wanted);
    // Around every test what its class wants, whether it passed or not.
    let messages: Vec<&str> = logs(&run.events).iter().map(|log| log.2).collect();
    let count = |text: &str| messages.iter().filter(|message| **message == text).count();
    assert_eq!((count("up"), count("down of ready"), count("down of broken")), (3, 2, 1));
    assert_eq!((count("once"), count("first"), count("prepare"), count("tidy")), (4, 4, 4, 4));
    let sums = messages.iter().position(|message| *message == "sums").unwrap();
    assert_eq!(messages[sums - 3..=sums + 1], ["once", "first", "prepare", "sums", "tidy"]);
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn a_class_that_cannot_be_made_fails_its_test() {
    let bench = bench();
    let tests = vec![
        TestMethod::new("shop.NoConstructorTest", "testNever"),
        TestMethod::new("shop.NotThere", "testNever"),
        TestMethod::new("shop.CartTest", "testNotThere"),
        TestMethod::new("shop.PriceTest", "sums"),
    ];
    let run = bench.runtime.start(&job(bench, ArtEntry::Tests(tests))).unwrap().wait().unwrap();
    let thrown: Vec<Option<String>> =
        outcomes(&run).into_iter().map(|(_, end)| end.map(|end| end.0)).collect();
    let wanted = [
        Some("java.lang.NoSuchMethodException"),
        Some("java.lang.ClassNotFoundException"),
        Some("java.lang.NoSuchMethodException"),
        None,
    ];
    assert_eq!(thrown, wanted.map(|class| class.map(str::to_owned)));
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn an_exception_that_nobody_catches_ends_the_process() {
    let bench = bench();
    for (argument, wanted, text) in [
        ("crash", "java.lang.IllegalStateException", "nobody catches\nthis"),
        ("long", "java.lang.IllegalArgumentException", "sectionName is too long"),
    ] {
        let run = program(bench, &[argument]);
        assert_eq!(run.status.code(), Some(1));
        let ArtEventKind::Crash { class, message, stack } = &run.events.last().unwrap().kind else {
            panic!("{argument}: no crash in {:?}", run.events);
        };
        assert_eq!((class.as_str(), message.as_str()), (wanted, text));
        assert!(stack.contains("\tat shop.Program"), "{stack}");
    }
    let run = program(bench, &["kill"]);
    assert_eq!(run.status.code(), Some(137));
    assert_eq!(run.events.last().unwrap().kind, ArtEventKind::Killed);
}

#[requires(env = "WATTLE_ART", program = "javac", program = "java")]
#[test]
fn a_process_is_seen_while_it_runs_and_can_be_killed() {
    let bench = bench();
    let arguments = vec!["before".to_owned(), "hang".to_owned()];
    let entry = ArtEntry::Main { class: "shop.Program".to_owned(), arguments };
    let mut process = bench.runtime.start(&job(bench, entry.clone())).unwrap();
    while !process.events().iter().any(|event| event.kind == ArtEventKind::Ready) {
        assert!(process.is_running().unwrap(), "{}", process.output().unwrap());
        process.poll().unwrap();
    }
    assert_eq!(process.replayed("com.example.shop").end, None);
    process.kill().unwrap();
    let run = process.wait().unwrap();
    assert!(!run.timed_out && !run.status.success());
    let mut short = job(bench, entry);
    short.timeout = Duration::from_secs(1);
    let run = bench.runtime.start(&short).unwrap().wait().unwrap();
    assert!(run.timed_out && !run.status.success());
}

#[test]
fn a_runtime_that_is_not_there_is_named() {
    let error = ArtRuntime::at(Path::new("/nowhere")).unwrap_err();
    assert!(matches!(error, ArtError::Missing { .. }));
    assert!(error.to_string().contains("set WATTLE_ART"), "{error}");
}
