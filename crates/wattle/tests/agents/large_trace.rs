//! Answers about a large trace after it was opened.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::agent_client::Agent;

/// The longest time of an answer after the recording is open.
const LONGEST: Duration = Duration::from_secs(5);

/// `WATTLE_MCP_TRACE` names another trace, which is measured instead, `WATTLE_MCP_TRACE_MB` the size of the one that is written:
/// `docs/performance.md` has such figures.
#[test]
fn a_large_trace_is_answered_at_once_after_it_was_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = std::env::var("WATTLE_MCP_TRACE").unwrap_or_else(|_| {
        let path = folder.path().join("big.pftrace");
        let file = std::fs::File::create(&path).expect("a file");
        let size = std::env::var("WATTLE_MCP_TRACE_MB").ok();
        let size: u64 = size.map_or(40, |size| size.parse().expect("a number of megabytes"));
        wattle_sim::write_big(size << 20, 1, std::io::BufWriter::new(file)).expect("written");
        path.display().to_string()
    });
    let mut agent = Agent::start(folder.path(), &[]);
    let begin = Instant::now();
    let opened = agent.tell("open", json!({ "path": path }));
    let size = std::fs::metadata(&path).expect("a file").len();
    println!("{size} bytes opened in {:.1?}: {}", begin.elapsed(), opened.first_line());
    for (tool, arguments) in [
        ("summary", json!({ "picture": true })),
        ("summary", json!({ "app": "com.example.busy" })),
        ("top", json!({})),
        ("top", json!({ "by": "thread", "component": "cpu" })),
        ("top", json!({ "by": "call_path" })),
        ("top", json!({ "by": "app", "from": 1, "to": 3 })),
        ("explain", json!({ "method": "com.example.busy.Stage0.run" })),
        ("explain", json!({ "thread": "busy-3" })),
        ("explain", json!({ "app": "com.example.busy" })),
        ("explain", json!({ "component": "cpu" })),
        ("explain", json!({ "from": 2, "to": 4 })),
        ("findings", json!({})),
        ("model", json!({})),
    ] {
        let begin = Instant::now();
        let reply = agent.tell(tool, arguments.clone());
        let took = begin.elapsed();
        println!("{took:>10.1?} {tool} {arguments}: {}", reply.first_line());
        assert!(took < LONGEST, "{tool} {arguments}: {took:?}");
    }
    let memory =
        std::fs::read_to_string(format!("/proc/{}/status", agent.process())).expect("a status");
    let peak = memory.lines().find(|line| line.starts_with("VmHWM")).expect("a peak");
    println!("server: {peak}");
    agent.end();
}
