//! Keeping runs, listing them, and energy over versions.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use wattle_phone::{Step, TestSpec};
use wattle_testdata::requires;

use crate::phone_bench::{PhoneBench, options};
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
    let page = history.path("empty.html");
    check_ok(&history.run(&["history", "com.example.news", "--html", &page]));
    assert!(std::fs::read_to_string(&page).expect("a page").contains("wattle-history-page/1"));
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
    let slices = list(&report, "/slices").iter();
    let decode = slices.filter(|row| row["name"] == "com.example.news.ImageDecoder.decode");
    let reported: f64 = decode.map(|row| number(row, "/total_joules")).sum();
    assert!((total - reported).abs() <= 2e-9, "{total} J, in the report {reported} J");
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

/// 12 versions of the wasteful app and 6 of the fixed one, two runs each: stretches of 20 s of both demos. Returns the mean energies
/// of both that the runs have.
fn keep_a_known_change(history: &History) -> [f64; 2] {
    let demo = |name: &str, more: &[&str]| {
        let trace = history.path(name);
        let flags = ["demo", "--quiet", "--no-open", "--trace", &trace].into_iter();
        check_ok(&history.run(&flags.chain(more.iter().copied()).collect::<Vec<_>>()));
        trace
    };
    let model = history.path("phone.toml");
    let wasteful = demo("wasteful.pftrace", &["--device-model", &model]);
    let fixed = demo("fixed.pftrace", &["--fixed"]);
    for version in 0..18_u32 {
        let (trace, name) = if version < 12 { (&wasteful, "1.0") } else { (&fixed, "1.1") };
        let commit = format!("{version:02x}aaaaaaaa");
        for run in 0..2 {
            // As if runs began at any moment of the app's work.
            let from = f64::from((version * 2 + run) * 7 % 36) * 0.25;
            let (from, to) = (from.to_string(), (from + 20.0).to_string());
            check_ok(&history.run(&[
                "report",
                trace,
                "--device-model",
                &model,
                "--app",
                "com.example.news",
                "--app-version",
                name,
                "--commit",
                &commit,
                "--branch",
                "main",
                "--scenario-name",
                "news feed",
                "--from",
                &from,
                "--to",
                &to,
                "--keep",
                "--quiet",
            ]));
        }
    }
    let runs = history.run(&["runs", "--json", "-"]).json();
    ["1.0", "1.1"].map(|name| {
        let of = list(&runs, "/runs").iter().filter(|run| run["version_name"] == name);
        let energies: Vec<f64> = of.map(|run| number(run, "/app_energy/joules")).collect();
        energies.iter().sum::<f64>() / energies.len() as f64
    })
}

#[test]
fn a_known_change_is_found_and_its_page_leads_to_both_runs() {
    let history = History::new();
    let [before, after] = keep_a_known_change(&history);
    let shown = history.run(&["history", "--json", "-"]).json();
    let [judged] = list(&shown, "/series/0/judged") else { panic!("{shown}") };
    assert_eq!((&judged["branch"], &judged["versions"]), (&json!("main"), &json!(18)));
    let [change] = list(judged, "/changes") else { panic!("{judged}") };
    assert_eq!(
        (&change["direction"], &change["confirmation"]),
        (&json!("down"), &json!("following-versions"))
    );
    assert_eq!(change["first_bad"]["commit"], "0caaaaaaaa");
    assert_eq!(change["last_good"]["commit"], "0baaaaaaaa");
    let difference = after - before;
    assert!(difference < -1.0, "{difference} J");
    let interval = [number(change, "/interval_joules/0"), number(change, "/interval_joules/1")];
    assert!(interval[0] <= difference && difference <= interval[1], "{difference} {interval:?}");
    assert!((number(judged, "/level/joules") - after).abs() < 0.1 * after, "{judged}");
    assert_eq!(judged["level"]["since"]["commit"], "0caaaaaaaa");

    std::fs::write(
        history.path("wattle.toml"),
        "[[check.rule]]\nsubject = \"app\"\nscenario = \"news *\"\nat-most = \"500 mJ\"\n",
    )
    .expect("written");
    let page = history.path("energy.html");
    let written =
        history.run(&["history", "com.example.news", "--html", &page, "--with-comparisons", "2"]);
    let text = check_ok(&written);
    assert!(text.contains("1 lasting change in 18 versions\n  ↓ −9"), "{text}");
    assert!(text.contains("in 0caaaaaa (after 0baaaaaa), confirmed by later versions"), "{text}");
    assert!(text.contains("level ") && text.contains(" since 0caaaaaa"), "{text}");
    assert!(text.contains("Next  wattle diff run:2"), "{text}");
    let html = std::fs::read_to_string(&page).expect("a page");
    let data = html.split_once("data-encoding=\"json\">").expect("data").1;
    let data: serde_json::Value =
        serde_json::from_str(data.split_once("</script>").expect("its end").0).expect("JSON");
    assert_eq!(data["schema"], "wattle-history-page/1");
    let series = &data["series"][0];
    assert_eq!(series["standing"]["budget"], json!({ "joules": 0.5, "rule": "app" }));
    assert_eq!(series["standing"]["release"]["name"], "1.0");
    assert_eq!(series["changes"][0]["range"]["first_bad"], 12);
    // The demo fixes the decoding of pictures.
    assert_eq!(series["changes"][0]["blame"]["method"], "com.example.news.ImageDecoder.decode");
    let comparisons = list(&data, "/comparisons");
    assert_eq!(comparisons.len(), 3, "of the change, and of two pairs of neighbours");
    for comparison in comparisons {
        let href = comparison["href"].as_str().expect("an address");
        let file = history.folder.path().join(href);
        let compared = std::fs::read_to_string(&file).expect("a comparison");
        assert!(compared.contains("Comparison of two runs"), "{href}");
    }
    let runs = &series["changes"][0]["runs"];
    assert_eq!([&runs[0], &runs[1]], [&comparisons[0]["before"], &comparisons[0]["after"]]);

    // The energy of a method changed where the app's did.
    let method = ["history", "--method", "*.ImageDecoder.decode", "--json", "-"];
    let method = history.run(&method).json();
    assert_eq!(method["series"][0]["judged"][0]["changes"][0]["first_bad"]["commit"], "0caaaaaaaa");
}

#[test]
fn a_history_that_is_too_short_says_so() {
    let history = History::new();
    history.keep_demo();
    let shown = history.run(&["history"]);
    let text = check_ok(&shown);
    assert!(text.contains("Changes can be judged from 11 versions"), "{text}");
    assert!(!text.contains("lasting change"), "{text}");
    let page = history.path("short.html");
    check_ok(&history.run(&["history", "--html", &page, "--quiet"]));
    assert!(std::fs::read_to_string(&page).expect("a page").contains("wattle-history-page/1"));
    assert!(!history.folder.path().join("short-comparisons").exists());
    let refused = history.run(&["history", "--html", "-"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let refused = history.run(&["history", "--html", &page, "--method", "*"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
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
    // The same run again is no second one.
    let again = there.run(&["runs", "import", &file, "--branch", "topic"]);
    assert_eq!(
        check_ok(&again).lines().next().map(|line| &line[..21]),
        Some("already kept as run:1")
    );
    let second = here.path("second.ledger.json.zst");
    check_ok(&here.run(&["runs", "export", "run:2", &second]));
    let other = there.run(&["runs", "import", &second, "--branch", "topic", "--commit", "c0ffee"]);
    assert!(
        check_ok(&other).starts_with("kept as run:2: com.example.news, fixed, c0ffee on topic")
    );
    let topic = there.run(&["runs", "--branch", "topic", "--json", "-"]).json();
    assert_eq!(list(&topic, "/runs").len(), 1);

    for (ledger, advice) in [(file.as_str(), "wattle runs import"), ("run:1", "kept already")] {
        let refused = there.run(&["report", ledger, "--keep"]);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(advice), "{}", refused.stderr);
    }

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
    assert!(report(&[]).contains("already kept as run:1"));
    std::fs::write(
        project.path().join("wattle.toml"),
        "[history]\nkeep = true\nstore = \"runs\"\n# changed\n",
    )
    .expect("written");
    let told = report(&["--to", "60"]);
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

/// In the folder of this user, as without any flag or variable.
#[requires(data, program = "adb")]
#[test]
fn runs_on_a_device_are_kept_with_their_circumstances() {
    let app = wattle_testdata::path("apk/androguard-a2dp.Vol_137.apk");
    let app = app.to_str().expect("UTF-8");
    let mut phone = options();
    let call = Step::call("a2dp.Vol.main.onCreate", vec![Step::busy(40)]);
    phone.tests = vec![TestSpec::new("a2dp.Vol.MainTest", "opens").with_steps(vec![call])];
    let bench = PhoneBench::new(phone);
    let tests = bench.tests_of("a2dp.Vol", Vec::new());
    let tests = tests.to_str().expect("UTF-8");
    let arguments = [
        "run",
        app,
        "--compare",
        app,
        "--test-apk",
        tests,
        "--repeat",
        "1",
        "--warm-up",
        "1",
        "--keep",
        "--commit",
        "c0ffee",
        "--out",
        "rec",
    ];
    let run = |more: &[&str]| {
        let arguments = arguments.iter().chain(more);
        let run = bench.run(arguments);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run
    };
    run(&[]);
    let kept = bench.run(["runs", "a2dp.Vol", "--json", "-"]).json();
    let runs = list(&kept, "/runs");
    let builds: Vec<_> = runs.iter().map(|run| run["labels"]["build"].as_str()).collect();
    assert_eq!(builds, [Some("B"), Some("A")], "runs that count, after a warm-up of A and B");
    for run in runs {
        assert_eq!((&run["outcome"], &run["commit"]), (&json!("passed"), &json!("c0ffee")));
        assert!(run["scenario"].as_str().is_some_and(|it| it.contains("am instrument")), "{run}");
        assert!(run["device"]["key"].is_string() && run["started"].is_string(), "{run}");
        assert!(run["conditions"]["battery"].is_object(), "{run}");
        assert!(run["labels"]["series"].as_str().is_some_and(|it| it.starts_with("rec ")), "{run}");
        assert!(number(run, "/app_energy/joules") > 0.0);
    }
    // The energies are those of the series.
    let report = bench.run(["report", "rec/2", "--app", "a2dp.Vol", "--json", "-"]).json();
    let reported = number(&report, "/app/joules");
    let found = runs.iter().map(|run| number(run, "/app_energy/joules"));
    assert!(found.clone().any(|it| (it - reported).abs() <= 1e-9 * reported), "{reported} J");
    // A series that goes on keeps no run twice.
    let again = run(&["--resume"]);
    assert!(again.stderr.contains("already kept as run:1"), "{}", again.stderr);
    assert_eq!(list(&bench.run(["runs", "--json", "-"]).json(), "/runs").len(), 2);
    bench.assert_restored("a series that was kept");
}
