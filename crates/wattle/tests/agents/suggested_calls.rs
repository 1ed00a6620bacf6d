//! Calls that answers suggest exist, and rows are in the order that headings promise.

use serde_json::{Value, json};
use wattle_sim::scenario;
use wattle_testdata::requires;

use crate::agent_client::{Agent, Reply};
use crate::simulated_recordings::KnownRecording;

/// Kinds of rows of `top`.
const KINDS: [&str; 10] = [
    "method",
    "thread",
    "process",
    "app",
    "component",
    "call_path",
    "class",
    "test",
    "rail",
    "account",
];

/// Recordings of real devices: power rails, batterystats, programs without names, counters, other tools.
const REAL: [&str; 5] = [
    "perfetto/rails/api32_odpm_rails_pixel6.perfetto-trace",
    "batterystats/emanafa-batstat_mi9.log",
    "power_meter/catapult-battor-with-systrace.zip",
    "systrace/trappy-trace_surfaceflinger.html",
    "etl/SEMISYNTHETIC-cswitch-net45x86.etl.zip",
];

fn joules(rows: &[Value]) -> Vec<f64> {
    rows.iter().map(|row| row["joules"].as_f64().unwrap_or(f64::NEG_INFINITY)).collect()
}

/// The calls in the lines `Next: TOOL ARGUMENTS (WHY)`.
fn suggested(reply: &Reply) -> Vec<(String, Value)> {
    let lines = reply.text.lines().filter_map(|line| line.strip_prefix("Next: "));
    let call = |line: &str| {
        let (tool, rest) = line.split_once(' ').unwrap_or((line, "{}"));
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let arguments = values.next().and_then(Result::ok);
        (tool.to_owned(), arguments.unwrap_or_else(|| panic!("no call: {line}")))
    };
    lines.map(call).collect()
}

/// Asks everything about an open recording, and follows what is suggested, some steps far.
fn follow(agent: &mut Agent, handle: &str) {
    let mut calls: Vec<(String, Value)> = KINDS
        .iter()
        .map(|by| ("top".to_owned(), json!({ "recording": handle, "by": by })))
        .collect();
    for tool in ["summary", "findings", "model"] {
        calls.push((tool.to_owned(), json!({ "recording": handle })));
    }
    calls.push(("explain".to_owned(), json!({ "recording": handle, "from": 0 })));
    let components =
        agent.call("top", json!({ "recording": handle, "by": "component", "limit": 40 }));
    for row in components.rows() {
        calls
            .push(("explain".to_owned(), json!({ "recording": handle, "component": row["name"] })));
    }
    let mut asked: Vec<(String, Value)> = Vec::new();
    while let Some((tool, arguments)) = calls.pop() {
        if asked.contains(&(tool.clone(), arguments.clone())) || asked.len() > 120 {
            continue;
        }
        let reply = agent.call(&tool, arguments.clone());
        assert!(!reply.is_error, "{handle}: {tool} {arguments}: {}", reply.text);
        if tool == "top" {
            let found = joules(reply.rows());
            assert!(found.is_sorted_by(|a, b| a >= b), "{handle}: {arguments}: {found:?}");
            if let Some(first) = reply.rows().first().filter(|_| arguments["by"] != "app") {
                let name = first["name"].as_str().expect("a name");
                let name = name.split('…').next().unwrap_or(name);
                assert!(reply.first_line().starts_with(name), "{}", reply.first_line());
            }
        }
        calls.extend(suggested(&reply));
        asked.push((tool, arguments));
    }
    assert!(asked.len() > KINDS.len());
}

#[test]
fn suggested_calls_of_a_simulated_recording_are_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulation = scenario::wasteful_app(3).expect("a phone");
    let known = KnownRecording::new(folder.path(), "phone", &simulation);
    let mut agent = Agent::start(folder.path(), &[]);
    agent.tell("open", known.open.clone());
    follow(&mut agent, "r1");
    agent.end();
}

#[requires(data)]
#[test]
fn suggested_calls_of_real_recordings_are_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start(folder.path(), &[]);
    let mut followed = 0;
    for file in REAL {
        let path = wattle_testdata::path(file);
        if !path.exists() {
            continue;
        }
        let reply = agent.call("open", json!({ "path": path }));
        assert!(!reply.is_error, "{file}: {}", reply.text);
        let handle = reply.structured["recording"].as_str().expect("a handle").to_owned();
        follow(&mut agent, &handle);
        followed += 1;
    }
    assert!(followed >= 3, "{followed} recordings");
    agent.end();
}

/// Consumers of a recording whose packages only processes name, and what the period leaves out.
#[requires(data)]
#[test]
fn apps_of_rails_have_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start(folder.path(), &[]);
    let path = wattle_testdata::path(REAL[0]);
    agent.tell("open", json!({ "path": path }));
    let by_part = agent.tell("top", json!({ "by": "app", "component": "cpu", "limit": 100 }));
    let whole = agent.tell("top", json!({ "by": "app", "limit": 100 }));
    let names = |reply: &Reply| -> Vec<String> {
        reply.rows().iter().filter_map(|row| row["name"].as_str().map(str::to_owned)).collect()
    };
    let known = names(&whole);
    let is_known = |name: &&String| !known.contains(name);
    // An answer has room for the largest of them.
    let largest: Vec<String> = names(&by_part).into_iter().take(8).collect();
    assert_eq!(largest.len(), 8);
    let unknown: Vec<String> = largest.iter().filter(is_known).cloned().collect();
    assert!(unknown.is_empty(), "{unknown:?} are not in {known:?}");
    let top = agent.tell("top", json!({ "by": "rail", "limit": 1 }));
    let all = agent.tell("top", json!({ "by": "rail", "limit": 100 }));
    let largest = joules(all.rows()).into_iter().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(joules(top.rows()), [largest]);
    agent.end();
}

#[test]
fn threads_methods_and_periods_are_those_that_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulation = scenario::wasteful_app(3).expect("a phone");
    let known = KnownRecording::new(folder.path(), "phone", &simulation);
    let mut agent = Agent::start(folder.path(), &[]);
    agent.tell("open", known.open.clone());
    // The first thread of the app, whatever others are named.
    let main = agent.tell("explain", json!({ "thread": "main" }));
    let title = main.first_line().split(" used ").next().expect("a title").to_owned();
    assert!(title.ends_with("of com.example.news"), "{title}");
    let of_thread = agent.tell("top", json!({ "by": "method", "thread": "main", "limit": 100 }));
    assert!(of_thread.first_line().contains(" on thread "), "{}", of_thread.first_line());
    let all = agent.tell("top", json!({ "by": "method", "limit": 100 }));
    assert!(of_thread.rows().len() < all.rows().len(), "{}", of_thread.text);
    // The first line names the first row, by the energy that is sorted by.
    let by_self = agent.tell("top", json!({ "by": "method", "sort": "self", "limit": 100 }));
    let own: Vec<f64> =
        by_self.rows().iter().map(|row| row["self_joules"].as_f64().expect("one")).collect();
    assert!(own.is_sorted_by(|a, b| a >= b), "{own:?}");
    let first = &by_self.rows()[0];
    let line = by_self.text.lines().find(|line| line.starts_with("1. ")).expect("a row");
    let self_text = line.split("self ").nth(1).expect("self").split(';').next().expect("text");
    assert!(by_self.first_line().contains(self_text), "{}", by_self.first_line());
    assert!(by_self.first_line().starts_with(first["name"].as_str().expect("a name")));
    let refused = agent.call("top", json!({ "by": "thread", "sort": "self" }));
    assert!(refused.is_error && refused.text.contains("sort: only methods"), "{}", refused.text);
    // The page of an earlier recording is not that of a check.
    let missing = agent.call("explain", json!({ "thread": "no such thread" }));
    assert!(missing.is_error && !missing.text.contains(": , "), "{}", missing.text);
    let period = agent.tell("explain", json!({ "from": 0 }));
    assert!(
        period.structured["coverage"].as_str().is_some_and(|it| it.starts_with("of this period: "))
    );
    if period.text.contains("Not in a period") {
        assert!(period.first_line().contains("the components whose times are known used"));
    }
    // What is left out is counted.
    let summary = agent.tell("summary", json!({}));
    let apps = agent.tell("top", json!({ "by": "app", "limit": 1 }));
    let methods = agent.tell("top", json!({ "by": "method", "limit": 1 }));
    let all = |reply: &Reply| reply.structured["left_out"].as_u64().expect("a number") + 1;
    let shown = summary.rows().len() as u64;
    let left_out = summary.structured["left_out"].as_u64().expect("a number");
    assert_eq!(shown + left_out, all(&apps) + all(&methods), "{}", summary.text);
    agent.end();
}

#[test]
fn checks_of_open_recordings_name_their_handles() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulation = scenario::wasteful_app(3).expect("a phone");
    let known = KnownRecording::new(folder.path(), "phone", &simulation);
    let rules = "[check]\napp = \"com.example.news\"\n[[check.rule]]\nsubject = \"app\"\nat-most = \"1 mJ\"\n";
    std::fs::write(folder.path().join("wattle.toml"), rules).expect("written");
    let mut agent = Agent::start(folder.path(), &[]);
    agent.tell("open", known.open.clone());
    let checked = agent.tell("check", json!({ "runs": ["r1"] }));
    assert!(checked.text.contains("Checked: r1\n"), "{}", checked.text);
    assert!(!checked.text.contains("wattle-mcp-"), "{}", checked.text);
    let next = &checked.structured["next"];
    assert_eq!(next["arguments"]["recording"], "r1", "{next}");
    agent.end();
}

/// An analysis ends with its server, and leaves nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_server_leaves_no_child_and_no_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).expect("made");
    // Its analysis takes longer than the watch over the parent.
    let simulation = scenario::wasteful_app(3).expect("a phone");
    KnownRecording::new(folder.path(), "phone", &simulation);
    let inside = temporary.join("wattle-mcp-test");
    std::fs::create_dir(&inside).expect("made");
    let parent = std::process::Command::new("sh")
        .args([
            "-c",
            "WATTLE_ENDS_WITH=$$ \"$0\" mcp --analyse \"$1\" -- \"$2\" <&0 & echo $!; sleep 600",
        ])
        .arg(env!("CARGO_BIN_EXE_wattle"))
        .arg(&inside)
        .arg(folder.path().join("phone.pftrace"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn();
    let mut parent = parent.expect("a shell");
    let mut child = String::new();
    let output = parent.stdout.take().expect("its output");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut child).expect("read");
    let process = std::path::PathBuf::from("/proc").join(child.trim());
    // Its end of the pipe closes as that of a server that was killed.
    drop(parent.stdin.take());
    let until = std::time::Instant::now() + std::time::Duration::from_mins(1);
    let is_over = || {
        let state = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    };
    while !is_over() || inside.exists() {
        assert!(std::time::Instant::now() < until, "{} is still there", child.trim());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    parent.kill().expect("killed");
    parent.wait().expect("ended");
}
