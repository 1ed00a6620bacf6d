//! Running the programs of a stage.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::repository;

/// A command in the root of the checkout, without standard input.
pub fn command(program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(repository::root()).stdin(Stdio::null());
    // What cargo says to this program is not for the cargo that it starts: build scripts would run anew.
    for (name, _) in std::env::vars_os() {
        let is_of_package = name.to_str().is_some_and(|name| {
            name == "CARGO"
                || ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"]
                    .iter()
                    .any(|s| name.starts_with(s))
        });
        if is_of_package {
            command.env_remove(name);
        }
    }
    command
}

/// Cargo, with arguments separated by blanks.
pub fn cargo(arguments: &str) -> Command {
    let mut cargo = command("cargo", &arguments.split_whitespace().collect::<Vec<_>>());
    // Nobody edits code between the stages of continuous integration.
    if std::env::var_os("CI").is_some() {
        cargo.env("CARGO_INCREMENTAL", "0");
    }
    cargo
}

/// Runs a command whose output goes to the terminal; an error if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", line(command));
    let status = command.status().with_context(|| line(command))?;
    expect_success(command, status)
}

/// The standard output of a command; `None` if it cannot be started or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::piped()).output().ok().filter(|out| out.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// Whether a command can be started and succeeds; its output goes nowhere.
pub fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Whether a program is in a folder of `PATH`.
pub fn is_program(name: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| is_executable(&folder.join(name)))
    })
}

pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Runs a command, prints its output as it comes, and hands on each line of both streams.
pub fn stream(command: &mut Command, mut on_line: impl FnMut(&str)) -> Result<ExitStatus> {
    println!("$ {}", line(command));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| line(command))?;
    let (sender, lines) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        forward(stdout, sender.clone());
    }
    if let Some(stderr) = child.stderr.take() {
        forward(stderr, sender);
    }
    // A server that a test leaves behind may hold the pipes open: the end of the command is the end.
    let mut ended = None;
    loop {
        match lines.recv_timeout(Duration::from_millis(500)) {
            Ok(line) => {
                println!("{line}");
                on_line(&line);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                if ended.is_some() {
                    break;
                }
                ended = child.try_wait()?;
            }
        }
    }
    Ok(child.wait()?)
}

fn forward(pipe: impl Read + Send + 'static, lines: Sender<String>) {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let text = String::from_utf8_lossy(&line);
            if lines.send(text.trim_end().to_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
}

pub fn expect_success(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("{}: {status}", line(command));
    }
    Ok(())
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{command, is_program, output, stream, succeeds};

    #[test]
    fn both_streams_are_read_to_the_end() {
        let mut lines = Vec::new();
        let script = "echo one; echo two >&2; sleep 0.7; printf three; exit 3";
        let status =
            stream(&mut command("sh", &["-c", script]), |line| lines.push(line.to_owned()));
        assert_eq!(status.expect("a shell").code(), Some(3));
        lines.sort();
        assert_eq!(lines, ["one", "three", "two"]);
    }

    #[test]
    fn a_server_that_stays_does_not_hold_the_end_up() {
        let started = std::time::Instant::now();
        let status = stream(&mut command("sh", &["-c", "sleep 20 & echo done"]), |_| ());
        assert!(status.expect("a shell").success());
        assert!(started.elapsed().as_secs() < 15);
    }

    #[test]
    fn programs_are_found_and_asked() {
        assert!(is_program("sh") && !is_program("no-such-program-at-all"));
        assert!(succeeds(&mut command("true", &[])) && !succeeds(&mut command("false", &[])));
        assert_eq!(output(&mut command("echo", &["word"])).as_deref(), Some("word\n"));
        assert_eq!(output(&mut command("false", &[])), None);
    }
}
