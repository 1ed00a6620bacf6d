//! A client of the language server that does what it is told.

use std::io::{BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest wait for anything.
const PATIENCE: Duration = Duration::from_mins(1);

/// The capabilities of LSP4IJ that answers could depend on: positions in UTF-16, hints and lenses that are asked for again when the server
/// says so, no hint that is completed later.
pub fn lsp4ij() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"], "staleRequestSupport": { "cancel": true, "retryOnContentModified": [] } },
        "workspace": {
            "applyEdit": true,
            "configuration": true,
            "workspaceFolders": true,
            "executeCommand": { "dynamicRegistration": true },
            "codeLens": { "refreshSupport": true },
            "inlayHint": { "refreshSupport": true },
            "symbol": {},
        },
        "textDocument": {
            "codeLens": { "dynamicRegistration": true },
            "inlayHint": { "dynamicRegistration": true },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "publishDiagnostics": { "dataSupport": true, "relatedInformation": true },
            "codeAction": { "dataSupport": true, "resolveSupport": { "properties": ["edit"] } },
        },
        "window": { "workDoneProgress": true, "showDocument": { "support": true } },
    })
}

/// A client with a server of its own.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<(Instant, Value)>,
    /// When the last byte of the message had come that was taken last, before it was understood.
    pub arrived: Instant,
    /// Notifications and requests of the server that nobody waited for.
    pub received: Vec<Value>,
    next: i64,
    pub capabilities: Value,
}

impl Client {
    /// Starts the server for a project and introduces itself.
    pub fn start(root: &Path, arguments: &[&str], capabilities: &Value) -> Self {
        Self::start_with(root, arguments, (capabilities, &Value::Null))
    }

    pub fn start_with(
        root: &Path,
        arguments: &[&str],
        (capabilities, options): (&Value, &Value),
    ) -> Self {
        // Another build of the program can be measured.
        let program = std::env::var_os("WATTLE_LSP_PROGRAM");
        let mut child =
            Command::new(program.unwrap_or_else(|| env!("CARGO_BIN_EXE_wattle").into()))
                .arg("lsp")
                .args(arguments)
                // Anywhere but in the project: the editor says where that is.
                .current_dir(std::env::temp_dir())
                .env_remove("WATTLE_STORE")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::inherit())
                .spawn()
                .expect("the program runs");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("its output");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut client = Self {
            child,
            input,
            messages,
            arrived: Instant::now(),
            received: Vec::new(),
            next: 0,
            capabilities: Value::Null,
        };
        let answer = client.request(
            "initialize",
            json!({ "processId": null, "rootUri": uri(root), "capabilities": capabilities, "initializationOptions": options }),
        );
        client.capabilities = answer["result"]["capabilities"].clone();
        client.tell("initialized", json!({}));
        client
    }

    /// The server's process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub fn send_text(&mut self, text: &str) {
        let input = self.input.as_mut().expect("a server");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("written");
        input.flush().expect("written");
    }

    pub fn tell(&mut self, method: &str, parameters: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    /// Sends a request and returns its number.
    pub fn ask(&mut self, method: &str, parameters: Value) -> i64 {
        self.next += 1;
        self.send(
            &json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": parameters }),
        );
        self.next
    }

    /// Waits for the answer of a request.
    #[track_caller]
    pub fn answer(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    #[track_caller]
    pub fn request(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.ask(method, parameters);
        self.answer(id)
    }

    /// The result of a request that succeeds.
    #[track_caller]
    pub fn result(&mut self, method: &str, parameters: Value) -> Value {
        let answer = self.request(method, parameters);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits for a message. Requests of the server are answered, and all is kept.
    #[track_caller]
    pub fn wait(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.received.iter().position(&is_meant) {
            return self.received.remove(at);
        }
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok((arrived, message)) = self.messages.recv_timeout(left) else {
                panic!("nothing came; received: {:#?}", self.received);
            };
            self.arrived = arrived;
            if message.get("method").is_some() && message.get("id").is_some() {
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
            }
            if is_meant(&message) {
                return message;
            }
            self.received.push(message);
        }
    }

    /// Waits until the energies and the calls of the project are known.
    pub fn wait_for_energies(&mut self) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let status = self.result("wattle/status", json!({}));
            if status["hasCalls"] == true {
                return status;
            }
            assert!(Instant::now() < until, "no energies: {status}, {:#?}", self.received);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn open(&mut self, file: &Path, text: &str) {
        let document =
            json!({ "uri": uri(file), "languageId": "kotlin", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// All hints of a file, as `line: label`, lines from 1.
    pub fn hints(&mut self, file: &Path) -> Vec<String> {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 100_000, "character": 0 } });
        let hints = self.result(
            "textDocument/inlayHint",
            json!({ "textDocument": { "uri": uri(file) }, "range": range }),
        );
        let line = |hint: &Value| hint["position"]["line"].as_u64().expect("a line") + 1;
        let hints = hints.as_array().expect("hints");
        hints
            .iter()
            .map(|hint| format!("{}: {}", line(hint), hint["label"].as_str().expect("a label")))
            .collect()
    }

    /// Ends the server as the protocol says.
    pub fn end(mut self) {
        self.request("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.input = None;
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(output: &mut impl std::io::BufRead) -> Option<(Instant, Value)> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", number)) => length = number.parse().ok(),
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length?];
    output.read_exact(&mut bytes).ok()?;
    let arrived = Instant::now();
    Some((arrived, serde_json::from_slice(&bytes).expect("JSON")))
}

/// The address of a file.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}
