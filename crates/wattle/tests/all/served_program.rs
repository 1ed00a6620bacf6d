//! The real `wattle serve`, for tests of what its users meet.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::wattle;

/// A running `wattle serve` on a folder of its own.
pub struct Served {
    child: Child,
    pub url: String,
    pub folder: tempfile::TempDir,
}

impl Served {
    pub fn start() -> Self {
        Self::start_in(tempfile::tempdir().expect("temporary folder"))
    }

    pub fn start_in(folder: tempfile::TempDir) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(["serve", "--bind", "127.0.0.1:0", "--workers", "1", "--data"])
            .arg(folder.path())
            .current_dir(folder.path())
            .env_remove("WATTLE_TOKEN")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let url = line.split(' ').nth(2).unwrap_or_else(|| panic!("{line:?}")).trim().to_owned();
        Self { child, url, folder }
    }

    pub fn push(&self, file: &Path, more: &[&str]) -> crate::support::Run {
        let mut arguments = vec!["push".to_owned(), file.display().to_string()];
        arguments.extend(["--server".to_owned(), self.url.clone(), "--quiet".to_owned()]);
        arguments.extend(more.iter().map(|it| (*it).to_owned()));
        wattle(arguments)
    }

    /// Pushes a recording of the demo's app, which `options` of `wattle demo` change.
    #[track_caller]
    pub fn push_demo(&self, version: &str, options: &[&str]) {
        let recording = self.folder.path().join(format!("news-{version}.pftrace"));
        let name = recording.to_str().expect("a name");
        let made = wattle([&["demo", "--quiet", "--no-open", "--trace", name], options].concat());
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let run = self.push(&recording, &["--app", "com.example.news", "--app-version", version]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }

    /// The status and the text of an answer.
    pub fn get(&self, path: &str) -> (u16, String) {
        let (status, bytes) = self.download(path);
        (status, String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The status and the bytes of an answer.
    pub fn download(&self, path: &str) -> (u16, Vec<u8>) {
        Self::ask(ureq::http::Request::get(format!("{}{path}", self.url)).body(String::new()))
    }

    /// Sends JSON to the API.
    pub fn send(&self, method: &str, path: &str, json: &serde_json::Value) -> (u16, String) {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("content-type", "application/json");
        let (status, bytes) = Self::ask(request.body(json.to_string()));
        (status, String::from_utf8_lossy(&bytes).into_owned())
    }

    fn ask(request: ureq::http::Result<ureq::http::Request<String>>) -> (u16, Vec<u8>) {
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        let agent = ureq::Agent::from(config);
        let mut response = agent.run(request.expect("a request")).expect("an answer");
        let bytes = response.body_mut().with_config().limit(1 << 30).read_to_vec();
        (response.status().as_u16(), bytes.expect("its body"))
    }

    /// Asks it to end, as systemd does, and waits until it has.
    pub fn end(&mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        self.child.wait().expect("its end").code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
