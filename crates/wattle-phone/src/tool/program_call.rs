//! A call of a program, as the phone sees it.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use super::tool_frame::{self, Kind};
use crate::core::Core;

/// Most bytes of standard input that are taken into memory at once (a Perfetto configuration).
const MOST_INPUT: usize = 16 << 20;

/// A program that waits for the phone.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) core: Arc<Core>,
    /// Its name without folders.
    pub(crate) name: String,
    pub(crate) arguments: Vec<String>,
    /// Its number, which is the host's.
    pub(crate) pid: u32,
    socket: UnixStream,
    input: InputState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputState {
    Unasked,
    Open,
    Ended,
}

impl Call {
    /// Takes the call that begins on a socket.
    pub(crate) fn accept(core: Arc<Core>, mut socket: UnixStream) -> io::Result<(Self, u32)> {
        let (kind, hello) = tool_frame::receive(&mut socket)?;
        let hello = String::from_utf8_lossy(&hello).into_owned();
        let mut words = hello.split('\0').map(str::to_owned);
        let number = |word: Option<String>| word.and_then(|word| word.parse::<u32>().ok());
        let (pid, parent) = (number(words.next()), number(words.next()));
        let name = words.next();
        let (Kind::Hello, Some(pid), Some(parent), Some(name)) = (kind, pid, parent, name) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let arguments = words.collect();
        let input = InputState::Unasked;
        Ok((Self { core, name, arguments, pid, socket, input }, parent))
    }

    /// Arguments as words that can be matched on.
    pub(crate) fn words(&self) -> Vec<&str> {
        self.arguments.iter().map(String::as_str).collect()
    }

    /// Writes to its standard output.
    pub(crate) fn out(&mut self, text: impl AsRef<[u8]>) -> io::Result<()> {
        self.send(Kind::Output, text.as_ref())
    }

    /// Writes a line to its standard error and gives the status 1.
    pub(crate) fn fail(&mut self, text: impl AsRef<str>) -> io::Result<u8> {
        self.send(Kind::Error, format!("{}\n", text.as_ref()).as_bytes())?;
        Ok(1)
    }

    fn send(&mut self, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.chunks(64 << 10) {
            tool_frame::send(&mut self.socket, kind, chunk)?;
        }
        Ok(())
    }

    /// Ends the program.
    pub(crate) fn exit(&mut self, status: u8) {
        // A program that is gone needs no end.
        let _ = tool_frame::send(&mut self.socket, Kind::Exit, &[status]);
    }

    /// The next bytes of its standard input; `None` at the end.
    pub(crate) fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self.input {
            InputState::Ended => return Ok(None),
            InputState::Open => {}
            InputState::Unasked => {
                tool_frame::send(&mut self.socket, Kind::WantInput, &[])?;
                self.input = InputState::Open;
            }
        }
        let (kind, bytes) = tool_frame::receive(&mut self.socket)?;
        if kind != Kind::Input {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if bytes.is_empty() {
            self.input = InputState::Ended;
            return Ok(None);
        }
        Ok(Some(bytes))
    }

    /// All of its standard input.
    pub(crate) fn read_all(&mut self) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        while let Some(bytes) = self.read()? {
            all.extend_from_slice(&bytes);
            if all.len() > MOST_INPUT {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        Ok(all)
    }

    /// Waits a little, and tells whether the program is still there.
    pub(crate) fn is_there(&mut self, patience: Duration) -> bool {
        if self.socket.set_read_timeout(Some(patience.max(Duration::from_millis(1)))).is_err() {
            return false;
        }
        let mut byte = [0];
        let there = match self.socket.read(&mut byte) {
            // It has nothing to say unless it is asked: only an end can be read.
            Ok(0) => false,
            Ok(_) => true,
            Err(error) => matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
            ),
        };
        there && self.socket.set_read_timeout(None).is_ok()
    }
}
