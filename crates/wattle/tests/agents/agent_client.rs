//! A client of the server for agents, over standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest wait for anything.
const PATIENCE: Duration = Duration::from_mins(5);

/// The revisions of the protocol that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// With a handshake, 2025-11-25.
    Handshake,
    /// Without sessions, 2026-07-28: every request says all.
    Stateless,
}

/// A client with a server of its own.
pub struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    pub received: Vec<Value>,
    next: i64,
    era: Era,
    capabilities: Value,
}

/// The answer of a tool.
#[derive(Clone, Debug)]
pub struct Reply {
    pub text: String,
    pub structured: Value,
    pub is_error: bool,
    pub whole: Value,
}

impl Reply {
    pub fn first_line(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    pub fn rows(&self) -> &[Value] {
        self.structured["rows"].as_array().map_or(&[], Vec::as_slice)
    }
}

impl Agent {
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_in(folder, arguments, Era::Stateless, json!({}))
    }

    pub fn start_in(folder: &Path, arguments: &[&str], era: Era, capabilities: Value) -> Self {
        // Another build of the program can be measured.
        let program = std::env::var_os("WATTLE_MCP_PROGRAM");
        let mut child =
            Command::new(program.unwrap_or_else(|| env!("CARGO_BIN_EXE_wattle").into()))
                .arg("mcp")
                .args(arguments)
                .current_dir(folder)
                .env_remove("WATTLE_STORE")
                .env("XDG_DATA_HOME", folder.join("data"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::inherit())
                .spawn()
                .expect("the program runs");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("its output");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).expect("JSON and nothing else");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut agent =
            Self { child, input, messages, received: Vec::new(), next: 0, era, capabilities };
        agent.greet();
        agent
    }

    fn greet(&mut self) {
        match self.era {
            Era::Handshake => {
                let parameters = json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": self.capabilities,
                    "clientInfo": { "name": "test", "version": "1" },
                });
                let answer = self.result("initialize", parameters);
                assert_eq!(answer["protocolVersion"], "2025-11-25");
                assert_eq!(answer["serverInfo"]["name"], "wattle");
                self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
            }
            Era::Stateless => {
                let answer = self.result("server/discover", json!({}));
                let versions = answer["supportedVersions"].as_array().expect("versions");
                assert!(versions.contains(&json!("2026-07-28")), "{answer}");
                assert!(versions.contains(&json!("2025-11-25")), "{answer}");
            }
        }
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("a server");
        writeln!(input, "{line}").expect("written");
        input.flush().expect("written");
    }

    /// Sends a request and returns its number.
    pub fn ask(&mut self, method: &str, mut parameters: Value) -> i64 {
        self.next += 1;
        if self.era == Era::Stateless {
            parameters["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            parameters["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                self.capabilities.clone();
            parameters["_meta"]["io.modelcontextprotocol/clientInfo"] =
                json!({ "name": "test", "version": "1" });
        }
        self.send(
            &json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": parameters }),
        );
        self.next
    }

    #[track_caller]
    pub fn answer(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    #[track_caller]
    pub fn request(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.ask(method, parameters);
        self.answer(id)
    }

    #[track_caller]
    pub fn result(&mut self, method: &str, parameters: Value) -> Value {
        let answer = self.request(method, parameters);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits for a message; all others are kept.
    #[track_caller]
    pub fn wait(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.received.iter().position(&is_meant) {
            return self.received.remove(at);
        }
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(message) = self.messages.recv_timeout(left) else {
                panic!("nothing came; received: {:#?}", self.received);
            };
            if is_meant(&message) {
                return message;
            }
            self.received.push(message);
        }
    }

    /// Calls a tool; the answer may be an error of the tool.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        let result = self.result("tools/call", json!({ "name": tool, "arguments": arguments }));
        reply(result)
    }

    /// Calls a tool that must succeed; its answer has the promised form and size.
    #[track_caller]
    pub fn tell(&mut self, tool: &str, arguments: Value) -> Reply {
        let reply = self.call(tool, arguments.clone());
        assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
        check_form(tool, &reply);
        reply
    }

    /// Closes standard input, and expects the server to end.
    pub fn end(mut self) {
        self.input = None;
        let until = Instant::now() + PATIENCE;
        loop {
            match self.child.try_wait().expect("a status") {
                Some(status) => return assert!(status.success(), "{status}"),
                None if Instant::now() > until => panic!("the server does not end"),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("a status").is_none()
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn reply(result: Value) -> Reply {
    let content = result["content"].as_array().expect("content");
    let texts = content.iter().filter_map(|it| it["text"].as_str());
    Reply {
        text: texts.collect::<Vec<_>>().join("\n"),
        structured: result["structuredContent"].clone(),
        is_error: result["isError"] == true,
        whole: result,
    }
}

/// Answers have at most 2,000 tokens by four characters each, begin with the answer, and say coverage and the next question.
#[track_caller]
fn check_form(tool: &str, reply: &Reply) {
    let size = reply.whole["content"].to_string().chars().count()
        + reply.structured.to_string().chars().count();
    assert!(size <= 6000, "{tool}: {size} characters: {}", reply.text);
    let answer = reply.structured["answer"].as_str().expect("an answer");
    assert_eq!(reply.first_line(), answer, "{tool}");
    assert!(!answer.is_empty(), "{tool}");
    assert!(reply.text.contains("\nCoverage: "), "{tool}: {}", reply.text);
    assert!(reply.text.contains("\nNext: "), "{tool}: {}", reply.text);
    let schema = crate::protocol_eras::output_schema(tool);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let wrong: Vec<String> =
        validator.iter_errors(&reply.structured).map(|it| it.to_string()).collect();
    assert!(wrong.is_empty(), "{tool}: {wrong:?}");
}
