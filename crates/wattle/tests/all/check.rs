//! `wattle check` and `wattle baseline` from end to end, and the workflows of `docs/ci.md` as far as they go without their servers.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use wattle_ledger::Ledger;
use wattle_random::SplitMix64;
use wattle_store::{ComponentFigure, NewRun, RunFacts, RunFigures, Store, StoreLocation};
use wattle_testdata::requires;
use wattle_timeline::Window;
use wattle_units::{BootNanos, Estimate, Interval, Joules, Provenance};

use crate::support::Run;

const RULES: &str = "[check]\napp = \"com.example.news\"\n\n[[check.rule]]\nsubject = \"app\"\ngrow-at-most = \"20%\"\n\n\
                     [[check.rule]]\nsubject = \"component:cpu\"\nat-most = \"1 kJ\"\n";

/// A project with a history of its own.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().expect("a folder") };
        std::fs::write(project.path("wattle.toml"), RULES).expect("written");
        project
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.folder.path())
            .env("WATTLE_STORE", self.path("history"))
            .env("GIT_CEILING_DIRECTORIES", self.folder.path())
            .env_remove("GITHUB_ACTIONS")
            .env_remove("RUST_BACKTRACE");
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let mut command = self.command(env!("CARGO_BIN_EXE_wattle"));
        let output = command.args(arguments).output().expect("the program runs");
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Keeps a run of the demo's app with a commit.
    #[track_caller]
    fn keep(&self, commit: &str, seed: &str, fixed: bool) {
        let mut arguments =
            vec!["demo", "--no-open", "--quiet", "--keep", "--commit", commit, "--seed", seed];
        arguments.extend(fixed.then_some("--fixed"));
        let kept = self.run(&arguments);
        assert_eq!(kept.code, Some(0), "{}", kept.stderr);
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.path(name)).expect("a file")).expect("JSON")
    }
}

/// The fixed app is the baseline; the wasteful one, at twenty times its energy, breaks the rule.
#[test]
fn a_build_that_grew_fails_and_says_so_in_every_form() {
    let project = Project::new();
    let nothing = project.run(&["check"]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("keep one with --keep"), "{}", nothing.stderr);
    for seed in ["1", "2", "3"] {
        project.keep("aaaa", seed, true);
    }
    let first = project.run(&["check"]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(first.stdout.starts_with("not measured: app"), "{}", first.stdout);
    assert_eq!(project.run(&["check", "--strict"]).code, Some(1));
    project.keep("bbbb", "1", false);
    let forms = [
        ["--json", "check.json"],
        ["--markdown", "check.md"],
        ["--junit", "check.xml"],
        ["--sarif", "check.sarif"],
        ["--gitlab", "quality.json"],
        ["--badge", "badge.svg"],
    ];
    let arguments: Vec<&str> = ["check"].into_iter().chain(forms.into_iter().flatten()).collect();
    let failed = project.run(&arguments);
    assert_eq!(failed.code, Some(1), "{}{}", failed.stdout, failed.stderr);
    assert!(failed.stdout.starts_with("failed: app "), "{}", failed.stdout);
    assert!(failed.stdout.contains("over the last 3 runs"), "{}", failed.stdout);
    let json = project.json("check.json");
    assert_eq!((&json["verdict"], &json["passes"]), (&"failed".into(), &false.into()));
    assert_eq!(json["runs"], serde_json::json!(["run:4"]));
    assert_eq!(json["rules"][0]["baseline"]["runs"], 3);
    assert!(
        json["rules"][0]["change"]["share"].as_f64().is_some_and(|share| share > 1.0),
        "{json}"
    );
    assert_eq!(json["rules"][1]["verdict"], "passed");
    for (name, part) in [
        ("check.md", "### ❌ Energy: failed"),
        ("check.xml", "failures=\"1\""),
        ("check.sarif", "\"level\": \"error\""),
        ("quality.json", "\"severity\": \"major\""),
        ("badge.svg", "failed"),
    ] {
        let text = std::fs::read_to_string(project.path(name)).expect("a file");
        assert!(text.contains(part), "{name}: {text}");
    }
    let annotated = project.run(&["check", "--github"]);
    assert!(annotated.stdout.contains("\n::error title=Energy::app "), "{}", annotated.stdout);
}

#[test]
fn a_baseline_is_a_file_that_is_committed() {
    let project = Project::new();
    for seed in ["1", "2", "3", "4"] {
        project.keep("aaaa", seed, true);
    }
    let set = project.run(&["baseline", "set", "run:1", "run:2", "run:3"]);
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    let shown = project.run(&["baseline", "show"]);
    assert!(shown.stdout.starts_with("baseline of 3 runs\nrun:1  "), "{}", shown.stdout);
    let same = project.run(&["check", "run:4"]);
    assert_eq!(same.code, Some(0), "{}{}", same.stdout, same.stderr);
    assert!(same.stdout.contains("over the baseline wattle-baseline.json"), "{}", same.stdout);
    std::fs::write(project.path("wattle-baseline.json"), "{}").expect("written");
    assert_eq!(project.run(&["check", "run:4"]).code, Some(3));
    assert_eq!(project.run(&["check", "run:99"]).code, Some(2));
    std::fs::write(project.path("wattle.toml"), "[check]\nrules = 1\n").expect("written");
    let wrong = project.run(&["check", "run:4"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    std::fs::write(project.path("wattle.toml"), "").expect("written");
    let none = project.run(&["check", "run:4"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("[[check.rule]]"), "{}", none.stderr);
}

/// A history whose runs have energies that are chosen: with these, the real program judges what a device would have shown.
fn keep_simulated(
    store: &mut Store,
    number: i64,
    energies: &[f64],
    change: &dyn Fn(&mut RunFacts),
) {
    for (at, joules) in energies.iter().enumerate() {
        let estimate = |joules: f64| Estimate {
            joules: Joules::new(joules),
            interval: Interval { low: Joules::new(joules * 0.9), high: Joules::new(joules * 1.1) },
            provenance: Provenance::Modelled,
        };
        let energy = estimate(*joules);
        let mut facts = RunFacts::default();
        "com.example.news".clone_into(&mut facts.app.package);
        facts.code.commit = Some(format!("{number:03}abc{number:034x}"));
        facts.code.branch = Some("main".to_owned());
        facts.device.title = Some("Pixel 6a".to_owned());
        facts.circumstances.started_ms =
            Some(1_764_000_000_000 + number * 3_600_000 + at as i64 * 60_000);
        change(&mut facts);
        let components = vec![ComponentFigure { name: "cpu".to_owned(), is_app: true, energy }];
        let figures = RunFigures {
            total: Some(estimate(4.0 * joules)),
            app: Some(energy),
            components,
            methods: Vec::new(),
        };
        // No two runs have the same ledger.
        let end = BootNanos::new(facts.circumstances.started_ms.unwrap_or_default());
        let ledger = Ledger::empty(Window { end, ..Window::default() }).to_bytes().expect("bytes");
        store.keep(&NewRun { facts, figures, ledger }).expect("kept");
    }
}

/// Energies of five runs around a mean, with 1 % noise.
fn noisy(number: i64, mean: f64) -> Vec<f64> {
    let mut random = SplitMix64::new(number as u64 + 1);
    (0..5).map(|_| mean * (1.0 + 0.01 * random.normal())).collect()
}

/// Twenty commits, of which the twelfth makes the app 10 % worse: whoever comes after it is not blamed, and it is named.
#[test]
fn a_regression_in_the_history_is_named_and_not_blamed_on_the_next_commit() {
    let project = Project::new();
    let rules = "[check]\n[[check.rule]]\nsubject = \"app\"\ngrow-at-most = \"5%\"\n";
    std::fs::write(project.path("wattle.toml"), rules).expect("written");
    let location = StoreLocation::Folder(project.path("history"));
    let mut store = Store::open(&location).expect("opened");
    let level = |number| if number < 12 { 1.0 } else { 1.1 };
    for number in 0..20 {
        keep_simulated(&mut store, number, &noisy(number, level(number)), &|_| {});
    }
    let after = project.run(&["check", "--json", "check.json"]);
    assert_eq!(after.code, Some(0), "{}{}", after.stdout, after.stderr);
    let first = after.stdout.lines().next().expect("a line");
    assert!(
        first.starts_with("passed: ") && first.contains("(commit 019abc000, 5 runs)"),
        "{first}"
    );
    assert!(after.stdout.contains("since 012abc000 (7 commits before)"), "{}", after.stdout);
    let json = project.json("check.json");
    assert_eq!(json["rules"][0]["history"]["commits"], 19);
    assert_eq!(json["rules"][0]["history"]["since"]["commit"], "012abc000");
    assert_eq!(json["commits"], serde_json::json!(["019abc000"]));
    // The commit itself, by its name: what came after it does not count.
    let alerts: Vec<String> = (11..20)
        .filter(|number| {
            project.run(&["check", "--commit", &format!("{number:03}abc")]).code == Some(1)
        })
        .map(|number| number.to_string())
        .collect();
    assert_eq!(alerts, ["12"]);
    let unknown = project.run(&["check", "--commit", "0"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("give more digits"), "{}", unknown.stderr);
    assert_eq!(project.run(&["check", "--commit", "fff"]).code, Some(2));
    // A step that a few runs leave open asks for runs in turns, and fails nothing.
    keep_simulated(&mut store, 20, &noisy(20, 1.17)[..2], &|_| {});
    let open = project.run(&["check"]);
    assert_eq!(open.code, Some(0), "{}", open.stdout);
    assert!(
        open.stdout.starts_with("inconclusive: ") && open.stdout.contains("in turns would decide"),
        "{}",
        open.stdout
    );
    for pair in 0..10 {
        let later = |facts: &mut RunFacts| {
            let started = facts.circumstances.started_ms.unwrap_or_default();
            facts.circumstances.started_ms = Some(started + 86_400_000 + pair * 600_000);
        };
        keep_simulated(&mut store, 18, &noisy(100 + pair, 1.1)[..1], &later);
        keep_simulated(&mut store, 20, &noisy(200 + pair, 1.17)[..1], &later);
    }
    let decided = project.run(&["check"]);
    assert_eq!(decided.code, Some(1), "{}", decided.stdout);
    assert!(decided.stdout.contains("certain by runs in turns"), "{}", decided.stdout);
}

#[test]
fn every_scenario_of_a_commit_is_judged() {
    let project = Project::new();
    let rules = "[check]\n[[check.rule]]\nsubject = \"app\"\nat-most = \"2 J\"\n\n[[check.rule]]\nsubject = \"component:cpu\"\n\
                 scenario = \"start*\"\nat-most = \"9 J\"\n";
    std::fs::write(project.path("wattle.toml"), rules).expect("written");
    let mut store = Store::open(&StoreLocation::Folder(project.path("history"))).expect("opened");
    let of = |scenario: &'static str| {
        move |facts: &mut RunFacts| facts.circumstances.scenario = Some(scenario.to_owned())
    };
    keep_simulated(&mut store, 1, &[5.0, 5.0, 5.0], &of("feed"));
    keep_simulated(&mut store, 1, &[1.0, 1.0], &of("start cold"));
    let checked = project.run(&["check", "--junit", "check.xml", "--markdown", "check.md"]);
    assert_eq!(checked.code, Some(1), "{}", checked.stdout);
    let first = checked.stdout.lines().next().expect("a line");
    assert!(
        first
            == "failed: feed: app 5.00 J (at most 2.00 J); 2 of 3 rules passed (commit 001abc000, 5 runs)",
        "{first}"
    );
    let xml = std::fs::read_to_string(project.path("check.xml")).expect("a file");
    for case in ["feed: app", "start cold: app", "start cold: component:cpu"] {
        assert!(xml.contains(&format!("testcase name=\"{case}\"")), "{case}: {xml}");
    }
    assert!(!xml.contains("feed: component"), "{xml}");
}

/// A series of `wattle run --compare --keep`: the first build is what the second is measured against, whatever is in the history.
#[test]
fn kept_builds_that_took_turns_are_compared_with_each_other() {
    let project = Project::new();
    let rules = "[check]\n[[check.rule]]\nsubject = \"app\"\ngrow-at-most = \"5%\"\n";
    std::fs::write(project.path("wattle.toml"), rules).expect("written");
    let mut store = Store::open(&StoreLocation::Folder(project.path("history"))).expect("opened");
    for number in 0..14 {
        keep_simulated(&mut store, number, &noisy(number, 2.0), &|_| {});
    }
    for (at, build) in ["A", "B", "B", "A", "A", "B", "B", "A"].into_iter().enumerate() {
        let of_series = |facts: &mut RunFacts| {
            facts.labels.series = Some("pair".to_owned());
            facts.labels.build = Some(build.to_owned());
            facts.labels.iteration = u32::try_from(at).ok();
            let started = facts.circumstances.started_ms.unwrap_or_default();
            facts.circumstances.started_ms = Some(started + at as i64 * 60_000);
        };
        let level = if build == "A" { 1.0 } else { 1.2 };
        keep_simulated(&mut store, 20, &noisy(at as i64, level)[..1], &of_series);
    }
    let checked = project.run(&["check", "--json", "check.json"]);
    assert_eq!(checked.code, Some(1), "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains("over build A"), "{}", checked.stdout);
    let json = project.json("check.json");
    assert_eq!(json["baseline"]["runs"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(4));
    let share = json["rules"][0]["change"]["share"].as_f64().expect("a share");
    assert!((share - 0.2).abs() < 0.05, "{share}");
}

#[test]
fn runs_are_counted_once_and_unknown_apps_are_refused() {
    let project = Project::new();
    for seed in ["1", "2"] {
        project.keep("aaaa", seed, true);
    }
    assert_eq!(project.run(&["baseline", "set", "run:1", "--out", "base.json"]).code, Some(0));
    let twice = project.run(&["check", "run:2", "run:2", "--json", "-"]);
    let json: Value = serde_json::from_str(&twice.stdout).expect("JSON");
    assert_eq!(json["runs"], serde_json::json!(["run:2"]));
    assert!(twice.stderr.contains("run:2: named twice, counts once"), "{}", twice.stderr);
    for arguments in
        [["check", "--app", "com.example.nws"], ["check", "run:2", "--app=com.example.nws"]]
    {
        let unknown = project.run(&arguments);
        assert_eq!(unknown.code, Some(2), "{}{}", unknown.stdout, unknown.stderr);
        assert!(unknown.stderr.contains("com.example.news"), "{}", unknown.stderr);
    }
    // A run that is exported says whose it is.
    let exported = project.run(&["runs", "export", "run:2", "new.ledger.json.zst"]);
    assert_eq!(exported.code, Some(0), "{}", exported.stderr);
    std::fs::write(project.path("wattle.toml"), RULES.replace("app = \"com.example.news\"", ""))
        .expect("written");
    let file = project.run(&["check", "new.ledger.json.zst", "--json", "-"]);
    let json: Value = serde_json::from_str(&file.stdout).expect("JSON");
    assert_eq!((&json["app"], &json["commits"][0]), (&"com.example.news".into(), &"aaaa".into()));
    // Results take no input's place.
    let over = project.run(&["check", "new.ledger.json.zst", "--json", "new.ledger.json.zst"]);
    assert_eq!(over.code, Some(2), "{}", over.stderr);
    let over =
        project.run(&["baseline", "set", "new.ledger.json.zst", "--out", "./new.ledger.json.zst"]);
    assert_eq!(over.code, Some(2), "{}", over.stderr);
    assert_eq!(project.run(&["check", "--last", "0"]).code, Some(2));
}

#[test]
fn numbers_of_a_baseline_file_are_checked() {
    let project = Project::new();
    project.keep("aaaa", "1", true);
    assert_eq!(project.run(&["baseline", "set", "run:1"]).code, Some(0));
    let written = std::fs::read_to_string(project.path("wattle-baseline.json")).expect("a file");
    let mut document: Value = serde_json::from_str(&written).expect("JSON");
    for wrong in ["-1.0", "1e300", "\"much\"", "null"] {
        document["runs"][0]["app"]["joules"] = serde_json::from_str(wrong).expect("JSON");
        let text = serde_json::to_string_pretty(&document).expect("JSON");
        std::fs::write(project.path("wattle-baseline.json"), text).expect("written");
        let refused = project.run(&["check", "run:1"]);
        assert_eq!(refused.code, Some(3), "{wrong}: {}{}", refused.stdout, refused.stderr);
        assert!(refused.stderr.contains(" at line "), "{wrong}: {}", refused.stderr);
    }
    document["runs"] = serde_json::json!([]);
    std::fs::write(project.path("wattle-baseline.json"), document.to_string()).expect("written");
    assert_eq!(project.run(&["check", "run:1"]).code, Some(3));
    // Larger than any that is written: refused before it is read.
    let large = std::fs::File::create(project.path("wattle-baseline.json")).expect("a file");
    large.set_len(248 << 20).expect("a sparse file");
    let refused = project.run(&["check", "run:1"]);
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    assert!(refused.stderr.contains("expected at most"), "{}", refused.stderr);
}

/// A medium that cannot be written: a folder without the right to, or for who has every right, a mount.
#[requires(program = "unshare")]
#[test]
fn a_history_on_a_medium_that_cannot_be_written_is_read() {
    let project = Project::new();
    for (commit, seed) in [("aaaa", "1"), ("bbbb", "2")] {
        project.keep(commit, seed, true);
    }
    let history = project.path("history");
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\" && ! touch \"$1/x\" 2>/dev/null && shift && exec \"$@\"";
    let read_only = |arguments: &[&str]| {
        let output = project
            .command("unshare")
            .args(["--map-root-user", "--mount", "sh", "-c", script, "sh"])
            .arg(&history)
            .arg(env!("CARGO_BIN_EXE_wattle"))
            .args(arguments)
            .output()
            .expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for arguments in
        [&["runs"][..], &["history", "com.example.news"], &["check"], &["report", "run:1"]]
    {
        let (code, stdout, stderr) = read_only(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {stdout}{stderr}");
        assert!(stdout.contains("com.example.news"), "{arguments:?}: {stdout}{stderr}");
    }
    let (code, _, stderr) = read_only(&["runs", "delete", "run:1"]);
    assert_eq!(code, Some(4), "{stderr}");
    assert!(stderr.contains("readonly"), "{stderr}");
}

/// The shell steps of a workflow in which Wattle runs.
fn steps(block: &str) -> Vec<String> {
    let lines: Vec<&str> = block.lines().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        let trimmed = line.trim_start();
        let depth = line.len() - trimmed.len();
        let script = if trimmed.ends_with(": |") {
            let inner: Vec<&str> = lines[at..]
                .iter()
                .take_while(|inner| inner.len() - inner.trim_start().len() > depth)
                .copied()
                .collect();
            at += inner.len();
            inner.join("\n")
        } else if let Some(quoted) = trimmed.strip_prefix("sh '") {
            quoted.trim_end_matches('\'').to_owned()
        } else {
            trimmed.strip_prefix("- ").unwrap_or_default().to_owned()
        };
        if script.contains("wattle ") {
            found.push(script);
        }
    }
    found
}

/// Every workflow of the page, with three recorded traces.
#[test]
fn the_workflows_of_the_documentation_run() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let fenced = |language: &str| -> Vec<String> {
        let begin = format!("```{language}\n");
        let blocks = page.split(begin.as_str()).skip(1);
        blocks.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
    };
    let blocks: Vec<String> = [fenced("yaml"), fenced("groovy")].concat();
    assert_eq!(blocks.len(), 4, "GitHub, GitLab, Bitrise, Jenkins");
    for block in blocks {
        let project = Project::new();
        std::fs::create_dir(project.path("traces")).expect("a folder");
        for seed in ["1", "2", "3"] {
            let trace = format!("traces/{seed}.pftrace");
            let made = project.run(&[
                "demo",
                "--no-open",
                "--quiet",
                "--fixed",
                "--seed",
                seed,
                "--trace",
                &trace,
            ]);
            assert_eq!(made.code, Some(0), "{}", made.stderr);
        }
        let scripts = steps(&block);
        assert!(!scripts.is_empty(), "{block}");
        let binary = Path::new(env!("CARGO_BIN_EXE_wattle")).parent().expect("a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        for script in &scripts {
            let output = project
                .command("sh")
                .args(["-e", "-c", script])
                .env("PATH", format!("{}:{path}", binary.display()))
                .env("BITRISE_TEST_RESULT_DIR", project.folder.path())
                .env("BITRISE_DEPLOY_DIR", project.folder.path())
                .output()
                .expect("a shell");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{script}\n{said}");
        }
        let runs = project.run(&["runs", "--json", "-"]);
        assert!(runs.stdout.matches("com.example.news").count() >= 3, "{}", runs.stdout);
        let made = ["wattle.md", "wattle.xml"].iter().filter(|name| project.path(name).exists());
        assert!(made.count() > 0, "{block}");
    }
}
