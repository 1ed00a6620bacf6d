//! The page of findings on real recordings is what the rules find there.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use wattle_diagnose::{DiagnoseOptions, Input, diagnose};
use wattle_ingest::read_paths;
use wattle_ledger::{AttributionOptions, attribute};
use wattle_power::{PowerOptions, estimate};
use wattle_testdata::requires;

use crate::planted::traces::each;

/// Folders of recordings that rules can look at.
const FOLDERS: [&str; 10] = [
    "perfetto",
    "systrace",
    "etl",
    "bugreport",
    "batterystats",
    "perfdata",
    "logcat",
    "navitas_logs",
    "power_meter",
    "art_trace",
];
/// Ends of names of files that are no recordings: what others expect of one beside it.
const BESIDE: [&str; 7] =
    [".json", ".expected", ".sql", ".csv", ".perfscript.txt", ".baseline.txt", ".md"];

/// Every recording, by its path in the folder of real data, in order.
fn recordings() -> Vec<String> {
    fn walk(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().filter_map(Result::ok) {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                walk(root, &path, found);
            } else if !BESIDE.iter().any(|end| name.ends_with(end)) {
                found.push(name);
            }
        }
    }
    let root = wattle_testdata::root().unwrap();
    let mut found = Vec::new();
    for folder in FOLDERS {
        walk(&root, &wattle_testdata::path(folder), &mut found);
    }
    found.sort();
    found
}

/// `file | severity | rule | title` of each finding; `None` where the file holds no recording that is read.
fn findings(file: &str) -> Option<Vec<String>> {
    let timeline = read_paths(&[wattle_testdata::path(file)]).ok()?;
    let power = estimate(&timeline, &PowerOptions::default()).unwrap_or_default();
    let mut attribution = AttributionOptions::default();
    attribution.stretches = wattle_ledger::StretchDetail::Bounded;
    let ledger = attribute(&timeline, &power, &attribution).unwrap();
    let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
    let diagnosis = diagnose(input, &DiagnoseOptions::default()).unwrap();
    let row = |it: &wattle_diagnose::Finding| {
        format!("{file} | {} | {} | {}", it.severity.name(), it.rule, it.title)
    };
    Some(diagnosis.findings.iter().map(row).collect())
}

/// Rows of the page's table, without their last two columns, and the judgements.
fn page_rows(page: &str) -> Vec<(String, String)> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.filter_map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [file, severity, rule, title, judgement, _] = cells.as_slice() else { return None };
        (*severity != "severity" && *judgement != "---")
            .then(|| (format!("{file} | {severity} | {rule} | {title}"), (*judgement).to_owned()))
    })
    .collect()
}

#[requires(data)]
#[test]
fn every_finding_on_a_real_recording_is_judged() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings-on-real-traces.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let files = recordings();
    let all = each(files.len(), |index| findings(&files[index]));
    let read = all.iter().filter(|it| it.is_some()).count();
    let found: BTreeSet<String> = all.into_iter().flatten().flatten().collect();
    let rows = page_rows(&page);
    let judged: BTreeSet<String> = rows.iter().map(|(row, _)| row.clone()).collect();
    let list = |rows: Vec<&String>| {
        rows.iter().fold(String::new(), |mut text, row| {
            writeln!(text, "| {row} | | |").unwrap();
            text
        })
    };
    assert!(
        found == judged,
        "not on the page:\n{}no longer found:\n{}",
        list(found.difference(&judged).collect()),
        list(judged.difference(&found).collect())
    );
    let of = |word: &str| rows.iter().filter(|(_, judgement)| judgement == word).count();
    let (right, wrong, unclear) = (of("true"), of("false"), of("unclear"));
    assert_eq!(right + wrong + unclear, rows.len(), "judgements are true, false or unclear");
    let says = format!(
        "{read} recordings, {} findings: {right} true, {wrong} false, {unclear} unclear.",
        rows.len()
    );
    assert!(page.contains(&says), "the page lacks: {says}");
    assert!(right as f64 >= (right + wrong) as f64 * 0.9, "{says}");
}
