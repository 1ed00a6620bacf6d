//! Keeping runs, listing them, and energy over versions.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use wattle_testdata::requires;

use crate::support::{Run, list, number, wattle};

/// A history in a folder of its own.
struct History {
    folder: tempfile::TempDir,
}

impl History {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    /// `wattle` with this history, in a folder without a `wattle.toml` and outside of any repository.
    fn run(&self, arguments: &[&str]) -> Run {
        self.run_in(self.folder.path(), arguments)
    }

    fn run_in(&self, folder: &Path, arguments: &[&str]) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(arguments)
            .current_dir(folder)
            .env("WATTLE_STORE", self.store())
            .env("GIT_CEILING_DIRECTORIES", self.folder.path())
            .env_remove("RUST_BACKTRACE")
            .output()
            .expect("the program runs");
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    fn store(&self) -> String {
        self.path("history")
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    /// Keeps two versions of the demo's app: wasteful, then fixed.
    fn keep_demo(&self) {
        for flags in [&["--app-version", "1.0", "--commit", "c0ffee"][..], &["--fixed"]] {
            let demo = ["demo", "--no-open", "--keep"].iter().chain(flags).copied();
            let kept = self.run(&demo.collect::<Vec<_>>());
            assert_eq!(kept.code, Some(0), "{}", kept.stderr);
            assert!(kept.stderr.contains("kept as run:"), "{}", kept.stderr);
        }
    }
}

#[track_caller]
fn check_ok(run: &Run) -> &str {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    &run.stdout
}

#[test]
fn who_has_kept_nothing_is_told_how() {
    let history = History::new();
    for command in ["runs", "history"] {
        let told = history.run(&[command]);
        let text = check_ok(&told);
        assert!(text.starts_with("No run has been kept yet."), "{text}");
        assert!(text.contains("wattle report trace.pftrace --keep"), "{text}");
    }
    assert_eq!(history.run(&["runs", "--json", "-"]).json()["runs"], json!([]));
    let none = history.run(&["report", "run:1"]);
    assert_eq!(none.code, Some(2), "{}", none.stderr);
    assert!(none.stderr.contains("no run has been kept yet"), "{}", none.stderr);
    // Looking makes nothing.
    assert!(!Path::new(&history.store()).exists());
}

#[test]
fn what_was_kept_is_listed_compared_and_shown_over_versions() {
    let history = History::new();
    history.keep_demo();
    let runs = history.run(&["runs", "--json", "-"]).json();
    assert_eq!(runs["schema"], "wattle-runs/1");
    let [wasteful, fixed] = list(&runs, "/runs") else { panic!("{runs}") };
    assert_eq!((&wasteful["run"], &fixed["run"]), (&json!("run:1"), &json!("run:2")));
    assert_eq!((&wasteful["version_name"], &wasteful["commit"]), (&json!("1.0"), &json!("c0ffee")));

    // The figures of the history are those of the report of the same ledger.
    let report =
        history.run(&["report", "run:1", "--app", "com.example.news", "--json", "-"]).json();
    assert_eq!(number(wasteful, "/total/joules"), number(&report, "/total_joules"));
    let app = number(wasteful, "/app_energy/joules");
    let reported = number(&report, "/app/joules");
    assert!((app - reported).abs() <= 1e-12 * reported, "{app} J, in the report {reported} J");
    for end in 0..2 {
        let kept = number(wasteful, &format!("/app_energy/interval_joules/{end}"));
        let reported = number(&report, &format!("/app/interval_joules/{end}"));
        assert!((kept - reported).abs() <= 1e-9 * reported, "{kept} J, in the report {reported} J");
    }

    let shown = history.run(&["history", "--json", "-"]).json();
    assert_eq!((&shown["schema"], &shown["quantity"]), (&json!("wattle-history/1"), &json!("app")));
    let [series] = list(&shown, "/series") else { panic!("{shown}") };
    let [before, after] = list(series, "/versions") else { panic!("{series}") };
    assert_eq!(number(before, "/mean/joules"), app);
    let change = number(after, "/mean/joules") / app - 1.0;
    assert!((number(after, "/change") - change).abs() < 1e-12);
    assert!(change < -0.5, "the fixed app needs much less: {change}");

    let method =
        ["history", "com.example.news", "--method", "*.ImageDecoder.decode", "--json", "-"];
    let method = history.run(&method).json();
    assert_eq!(method["name"], "com.example.news.ImageDecoder.decode");
    let total = number(&method, "/series/0/versions/0/mean/joules");
    let by_method =
        history.run(&["report", "run:1", "--app", "com.example.news", "--json", "-"]).json();
    let rows = list(&by_method, "/code/methods").iter();
    let decode = rows.clone().find(|row| row["name"] == "com.example.news.ImageDecoder.decode");
    if let Some(decode) = decode {
        let reported = number(decode, "/total/joules");
        assert!((total - reported).abs() <= 2e-9 + 1e-9 * reported, "{total} J, {reported} J");
    }
    assert!(total > 0.0 && total < app, "{total} J of {app} J");

    let component = history.run(&["history", "--component", "wifi"]);
    assert!(check_ok(&component).contains("energy of wifi per run"), "{}", component.stdout);
    let absent = history.run(&["history", "--component", "gps"]);
    assert_eq!(absent.code, Some(2));
    assert!(absent.stderr.contains("they have"), "{}", absent.stderr);
    let misspelt = history.run(&["history", "com.example.new"]);
    assert_eq!(misspelt.code, Some(2));
    assert!(misspelt.stderr.contains("com.example.news"), "{}", misspelt.stderr);

    let diff = history.run(&["diff", "run:1", "run:2", "--json", "-"]).json();
    assert_eq!(diff["before"]["name"], "run:1");
    let itself = history.run(&["diff", "run:2", "run:2"]);
    assert_eq!(itself.code, Some(0), "{}", itself.stderr);
    let folded = history.run(&["export", "run:2", "--format", "folded"]);
    assert!(check_ok(&folded).contains("com.example.news"));
    assert_eq!(history.run(&["report", "run:9"]).code, Some(2));
}

#[test]
fn runs_move_from_one_history_to_another_with_their_facts() {
    let (here, there) = (History::new(), History::new());
    here.keep_demo();
    let file = here.path("first.ledger.json.zst");
    check_ok(&here.run(&["runs", "export", "run:1", &file]));
    // It is an ordinary ledger, too.
    check_ok(&wattle(["report", &file]));
    check_ok(&there.run(&["runs", "import", &file]));
    let row = |history: &History| {
        let mut row = history.run(&["runs", "--json", "-"]).json()["runs"][0].clone();
        row["kept"] = json!(null);
        row
    };
    assert_eq!(row(&there), row(&here));
    let again = there.run(&["runs", "import", &file, "--branch", "topic"]);
    assert!(check_ok(&again).starts_with("run:2: com.example.news, 1.0, c0ffee on topic"));
    let topic = there.run(&["runs", "--branch", "topic", "--json", "-"]).json();
    assert_eq!(list(&topic, "/runs").len(), 1);

    // What is deleted is gone, and a list that names a run that is not there deletes none.
    assert_eq!(there.run(&["runs", "delete", "run:1", "run:7"]).code, Some(2));
    assert_eq!(list(&there.run(&["runs", "--json", "-"]).json(), "/runs").len(), 2);
    assert_eq!(check_ok(&there.run(&["runs", "delete", "run:1"])), "1 run deleted\n");
    assert_eq!(there.run(&["report", "run:1"]).code, Some(2));
    check_ok(&there.run(&["report", "run:2"]));
    let broken = there.path("broken.ledger.json.zst");
    std::fs::write(&broken, b"\x28\xb5\x2f\xfdnothing").expect("written");
    assert_eq!(there.run(&["runs", "import", &broken]).code, Some(3));
}

#[test]
fn old_runs_are_pruned() {
    let history = History::new();
    history.keep_demo();
    let dry = history.run(&["runs", "prune", "--keep-last", "1", "--dry-run"]);
    assert!(check_ok(&dry).ends_with("1 run would be deleted\n"), "{}", dry.stdout);
    let young = history.run(&["runs", "prune", "--keep-last", "1", "--older-than", "90d"]);
    assert_eq!(check_ok(&young), "0 runs deleted\n");
    assert_eq!(check_ok(&history.run(&["runs", "prune", "--keep-last", "1"])), "1 run deleted\n");
    let left = history.run(&["runs", "--json", "-"]).json();
    assert_eq!(left["runs"][0]["run"], "run:2");
    assert_eq!(history.run(&["runs", "prune"]).code, Some(2), "a rule is needed");
}

#[requires(program = "git")]
#[test]
fn the_configuration_keeps_reports_with_their_commit() {
    let history = History::new();
    let trace = history.path("demo.pftrace");
    check_ok(&wattle(["demo", "--quiet", "--no-open", "--trace", &trace]));
    let project = tempfile::tempdir().expect("a folder");
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=x", "-c", "user.email=x@example.com"])
            .args(arguments)
            .current_dir(project.path())
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    };
    std::fs::write(
        project.path().join("wattle.toml"),
        "[history]\nkeep = true\nstore = \"runs\"\n",
    )
    .expect("written");
    git(&["init", "--quiet", "--initial-branch", "topic"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "first"]);
    let commit = git(&["rev-parse", "HEAD"]);
    let report = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(["report", &trace, "--app", "com.example.news"])
            .args(more)
            .current_dir(project.path())
            .env_remove("WATTLE_STORE")
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let told = report(&[]);
    assert!(told.contains(&format!("{} on topic", &commit[..8])), "{told}");
    assert!(!report(&["--no-keep"]).contains("kept as"));
    std::fs::write(
        project.path().join("wattle.toml"),
        "[history]\nkeep = true\nstore = \"runs\"\n# changed\n",
    )
    .expect("written");
    let told = report(&[]);
    assert!(told.contains(&format!("{}+ on topic", &commit[..8])), "{told}");
    assert!(project.path().join("runs/history.db").is_file());
    let listed = wattle([
        "runs",
        "--store",
        project.path().join("runs").to_str().expect("UTF-8"),
        "--json",
        "-",
    ])
    .json();
    assert_eq!(
        (listed["runs"][0]["dirty"].clone(), listed["runs"][1]["dirty"].clone()),
        (json!(false), json!(true))
    );
    // The program in the simulated phone's trace is the same, so the ledger is stored once.
    assert_eq!(listed["runs"][0]["ledger_sha256"], listed["runs"][1]["ledger_sha256"]);
}

#[test]
fn results_of_macrobenchmark_are_kept_as_runs() {
    let history = History::new();
    let results = history.folder.path().join("results");
    std::fs::create_dir(&results).expect("a folder");
    let mut outputs = Vec::new();
    for number in 0..2 {
        let name = format!("Start_cold_iter{number:03}_2025-11-29.perfetto-trace");
        let trace = results.join(&name);
        let trace = trace.to_str().expect("UTF-8");
        let seed = number.to_string();
        check_ok(&wattle(["demo", "--quiet", "--no-open", "--seed", &seed, "--trace", trace]));
        outputs.push(json!({
            "type": "PerfettoTrace", "label": format!("Trace Iteration {number}"), "filename": name
        }));
    }
    let data = json!({
        "context": { "build": { "brand": "sim", "model": "SimPixel", "version": { "sdk": 34 } }, "cpuCoreCount": 8 },
        "benchmarks": [{
            "name": "cold", "className": "com.example.Start", "metrics": {}, "repeatIterations": 2,
            "profilerOutputs": outputs,
        }],
    });
    let file = results.join("x-benchmarkData.json");
    std::fs::write(&file, data.to_string()).expect("written");
    let file = file.to_str().expect("UTF-8");
    let flags = ["runs", "import", file, "--app", "com.example.news", "--app-version", "2.1"];
    check_ok(&history.run(&flags));
    let runs = history.run(&["runs", "--json", "-"]).json();
    let [first, second] = list(&runs, "/runs") else { panic!("{runs}") };
    assert_eq!(
        (&first["labels"]["iteration"], &second["labels"]["iteration"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(first["labels"]["series"], "Start-cold");
    assert_eq!(first["version_name"], "2.1");
    assert!(number(first, "/app_energy/joules") > 0.0);
}

#[requires(program = "python3")]
#[test]
fn histories_that_cannot_be_read_say_why() {
    let history = History::new();
    history.keep_demo();
    let database = Path::new(&history.store()).join("history.db");
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('UPDATE wattle_history SET version = 99'); c.commit()";
    let whole = std::fs::read(&database).expect("read");
    let changed = Command::new("python3").args(["-c", script]).arg(&database).status();
    assert!(changed.expect("python runs").success());
    let newer = history.run(&["runs"]);
    assert_eq!(newer.code, Some(3), "{}", newer.stderr);
    assert!(newer.stderr.contains("a later wattle wrote it"), "{}", newer.stderr);
    let mut damaged = whole.clone();
    damaged[..64].fill(0x55);
    std::fs::write(&database, damaged).expect("written");
    let damaged = history.run(&["history"]);
    assert_eq!(damaged.code, Some(3), "{}", damaged.stderr);
    assert!(damaged.stderr.contains("wattle runs import"), "{}", damaged.stderr);
    // As that message says: the ledgers have all that is needed.
    let ledgers: Vec<String> = std::fs::read_dir(Path::new(&history.store()).join("ledgers"))
        .expect("a folder")
        .flat_map(|folder| std::fs::read_dir(folder.expect("an entry").path()).expect("a folder"))
        .map(|file| file.expect("an entry").path().to_str().expect("UTF-8").to_owned())
        .collect();
    std::fs::remove_file(&database).expect("moved away");
    let import = ["runs", "import"].into_iter().chain(ledgers.iter().map(String::as_str));
    check_ok(&history.run(&import.collect::<Vec<_>>()));
    let runs = history.run(&["runs", "--json", "-"]).json();
    let mut versions: Vec<_> = list(&runs, "/runs")
        .iter()
        .map(|run| run["version_name"].as_str().expect("a version"))
        .collect();
    versions.sort_unstable();
    assert_eq!(versions, ["1.0", "fixed"]);
    let unknown = wattle(["runs", "--store", "mysql://host/x"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
}
