//! A server of its own for each test, and requests to it as bytes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;
use wattle_jobs::ServerData;
use wattle_ledger::Ledger;
use wattle_serve::{Server, ServerOptions};
use wattle_store::{NewRun, RunFacts, RunId};
use wattle_units::{Estimate, Interval, Joules, Provenance};

/// A running server. It ends when dropped.
pub struct TestServer {
    pub address: SocketAddr,
    folder: TempDir,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?} is no JSON"))
    }

    /// A header, if it is there once.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Runs something asynchronous on a server's data.
pub fn on_data<T>(folder: &Path, work: impl AsyncFnOnce(&ServerData) -> T) -> T {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut options = ServerOptions::new(folder, "/bin/false");
        options.limits.spare_bytes = 0;
        let data = wattle_serve::open_data(&options).await.unwrap();
        let result = work(&data).await;
        data.close().await;
        result
    })
}

/// Keeps a run of which the device's energy is known, and not the app's.
pub async fn keep_run(data: &ServerData, project: &str, app: &str) -> RunId {
    let joules = Joules::new(2.0);
    let interval = Interval { low: joules * 0.9, high: joules * 1.1 };
    let total = Estimate { joules, interval, provenance: Provenance::Modelled };
    keep_run_with(data, (project, app), Some(total)).await
}

/// Keeps a run with a total, or without one.
pub async fn keep_run_with(
    data: &ServerData,
    (project, app): (&str, &str),
    total: Option<Estimate>,
) -> RunId {
    let project = data.projects().named(project).await.unwrap();
    let ledger = Ledger::empty(wattle_timeline::Window::default());
    let mut facts = RunFacts::default();
    facts.app.package = app.to_owned();
    let mut history = data.history(project.id).await.unwrap();
    let mut new = NewRun::new(facts, &ledger).unwrap();
    new.figures.total = total;
    history.keep(&new).await.unwrap()
}

impl TestServer {
    /// Without users.
    pub fn start() -> Self {
        Self::start_on(TempDir::new().unwrap(), |_| {})
    }

    /// On data that a test has prepared.
    pub fn start_on(folder: TempDir, change: impl FnOnce(&mut ServerOptions)) -> Self {
        let mut options = ServerOptions::new(folder.path(), "/bin/false");
        options.bind = SocketAddr::from(([127, 0, 0, 1], 0));
        options.workers = 0;
        options.limits.reserve_bytes = 0;
        options.limits.spare_bytes = 0;
        options.connections.head = Duration::from_millis(1500);
        change(&mut options);
        let (end, ended) = oneshot::channel();
        let (address_sender, address) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            tokio::runtime::Runtime::new().unwrap().block_on(async {
                let server = Server::open(options).await.unwrap();
                address_sender.send(server.address()).unwrap();
                server.run(async { ended.await.unwrap_or_default() }).await;
            });
        });
        let address = address.recv().unwrap();
        Self { address, folder, end: Some(end), thread: Some(thread) }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream
    }

    /// Sends a request with exactly these headers, and `Connection: close`.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head += &format!("Host: {}\r\n", self.address);
        }
        if !body.is_empty() || matches!(method, "POST" | "PATCH") {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        // A server that refuses may answer before it has read everything.
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(body);
        read_answer(stream)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], &[])
    }

    /// A request of the HTTP API with JSON.
    pub fn post(&self, path: &str, json: &Value) -> Answer {
        let headers = [("Content-Type", "application/json")];
        self.ask("POST", &format!("/api/v1{path}"), &headers, json.to_string().as_bytes())
    }

    /// Uploads a file in one part, and returns its number.
    pub fn upload(&self, name: &str, content: &[u8]) -> i64 {
        let new = json!({ "name": name, "bytes": content.len() });
        let upload = self.post("/projects/default/uploads", &new);
        assert_eq!(upload.status, 201, "{upload:?}");
        let path =
            format!("/api/v1/projects/default/uploads/{}", upload.json()["id"].as_str().unwrap());
        let part = self.ask("PATCH", &path, &[("Upload-Offset", "0")], content);
        assert_eq!(part.status, 200, "{part:?}");
        let file = self.ask("POST", &format!("{path}/finish"), &[], &[]);
        assert_eq!(file.status, 200, "{file:?}");
        file.json()["id"].as_i64().unwrap()
    }
}

/// Reads an answer to its end.
pub fn read_answer(stream: TcpStream) -> Answer {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        let count = reader.read_line(&mut line).unwrap_or(0);
        if count == 0 || line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut body = Vec::new();
    let _ = reader.read_to_end(&mut body);
    let answer = Answer { status, head, body };
    if answer.header("transfer-encoding").is_some_and(|it| it == "chunked") {
        let body = joined_chunks(&answer.body);
        return Answer { body, ..answer };
    }
    answer
}

fn joined_chunks(mut body: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(end) = body.windows(2).position(|pair| pair == b"\r\n") {
        let length = std::str::from_utf8(&body[..end]).ok();
        let length = length.and_then(|text| usize::from_str_radix(text, 16).ok()).unwrap_or(0);
        if length == 0 {
            break;
        }
        joined.extend_from_slice(&body[end + 2..(end + 2 + length).min(body.len())]);
        body = body.get(end + 4 + length..).unwrap_or_default();
    }
    joined
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.unwrap();
            }
        }
    }
}
