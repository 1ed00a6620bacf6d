//! From a package to its source lines: an app with probes of methods and calls runs on the simulated phone, and the report's lines
//! are those of the package's debug information as an independent disassembler reads it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::corpus::tools;
use crate::disassembly::code::{Disassembly, counted};
use crate::disassembly::hierarchy::{dotted, is_wanted};
use crate::phone_bench::{PhoneBench, options};
use crate::support::{list, number};
use serde_json::Value;
use wattle_phone::MadePackage;
use wattle_testdata::requires;

/// The app. The phone's own framework has the log and the clock.
const NOTES: &str = "package com.example.notes;

import android.os.SystemClock;
import android.util.Log;

public class Notes {
    static long last;

    public void write(int count) {
        for (int i = 0; i < count; i++) {
            Log.i(\"Notes\", \"written\");
            if (i % 3 == 0) {
                stamp();
            }
        }
        Log.d(\"Notes\", \"done\");
    }

    void stamp() {
        last = SystemClock.elapsedRealtime();
        for (int i = 0; i < 2; i++) Log.i(\"Notes\", \"stamped\");
    }

    public void fail(int count) {
        for (int i = 0; i < count; i++) {
            try {
                refuse(i);
            } catch (IllegalStateException e) {
                Log.i(\"Notes\", \"refused\", e);
            }
        }
    }

    void refuse(int i) {
        Log.d(\"Notes\", \"refuses\");
        if (i % 2 == 0) throw new IllegalStateException(\"even\");
    }
}
";

const TESTS: &str = "package com.example.notes;
public class NotesTest {
    public void testWrites() { new Notes().write(30); }
    public void testFails() { new Notes().fail(8); }
}
";

const LOG: &str = "android.util.Log.i(Ljava/lang/String;Ljava/lang/String;)I";
const LOG_CAUSE: &str =
    "android.util.Log.i(Ljava/lang/String;Ljava/lang/String;Ljava/lang/Throwable;)I";
const LOG_DEBUG: &str = "android.util.Log.d(Ljava/lang/String;Ljava/lang/String;)I";
const CLOCK: &str = "android.os.SystemClock.elapsedRealtime()J";

/// Method, what it calls, how often by the text, and joules of one by the table of 2014.
const CALLS: [(&str, &str, u64, f64); 6] = [
    ("write", LOG, 30, 0.000_027_216_41),
    ("write", LOG_DEBUG, 1, 0.000_057_904_42),
    ("stamp", CLOCK, 10, 0.000_003_553_71),
    ("stamp", LOG, 20, 0.000_027_216_41),
    ("fail", LOG_CAUSE, 4, 0.000_654_276_1),
    ("refuse", LOG_DEBUG, 8, 0.000_057_904_42),
];

/// Number of runs of the methods by the text.
const RUNS: [(&str, u64); 4] = [("write", 1), ("stamp", 10), ("fail", 1), ("refuse", 8)];

/// Java text to a Dalvik executable.
fn code(bench: &PhoneBench, name: &str, sources: &[(&str, &str)]) -> PathBuf {
    let place = bench.path(name);
    std::fs::create_dir_all(&place).unwrap();
    let file = |(name, text): &(&str, &str)| -> PathBuf {
        let path = place.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let files: Vec<PathBuf> = sources.iter().map(file).collect();
    let dex = bench.path(&format!("{name}.dex"));
    tools::java_against(&files, Some(&bench.path("framework")), &place, &dex);
    dex
}

/// Compiles what the sources name of the framework; the phone has its own.
fn framework(bench: &PhoneBench) {
    let place = bench.path("framework");
    let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/corpus/java/doubles");
    tools::java(&tools::files_below(&java), &place, &bench.path("framework.dex"));
}

/// Method, line and what is called there, by the disassembly; each place stands in the code once.
fn places(dex: &Path) -> BTreeMap<(String, String), u64> {
    let code = Disassembly::from_path(dex).expect("an executable");
    let mut all = BTreeMap::new();
    for method in &code.methods {
        for call in &method.calls {
            let Some(class) = code.landing(method, call).map(|it| dotted(&it)) else { continue };
            if !is_wanted(&class) {
                continue;
            }
            let api = format!("{class}.{}{}", call.name, call.descriptor);
            let line = call.line.expect("a line").into();
            assert_eq!(all.insert((method.name.clone(), api), line), None, "{}", method.name);
        }
    }
    all
}

/// Name and signature of an API's row.
fn api_name(row: &Value) -> String {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    format!("{}.{}{}", text("class"), text("method"), text("descriptor"))
}

#[track_caller]
fn check_apis(report: &Value, what: &str) {
    let mut expected: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
    for (_, api, count, joules) in CALLS {
        let entry = expected.entry(api).or_insert((0, joules));
        entry.0 += count;
    }
    let rows =
        list(report, "/apis").iter().filter(|row| expected.contains_key(api_name(row).as_str()));
    let rows: Vec<&Value> = rows.collect();
    assert_eq!(rows.len(), expected.len(), "{what}: {:#?}", report["apis"]);
    for row in rows {
        let name = api_name(row);
        let (count, joules) = expected[name.as_str()];
        assert_eq!(row["calls"].as_u64(), Some(count), "{what}: {name}");
        let found = number(row, "/api_joules");
        let all = joules * count as f64;
        assert!((found - all).abs() <= 1e-12, "{what}: {name} {found} and not {all}");
    }
}

#[track_caller]
fn check_lines(report: &Value, places: &BTreeMap<(String, String), u64>, what: &str) {
    let rows = list(report, "/lines");
    for (method, api, count, _) in CALLS {
        let line = places[&(method.to_owned(), api.to_owned())];
        let short = api.split('(').next().unwrap();
        let row = rows.iter().find(|row| {
            let is_method = row["method"]
                .as_str()
                .unwrap()
                .starts_with(&format!("com.example.notes.Notes.{method}"));
            is_method && row["lines"] == serde_json::json!([line])
        });
        let row = row.unwrap_or_else(|| panic!("{what}: no row of {method}:{line} in {rows:#?}"));
        assert_eq!(row["file"], "Notes.java", "{what}: {method}:{line}");
        let callees = list(row, "/callees").iter();
        let found: u64 = callees
            .filter(|it| it["is_api"] == true && it["name"].as_str().unwrap().starts_with(short))
            .filter_map(|it| it["calls"].as_u64())
            .sum();
        assert_eq!(found, count, "{what}: {method}:{line} {api}");
    }
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump",
    program = "adb"
)]
#[test]
fn lines_of_an_executed_app_are_those_of_its_debug_information() {
    let mut phone = options();
    phone.execute = true;
    let bench = PhoneBench::new(phone);
    framework(&bench);
    let dex = code(&bench, "app", &[("Notes.java", NOTES)]);
    let places = places(&dex);
    let known = CALLS.map(|(method, api, _, _)| (method.to_owned(), api.to_owned()));
    assert_eq!(counted(places.keys().cloned()), counted(known), "calls in the code");
    let mut app = MadePackage::new("com.example.notes");
    app.entries = vec![("classes.dex".to_owned(), std::fs::read(dex).unwrap())];
    bench.package("app.apk", &app);
    let tests = code(&bench, "tests", &[("Notes.java", NOTES), ("NotesTest.java", TESTS)]);
    bench.tests_of(
        "com.example.notes",
        vec![("classes.dex".to_owned(), std::fs::read(tests).unwrap())],
    );
    for sink in ["trace", "file", "logcat"] {
        let arguments = [
            "run",
            "app.apk",
            "--test-apk",
            "tests.apk",
            "--mode",
            "both",
            "--sink",
            sink,
            "--out",
            sink,
        ];
        let run = bench.run(arguments);
        assert_eq!(run.code, Some(0), "{sink}: {}", run.stderr);
        let api = bench.run(["report", sink, "--by", "api", "--json", "-"]).json();
        check_apis(&api, sink);
        let report = bench.run(["report", sink, "--by", "line", "--json", "-"]).json();
        check_lines(&report, &places, sink);
        for (method, runs) in RUNS {
            let name = format!("com.example.notes.Notes.{method}");
            let rows = list(&report, "/methods").iter();
            let calls: u64 = rows
                .filter(|row| row["name"] == name.as_str())
                .filter_map(|row| row["calls"].as_u64())
                .sum();
            assert_eq!(calls, runs, "{sink}: {name}");
        }
        bench.assert_restored(sink);
    }
}
