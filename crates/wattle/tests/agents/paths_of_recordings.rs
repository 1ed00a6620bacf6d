//! Questions that name recordings by paths: the app and model of their opening, folders, histories beside them.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use wattle_sim::scenario;

use crate::agent_client::Agent;
use crate::simulated_recordings::KnownRecording;

/// Runs a command of the program in a folder.
#[track_caller]
fn wattle(folder: &Path, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("WATTLE_STORE")
        .env("XDG_DATA_HOME", folder.join("data"))
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_path_means_the_recording_with_the_app_and_the_model_of_its_opening() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulation = scenario::demo(5).expect("a phone");
    let recording = KnownRecording::new(folder.path(), "news", &simulation);
    let mut agent = Agent::start(folder.path(), &[]);
    let opened = agent.tell("open", recording.open.clone());
    let figures = opened.first_line().strip_prefix("Opened as r1: ").expect("r1").to_owned();
    assert!(figures.starts_with("com.example.news used "), "{figures}");
    let whole = folder.path().join("news.pftrace");
    for path in ["news.pftrace", "./news.pftrace", whole.to_str().expect("a path")] {
        let asked = agent.tell("summary", json!({ "recording": path }));
        assert_eq!(asked.first_line(), figures, "{path}");
        assert_eq!(asked.structured["recording"], "r1", "{path}");
    }
    // The file is another one now; the question is the same.
    let mut longer = std::fs::read(&whole).expect("a trace");
    // An empty packet.
    longer.extend([0x0a, 0x00]);
    std::fs::write(&whole, longer).expect("written");
    let again = agent.tell("summary", json!({ "recording": "news.pftrace" }));
    assert_eq!(again.structured["recording"], "r2");
    assert_eq!(again.first_line(), figures);
    agent.end();
}

#[test]
fn a_folder_of_two_recordings_is_refused_and_one_of_a_recording_has_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, simulation) in [("a", scenario::wasteful_app(11)), ("b", scenario::thrifty_app(11))]
    {
        let inner = folder.path().join(name);
        std::fs::create_dir(&inner).expect("a folder");
        KnownRecording::new(&inner, "news", &simulation.expect("a phone"));
    }
    let both = folder.path().join("both");
    std::fs::create_dir(&both).expect("a folder");
    for name in ["a", "b"] {
        let trace = folder.path().join(name).join("news.pftrace");
        std::fs::copy(trace, both.join(format!("{name}.pftrace"))).expect("copied");
    }
    let mut agent = Agent::start(folder.path(), &[]);
    let refused = agent.call("open", json!({ "path": "both" }));
    assert!(refused.is_error, "{}", refused.text);
    for part in [
        "not of one recording",
        "both contain the scheduler for the same",
        "a.pftrace",
        "b.pftrace",
    ] {
        assert!(refused.text.contains(part), "{part}: {}", refused.text);
    }
    let found = agent.tell("findings", json!({ "recording": "a" }));
    assert!(found.first_line().contains("the most severe: "), "{}", found.text);
    agent.end();
}

#[test]
fn the_history_of_the_folder_that_was_asked_about_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, elsewhere) = (folder.path().join("project"), folder.path().join("elsewhere"));
    for inner in [&project, &elsewhere] {
        std::fs::create_dir(inner).expect("a folder");
        // What is above is no part of it.
        std::fs::create_dir(inner.join(".git")).expect("a folder");
    }
    let simulation = scenario::wasteful_app(11).expect("a phone");
    KnownRecording::new(&project, "news", &simulation);
    let keep = [
        "report",
        "news.pftrace",
        "--device-model",
        "news.toml",
        "--app",
        "com.example.news",
        "--quiet",
        "--keep",
        "--store",
        "history",
    ];
    wattle(&project, &keep);
    let mut agent = Agent::start(&elsewhere, &[]);
    let none = agent.tell("runs", json!({}));
    assert!(none.first_line().starts_with("No run was kept"), "{}", none.text);
    agent.tell("summary", json!({ "recording": project.join("news.pftrace") }));
    let found = agent.tell("runs", json!({}));
    assert!(found.first_line().starts_with("1 run kept; the latest is run:1"), "{}", found.text);
    let run = agent.tell("summary", json!({ "recording": "run:1" }));
    assert!(run.first_line().starts_with("com.example.news used "), "{}", run.text);
    agent.end();
    // A flag names another one.
    let mut agent = Agent::start(&elsewhere, &["--store", "empty"]);
    agent.tell("summary", json!({ "recording": project.join("news.pftrace") }));
    let none = agent.tell("runs", json!({}));
    assert!(none.first_line().starts_with("No run was kept"), "{}", none.text);
    agent.end();
}
