//! Programs of this machine, asked with a time limit.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Interval between checks of a started program.
const LOOK: Duration = Duration::from_millis(10);
/// The most of an answer that is kept, bytes.
const MOST: u64 = 64 * 1024;

/// Runs a program and returns the first line that it prints.
///
/// # Errors
/// The reason in words: it cannot be started, prints nothing, or has not ended within the limit (it is killed then).
pub fn first_line(program: &Path, arguments: &[&str], limit: Duration) -> Result<String, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot be started: {error}"))?;
    let output = child.stdout.take();
    // In a thread: a child of the program may keep the pipe open after its end.
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(pipe) = output {
            // What can be read is enough.
            let _unread = pipe.take(MOST).read_to_end(&mut text);
        }
        let _unwanted = sender.send(String::from_utf8_lossy(&text).into_owned());
    });
    let end = Instant::now() + limit;
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if Instant::now() >= end {
            let _gone = child.kill();
            let _reaped = child.wait();
            return Err(format!("did not answer within {} s", limit.as_secs()));
        }
        std::thread::sleep(LOOK);
    }
    let text = receiver.recv_timeout(limit).unwrap_or_default();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.map(str::to_owned).ok_or_else(|| "printed nothing".to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expected: Result<&str, &str>) {
        let found = first_line(Path::new("/bin/sh"), &["-c", script], Duration::from_secs(1));
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn a_program_answers_or_is_given_up() {
        check("echo; echo one; echo two", Ok("one"));
        check("exit 1", Err("printed nothing"));
        check("exec sleep 60", Err("did not answer within 1 s"));
        let absent = first_line(Path::new("/nowhere/x"), &[], Duration::from_secs(1));
        assert!(absent.is_err_and(|why| why.starts_with("cannot be started")));
    }
}
