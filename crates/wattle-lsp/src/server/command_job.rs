//! Commands of the program that an editor starts: run, record, compare.

use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crossbeam_channel::Sender;
use lsp_server::RequestId;
use serde::Deserialize;
use serde_json::Value;

use super::background_result::Event;

/// The most bytes of a command's output that are kept; of more the end counts.
const MOST_OUTPUT: usize = 256 << 10;
/// The most arguments of a command.
const MOST_ARGUMENTS: usize = 200;

/// A command that an editor asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommandRequest {
    /// Arguments behind the command's name, as on a command line.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The token under which the editor wants progress.
    #[serde(default)]
    pub work_done_token: Option<Value>,
}

/// A command that runs.
#[derive(Debug)]
pub(super) struct CommandJob {
    pub title: &'static str,
    /// The token of its progress.
    pub token: Option<Value>,
    pub is_cancelled: bool,
    child: std::sync::Arc<std::sync::Mutex<Child>>,
    number: u32,
}

/// The command of a request or of `workspace/executeCommand`, with its title.
pub(super) fn verb(method: &str) -> Option<(&'static str, &'static str)> {
    match method {
        "wattle/run" | "wattle.run" => Some(("run", "Wattle: run")),
        "wattle/record" | "wattle.record" => Some(("record", "Wattle: record")),
        "wattle/compare" | "wattle.compare" => Some(("diff", "Wattle: compare")),
        "wattle/check" | "wattle.check" => Some(("check", "Wattle: check")),
        _ => None,
    }
}

impl CommandJob {
    /// Starts a command; its lines and its end become events.
    pub fn start(
        (program, variables): (&Path, &[(String, std::ffi::OsString)]),
        folder: Option<&Path>,
        ((verb, title), request): ((&str, &'static str), CommandRequest),
        (id, events): (&RequestId, &Sender<Event>),
    ) -> Result<Self, String> {
        if request.arguments.len() > MOST_ARGUMENTS {
            return Err(format!("expected at most {MOST_ARGUMENTS} arguments"));
        }
        let mut command = Command::new(program);
        command.arg(verb).args(&request.arguments).envs(variables.iter().cloned());
        if let Some(folder) = folder {
            super::child_program::check_folder(folder)?;
            command.current_dir(folder);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let number = child.id();
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let child = std::sync::Arc::new(std::sync::Mutex::new(child));
        let waited = std::sync::Arc::clone(&child);
        let (id, events) = (id.clone(), events.clone());
        std::thread::spawn(move || {
            let lines = errors.map(|errors| {
                let (id, events) = (id.clone(), events.clone());
                std::thread::spawn(move || {
                    let mut all = String::new();
                    for line in BufReader::new(errors).lines().map_while(Result::ok) {
                        if all.len() < MOST_OUTPUT {
                            all.push_str(&line);
                            all.push('\n');
                        }
                        let _ = events.send(Event::Line(id.clone(), line));
                    }
                    all
                })
            });
            let mut text = output.map(last_part).unwrap_or_default();
            let errors = lines.and_then(|thread| thread.join().ok()).unwrap_or_default();
            let status = wait(&waited);
            if text.is_empty() || status != Some(0) {
                text.push_str(&errors);
            }
            let _ = events.send(Event::Ended(id, status, text));
        });
        Ok(Self { title, token: request.work_done_token, is_cancelled: false, child, number })
    }

    /// Asks the command to end: as Ctrl+C does, so that it restores the device.
    pub fn cancel(&mut self) {
        self.is_cancelled = true;
        let asked = Command::new("kill")
            .args(["-INT", &self.number.to_string()])
            .stdin(Stdio::null())
            .status();
        if !asked.is_ok_and(|status| status.success())
            && let Ok(mut child) = self.child.try_lock()
        {
            let _ = child.kill();
        }
    }
}

/// Waits without keeping the lock, so that the command can be ended meanwhile.
fn wait(child: &std::sync::Mutex<Child>) -> Option<i32> {
    loop {
        let status = child.lock().ok()?.try_wait().ok()?;
        match status {
            Some(status) => return status.code(),
            None => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
    }
}

/// The end of a text.
fn last_part(mut input: impl Read) -> String {
    let mut kept = Vec::new();
    let mut buffer = [0; 8192];
    while let Ok(read @ 1..) = input.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..read]);
        if kept.len() > 2 * MOST_OUTPUT {
            kept.drain(..kept.len() - MOST_OUTPUT);
        }
    }
    let start = kept.len().saturating_sub(MOST_OUTPUT);
    String::from_utf8_lossy(&kept[start..]).into_owned()
}
