//! Recordings from standard input and pipes, through the real program.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::wattle;

/// The simulated phone's trace.
fn recorded(folder: &Path) -> PathBuf {
    let path = folder.join("run.pftrace");
    let demo = wattle(["demo", "--quiet", "--trace", path.to_str().expect("UTF-8")]);
    assert_eq!(demo.code, Some(0), "{}", demo.stderr);
    path
}

/// The program in this folder, which is its folder for temporary files, with these bytes on its standard input.
fn piped(folder: &Path, words: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .args(words)
        .current_dir(folder)
        .env("TMPDIR", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut to = child.stdin.take().expect("a pipe");
    let bytes = input.to_vec();
    // A program that ends before it has read all closes the pipe.
    let writer = std::thread::spawn(move || drop(to.write_all(&bytes)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("a thread ends");
    output
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn what_comes_through_a_pipe_is_read_as_the_file_is() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = recorded(folder.path());
    let bytes = std::fs::read(&path).expect("the trace");
    let commands: [&[&str]; 4] = [
        &["report", "--json", "-"],
        &["diagnose"],
        &["export", "--format", "folded", "--output", "-"],
        &["top", "--plain"],
    ];
    for words in commands {
        for input in ["-", "/dev/stdin"] {
            let with = |input| [&words[..1], &[input], &words[1..]].concat();
            let from_file = piped(folder.path(), &with("run.pftrace"), b"");
            let from_pipe = piped(folder.path(), &with(input), &bytes);
            assert_eq!(from_pipe.status.code(), Some(0), "{words:?}: {}", text(&from_pipe.stderr));
            let name = if input == "-" { "standard input" } else { "stdin" };
            let expected = text(&from_file.stdout).replace("run.pftrace", name);
            assert!(expected.len() > 100, "{expected}");
            assert_eq!(text(&from_pipe.stdout), expected, "{words:?} {input}");
        }
    }
    let difference = piped(folder.path(), &["diff", "run.pftrace", "-"], &bytes);
    assert_eq!(difference.status.code(), Some(0), "{}", text(&difference.stderr));
    // Nothing is left of what was kept.
    let left = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(left, 1);
}

/// The exit code, and what is said.
#[track_caller]
fn check(words: &[&str], input: &[u8], code: i32, said: &str) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let output = piped(folder.path(), words, input);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {told}");
    assert!(told.contains(said), "{words:?}: {told}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

#[test]
fn pipes_without_a_recording_are_refused() {
    check(&["report", "-"], b"", 3, "standard input: nothing came out of it");
    check(&["report", "-"], b"no recording\n", 3, "standard input: looks like");
    check(&["diff", "-", "-"], b"x", 2, "- is given twice");
    check(&["report", "-", "/dev/stdin"], b"x", 2, "/dev/stdin is given twice");
}

/// A pipe that has a name, given by it.
#[cfg(unix)]
#[test]
fn named_pipes_are_read() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = recorded(folder.path());
    let pipe = folder.path().join("pipe.pftrace");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let writer = {
        let (path, pipe) = (path.clone(), pipe.clone());
        std::thread::spawn(move || std::fs::copy(path, pipe).expect("the trace is read"))
    };
    let run = wattle(["report", pipe.to_str().expect("UTF-8")]);
    writer.join().expect("a thread ends");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, wattle(["report", path.to_str().expect("UTF-8")]).stdout);
}

/// Other users of the machine see nothing of it, and nothing is left when the program is told to end.
#[cfg(unix)]
#[test]
fn what_is_kept_is_private_and_goes_with_the_program() {
    use std::os::unix::fs::PermissionsExt as _;
    for words in [&["report", "-"][..], &["top", "--plain", "-"]] {
        let folder = tempfile::tempdir().expect("temporary folder");
        let mut child = Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(words)
            .current_dir(folder.path())
            .env("TMPDIR", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the program runs");
        child.stdin.as_mut().expect("a pipe").write_all(b"bytes").expect("they are taken");
        let kept = || {
            let inside = std::fs::read_dir(folder.path()).expect("the folder").next()?.ok()?.path();
            std::fs::metadata(inside.join("standard input")).ok().map(|file| (inside, file))
        };
        let (inside, file) = loop {
            match kept() {
                Some(found) if found.1.len() == 5 => break found,
                _ => std::thread::sleep(std::time::Duration::from_millis(5)),
            }
        };
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
        let of_folder = std::fs::metadata(inside).expect("the folder").permissions();
        assert_eq!(of_folder.mode() & 0o777, 0o700);
        let told = Command::new("kill").arg(child.id().to_string()).status().expect("kill runs");
        assert!(told.success());
        assert_eq!(child.wait().expect("the program ends").code(), Some(130), "{words:?}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }
}
