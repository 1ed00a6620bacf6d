//! The connection to one running command.

use std::collections::VecDeque;
use std::io::Read;
use std::time::Duration;

use super::leash::leashed;
use super::marker::Marker;
use super::packet::{self, PacketSplitter};
use crate::adb::adb_limits::Deadline;
use crate::adb::link::{Link, Ready};
use crate::adb::{AdbServer, DeviceState, Features};
use crate::{DeviceError, ShellEvent, ShellOutput};

/// The most that a command's output may be when it is kept whole, bytes. Larger things are streamed or pulled.
const LARGEST_OUTPUT: u64 = 64 << 20;

/// Limit of output that waits to be fetched while input is written, in bytes.
const LARGEST_QUEUE: usize = 8 << 20;

/// The framing of outputs and exit status.
#[derive(Debug)]
enum Framing {
    /// The shell protocol.
    Packets(PacketSplitter),
    /// Bare output, and a word behind it.
    Marked(Marker),
}

/// A running command. Dropping it closes the connection, and the device hangs up on its shell; without the shell protocol
/// the command ends when it writes next.
#[derive(Debug)]
pub(in crate::adb) struct ShellChannel {
    link: Link,
    framing: Framing,
    events: VecDeque<ShellEvent>,
    /// The number of bytes of output in `events`.
    queued: usize,
    /// Its exit, once it has ended.
    ended: Option<ShellEvent>,
    server: AdbServer,
    serial: String,
    buffer: Vec<u8>,
}

impl ShellChannel {
    /// Starts a command that is waited for.
    pub(in crate::adb) fn open(
        server: &AdbServer,
        serial: &str,
        features: &Features,
        command: &str,
    ) -> Result<Self, DeviceError> {
        Self::start(server, serial, features, command, command)
    }

    /// Starts a command that ends with all its processes when this is dropped.
    pub(in crate::adb) fn open_leashed(
        server: &AdbServer,
        serial: &str,
        features: &Features,
        command: &str,
    ) -> Result<Self, DeviceError> {
        let script = if features.shell_v2() { leashed(command) } else { command.to_owned() };
        Self::start(server, serial, features, command, &script)
    }

    fn start(
        server: &AdbServer,
        serial: &str,
        features: &Features,
        command: &str,
        script: &str,
    ) -> Result<Self, DeviceError> {
        let what = format!("running `{}`", shortened(command));
        let mut link = server.transport(serial, &what)?;
        let deadline = server.deadline(what);
        let framing = if features.shell_v2() {
            link.ask(&format!("shell,v2,raw:{script}"), &deadline)?;
            Framing::Packets(PacketSplitter::default())
        } else {
            let marker = Marker::new();
            link.ask(&format!("shell:{}", marker.script(script)), &deadline)?;
            Framing::Marked(marker)
        };
        Ok(Self {
            link,
            framing,
            events: VecDeque::new(),
            queued: 0,
            ended: None,
            server: server.clone(),
            serial: serial.to_owned(),
            buffer: vec![0; 64 * 1024],
        })
    }

    /// Whether the end of its input can be told to the command.
    pub(in crate::adb) const fn can_end_input(&self) -> bool {
        matches!(self.framing, Framing::Packets(_))
    }

    /// Runs to the end, giving it all the input.
    pub(in crate::adb) fn run(
        mut self,
        mut input: Option<&mut dyn Read>,
        deadline: &Deadline,
    ) -> Result<ShellOutput, DeviceError> {
        let mut output = ShellOutput::default();
        let mut kept: u64 = 0;
        let mut chunk = vec![0; packet::LARGEST_INPUT];
        loop {
            while let Some(event) = self.take() {
                let (bytes, into) = match event {
                    ShellEvent::Exit(status) => {
                        output.status = status;
                        return Ok(output);
                    }
                    ShellEvent::Stdout(bytes) => (bytes, &mut output.stdout),
                    ShellEvent::Stderr(bytes) => (bytes, &mut output.stderr),
                };
                kept = kept.saturating_add(bytes.len() as u64);
                if kept > LARGEST_OUTPUT {
                    return Err(DeviceError::TooLong {
                        what: format!("{}: the output", deadline.what),
                        limit: LARGEST_OUTPUT,
                    });
                }
                into.extend_from_slice(&bytes);
            }
            deadline.check()?;
            let Some(source) = input.as_mut() else {
                self.receive(deadline)?;
                continue;
            };
            let count = match source.read(&mut chunk) {
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => {
                    return Err(DeviceError::Copy { what: deadline.what.clone(), source });
                }
            };
            if count == 0 {
                input = None;
                self.send(&packet::end_of_input(), deadline)?;
            } else if !self.send_input(chunk.get(..count).unwrap_or_default(), deadline)? {
                // It ended without wanting all of it, as `head` does.
                input = None;
            }
        }
    }

    /// The next thing that it does; `None` if nothing came within the time.
    pub(in crate::adb) fn next(
        &mut self,
        patience: Duration,
    ) -> Result<Option<ShellEvent>, DeviceError> {
        let deadline = Deadline::new("running a command", patience);
        loop {
            if let Some(event) = self.take() {
                return Ok(Some(event));
            }
            self.receive(&deadline)?;
            if self.events.is_empty() && deadline.left().is_zero() {
                return Ok(None);
            }
        }
    }

    /// Gives it something to read. `false` if it has ended.
    pub(in crate::adb) fn send_input(
        &mut self,
        bytes: &[u8],
        deadline: &Deadline,
    ) -> Result<bool, DeviceError> {
        for piece in bytes.chunks(packet::LARGEST_INPUT) {
            let sent = match self.framing {
                Framing::Packets(_) => self.send(&packet::input(piece), deadline)?,
                Framing::Marked(_) => self.send(piece, deadline)?,
            };
            if !sent {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Tells it that there is nothing more to read.
    pub(in crate::adb) fn end_input(&mut self, deadline: &Deadline) -> Result<(), DeviceError> {
        self.send(&packet::end_of_input(), deadline).map(|_| ())
    }

    /// Sends bytes while taking what comes: a command that waits until its output is taken reads no input.
    fn send(&mut self, bytes: &[u8], deadline: &Deadline) -> Result<bool, DeviceError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.ended.is_some() {
                return Ok(false);
            }
            if self.queued < LARGEST_QUEUE {
                let mut buffer = std::mem::take(&mut self.buffer);
                let found = self.link.poll(&mut buffer, deadline);
                self.buffer = buffer;
                self.took(found?, deadline)?;
            }
            match self.link.attempt_write(rest, deadline)? {
                Ready::Bytes(0) => {
                    // What it said before it ended is still to be read.
                    while self.ended.is_none() {
                        self.receive(deadline)?;
                        deadline.check()?;
                    }
                }
                Ready::Bytes(count) => rest = rest.get(count..).unwrap_or_default(),
                Ready::Nothing => deadline.check()?,
            }
        }
        Ok(true)
    }

    fn take(&mut self) -> Option<ShellEvent> {
        let event = self.events.pop_front();
        match &event {
            Some(ShellEvent::Stdout(bytes) | ShellEvent::Stderr(bytes)) => {
                self.queued = self.queued.saturating_sub(bytes.len());
            }
            Some(ShellEvent::Exit(_)) => {}
            // Whoever asks again is told again.
            None => return self.ended.clone(),
        }
        event
    }

    /// Waits a little for something.
    fn receive(&mut self, deadline: &Deadline) -> Result<(), DeviceError> {
        if self.ended.is_some() {
            return Ok(());
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let found = self.link.attempt_read(&mut buffer, deadline);
        self.buffer = buffer;
        self.took(found?, deadline)
    }

    fn took(&mut self, found: Ready, deadline: &Deadline) -> Result<(), DeviceError> {
        let before = self.events.len();
        match found {
            Ready::Nothing => return Ok(()),
            Ready::Bytes(0) => match &mut self.framing {
                Framing::Packets(_) => return Err(self.link.gone(deadline)),
                Framing::Marked(marker) => {
                    let status = marker.finish(&mut self.events);
                    self.link.close();
                    // Without a status either the shell was killed or the device is gone: the server knows.
                    if status.is_none() && self.server.state(&self.serial)? != DeviceState::Device {
                        return Err(self.link.gone(deadline));
                    }
                    self.events.push_back(ShellEvent::Exit(status));
                }
            },
            Ready::Bytes(count) => {
                let bytes = self.buffer.get(..count).unwrap_or_default();
                match &mut self.framing {
                    Framing::Packets(splitter) => splitter.feed(bytes, &mut self.events),
                    Framing::Marked(marker) => marker.feed(bytes, &mut self.events),
                }
            }
        }
        for event in self.events.iter().skip(before) {
            match event {
                ShellEvent::Stdout(bytes) | ShellEvent::Stderr(bytes) => {
                    self.queued = self.queued.saturating_add(bytes.len());
                }
                ShellEvent::Exit(_) => self.ended = Some(event.clone()),
            }
        }
        Ok(())
    }
}

/// A command short enough for a sentence.
pub(in crate::adb) fn shortened(command: &str) -> String {
    const LONGEST: usize = 60;
    let line = command.lines().next().unwrap_or_default();
    if line.len() == command.len() && line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let start: String = line.chars().take(LONGEST).collect();
    format!("{start} …")
}
