//! One command of the shell.

use std::io::{PipeReader, PipeWriter, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::command_text;
use super::pump::{CLOSE_STDIN, EXIT, STDERR, STDIN, STDOUT, Unpacker, packet, pump};
use crate::core::Core;
use crate::sandbox::GuestProcess;
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

impl Session {
    /// Runs it until it has ended or the host has closed the stream.
    pub(crate) fn run(&self, core: &Arc<Core>, stream: &Stream) {
        core.command_began();
        crate::system::refresh(core);
        match self.start(core) {
            Ok((guest, pipes)) => self.attend(core, stream, &guest, pipes),
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

    fn start(&self, core: &Arc<Core>) -> std::io::Result<(GuestProcess, Pipes)> {
        let mut words = vec![core.files.search_path().to_owned()];
        if self.command.is_empty() {
            words.push("-s".to_owned());
        } else {
            let text = command_text::prepare(&self.command, core.files.is_full());
            words.extend(["-c".to_owned(), text, "sh".to_owned()]);
        }
        let (input, stdin) = std::io::pipe()?;
        let (stdout, output) = std::io::pipe()?;
        let (stderr, error) = match self.form {
            Form::Packets => {
                let (stderr, error) = std::io::pipe()?;
                (Some(stderr), error)
            }
            Form::Bytes => (None, output.try_clone()?),
        };
        let guest = core.sandbox()?.run(&words, [input.into(), output.into(), error.into()])?;
        core.journal.adopt(core.clock.boot(), guest.pid(), 1, "/system/bin/sh");
        Ok((guest, Pipes { stdin, stdout, stderr }))
    }

    fn attend(&self, core: &Arc<Core>, stream: &Stream, guest: &GuestProcess, pipes: Pipes) {
        let Pipes { stdin, stdout, stderr } = pipes;
        let form = self.form;
        let done = &AtomicBool::new(false);
        let pumped = std::thread::scope(|scope| {
            let kind = |kind| (form == Form::Packets).then_some(kind);
            let out = scope.spawn(move || pump(stdout, stream, kind(STDOUT)));
            let err = stderr.map(|stderr| scope.spawn(move || pump(stderr, stream, kind(STDERR))));
            let feed = Feed { form, stream, guest, done };
            scope.spawn(move || feed.run(Some(stdin)));
            let pumped = out.join().is_ok() && err.is_none_or(|err| err.join().is_ok());
            // A host that does not listen any more wants the command to end.
            if !stream.is_open() {
                guest.end();
            }
            let status = guest.wait();
            done.store(true, Ordering::SeqCst);
            core.journal.end(core.clock.boot(), guest.pid());
            if form == Form::Packets {
                let _ = stream.write(&packet(EXIT, &[status]));
            }
            pumped
        });
        debug_assert!(pumped, "a pump has no way to panic");
    }
}

/// The phone's ends of a command's pipes.
#[derive(Debug)]
struct Pipes {
    stdin: PipeWriter,
    stdout: PipeReader,
    stderr: Option<PipeReader>,
}

/// The input of a command.
struct Feed<'f> {
    form: Form,
    stream: &'f Stream,
    guest: &'f GuestProcess,
    /// Whether the command has ended.
    done: &'f AtomicBool,
}

impl Feed<'_> {
    /// Gives the command what the host sends, and ends it when the host closes the stream.
    fn run(&self, mut stdin: Option<PipeWriter>) {
        let Self { form, stream, guest, done } = *self;
        let mut unpacker = Unpacker::default();
        let give = |stdin: &mut Option<PipeWriter>, bytes: &[u8]| {
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
                        guest.end();
                    }
                    return;
                }
                Received::Bytes(bytes) if form == Form::Bytes => give(&mut stdin, &bytes),
                Received::Bytes(bytes) => {
                    let Some(packets) = unpacker.push(&bytes) else {
                        guest.end();
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
