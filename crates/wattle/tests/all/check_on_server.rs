//! `wattle check --server`: what it says is what a check of the same runs on this machine says.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::served_program::Served;
use crate::support::Run;

const RULES: &str = "[check]\napp = \"com.example.news\"\n\n[[check.rule]]\nsubject = \"app\"\ngrow-at-most = \"20%\"\n\n\
                     [[check.rule]]\nsubject = \"component:cpu\"\nat-most = \"1 kJ\"\n\n\
                     [[check.rule]]\nsubject = \"method:*Decoder*\"\ngrow-at-most = \"10%,1mJ\"\n";

/// A folder with rules, and a server whose history is at the same time a local one.
struct Bench {
    served: Served,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("wattle.toml"), RULES).expect("written");
        Self { served: Served::start(), folder }
    }

    fn history(&self) -> PathBuf {
        self.served.folder.path().join("projects/1/history")
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
        command
            .current_dir(self.folder.path())
            .env("GIT_CEILING_DIRECTORIES", self.folder.path())
            .env_remove("GITHUB_ACTIONS")
            .env_remove("RUST_BACKTRACE")
            .env_remove("WATTLE_TOKEN");
        let output = command.args(arguments).output().expect("the program runs");
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    fn keep(&self, commit: &str, seed: &str, fixed: bool) {
        let store = self.history().display().to_string();
        let mut arguments = vec!["demo", "--no-open", "--quiet", "--keep", "--store", &store];
        arguments.extend(["--commit", commit, "--seed", seed]);
        arguments.extend(fixed.then_some("--fixed"));
        let kept = self.run(&arguments);
        assert_eq!(kept.code, Some(0), "{}", kept.stderr);
    }

    /// Both checks, which are the same.
    #[track_caller]
    fn check(&self, arguments: &[&str], code: i32) -> String {
        let store = self.history().display().to_string();
        let both = [["--store", &store], ["--server", &self.served.url]].map(|place| {
            self.run(
                &["check"]
                    .into_iter()
                    .chain(arguments.iter().copied())
                    .chain(place)
                    .collect::<Vec<_>>(),
            )
        });
        let [local, remote] = both;
        assert_eq!(local.code, Some(code), "{}{}", local.stdout, local.stderr);
        assert_eq!(remote.code, local.code, "{}{}", remote.stdout, remote.stderr);
        assert_eq!(remote.stdout, local.stdout);
        local.stdout
    }
}

#[test]
fn a_check_by_a_server_is_the_check_of_its_history() {
    let bench = Bench::new();
    for seed in ["1", "2", "3"] {
        bench.keep("aaaa", seed, true);
    }
    let first = bench.check(&[], 0);
    assert!(first.starts_with("not measured: app"), "{first}");
    bench.check(&["--strict"], 1);
    bench.keep("bbbb", "1", false);
    let failed = bench.check(&[], 1);
    assert!(
        failed.starts_with("failed: app ") && failed.contains("over the last 3 runs"),
        "{failed}"
    );
    let json: Value = serde_json::from_str(&bench.check(&["--json", "-"], 1)).expect("JSON");
    assert_eq!(json["runs"], json!(["run:4"]));
    assert_eq!(json["rules"][0]["baseline"]["runs"], 3);
    for form in ["--markdown", "--junit", "--sarif", "--gitlab", "--badge"] {
        bench.check(&[form, "-"], 1);
    }
    bench.check(&["--commit", "aa"], 0);
    bench.check(&["run:4"], 1);
    bench.check(&["run:1", "run:2"], 0);

    // A run that is a file here is judged by the runs that are there.
    let saved = bench.folder.path().join("new.ledger.json.zst").display().to_string();
    let store = bench.history().display().to_string();
    let made = bench.run(&["runs", "export", "run:4", &saved, "--store", &store]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let judged = bench.check(&[&saved], 1);
    assert!(judged.contains("over the last 3 runs"), "{judged}");
}

#[test]
fn errors_of_a_check_by_a_server_have_the_same_codes() {
    let bench = Bench::new();
    bench.check(&[], 2);
    bench.keep("aaaa", "1", true);
    for arguments in [&["--commit", "ffff"][..], &["run:99"], &["--app", "com.example.mews"]] {
        bench.check(arguments, 2);
    }
    let unknown = bench.run(&["check", "--server", &bench.served.url, "--project", "other"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    let near = bench.run(&["check", "--server", &bench.served.url, "--app", "com.example.mews"]);
    assert!(near.stderr.contains("com.example.news"), "{}", near.stderr);
    let both = bench.run(&["check", "--server", &bench.served.url, "--store", "x"]);
    assert_eq!(both.code, Some(2), "{}", both.stderr);
    let none = bench.run(&["check", "--server", "http://127.0.0.1:9"]);
    assert_eq!(none.code, Some(4), "{}", none.stderr);
}

#[test]
fn budgets_of_a_project_are_judged_as_a_check_does() {
    let bench = Bench::new();
    for seed in ["1", "2", "3"] {
        bench.keep("aaaa", seed, true);
    }
    bench.keep("bbbb", "1", false);
    let address = "/api/v1/projects/default/budgets";
    let wrong = bench.served.send("PUT", address, &json!({ "toml": "[check]\nrules = 1" }));
    assert_eq!(wrong.0, 400, "{}", wrong.1);
    assert_eq!(bench.served.send("PUT", address, &json!({ "toml": RULES })).0, 204);
    let state: Value = serde_json::from_str(&bench.served.get(address).1).expect("JSON");
    let expected: Value = serde_json::from_str(&bench.check(&["--json", "-"], 1)).expect("JSON");
    assert_eq!(state["checks"], json!([expected]));
    let (status, page) = bench.served.get("/p/default/budgets");
    assert_eq!(status, 200);
    for part in ["com.example.news", "growth at most 20 %", "at most 1.00 kJ", "/p/default/runs/4"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    let (_, csv) = bench.served.get("/api/v1/projects/default/tables/budgets.csv");
    assert!(csv.lines().count() == 4 && csv.contains(",wattle demo,app,"), "{csv}");
    assert_eq!(bench.served.send("PUT", address, &json!({ "toml": "" })).0, 204);
    assert!(bench.served.get("/p/default/budgets").1.contains("No budgets"));
}
