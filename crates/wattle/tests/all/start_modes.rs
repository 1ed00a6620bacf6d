//! Starts of an app: cold, warm and hot, compiled in one way, with clocks that do not move.

use crate::phone_bench::{PhoneBench, options};
use serde_json::Value;
use wattle_phone::MadePackage;
use wattle_testdata::requires;

const PACKAGE: &str = "com.example.starts";

/// A package, with or without a baseline profile.
fn package(bench: &PhoneBench, profile: bool) -> String {
    let mut package = MadePackage::new(PACKAGE);
    if profile {
        package
            .entries
            .push(("assets/dexopt/baseline.prof".to_owned(), b"pro\x00010\x00".to_vec()));
    }
    bench.package("app.apk", &package).to_string_lossy().into_owned()
}

/// Runs the app for a second with these flags. Gives the exit code, all that was printed, and `recording.json`.
fn run(bench: &PhoneBench, app: &str, flags: &[&str]) -> (Option<i32>, String, Option<Value>) {
    let usual = ["run", app, "--no-probes", "--replace", "--duration", "1", "--out", "rec"];
    let run = bench.run(usual.iter().chain(flags));
    let recording = bench.path("rec/recording.json").exists().then(|| bench.recording("rec"));
    let _ = std::fs::remove_dir_all(bench.path("rec"));
    (run.code, run.stdout + &run.stderr, recording)
}

#[track_caller]
fn check_start(bench: &PhoneBench, app: &str, mode: &str) {
    let (code, said, recording) = run(bench, app, &["--start", mode]);
    assert_eq!(code, Some(0), "{mode}: {said}");
    let recording = recording.expect("a recording");
    let start = &recording["iterations"][0]["start"];
    assert_eq!((&start["mode"], &start["found"]), (&mode.into(), &mode.into()), "{recording}");
    assert!(start["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{start}");
    let command = recording["scenario"]["command"].as_str().expect("a command");
    assert!(command.starts_with(&format!("{mode} start")), "{command}");
}

#[requires(program = "adb")]
#[test]
fn an_app_is_started_from_the_state_that_is_asked_for() {
    let bench = PhoneBench::new(options());
    let app = package(&bench, false);
    for mode in ["cold", "warm", "hot"] {
        check_start(&bench, &app, mode);
    }
    let (code, said, _) = run(&bench, &app, &["--activity", ".Nowhere"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("has com.example.starts.MainActivity"), "what there is instead: {said}");
    let (code, said, _) = run(&bench, &app, &["--start", "warm", "--script", "x.sh"]);
    assert_eq!(code, Some(2), "{said}");
    bench.assert_restored("starts");
}

#[requires(program = "adb")]
#[test]
fn an_app_without_a_launchers_activity_is_refused_in_words() {
    let bench = PhoneBench::new(options());
    let mut made = MadePackage::new(PACKAGE);
    made.launcher = None;
    let app = bench.package("app.apk", &made).to_string_lossy().into_owned();
    let (code, said, _) = run(&bench, &app, &[]);
    assert_ne!(code, Some(0));
    assert!(said.contains("has no activity that a launcher starts"), "{said}");
    bench.assert_restored("a run that was refused");
}

#[requires(program = "adb")]
#[test]
fn an_app_is_compiled_for_the_run_and_as_before_afterwards() {
    let bench = PhoneBench::new(options());
    let filter = || bench.phone.package(PACKAGE).expect("installed").filter;
    let app = package(&bench, false);
    for (part, wanted) in [("none", "verify"), ("full", "speed")] {
        let (code, said, recording) = run(&bench, &app, &["--compilation", part]);
        assert_eq!(code, Some(0), "{said}");
        let recording = recording.expect("a recording");
        let steps = recording["steps"].as_array().expect("steps");
        let step = steps.iter().find(|step| step["during"] == wanted);
        assert!(step.is_some_and(|step| step["restored"] == true), "{recording}");
        assert_eq!(filter(), "verify");
    }
    let (code, said, _) = run(&bench, &app, &["--compilation", "baseline"]);
    assert_ne!(code, Some(0));
    assert!(said.contains("the app's profile installer gave none"), "{said}");
    let app = package(&bench, true);
    let (code, said, _) = run(&bench, &app, &["--compilation", "baseline"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(filter(), "verify");
    bench.assert_restored("compiling");
}

#[requires(program = "adb")]
#[test]
fn clocks_are_fixed_where_the_phone_can() {
    let bench = PhoneBench::new(options());
    let app = package(&bench, false);
    let (code, said, recording) = run(&bench, &app, &["--fixed-performance", "--battery"]);
    assert_eq!(code, Some(0), "{said}");
    let steps = recording.expect("a recording")["steps"].to_string();
    assert!(
        steps.contains("fixed performance mode") && steps.contains("charging stopped"),
        "{steps}"
    );
    assert!(!bench.phone.has_fixed_performance());
    bench.assert_restored("fixed clocks");
    let mut old = options();
    old.api = 29;
    let bench = PhoneBench::new(old);
    let app = package(&bench, false);
    let (code, said, _) = run(&bench, &app, &["--fixed-performance"]);
    assert_ne!(code, Some(0));
    assert!(said.contains("this phone has none"), "{said}");
    bench.assert_restored("a refusal");
}
