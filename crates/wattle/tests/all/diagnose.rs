//! `wattle diagnose` and `wattle explain` from the command line.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn wattle(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wattle")).args(arguments).current_dir(folder).output().unwrap()
}

/// The words of a command line, its exit code, and what is said.
#[track_caller]
fn check(folder: &Path, words: &str, code: i32, said: &str) -> Output {
    let arguments: Vec<&str> = words.split_whitespace().collect();
    let output = wattle(&arguments, folder);
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let text = String::from_utf8_lossy(&text);
    assert_eq!(output.status.code(), Some(code), "{words}: {text}");
    assert!(text.contains(said), "{words}: {said:?} is not in {text}");
    output
}

/// The simulated phone's trace with its model.
fn recorded(folder: &Path) {
    check(folder, "demo --quiet --trace run.pftrace --device-model phone.toml", 0, "");
}

const RUN: &str = "diagnose run.pftrace --device-model phone.toml";

#[test]
fn one_diagnosis_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    let forms = "--out tables --json all.json --sarif all.sarif --html all.html";
    check(at, &format!("{RUN} --idle whole {forms}"), 0, "Regions");
    let json: Value = serde_json::from_slice(&std::fs::read(at.join("all.json")).unwrap()).unwrap();
    assert_eq!(json["schema"], "wattle-diagnosis/1");
    let regions = json["regions"].as_array().unwrap();
    assert!(json["threads"].as_array().unwrap().len() > 5);

    // Each form tells of the same regions.
    let lines = |name: &str| {
        let mut reader = csv::Reader::from_path(at.join("tables").join(name)).unwrap();
        reader.records().map(Result::unwrap).count()
    };
    assert_eq!(lines("Statistic_HighCPUUsageRegion.csv"), regions.len());
    assert_eq!(lines("CommonStacks_HighCPUUsageRegions.csv"), regions.len());
    assert_eq!(lines("DiskIO_Statistics.csv"), json["disk"].as_array().unwrap().len());
    let sarif: Value =
        serde_json::from_slice(&std::fs::read(at.join("all.sarif")).unwrap()).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let page = std::fs::read_to_string(at.join("all.html")).unwrap();
    assert!(page.to_lowercase().starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(page.contains("com.example.news"));

    // The page of a report holds it, too, unless that is not wanted.
    let report = "report run.pftrace --device-model phone.toml";
    check(at, &format!("{report} --diagnose --html report.html"), 0, "Regions of high CPU use");
    let with = std::fs::metadata(at.join("report.html")).unwrap().len();
    check(at, &format!("{report} --quiet --html report.html"), 0, "");
    let usual = std::fs::metadata(at.join("report.html")).unwrap().len();
    assert!(usual.abs_diff(with) < 100, "{usual} bytes, {with} with --diagnose");
    let without = format!("{report} --quiet --no-diagnose --html report.html");
    check(at, &without, 0, "");
    assert!(with > std::fs::metadata(at.join("report.html")).unwrap().len() + 500);

    // Only what was asked for goes to standard output.
    let stdout = check(at, &format!("{RUN} --json -"), 0, "").stdout;
    assert!(serde_json::from_slice::<Value>(&stdout).is_ok());
    let stdout = check(at, &format!("{RUN} --sarif -"), 0, "").stdout;
    assert!(serde_json::from_slice::<Value>(&stdout).is_ok());
    assert!(check(at, &format!("{RUN} --quiet"), 0, "").stdout.is_empty());
}

#[test]
fn part_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    let read = |words: &str| -> Value {
        let stdout = check(at, &format!("{RUN} {words} --json -"), 0, "").stdout;
        serde_json::from_slice(&stdout).unwrap()
    };
    let whole = read("--idle whole");
    let all = whole["subjects"].as_array().unwrap();
    let name = all[0]["name"].as_str().unwrap();
    let pid = all[0]["pid"].as_u64().unwrap();
    for asked in [name.to_owned(), pid.to_string()] {
        let one = read(&format!("--idle whole --process {asked}"));
        let subjects = one["subjects"].as_array().unwrap();
        assert!(subjects.iter().all(|it| it["name"] == name || it["pid"] == pid), "{asked}");
        assert!(!subjects.is_empty(), "{asked}");
    }
    let given = read("--idle 0.1..0.2 --idle 300ms..0.4s");
    assert_eq!(given["idle"]["source"], "given");
    assert_eq!(given["idle"]["windows"].as_array().unwrap().len(), 2);
    let start = whole["window"]["start"].as_i64().unwrap();
    let part = read("--from 0.25 --to 500ms");
    assert_eq!(part["window"]["start"].as_i64().unwrap() - start, 250_000_000);
    assert_eq!(part["window"]["end"].as_i64().unwrap() - start, 500_000_000);
}

#[test]
fn what_cannot_be_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    std::fs::write(at.join("a-file"), "text").unwrap();
    let wrong = [
        ("--idle soon", "expected find, whole, or START..END"),
        ("--idle 5..2", "the earlier time first"),
        ("--idle 100..200", "nothing of it is in the recording"),
        ("--process nobody-of-that-name", "no process"),
        ("--threshold busy-wait", "expected RULE.NAME=NUMBER"),
        ("--threshold no-such-rule.x=1", "no-such-rule"),
        ("--only no-such-rule", "no rule"),
        ("--skip no-such-rule", "no rule"),
        ("--out a-file", "expected a folder"),
        ("--html -", "expected a name"),
        ("--json - --sarif -", "only one of both"),
        ("--region-overlap 1.5", "--region-overlap"),
        ("--region-window 0", "--region-window"),
        ("--majority 0.2", "majority"),
        ("--from 100", "nothing of the recording"),
    ];
    for (words, said) in wrong {
        check(at, &format!("{RUN} {words}"), 2, said);
    }
    check(at, "diagnose no-such-file", 3, "no-such-file");
    check(at, "diagnose a-file", 3, "a-file");
    check(at, "demo --quiet --save run.ledger.json.zst", 0, "");
    check(at, "diagnose run.ledger.json.zst", 2, "saved ledger");
    check(at, "report run.ledger.json.zst --diagnose", 2, "--diagnose needs the recording");
}

#[test]
fn a_gate_says_no() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    let stdout = check(at, &format!("{RUN} --idle whole --json -"), 0, "").stdout;
    let found: Value = serde_json::from_slice(&stdout).unwrap();
    for (flag, severities) in [
        ("note", &["note", "warning", "error"][..]),
        ("warning", &["warning", "error"]),
        ("error", &["error"]),
    ] {
        let findings = found["findings"].as_array().unwrap();
        let is_grave =
            |finding: &&Value| severities.iter().any(|severity| finding["severity"] == *severity);
        let code = i32::from(findings.iter().any(|finding| is_grave(&finding)));
        check(at, &format!("{RUN} --idle whole --quiet --fail-on {flag}"), code, "");
    }
}

#[test]
fn every_rule_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let list = check(at, "explain", 0, "wakelock").stdout;
    let list = String::from_utf8(list).unwrap();
    let rules: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(rules.len() >= 10, "{rules:?}");
    for rule in &rules {
        check(at, &format!("explain {rule}"), 0, "What to do");
    }
    let json = check(at, "explain --json", 0, "looks_for").stdout;
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json.as_array().unwrap().len(), rules.len());
    check(at, "explain no-such-rule", 2, "no rule");
}

#[test]
fn known_findings_do_not_fail_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    recorded(at);
    let run = format!("{RUN} --idle whole");
    check(at, &format!("{run} --fail-on note"), 1, "finding");
    check(at, &format!("{run} --write-baseline known.json"), 0, "known.json");
    let accepted = "Accepted, not counted";
    let all = "--fail-on note --sarif all.sarif --json all.json";
    check(at, &format!("{run} --baseline known.json {all}"), 0, accepted);
    let read = |name: &str| -> Value {
        serde_json::from_slice(&std::fs::read(at.join(name)).unwrap()).unwrap()
    };
    let json = read("all.json");
    let count = json["accepted"].as_array().unwrap().len();
    assert!(count > 0 && json["findings"].as_array().unwrap().is_empty(), "{json}");
    let sarif = read("all.sarif");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let suppressed = results.iter().filter(|it| it["suppressions"][0]["status"] == "accepted");
    assert_eq!(suppressed.count(), count);

    let config = |text: &str| std::fs::write(at.join("wattle.toml"), text).unwrap();
    config("[diagnose]\nbaseline = \"known.json\"\n");
    check(at, &format!("{run} --fail-on note"), 0, accepted);
    config("[[diagnose.accept]]\nrule = \"*\"\nreason = \"a demo\"\n");
    check(at, &format!("{run} --fail-on note"), 0, "(a demo)");
    config("[[diagnose.accept]]\nrule = \"*\"\nreason = \"a demo\"\nuntil = \"2020-01-01\"\n");
    check(at, &format!("{run} --fail-on note"), 1, "it counts again");
    // Reports and exports take them as accepted, too.
    config("");
    let model = "--device-model phone.toml";
    let report = format!("report run.pftrace {model}");
    let view = format!("{report} --view findings");
    let export = format!("export run.pftrace {model} --quiet -f perfetto -o findings.pftrace");
    let is_shown = || {
        check(at, &export, 0, "");
        let bytes = std::fs::read(at.join("findings.pftrace")).unwrap();
        let name = b"wakelock-never-released";
        bytes.windows(name.len()).any(|it| it == name)
    };
    check(at, &view, 0, "[wakelock-never-released]");
    check(at, &report, 0, "Findings (");
    assert!(is_shown());
    config("[[diagnose.accept]]\nrule = \"*\"\nreason = \"a demo\"\n");
    check(at, &view, 0, accepted);
    check(at, &report, 0, "none but ");
    assert!(!is_shown());
    config("[[diagnose.accept]]\nrule = \"*\"\nreason = \" \"\n");
    check(at, &run, 2, "expected a reason");
    config("[[diagnose.accept]]\nrule = \"busy-weight\"\nreason = \"x\"\n");
    check(at, &run, 2, "no such rule");
    config("[[diagnose.accept]]\nrule = \"*\"\nreason = \"x\"\nuntil = \"May\"\n");
    check(at, &run, 2, "expected YYYY-MM-DD");
    config("");
    std::fs::write(at.join("known.json"), "{}").unwrap();
    check(at, &format!("{run} --baseline known.json"), 2, "baseline known.json");
}
