//! The proof of concept of Orka's paper and its table of methods, from apps that run in a real Android runtime and from logs in the
//! words of both Orkas.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::counted;
use crate::counted::Counted;
use wattle_ledger::Ledger;
use wattle_testdata::requires;

/// Figures of the paper for its two apps: rounds, and joules to the last digit printed (section 6; the figure of the
/// second has seven digits there, its sum of the two rows of the table ten).
const APPS: [(&str, u64, &str); 2] = [("First", 50, "0.42193334"), ("Second", 1, "0.0084386668")];

/// Joules of all framework calls by the tables, and how many of the calls have a known cost.
fn api_joules(ledger: &Ledger) -> (f64, u64) {
    let known =
        ledger.sheets.apis.apis.iter().filter_map(|api| Some((api.calls, api.cost.as_ref()?)));
    known.fold((0.0, 0), |(joules, calls), (more, cost)| {
        (joules + more as f64 * cost.per_call.joules.value(), calls + more)
    })
}

/// As many digits behind the point as a figure has.
#[track_caller]
fn check_figure(what: &str, found: f64, expected: &str) {
    let digits = expected.split_once('.').unwrap().1.len();
    assert_eq!(format!("{found:.digits$}"), expected, "{what}");
}

#[track_caller]
fn check_app(what: &str, artifacts: &[PathBuf], rounds: u64, joules: &str) {
    let (report, ledger) = counted::report(artifacts, &[]);
    let (found, calls) = api_joules(&ledger);
    assert_eq!(calls, 2 * rounds, "{what}: calls with a known cost");
    check_figure(what, found, joules);
    let coverage = &report["api_coverage"];
    check_figure(what, coverage["joules"].as_f64().expect("API energy"), joules);
    assert_eq!(coverage["calls"]["known"].as_u64(), Some(2 * rounds), "{what}: coverage");
    let toasts = ledger.sheets.apis.apis.iter().filter(|api| api.class == "android.widget.Toast");
    let toasts: Vec<_> = toasts.map(|api| (api.method.as_str(), api.calls)).collect();
    assert_eq!(toasts, [("makeText", rounds), ("show", rounds)], "{what}");
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn proof_of_concept_on_a_real_runtime() {
    let apps = Counted::make("orka-paper", &counted::sources("toasts"));
    for (name, rounds, joules) in APPS {
        let main = format!("com.paper.{name}App");
        for (mode, sink) in
            [("apis", "file"), ("both", "logcat"), ("both", "trace"), ("both", "orka")]
        {
            let recorded = apps.recorded(&main, mode, sink);
            let counted: u64 = recorded
                .counted
                .iter()
                .filter(|(place, _)| place.api.starts_with("android.widget.Toast."))
                .map(|(_, count)| count)
                .sum();
            assert_eq!(counted, 2 * rounds, "the stand-ins");
            check_app(&format!("{name} {mode} {sink}"), &recorded.artifacts, rounds, joules);
        }
    }
}

/// A log as `logcat -v threadtime` writes it, a millisecond a line.
struct Log {
    tag: &'static str,
    text: String,
    lines: u32,
}

impl Log {
    fn new(tag: &'static str) -> Self {
        Self { tag, text: "--------- beginning of main\n".to_owned(), lines: 0 }
    }

    fn line(&mut self, message: &str) {
        let (millis, tag) = (self.lines, self.tag);
        let (seconds, millis) = (millis / 1000, millis % 1000);
        let time = format!("06-01 10:00:{seconds:02}.{millis:03}");
        writeln!(self.text, "{time}  2317  2317 I {tag:<8}: {message}").unwrap();
        self.lines += 1;
    }

    /// A method that makes calls, as the Orka of the tag writes them: the first knows no classes, lines and exits.
    fn method(&mut self, class: &str, method: &str, calls: &[(u32, &str)]) {
        let first = self.tag == "bwestfield";
        self.line(&if first {
            format!("entering {method}")
        } else {
            format!("entering {class}/{method}")
        });
        for (line, call) in calls {
            self.line(&if first {
                format!("making call to {call}")
            } else {
                format!("    API call l{line} {call}")
            });
        }
        if !first {
            self.line(&format!("exiting {class}/{method}"));
        }
    }

    /// The log as a file in a folder.
    fn write(&self) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logcat.txt");
        std::fs::write(&path, &self.text).unwrap();
        (folder, path)
    }
}

const TAGS: [&str; 2] = ["bwestfield", "orka"];

#[test]
fn proof_of_concept_from_logs_of_orka() {
    let round = [(18, "android/widget/Toast/makeText"), (18, "android/widget/Toast/show")];
    for tag in TAGS {
        for (name, rounds, joules) in APPS {
            let mut log = Log::new(tag);
            let calls = round.repeat(usize::try_from(rounds).unwrap());
            log.method("MainActivity", "onCreate", &calls);
            let (_folder, path) = log.write();
            check_app(&format!("{name} {tag}"), &[path], rounds, joules);
        }
    }
}

/// Figure 6 of the paper: methods, mean joules a call, calls.
const FIGURE_6: [(&str, &str, u64); 10] = [
    ("readLapFormatPrefFlags", "0.008552", 1),
    ("setUpGesture", "0.005364", 1),
    ("resetClockAndViews", "0.005257", 1),
    ("onCreate", "0.003412", 2),
    ("onClick", "0.001688", 5),
    ("createNewLap", "0.001418", 1),
    ("buildDateFormatDOWmedium", "0.001239", 1),
    ("handleMessage", "0.001037", 150),
    ("readSettings", "0.000113", 1),
    ("stopwatch", "0.000071", 1),
];

/// The class of these methods in the logs; the paper names none.
const CLASS: &str = "Stopwatch";

/// A cost table of a user's own in which each method calls something that costs the method's mean.
fn table() -> String {
    let mut text =
        "format = \"wattle-api-costs/1\"\nname = \"figure-6\"\nsource = \"Orka, figure 6\"\n\
                    provenance = \"assumed\"\nerror = 0.5\n\n[costs]\n"
            .to_owned();
    for (method, joules, _) in FIGURE_6 {
        writeln!(text, "\"android.figure.Six.{method}()\" = {joules}").unwrap();
    }
    text
}

/// Methods of a report in its order, with mean and total joules of their framework calls and how often they were called.
fn methods(report: &serde_json::Value) -> Vec<(String, f64, f64, u64)> {
    let number = |row: &serde_json::Value, key: &str| row[key].as_f64().expect(key);
    let rows = report["methods"].as_array().expect("methods");
    rows.iter()
        .map(|row| {
            let name = row["method"].as_str().unwrap().to_owned();
            let (mean, total) = (number(row, "api_mean_joules"), number(row, "api_total_joules"));
            (name, mean, total, row["calls"].as_u64().expect("calls"))
        })
        .collect()
}

#[test]
fn figure_6_by_mean_and_by_total() {
    let mut log = Log::new("orka");
    // Neither order is that of the log.
    let mut calls: Vec<_> = FIGURE_6.to_vec();
    calls.sort_unstable();
    for (line, (method, _, count)) in (10..).zip(&calls) {
        let call = format!("android/figure/Six/{method}");
        for _ in 0..*count {
            log.method(CLASS, method, &[(line, &call)]);
        }
    }
    let (folder, path) = log.write();
    let costs = folder.path().join("figure-6.toml");
    std::fs::write(&costs, table()).unwrap();
    let costs = ["--api-costs", costs.to_str().unwrap()];

    let by = |flags: &[&str]| {
        let flags = [&costs[..], flags].concat();
        methods(&counted::report(std::slice::from_ref(&path), &flags).0)
    };
    let by_mean = by(&["--by", "method", "--sort", "mean"]);
    let names: Vec<&str> = by_mean.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(names, FIGURE_6.map(|row| row.0), "the paper's order");
    for ((_, mean, _, found), (method, joules, count)) in by_mean.iter().zip(FIGURE_6) {
        check_figure(method, *mean, joules);
        assert_eq!(*found, count, "{method}");
    }
    let by_total = by(&["--by", "method"]);
    assert_eq!(by_total[0].0, "handleMessage");
    check_figure("handleMessage", by_total[0].2, "0.15555");
    assert!(by_total.windows(2).all(|pair| pair[0].2 >= pair[1].2), "{by_total:?}");
}
