//! `wattle report --by frame|startup|cuj|state`, `--slice` with patterns and `--numbers`, on real traces.

use std::collections::BTreeSet;

use serde_json::Value;
use wattle_testdata::requires;

use crate::support::{Run, trace, wattle};

const STARTUP: &str = "api32_startup_warm_pixel6a.perfetto-trace";
const RAILS: &str = "rails/api32_odpm_rails_pixel6.perfetto-trace";
const EMULATOR: &str = "ms_cpu_sampling.perfetto-trace";

fn report(file: &str, flags: &[&str]) -> Run {
    let path = trace(file);
    let path = path.to_str().expect("UTF-8");
    let flags: Vec<&str> = ["report", path].into_iter().chain(flags.iter().copied()).collect();
    wattle(flags)
}

fn json(file: &str) -> Value {
    let run = report(file, &["--json", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).expect("JSON")
}

fn rows<'a>(report: &'a Value, key: &str) -> &'a [Value] {
    report[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Process and number of each frame by the text of the trace's atrace events: `B|1858|Choreographer#doFrame 191185`.
fn frames_in_text(file: &str) -> BTreeSet<(u64, u64)> {
    let bytes = std::fs::read(trace(file)).expect("a trace");
    let mut frames = BTreeSet::new();
    for part in bytes.split(|byte| *byte == b'|').collect::<Vec<_>>().windows(2) {
        let [pid, name] = part else { continue };
        let name = String::from_utf8_lossy(name.get(..name.len().min(60)).unwrap_or_default());
        let number = ["Choreographer#doFrame ", "DrawFrames "]
            .into_iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
        let number = number.and_then(|digits| digits.parse().ok());
        let pid = std::str::from_utf8(pid).ok().and_then(|pid| pid.parse().ok());
        frames.extend(pid.zip(number));
    }
    frames
}

/// named + outside − repeated = total, of each kind that the trace has.
#[track_caller]
fn closes(report: &Value, kinds: &[&str]) {
    let total = report["total_joules"].as_f64().expect("a total");
    let sums = rows(report, "span_sums");
    let found: Vec<_> = sums.iter().filter_map(|sum| sum["kind"].as_str()).collect();
    assert_eq!(found, kinds);
    for sum in sums {
        let part = |key: &str| sum[key].as_f64().unwrap_or_default();
        let all = part("named_joules") + part("outside_joules") - part("repeated_joules");
        assert!((all - total).abs() <= 1e-9 * total, "{sum}: {all} J of {total} J");
    }
}

#[track_caller]
fn check_frames(file: &str, expected: usize) {
    let of_text = frames_in_text(file);
    assert_eq!(of_text.len(), expected, "{file}: frames in its text");
    let report = json(file);
    let frames = rows(&report, "frames");
    let with_energy = frames.iter().filter(|frame| frame["joules"].as_f64() > Some(0.0)).count();
    assert_eq!((frames.len(), with_energy), (expected, expected), "{file}");
    let tokens: BTreeSet<u64> = frames.iter().filter_map(|it| it["token"].as_u64()).collect();
    assert_eq!(tokens, of_text.into_iter().map(|(_, token)| token).collect(), "{file}");
    let of_groups: u64 =
        rows(&report, "frame_groups").iter().filter_map(|row| row["frames"].as_u64()).sum();
    assert_eq!(of_groups, expected as u64);
}

#[requires(data)]
#[test]
fn frames_are_those_in_the_trace() {
    check_frames(STARTUP, 30);
    check_frames(RAILS, 3);
}

#[requires(data)]
#[test]
fn every_kind_is_the_total() {
    closes(&json(STARTUP), &["frame", "startup", "state"]);
    closes(&json(RAILS), &["frame", "state"]);
}

#[requires(data)]
#[test]
fn a_start_is_the_one_that_perfetto_finds() {
    let report = json(STARTUP);
    let starts = rows(&report, "startups");
    // google/perfetto calls its file startup_warm: one start of one app, by `activityStart` without `bindApplication`.
    let [start] = starts else { panic!("{starts:?}") };
    assert_eq!(start["app"], "androidx.benchmark.integration.macrobenchmark.target");
    assert_eq!(start["kind"], "warm");
    let part = |key: &str| start[key].as_f64().expect("an energy");
    let parts = ["app", "system_server", "surfaceflinger", "others", "no_process"]
        .map(|party| part(&format!("{party}_joules")));
    let sum: f64 = parts.iter().sum();
    assert!((sum - part("joules")).abs() <= 1e-9 * sum, "{sum} {start}");
    assert!(parts.iter().all(|joules| *joules > 0.0), "{parts:?}");
}

#[requires(data)]
#[test]
fn an_app_is_in_one_state_at_a_time() {
    let report = json(STARTUP);
    let states = rows(&report, "app_states");
    let apps: BTreeSet<&str> = states.iter().filter_map(|row| row["app"].as_str()).collect();
    let duration = report["duration_s"].as_f64().expect("a duration");
    for app in apps {
        let of_app = states.iter().filter(|row| row["app"] == app);
        let time: f64 = of_app.filter_map(|row| row["time_s"].as_f64()).sum();
        assert!((time - duration).abs() < 1e-6, "{app}: {time} s of {duration} s");
    }
    let target = "androidx.benchmark.integration.macrobenchmark.target";
    let is_front = |row: &&Value| row["app"] == target && row["state"] == "foreground";
    assert!(states.iter().any(|row| is_front(&row)), "{states:?}");
}

/// Battery statistics name apps in front, and no process.
#[requires(data)]
#[test]
fn apps_in_front_of_battery_statistics_have_states() {
    let [dump, profile] =
        ["batterystats/emanafa-batstat_mi9.log", "power_profile/power_profile-mi9lite.xml"]
            .map(|path| wattle_testdata::path(path).to_str().expect("UTF-8").to_owned());
    let run = wattle(["report", &dump, "--device-model", &profile, "--json", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    closes(&report, &["state"]);
    let states = rows(&report, "app_states");
    let is_front =
        |row: &Value| row["app"] == "com.facebook.katana" && row["state"] == "foreground";
    let front = states.iter().find(|row| is_front(row)).expect("the app was in front");
    let seconds = front["time_s"].as_f64().expect("a time");
    // Android counts 2,501 s on top, on battery and with the screen on; the history goes on in the 78 min that the phone was charging.
    assert!((2400.0..2501.0 + 78.0 * 60.0).contains(&seconds), "{seconds} s");
}

#[track_caller]
fn says(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code, Some(code), "{}{}", run.stdout, run.stderr);
    let text = format!("{}{}", run.stdout, run.stderr);
    for words in words {
        assert!(text.contains(words), "no {words:?} in:\n{text}");
    }
}

#[requires(data)]
#[test]
fn tables_say_what_they_are_of() {
    let frames = report(STARTUP, &["--by", "frame", "--top", "3"]);
    says(
        &frames,
        0,
        &["Frames by app and jank", "per frame", "p95", "outside of any frame", "covers "],
    );
    let starts = report(STARTUP, &["--by", "startup"]);
    says(&starts, 0, &["App starts (1)", "warm", "outside of any app start"]);
    let states = report(STARTUP, &["--by", "state", "--top", "3"]);
    says(&states, 0, &["Apps by state (3 of ", "foreground", "outside of any app"]);
    says(&report(STARTUP, &["--by", "cuj"]), 0, &["No user journey", "J<NAME>", "atrace category"]);
    says(&report(EMULATOR, &["--by", "startup"]), 0, &["No app start", "no energy figure"]);
}

#[requires(data)]
#[test]
fn slices_are_chosen_by_patterns_and_listed_without_numbers() {
    let third = report(STARTUP, &["--slice", "Choreographer#doFrame *#3", "--json", "-"]);
    let exact = report(STARTUP, &["--slice", "Choreographer#doFrame ##3", "--json", "-"]);
    says(&third, 0, &[]);
    assert_eq!(third.stdout, exact.stdout);
    let near = report(STARTUP, &["--slice", "Choreograhper#doFrame *"]);
    says(&near, 2, &["did you mean Choreographer#doFrame #"]);
    let names = |report: &Value| -> BTreeSet<String> {
        let names = rows(report, "slices").iter().filter_map(|row| row["name"].as_str());
        names.filter(|name| name.starts_with("Choreographer#doFrame ")).map(str::to_owned).collect()
    };
    let grouped = json(STARTUP);
    assert!(names(&grouped).contains("Choreographer#doFrame #"));
    assert!(names(&grouped).iter().all(|name| !name.contains("1911")), "{:?}", names(&grouped));
    let kept = report(STARTUP, &["--numbers", "keep", "--json", "-"]);
    let kept: Value = serde_json::from_str(&kept.stdout).expect("JSON");
    assert!(names(&kept).contains("Choreographer#doFrame 191185"));
    assert_eq!(kept["total_joules"], grouped["total_joules"]);
}

#[requires(data)]
#[test]
fn top_states_what_its_figures_cover() {
    let path = trace(STARTUP);
    let path = path.to_str().expect("UTF-8");
    says(&wattle(["top", "--plain", path]), 0, &["Total 1.", "not estimated: "]);
    let path = trace(EMULATOR);
    let path = path.to_str().expect("UTF-8");
    says(&wattle(["top", "--plain", path]), 0, &["no energy figure: ", "emulator"]);
}
