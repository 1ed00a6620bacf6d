//! One command of the shell.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::command_text;
use super::pump::{CLOSE_STDIN, EXIT, STDERR, STDIN, STDOUT, Unpacker, packet, pump};
use crate::core::Core;
use crate::transport::{Received, Stream};

/// The framing of a command's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In packets with standard error and exit status apart (`shell,v2`).
    Packets,
    /// As it is (`shell` of old hosts, `exec`).
    Bytes,
}

/// A command to run.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) form: Form,
    /// Empty: what comes in is run, line by line.
    pub(crate) command: String,
}

/// Time between asking a command to end and killing it.
const GRACE: Duration = Duration::from_millis(300);

impl Session {
    /// Runs it until it has ended or the host has closed the stream.
    pub(crate) fn run(&self, core: &Arc<Core>, stream: &Stream) {
        core.command_began();
        crate::system::refresh(core);
        match self.start(core) {
            Ok((child, outputs)) => self.attend(core, stream, child, outputs),
            Err(error) => self.say(stream, &format!("/system/bin/sh: {error}\n")),
        }
        core.command_ended();
    }

    fn say(&self, stream: &Stream, text: &str) {
        // Nobody else could be told that nobody listens.
        let _ = match self.form {
            Form::Packets => stream
                .write(&packet(STDERR, text.as_bytes()))
                .and_then(|()| stream.write(&packet(EXIT, &[126]))),
            Form::Bytes => stream.write(text.as_bytes()),
        };
    }

    fn start(&self, core: &Arc<Core>) -> std::io::Result<(Child, Outputs)> {
        let mut shell = core.command(Path::new("/bin/sh"));
        let root = core.files.root_text();
        if self.command.is_empty() {
            shell.arg("-s");
        } else {
            let text = command_text::prepare(&self.command, &root, core.files.is_full());
            shell.arg("-c").arg(text).arg("sh");
        }
        let (stdout, out) = std::io::pipe()?;
        let mut outputs = Outputs { stdout, stderr: None };
        let err = match self.form {
            Form::Packets => {
                let (stderr, err) = std::io::pipe()?;
                outputs.stderr = Some(stderr);
                err
            }
            Form::Bytes => out.try_clone()?,
        };
        let child = Core::spawn_group(&mut shell, Stdio::piped(), out.into(), err.into())?;
        core.journal.adopt(core.clock.boot(), child.id(), 1, "/system/bin/sh");
        Ok((child, outputs))
    }

    fn attend(&self, core: &Arc<Core>, stream: &Stream, mut child: Child, outputs: Outputs) {
        let stdin = child.stdin.take();
        let root = core.files.root_text();
        let pid = child.id();
        let form = self.form;
        let (root_out, root_err) = (root.clone(), root.clone());
        let is_script = self.command.is_empty();
        let done = &AtomicBool::new(false);
        let pumped = std::thread::scope(|scope| {
            let kind = |kind| (form == Form::Packets).then_some(kind);
            let out = scope.spawn(move || pump(outputs.stdout, stream, kind(STDOUT), &root_out));
            let err = outputs
                .stderr
                .map(|stderr| scope.spawn(move || pump(stderr, stream, kind(STDERR), &root_err)));
            let script = is_script.then_some(root.as_str());
            let feed = Feed { form, stream, script, pid, done };
            scope.spawn(move || feed.run(stdin));
            let pumped = out.join().is_ok() && err.is_none_or(|err| err.join().is_ok());
            // A host that does not listen any more wants the command to end.
            if !stream.is_open() {
                end_group(pid);
            }
            let status = child.wait();
            done.store(true, Ordering::SeqCst);
            core.journal.end(core.clock.boot(), pid);
            if form == Form::Packets {
                let status = status.ok().and_then(|status| {
                    status.code().or_else(|| status.signal().map(|signal| 128 + signal))
                });
                let _ = stream.write(&packet(EXIT, &[status.unwrap_or(255) as u8]));
            }
            pumped
        });
        debug_assert!(pumped, "a pump has no way to panic");
    }
}

#[derive(Debug)]
struct Outputs {
    stdout: std::io::PipeReader,
    stderr: Option<std::io::PipeReader>,
}

/// The input of a command.
struct Feed<'f> {
    form: Form,
    stream: &'f Stream,
    /// The phone's root, where the input is a script whose paths are mapped.
    script: Option<&'f str>,
    pid: u32,
    /// Whether the command has ended.
    done: &'f AtomicBool,
}

impl Feed<'_> {
    /// Gives the command what the host sends, and ends it when the host closes the stream.
    fn run(&self, mut stdin: Option<ChildStdin>) {
        let Self { form, stream, script, pid, done } = *self;
        let mut unpacker = Unpacker::default();
        let give = |stdin: &mut Option<ChildStdin>, bytes: &[u8]| {
            let mapped = script.map(|root| {
                crate::path_map::map_text(&String::from_utf8_lossy(bytes), root, false).into_bytes()
            });
            let bytes = mapped.as_deref().unwrap_or(bytes);
            if stdin.as_mut().is_some_and(|stdin| stdin.write_all(bytes).is_err()) {
                *stdin = None;
            }
        };
        while !done.load(Ordering::SeqCst) {
            match stream.receive(Some(Duration::from_millis(20))) {
                Received::Nothing => {}
                Received::Closed => {
                    drop(stdin);
                    if !done.load(Ordering::SeqCst) {
                        end_group(pid);
                    }
                    return;
                }
                Received::Bytes(bytes) if form == Form::Bytes => give(&mut stdin, &bytes),
                Received::Bytes(bytes) => {
                    let Some(packets) = unpacker.push(&bytes) else {
                        end_group(pid);
                        return;
                    };
                    for (kind, bytes) in packets {
                        match kind {
                            STDIN => give(&mut stdin, &bytes),
                            CLOSE_STDIN => stdin = None,
                            // The size of a window, and what a later protocol may bring.
                            _ => {}
                        }
                    }
                }
            }
        }
    }
}

/// Ends a command with everything that it has started.
fn end_group(pid: u32) {
    let Some(group) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    // A group that has ended needs no end.
    let _ = kill_process_group(group, Signal::HUP);
    let end = std::time::Instant::now() + GRACE;
    while std::time::Instant::now() < end {
        if rustix::process::test_kill_process_group(group).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = kill_process_group(group, Signal::KILL);
}
