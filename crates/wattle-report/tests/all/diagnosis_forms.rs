//! A diagnosis as JSON, as SARIF and on a terminal.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use wattle_diagnose::Diagnosis;
use wattle_report::ReportOptions;
use wattle_report::diagnosis::{json, sarif, terminal};
use wattle_testdata::requires;
use wattle_units::Nanos;

use crate::support::diagnosis;

#[track_caller]
fn check_against(validator: &jsonschema::Validator, name: &str, value: &Value) {
    let errors: Vec<_> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .take(20)
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}");
}

fn schema(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).expect("the schema");
    serde_json::from_str(&text).expect("the schema is JSON")
}

#[test]
fn json_follows_its_schema() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/diagnosis-1.schema.json");
    let schema = schema(&file);
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    for (name, diagnosis) in diagnosis::all() {
        let value = json(&diagnosis).expect("JSON");
        check_against(&validator, name, &value);
        let back: Diagnosis = serde_json::from_value(value).expect("a diagnosis");
        assert!(back == diagnosis, "{name} is another one when it comes back");
    }
    // The schema says no to something.
    let mut wrong = json(&diagnosis::after_mouse()).expect("JSON");
    wrong["regions"][0]["cpu_use"] = "much".into();
    assert!(!validator.is_valid(&wrong));
    let mut wrong = json(&diagnosis::after_mouse()).expect("JSON");
    wrong["findings"][0]["gravity"] = 1.into();
    assert!(!validator.is_valid(&wrong));
}

/// OASIS's schema of SARIF 2.1.0, which a package holds.
#[requires(env = "WATTLE_SARIF_SCHEMA")]
#[test]
fn sarif_follows_the_standard() {
    let file = std::env::var_os("WATTLE_SARIF_SCHEMA").map(PathBuf::from).expect("a file");
    let schema = schema(&file);
    assert_eq!(schema["title"], "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema");
    // The schema says which draft it is of; formats (URI references) are asked for, too.
    let validator = jsonschema::options().should_validate_formats(true).build(&schema);
    let validator = validator.expect("the schema is a schema");
    for (name, diagnosis) in diagnosis::all() {
        check_against(&validator, name, &sarif(&diagnosis).expect("SARIF"));
    }
    let mut wrong = sarif(&diagnosis::after_mouse()).expect("SARIF");
    wrong["runs"][0]["results"][0]["level"] = "grave".into();
    assert!(!validator.is_valid(&wrong));
}

/// A value of SARIF at a pointer.
#[track_caller]
fn check(value: &Value, pointer: &str, expected: impl Into<Value>) {
    assert_eq!(value.pointer(pointer), Some(&expected.into()), "{pointer}");
}

#[test]
fn findings_and_regions_are_results() {
    let sarif = sarif(&diagnosis::after_mouse()).expect("SARIF");
    check(&sarif, "/version", "2.1.0");
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().expect("results");
    // Two findings and one that somebody accepts, one region without a common stack, two with one.
    assert_eq!(results.len(), 5);
    let timer = &results[0];
    check(timer, "/ruleId", "timer-period");
    check(timer, "/level", "error");
    check(timer, "/rank", 95.0);
    check(timer, "/properties/confidence/reason", "the scheduler's own events");
    check(timer, "/properties/joules_per_hour", 180.0);
    assert_eq!(timer.get("suppressions"), None);
    check(&results[2], "/suppressions/0/kind", "external");
    check(&results[2], "/suppressions/0/status", "accepted");
    check(&results[2], "/suppressions/0/justification", "it is a clock");
    check(timer, "/properties/at_stake/joules", 0.5);
    check(timer, "/properties/at_stake/provenance", "assumed");
    check(timer, "/properties/evidence/1/window_s/0", 8.0);
    let place = "/locations/0/physicalLocation";
    check(timer, &format!("{place}/artifactLocation/uri"), "file:///C:/race/timer.cpp");
    check(timer, &format!("{place}/region/startLine"), 42);
    let name = "location/logicalLocations/0/fullyQualifiedName";
    // The innermost frame first.
    check(timer, &format!("/stacks/0/frames/0/{name}"), "race.dll!Timer::sleep");
    check(timer, "/stacks/0/frames/0/module", "race.dll");
    check(timer, "/analysisTarget/uri", "AfterMouse%20idle.etl");
    // Nobody knows where in the code: the recording is the place.
    check(&results[1], &format!("{place}/artifactLocation/uri"), "AfterMouse%20idle.etl");
    let regions = &results[4];
    check(regions, "/ruleId", "high-cpu-use-region");
    check(regions, "/occurrenceCount", 2);
    check(regions, "/properties/regions/1/window_s/0", 8.0);
    check(regions, "/properties/regions/0/thread", "2084");
    check(regions, &format!("{place}/region/startLine"), 42);
    check(regions, &format!("/stacks/0/frames/2/{name}"), "ntdll.dll!RtlUserThreadStart");
    // One odd stack does not hide what the others share.
    let message = results[3]["message"]["text"].as_str().expect("a message");
    assert!(message.contains("% of the stacks in race.dll+0x1a2b"), "{message}");
    check(run, "/invocations/0/toolExecutionNotifications/1/level", "warning");
    check(run, "/properties/model/provenance", "assumed");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in results {
        if let Some(index) = result["ruleIndex"].as_u64() {
            assert_eq!(rules[index as usize]["id"], result["ruleId"]);
        }
    }
}

fn fingerprints(diagnosis: &Diagnosis) -> Vec<String> {
    let sarif = sarif(diagnosis).expect("SARIF");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let print = |result: &Value| result["partialFingerprints"].to_string();
    results.iter().map(print).collect()
}

/// The next recording of the same defects: other numbers, times and energies, one region less.
#[test]
fn fingerprints_outlive_a_recording() {
    let first = diagnosis::after_mouse();
    let mut second = first.clone();
    second.subjects[0].pid.0 += 1000;
    for thread in &mut second.threads {
        thread.tid.0 += 1000;
    }
    second.regions.remove(2);
    for region in &mut second.regions {
        region.window.end = region.window.end + Nanos::new(1_000_000);
        region.energy = None;
        region.events += 1;
    }
    second.findings[0].title = "Thread 3084 wakes every 5.1 ms".to_owned();
    second.findings[0].evidence.clear();
    assert_eq!(fingerprints(&first)[1..], fingerprints(&second)[1..]);
    let prints = fingerprints(&diagnosis::big(500));
    let different: BTreeSet<_> = prints.iter().collect();
    assert_eq!(different.len(), prints.len());
}

fn options(width: usize, color: bool) -> ReportOptions {
    let mut options = ReportOptions::default();
    options.width = Some(width);
    options.color = color;
    options
}

#[test]
fn a_terminal() {
    insta::assert_snapshot!(terminal(&diagnosis::after_mouse(), &options(100, false)));
}

#[test]
fn a_wide_terminal() {
    insta::assert_snapshot!(terminal(&diagnosis::after_mouse(), &options(200, false)));
}

#[test]
fn a_narrow_terminal_without_energy() {
    insta::assert_snapshot!(terminal(&diagnosis::without_energy(), &options(80, false)));
}

#[test]
fn nothing_on_a_terminal() {
    insta::assert_snapshot!(terminal(&diagnosis::empty(), &options(100, false)));
}

#[test]
fn lines_fit_and_names_are_harmless() {
    for (name, diagnosis) in diagnosis::all() {
        for width in [80, 100, 132, 200] {
            let page = terminal(&diagnosis, &options(width, false));
            for line in page.lines() {
                let columns = unicode_width::UnicodeWidthStr::width(line);
                assert!(columns <= width, "{name}: {columns} of {width} columns: {line}");
            }
            assert!(!page.contains(['\u{1b}', '\u{202e}', '\r', '\u{7}']), "{name}");
        }
        assert!(terminal(&diagnosis, &options(100, true)).contains("\u{1b}["), "{name}");
    }
    let page = terminal(&diagnosis::after_mouse(), &options(100, false));
    assert!(page.contains("ASSUMED"), "an assumed model is plainly shown");
}
