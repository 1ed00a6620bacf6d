//! `wattle run` on tests whose code is executed: what the report says of methods comes from the rewritten code itself.

use std::path::{Path, PathBuf};

use crate::corpus::tools;
use crate::phone_bench::{PhoneBench, options};
use crate::support::{list, number};
use serde_json::Value;
use wattle_phone::MadePackage;
use wattle_testdata::requires;

/// The app: `add` is called 300 times by one test and 500 times by the other, on a thread of its own.
const CART: &str = "package com.example.shop;
public class Cart {
    static volatile long sum;
    public void add(int item) { long x = item; for (int i = 0; i < 400; i++) x = x * 31 + i; sum += x; }
    public void fill(int items) { for (int i = 0; i < items; i++) add(i); }
    public void fillBeside(final int items) throws Exception {
        Thread worker = new Thread(\"cart worker\") { public void run() { fill(items); } };
        worker.start();
        worker.join();
    }
}
";

const TESTS: &str = "package com.example.shop;
public class CartTest {
    public void testFills() { new Cart().fill(300); }
    public void testFillsBeside() throws Exception { new Cart().fillBeside(500); }
}
";

/// Java text to a Dalvik executable.
fn code(folder: &Path, name: &str, sources: &[(&str, &str)]) -> Vec<u8> {
    let place = folder.join(name);
    std::fs::create_dir_all(&place).unwrap();
    let file = |(name, text): &(&str, &str)| -> PathBuf {
        let path = place.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let files: Vec<PathBuf> = sources.iter().map(file).collect();
    let dex = folder.join(format!("{name}.dex"));
    tools::java(&files, &place, &dex);
    std::fs::read(dex).unwrap()
}

#[track_caller]
fn check(bench: &PhoneBench, sink: &str) {
    let run = bench.run([
        "run",
        "app.apk",
        "--test-apk",
        "tests.apk",
        "--short-methods",
        "probe",
        "--sink",
        sink,
        "--out",
        sink,
        "--json",
        "report.json",
    ]);
    assert_eq!(run.code, Some(0), "{sink}: {}", run.stderr);
    let report: Value =
        serde_json::from_slice(&std::fs::read(bench.path("report.json")).unwrap()).unwrap();
    let tests: Vec<&str> =
        list(&report, "/tests").iter().map(|test| test["name"].as_str().unwrap()).collect();
    assert_eq!(
        tests,
        ["com.example.shop.CartTest#testFills", "com.example.shop.CartTest#testFillsBeside"],
        "{sink}"
    );
    let calls = |name: &str| -> Vec<(String, f64)> {
        let rows = list(&report, "/slices").iter().filter(|row| row["name"] == name);
        let mut rows: Vec<_> = rows
            .map(|row| {
                (row["thread"].as_str().unwrap_or_default().to_owned(), number(row, "/calls"))
            })
            .collect();
        rows.sort_by(|a, b| a.1.total_cmp(&b.1));
        rows
    };
    let adds = calls("com.example.shop.Cart.add");
    let counts: Vec<f64> = adds.iter().map(|(_, count)| *count).collect();
    assert_eq!(counts, [300.0, 500.0], "{sink}: {adds:?}");
    assert_eq!(calls("com.example.shop.Cart.fill").len(), 2, "{sink}");
    assert!(number(&report, "/app/joules") > 0.0, "{sink}");
    check_methods(&report, sink);
    bench.assert_restored(sink);
}

/// Methods over both threads, with the line that calls `add`: the only one of `fill`.
fn check_methods(report: &Value, sink: &str) {
    let method = |name: &str| {
        let rows = list(report, "/methods").iter();
        let mut rows = rows.filter(|row| row["name"] == format!("com.example.shop.Cart.{name}"));
        rows.next().unwrap_or_else(|| panic!("{sink}: no {name}")).clone()
    };
    let (add, fill) = (method("add"), method("fill"));
    assert_eq!(number(&add, "/calls"), 800.0, "{sink}");
    assert_eq!(number(&fill, "/calls"), 2.0, "{sink}");
    assert_eq!(list(&add, "/threads").len(), 2, "{sink}");
    for row in [&add, &fill] {
        let lines = list(row, "/lines").iter().filter_map(|line| line["total_joules"].as_f64());
        let (lines, total) = (lines.sum::<f64>(), number(row, "/total_joules"));
        assert!((lines - total).abs() <= 1e-9 * total, "{sink}: {lines} J of {total} J");
    }
    let line = list(&fill, "/lines").iter().find(|line| line["kind"] == "line");
    let line = line.unwrap_or_else(|| panic!("{sink}: {fill:#}"));
    assert_eq!(line["lines"], serde_json::json!([5]), "{sink}");
    assert_eq!(line["file"], "Cart.java", "{sink}");
    assert_eq!(line["callees"][0]["name"], "com.example.shop.Cart.add", "{sink}");
    assert_eq!(number(line, "/calls"), 800.0, "{sink}");
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
fn methods_of_executed_tests_are_counted_exactly() {
    let mut phone = options();
    phone.execute = true;
    let bench = PhoneBench::new(phone);
    let mut app = MadePackage::new("com.example.shop");
    let sources = [("Cart.java", CART)];
    app.entries = vec![("classes.dex".to_owned(), code(bench.home.path(), "app", &sources))];
    bench.package("app.apk", &app);
    // The tests are compiled against the app; where a class is in both, the app's counts.
    let sources = [("Cart.java", CART), ("CartTest.java", TESTS)];
    let code = code(bench.home.path(), "tests", &sources);
    bench.tests_of("com.example.shop", vec![("classes.dex".to_owned(), code)]);
    for sink in ["trace", "file", "logcat"] {
        check(&bench, sink);
    }
}
