//! The same tools, answers and resources in both eras of the protocol.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};
use wattle_sim::scenario;

use crate::agent_client::{Agent, Era};
use crate::simulated_recordings::KnownRecording;

/// The schemas of structured answers, as the server lists them.
static SCHEMAS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start(folder.path(), &[]);
    let listed = agent.result("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("tools").iter();
    tools
        .map(|tool| {
            (tool["name"].as_str().expect("a name").to_owned(), tool["outputSchema"].clone())
        })
        .collect()
});

pub fn output_schema(tool: &str) -> Value {
    SCHEMAS.get(tool).cloned().expect("a tool")
}

#[test]
fn tools_are_few_and_say_what_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start(folder.path(), &[]);
    let listed = agent.result("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("tools");
    assert!(tools.len() <= 12, "{} tools", tools.len());
    // Clients send all of this with every question.
    let size = listed.to_string().len();
    println!("the list of {} tools has {size} characters", tools.len());
    assert!(size < 40_000, "{size} characters");
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        jsonschema::meta::validate(&tool["inputSchema"]).expect(name);
        jsonschema::meta::validate(&tool["outputSchema"]).expect(name);
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        let is_read_only = tool["annotations"]["readOnlyHint"] == true;
        assert_eq!(is_read_only, name != "run", "{name}");
        assert!(tool["description"].as_str().is_some_and(|it| it.len() > 60), "{name}");
    }
    agent.end();
}

#[test]
fn both_eras_answer_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulation = scenario::wasteful_app(3).expect("a phone");
    let known = KnownRecording::new(folder.path(), "phone", &simulation);
    let mut answers = Vec::new();
    for era in [Era::Handshake, Era::Stateless] {
        let mut agent = Agent::start_in(folder.path(), &[], era, json!({}));
        let opened = agent.tell("open", known.open.clone());
        assert!(
            opened.first_line().starts_with("Opened as r1: com.example.news used "),
            "{}",
            opened.text
        );
        let link = opened.whole["content"][1]["uri"].as_str().expect("a link").to_owned();
        assert_eq!(link, "wattle://recording/r1/report");
        let mut texts = vec![opened.text];
        for (tool, arguments) in [
            ("summary", json!({ "picture": true })),
            ("top", json!({ "by": "thread" })),
            ("explain", json!({ "method": "ImageDecoder.decode" })),
            ("findings", json!({})),
            ("model", json!({})),
        ] {
            texts.push(agent.tell(tool, arguments).text);
        }
        let read = agent.result("resources/read", json!({ "uri": link }));
        let report: Value =
            serde_json::from_str(read["contents"][0]["text"].as_str().expect("text"))
                .expect("JSON");
        assert_eq!(report["schema"], "wattle-report/1");
        let chart =
            agent.result("resources/read", json!({ "uri": "wattle://recording/r1/power.svg" }));
        let chart = chart["contents"][0]["text"].as_str().expect("text").to_owned();
        assert!(chart.starts_with("<svg") && chart.ends_with("</svg>"), "{chart}");
        assert!(chart.len() < 40_000, "{}", chart.len());
        check_markup(&chart);
        let listed = agent.result("resources/list", json!({}));
        assert_eq!(listed["resources"].as_array().map(Vec::len), Some(4), "{listed}");
        let wrong =
            agent.request("resources/read", json!({ "uri": "wattle://recording/r9/report" }));
        assert!(
            wrong["error"]["message"].as_str().is_some_and(|it| it.contains("not open")),
            "{wrong}"
        );
        answers.push(texts);
        agent.end();
    }
    assert_eq!(answers[0], answers[1]);
}

/// Tags of the chart are closed, and names are no markup.
fn check_markup(chart: &str) {
    assert_eq!(
        chart.matches("<path").count(),
        chart.matches("</path>").count() + chart.matches(r##"stroke="#333"/>"##).count()
    );
    assert_eq!(chart.matches("<text").count(), chart.matches("</text>").count());
}

#[test]
fn an_open_recording_is_analysed_once_and_again_after_it_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulation = scenario::wasteful_app(4).expect("a phone");
    let known = KnownRecording::new(folder.path(), "phone", &simulation);
    let mut agent = Agent::start(folder.path(), &[]);
    assert!(agent.tell("open", known.open.clone()).first_line().starts_with("Opened as r1:"));
    assert!(agent.tell("open", known.open.clone()).first_line().starts_with("Opened as r1:"));
    // The same content, written later.
    std::fs::write(folder.path().join("phone.pftrace"), &known.simulated.trace).expect("written");
    assert!(agent.tell("open", known.open.clone()).first_line().starts_with("Opened as r2:"));
    agent.end();
}

#[test]
fn progress_is_reported_and_calls_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = std::fs::File::create(folder.path().join("big.pftrace")).expect("a file");
    wattle_sim::write_big(128 << 20, 1, std::io::BufWriter::new(file)).expect("written");
    let mut agent = Agent::start(folder.path(), &[]);
    let call = |token: i64| json!({ "name": "open", "arguments": { "path": "big.pftrace" }, "_meta": { "progressToken": token } });
    let id = agent.ask("tools/call", call(7));
    let progress =
        agent.wait(|message| message["method"] == "notifications/progress" || message["id"] == id);
    assert_eq!(progress["method"], "notifications/progress", "too fast to see: {progress}");
    assert_eq!(progress["params"]["progressToken"], 7);
    assert_eq!(progress["params"]["message"], "reading");
    assert!(progress["params"]["progress"].as_f64() <= progress["params"]["total"].as_f64());
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    let begin = std::time::Instant::now();
    // The server is free for the next call at once, and the analysis ends.
    let answer = agent.call("summary", json!({}));
    assert!(answer.is_error && answer.text.contains("no recording is open"), "{}", answer.text);
    while has_children(agent.process()) {
        assert!(begin.elapsed().as_secs() < 20, "the analysis goes on");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    agent.end();
}

fn has_children(process: u32) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    tasks.into_iter().any(|task| {
        std::fs::read_to_string(task.path().join("children")).is_ok_and(|it| !it.trim().is_empty())
    })
}

#[test]
fn kept_runs_are_listed_compared_and_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [&["--seed", "2"][..], &["--seed", "2", "--fixed"]] {
        let kept = std::process::Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(["demo", "--quiet", "--no-open", "--keep", "--store", "history"])
            .args(arguments)
            .current_dir(folder.path())
            .status()
            .expect("it runs");
        assert!(kept.success());
    }
    let rules = "[check]\napp = \"com.example.news\"\n[[check.rule]]\nsubject = \"app\"\nat-most = \"5 J\"\n";
    std::fs::write(folder.path().join("wattle.toml"), rules).expect("written");
    let mut agent = Agent::start(folder.path(), &["--store", "history"]);
    let runs = agent.tell("runs", json!({}));
    assert!(
        runs.first_line().starts_with("2 runs kept; the latest is run:2 of com.example.news"),
        "{}",
        runs.text
    );
    assert_eq!(
        runs.structured["next"]["arguments"],
        json!({ "before": "run:1", "after": "run:2" })
    );
    let change = agent.tell("compare", json!({ "before": "run:1", "after": "run:2" }));
    assert!(change.first_line().starts_with("LOWER: com.example.news"), "{}", change.text);
    let failed = agent.tell("check", json!({ "runs": ["run:1"] }));
    assert!(failed.first_line().starts_with("failed: app "), "{}", failed.text);
    let passed = agent.tell("check", json!({ "runs": ["run:2"] }));
    assert!(passed.first_line().starts_with("passed"), "{}", passed.text);
    let history = agent.tell("history", json!({ "app": "com.example.news" }));
    assert!(history.first_line().contains("over 2 versions"), "{}", history.text);
    let findings = agent.tell("findings", json!({ "recording": "run:1" }));
    assert!(findings.first_line().starts_with("Findings are unknown"), "{}", findings.text);
    let read = agent.result("resources/read", json!({ "uri": "wattle://run/1/report" }));
    assert_eq!(read["contents"][0]["mimeType"], "application/json");
    let none = agent.call("open", json!({ "path": "run:99" }));
    assert!(none.is_error && none.text.contains("99"), "{}", none.text);
    agent.end();
}

/// A log of one instant has no time axis; it is opened nevertheless.
#[test]
fn a_recording_without_length_and_energy_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = "01-02 10:00:00.000  1000  1000 I ActivityManager: Start proc 1234:com.example.news/u0a77 for activity\n";
    std::fs::write(folder.path().join("log.txt"), log.repeat(3)).expect("written");
    let mut agent = Agent::start(folder.path(), &[]);
    let opened = agent.tell("open", json!({ "path": "log.txt" }));
    assert!(opened.first_line().contains("No energy figure"), "{}", opened.text);
    let top = agent.tell("top", json!({ "by": "thread" }));
    assert!(top.first_line().starts_with("No energy figure"), "{}", top.text);
    let period = agent.call("explain", json!({ "from": 0 }));
    assert!(period.is_error, "{}", period.text);
    agent.end();
}
