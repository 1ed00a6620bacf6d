//! The examples of `docs/agents.md` are answers of the program, and the skill's commands exist.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use wattle_sim::scenario;

use crate::agent_client::Agent;
use crate::simulated_recordings::KnownRecording;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// `WATTLE_WRITE_DOCS=1` writes them anew.
#[test]
fn examples_are_answers_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, simulation) in
        [("before", scenario::wasteful_app(1)), ("after", scenario::thrifty_app(1))]
    {
        KnownRecording::new(folder.path(), name, &simulation.expect("a phone"));
    }
    for arguments in [&["--seed", "1"][..], &["--seed", "1", "--fixed"]] {
        let kept = Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(["demo", "--quiet", "--no-open", "--keep", "--store", "history"])
            .args(arguments)
            .current_dir(folder.path())
            .status();
        assert!(kept.is_ok_and(|status| status.success()));
    }
    let rules = "[check]\napp = \"com.example.news\"\n[[check.rule]]\nsubject = \"app\"\nat-most = \"5 J\"\n";
    std::fs::write(folder.path().join("wattle.toml"), rules).expect("written");
    let mut agent = Agent::start(folder.path(), &["--store", "history"]);
    let open = |name: &str| json!({ "path": format!("{name}.pftrace"), "app": "com.example.news", "device_model": format!("{name}.toml") });
    let calls = [
        ("open", open("before")),
        ("findings", json!({})),
        ("top", json!({ "by": "method", "limit": 3 })),
        ("explain", json!({ "method": "ImageDecoder.decode" })),
        ("open", open("after")),
        ("compare", json!({ "before": "r1", "after": "r2" })),
        ("summary", json!({ "recording": "r2" })),
        ("model", json!({ "recording": "r1" })),
        ("runs", json!({})),
        ("history", json!({})),
        ("check", json!({ "runs": ["run:2"] })),
    ];
    let mut path = repository().join("docs/agents.md");
    let text = std::fs::read_to_string(&path).expect("the page");
    let mut written = text.clone();
    let mut seen: Vec<&str> = Vec::new();
    for (tool, arguments) in calls {
        let reply = agent.tell(tool, arguments.clone());
        let is_first = !seen.contains(&tool);
        seen.push(tool);
        if is_first {
            written = with_example(&written, tool, &arguments, &without_times(&reply.text));
        }
    }
    agent.end();
    if std::env::var_os("WATTLE_WRITE_DOCS").is_some() {
        std::fs::write(&mut path, &written).expect("written");
    } else {
        assert!(
            written == text,
            "docs/agents.md is not up to date: run WATTLE_WRITE_DOCS=1 cargo test -p wattle --test agents examples"
        );
    }
}

/// Times at which runs were kept differ each time.
fn without_times(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("kept 20") {
        let (before, after) = rest.split_at(at + "kept ".len());
        shown.push_str(before);
        shown.push_str("2026-11-28T03:47:58Z");
        rest = after.get("2026-11-28T03:47:58Z".len()..).unwrap_or_default();
    }
    shown.push_str(rest);
    shown
}

/// The page with the example of a tool: what is between its marks is replaced.
fn with_example(page: &str, tool: &str, arguments: &Value, answer: &str) -> String {
    let (begin, end) =
        (format!("<!-- example {tool} -->\n"), format!("<!-- end of example {tool} -->"));
    let start = page.find(&begin).unwrap_or_else(|| panic!("no {begin}")) + begin.len();
    let stop = page.find(&end).unwrap_or_else(|| panic!("no {end}"));
    format!("{}```text\n> {tool} {arguments}\n\n{answer}\n```\n{}", &page[..start], &page[stop..])
}

/// Every command line of the skill is one that the program knows.
#[test]
fn commands_of_the_skill_exist() {
    let path = repository().join("skills/wattle/SKILL.md");
    let text = std::fs::read_to_string(path).expect("the skill");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("---"), "front matter");
    let front: Vec<&str> = lines.take_while(|line| *line != "---").collect();
    assert!(front.contains(&"name: wattle"), "{front:?}");
    let description =
        front.iter().find_map(|line| line.strip_prefix("description: ")).expect("one");
    assert!((40..=1024).contains(&description.len()), "{}", description.len());
    let commands: Vec<&str> =
        text.lines().map(str::trim).filter(|line| line.starts_with("wattle ")).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for line in commands {
        let command = line.split(" #").next().unwrap_or(line);
        let words: Vec<&str> = command.split_whitespace().collect();
        let flags: Vec<&str> =
            words.iter().copied().filter(|word| word.starts_with("--")).collect();
        let verbs: Vec<&str> = words[1..]
            .iter()
            .copied()
            .take_while(|word| word.chars().all(|it| it.is_ascii_lowercase()))
            .take(2)
            .collect();
        let help = Command::new(env!("CARGO_BIN_EXE_wattle"))
            .arg(verbs[0])
            .arg("--help")
            .output()
            .expect("it runs");
        assert!(help.status.success(), "{line}");
        let help = String::from_utf8_lossy(&help.stdout).into_owned();
        for flag in flags {
            let flag = flag.split('=').next().unwrap_or(flag);
            assert!(help.contains(flag), "{line}: {flag} is no flag of {}", verbs[0]);
        }
    }
}
