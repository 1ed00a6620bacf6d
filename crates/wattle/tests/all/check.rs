//! `wattle check` and `wattle baseline` from end to end, and the workflows of `docs/ci.md` as far as they go without their servers.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

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
