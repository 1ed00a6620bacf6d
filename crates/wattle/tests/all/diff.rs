//! `wattle diff` as its users run it: two runs of the simulated phone, saved or as traces.

use std::path::{Path, PathBuf};

use crate::support::{list, number, wattle};
use serde_json::Value;
use wattle_testdata::requires;

/// Files of a test with the simulated phone.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("folder") }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    /// A trace and the model of its phone.
    fn trace(&self, seed: &str) -> (String, String) {
        let (trace, model) = (self.path(&format!("{seed}.pftrace")), self.path("phone.toml"));
        let run = wattle([
            "demo",
            "--seed",
            seed,
            "--no-rails",
            "--quiet",
            "--trace",
            &trace,
            "--device-model",
            &model,
        ]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        (trace, model)
    }

    /// A saved ledger of a seed's trace under a model.
    fn saved(&self, seed: &str, name: &str, flags: &[&str]) -> String {
        let (trace, model) = self.trace(seed);
        let saved = self.path(name);
        let report = ["report", &trace, "--device-model", &model, "--quiet", "--save", &saved];
        let run = wattle([&report[..], flags].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        saved
    }
}

fn total(ledger: &str) -> f64 {
    number(&wattle(["report", ledger, "--json", "-"]).json(), "/total_joules")
}

fn sum(diff: &Value, pointer: &str) -> f64 {
    list(diff, "/nodes").iter().filter_map(|node| node.pointer(pointer)?.as_f64()).sum()
}

#[test]
fn two_runs_are_held_against_each_other() {
    let bench = Bench::new();
    let (before, after) =
        (bench.saved("1", "a.ledger.json.zst", &[]), bench.saved("2", "b.ledger.json.zst", &[]));
    let (html, folded) = (bench.path("diff.html"), bench.path("diff.folded"));
    let flags = ["--html", &html, "--folded", &folded, "--json", "-", "--anyway"];
    let diff = wattle([&["diff", &before, &after][..], &flags].concat()).json();
    let difference = total(&after) - total(&before);
    let near = |found: f64, expected: f64| {
        assert!(
            (found - expected).abs() < 1e-9 * total(&before),
            "{found} J, expected {expected} J"
        );
    };
    near(number(&diff, "/total/before/joules"), total(&before));
    near(number(&diff, "/total/difference_joules"), difference);
    near(sum(&diff, "/self/difference_joules"), difference);
    assert!(list(&diff, "/methods").len() > 5);
    let page = std::fs::read_to_string(&html).expect("a page");
    assert!(page.contains("Delta flame graph"));
    // The last two words of a line are microjoules.
    let mut sums = [0_u64; 2];
    for line in std::fs::read_to_string(&folded).expect("stacks").lines() {
        let mut words = line.rsplit(' ');
        for sum in sums.iter_mut().rev() {
            *sum += words.next().and_then(|word| word.parse::<u64>().ok()).expect("a number");
        }
        assert!(words.next().is_some(), "{line} has a stack");
    }
    for (sum, ledger) in sums.iter().zip([&before, &after]) {
        assert!((*sum as f64 - total(ledger) * 1e6).abs() <= 1.0, "{sum} µJ");
    }
}

#[test]
fn a_run_does_not_differ_from_itself() {
    let bench = Bench::new();
    let (trace, model) = bench.trace("1");
    let saved = bench.saved("1", "a.ledger.json.zst", &[]);
    // A trace and a saved ledger are the same run.
    let diff = wattle(["diff", &saved, &trace, "--device-model", &model, "--json", "-"]).json();
    assert!(list(&diff, "/objections").is_empty(), "{}", diff["objections"]);
    assert_eq!(diff["has_common_errors"], true);
    for node in list(&diff, "/nodes") {
        let verdict = &node["total"]["verdict"];
        assert!(verdict.is_null() || verdict == "equal", "{node}");
        assert!(number(node, "/total/difference_joules").abs() < 1e-12, "{node}");
    }
    let shown = wattle(["diff", &saved, &saved]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    for words in ["EQUAL", "device", "same model", "threshold"] {
        assert!(shown.stdout.contains(words), "no {words:?} in:\n{}", shown.stdout);
    }
    assert!(!shown.stdout.contains("What changed"), "{}", shown.stdout);
    assert!(shown.stdout.lines().count() <= 25, "{}", shown.stdout);
    let full = wattle(["diff", &saved, &saved, "--full"]);
    for words in ["equal within", "Runs", "error cancels", "90 % interval"] {
        assert!(full.stdout.contains(words), "no {words:?} in:\n{}", full.stdout);
    }
}

#[test]
fn figures_are_of_what_was_asked_for() {
    let bench = Bench::new();
    let saved = bench.saved("1", "a.ledger.json.zst", &[]);
    let diff =
        |flags: &[&str]| wattle([&["diff", &saved, &saved, "--json", "-"], flags].concat()).json();
    let run = diff(&[]);
    let second = diff(&["--per", "second"]);
    let watts = number(&run, "/total/before/joules") / number(&run, "/before/duration_s");
    assert!((number(&second, "/total/before/joules") / watts - 1.0).abs() < 1e-9);
    let method = list(&run, "/methods").iter().find(|row| number(row, "/before/calls") > 1.0);
    let method = method.and_then(|row| row["name"].as_str()).expect("a method");
    let call = diff(&["--per-call", method]);
    let calls = number(&call, "/per/before");
    assert!(calls > 1.0);
    assert!(
        (number(&call, "/total/before/joules") * calls / number(&run, "/total/before/joules")
            - 1.0)
            .abs()
            < 1e-9
    );
    let is_thread = |node: &&Value| node["kind"] == "thread";
    assert!(list(&run, "/nodes").iter().any(|node| is_thread(&node)));
    assert_eq!(list(&diff(&["--merge", "process"]), "/nodes").iter().filter(is_thread).count(), 0);
    let app = list(&run, "/nodes").iter().filter(|node| node["kind"] == "process");
    let app = app
        .filter_map(|node| node["name"].as_str())
        .find(|name| name.starts_with("com."))
        .expect("an app");
    let of_app = diff(&["--app", app]);
    let processes = list(&of_app, "/nodes").iter().filter(|node| node["kind"] == "process").count();
    assert_eq!(processes, 1);
    assert!(list(&of_app, "/nodes").iter().any(|node| node["kind"] == "other-processes"));
    assert_eq!(of_app["total"], run["total"]);
}

#[test]
fn what_is_not_comparable_is_refused() {
    #[track_caller]
    fn check(arguments: &[&str], code: i32, words: &str) {
        let run = wattle([&["diff"], arguments].concat());
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
    }
    let bench = Bench::new();
    let saved = bench.saved("1", "a.ledger.json.zst", &[]);
    let other = bench.saved("1", "b.ledger.json.zst", &["--shared", "none"]);
    check(&[&saved, &other], 1, "\"proportional\" before and by \"none\" after");
    let shown = wattle(["diff", &saved, &other, "--anyway"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.contains("× policy differs"), "{}", shown.stdout);
    check(&[&saved, "absent"], 3, "absent");
    check(&[&saved, &saved, "--json", "-", "--folded", "-"], 2, "standard output");
    check(&[&saved, &saved, "--html", "-"], 2, "expected the name of a file");
    check(&[&saved, &saved, "--per-call", "absent()"], 2, "no call of it is in the first run");
    check(&[&saved, &saved, "--app", "com.absent"], 2, "not found in either run");
    check(&[&saved, &saved, "--shared", "none"], 2, "--shared needs a recording");
    check(&[&saved], 2, "AFTER");
    check(&[&saved, &saved, "--threshold", "much"], 2, "expected a share, an energy, or both");
    let nowhere: PathBuf = Path::new(&bench.path("absent")).join("diff.html");
    check(&[&saved, &saved, "--html", nowhere.to_str().expect("UTF-8")], 4, "writing");
}

impl Bench {
    /// Ledgers of the demo's app, of phones that differ from run to run.
    fn ledgers(&self, name: &str, flags: &[&str]) -> Vec<String> {
        let ledger = |seed: u32| {
            let (seed, saved) =
                (seed.to_string(), self.path(&format!("{name}{seed}.ledger.json.zst")));
            let demo = ["demo", "--no-open", "--quiet", "--seed", &seed, "--save", &saved];
            let run = wattle([&demo[..], flags].concat());
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            saved
        };
        (1..=3).map(ledger).collect()
    }

    /// A folder as `wattle run` leaves it: runs with their ledgers and builds.
    fn series(&self, name: &str, runs: &[(&str, &String)]) -> String {
        let folder = self.path(name);
        let mut iterations = Vec::new();
        for (number, (build, ledger)) in runs.iter().enumerate() {
            let inside = Path::new(&folder).join(number.to_string());
            std::fs::create_dir_all(&inside).expect("a folder");
            std::fs::copy(ledger, inside.join("run.ledger.json.zst")).expect("copied");
            let app = (!build.is_empty() && *build != "warm-up").then_some(build);
            iterations.push(serde_json::json!({
                "number": number, "app": app, "warm_up": *build == "warm-up", "outcome": "passed",
                "start_host_ns": number, "end_host_ns": number + 1,
            }));
        }
        let recording = serde_json::json!({
            "wattle_recording": 1, "iterations": iterations, "artifacts": [],
        });
        std::fs::write(Path::new(&folder).join("recording.json"), recording.to_string())
            .expect("written");
        folder
    }
}

#[test]
fn builds_are_compared_by_all_their_runs() {
    let bench = Bench::new();
    let (fixed, wasteful) = (bench.ledgers("f", &["--fixed"]), bench.ledgers("w", &[]));
    let named = |more: &[&str]| {
        let sides = [
            &["diff", "--before"][..],
            &fixed.iter().map(String::as_str).collect::<Vec<_>>(),
            &["--after"],
            &wasteful.iter().map(String::as_str).collect::<Vec<_>>(),
            more,
        ];
        wattle(sides.concat())
    };
    let json = named(&["--json", "-"]).json();
    assert_eq!(json["schema"], "wattle-series/2");
    let difference = &json["differences"][0];
    assert_eq!((&difference["from"], &difference["to"]), (&"before".into(), &"after".into()));
    assert_eq!(
        (&difference["verdict"], &difference["arrangement"]),
        (&"higher".into(), &"independent".into())
    );
    let equal = named(&["--threshold", "1000J", "--json", "-"]).json();
    assert_eq!(equal["differences"][0]["verdict"], "equal");
    assert_eq!(equal["threshold"]["joules"], 1000.0);
    let text = named(&[]);
    assert!(
        text.stdout.contains("after is higher than before: "),
        "{}{}",
        text.stdout,
        text.stderr
    );
    // Folders of a series say the same, without warm-ups.
    let first: Vec<(&str, &String)> =
        std::iter::once(("warm-up", &wasteful[0])).chain(fixed.iter().map(|it| ("", it))).collect();
    let second: Vec<(&str, &String)> = wasteful.iter().map(|it| ("", it)).collect();
    let (first, second) = (bench.series("old", &first), bench.series("new", &second));
    let of_folders = wattle(["diff", &first, &second, "--json", "-"]).json();
    assert_eq!(of_folders["differences"][0]["joules"], difference["joules"]);
    assert_eq!(of_folders["differences"][0]["to"], "new");
    assert_eq!(of_folders["builds"][0]["runs"], 3);
    // Runs of one series took turns, and their numbers say so.
    let turns = [
        ("A", &fixed[0]),
        ("B", &wasteful[0]),
        ("B", &wasteful[1]),
        ("A", &fixed[1]),
        ("A", &fixed[2]),
        ("B", &wasteful[2]),
    ];
    let both = bench.series("both", &turns);
    let run = |number: u32| format!("{both}/{number}");
    let of_turns = wattle([
        "diff",
        "--before",
        &run(0),
        &run(3),
        &run(4),
        "--after",
        &run(1),
        &run(2),
        &run(5),
        "--json",
        "-",
    ])
    .json();
    assert_eq!(of_turns["differences"][0]["arrangement"], "in-turns");
    let refused = wattle(["diff", &both, &second]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("a series of two builds"), "{}", refused.stderr);
    for wrong in [
        &["--before", &fixed[0], "--after", &fixed[0]][..],
        &["--before", &fixed[0]],
        &[&first, &second, "--folded", "-"],
        &["--before", &fixed[0], "--after", &wasteful[0], "--app", "com.example.nws"],
    ] {
        let refused = wattle([&["diff"], wrong].concat());
        assert_eq!(refused.code, Some(2), "{wrong:?}: {}{}", refused.stdout, refused.stderr);
    }
}

/// The emulator's traces have no energy: what went with the defect is CPU time, in the terminal and in JSON alike.
#[requires(data)]
#[test]
fn without_energy_cpu_times_are_compared() {
    let path = |name: &str| {
        let path = wattle_testdata::path(&format!("perfetto/pairs/cpu-spin_{name}.pftrace"));
        path.to_str().expect("UTF-8").to_owned()
    };
    let (before, after) = (path("before"), path("after"));
    let diff = wattle(["diff", &before, &after, "--json", "-"]).json();
    let parser = |row: &&Value| row["code"] == "parseQuadratic";
    let rows = list(&diff, "/cpu_times/rows");
    let gone = rows.iter().find(parser).expect("the parser");
    assert!(number(gone, "/before_s") > 0.1, "{gone}");
    assert_eq!(number(gone, "/after_s"), 0.0, "{gone}");
    let terminal = wattle(["diff", &before, &after]);
    assert_eq!(terminal.code, Some(0), "{}", terminal.stderr);
    assert!(terminal.stdout.contains("parseQuadratic"), "{}", terminal.stdout);
    for flag in ["--html", "--folded"] {
        let refused = wattle(["diff", &before, &after, flag, "/nowhere/diff"]);
        assert_eq!(refused.code, Some(1), "{}", refused.stderr);
        assert!(refused.stderr.contains("--json"), "{}", refused.stderr);
    }
}
