//! One package streamed into the package manager's standard input.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::DeviceError;
use crate::adb::adb_limits::Deadline;
use crate::adb::link::{Link, Ready};
use crate::adb::{AdbDevice, DeviceState};

/// The most that the package manager may answer, bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// A package of this machine, open, so that nobody exchanges it between looking and sending.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    file: File,
}

impl Package {
    pub(super) fn open(path: &Path) -> Result<Self, DeviceError> {
        let failed = |source| DeviceError::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let facts = file.metadata().map_err(failed)?;
        if !facts.is_file() {
            return Err(failed(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                "expected a package, found no ordinary file",
            )));
        }
        Ok(Self { path: path.to_owned(), bytes: facts.len(), file })
    }

    /// Its file, for pushing.
    pub(super) fn reader(&mut self) -> &mut dyn Read {
        &mut self.file
    }

    fn failed(&self, source: std::io::Error) -> DeviceError {
        DeviceError::File { path: self.path.clone(), source }
    }
}

impl AdbDevice {
    /// Runs `cmd` with the package as its input (`exec:`). Gives what it answered.
    pub(super) fn stream_package(
        &self,
        command: &str,
        package: &mut Package,
        what: &str,
    ) -> Result<String, DeviceError> {
        let mut conversation = self.converse(command, what, self.server.limits().file)?;
        let mut left = package.bytes;
        let mut chunk = vec![0; 64 * 1024];
        while left > 0 && !conversation.is_over {
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
            let piece = chunk.get_mut(..most).unwrap_or_default();
            let count = package.file.read(piece).map_err(|source| package.failed(source))?;
            if count == 0 {
                return Err(package.failed(std::io::Error::new(
                    std::io::ErrorKind::UnexpectedEof,
                    "it became shorter while it was sent",
                )));
            }
            left = left.saturating_sub(count as u64);
            conversation.send(chunk.get(..count).unwrap_or_default())?;
        }
        self.answer(conversation)
    }

    /// Runs a command of the package manager. Gives what it answered.
    pub(super) fn ask_package_manager(
        &self,
        command: &str,
        what: &str,
    ) -> Result<String, DeviceError> {
        let limit = self.server.limits().install;
        let conversation = self.converse(command, what, limit)?;
        self.answer(conversation)
    }

    fn converse(
        &self,
        command: &str,
        what: &str,
        limit: Duration,
    ) -> Result<Conversation, DeviceError> {
        let mut link = self.server.transport(&self.serial, what)?;
        link.ask(&format!("exec:{command}"), &self.server.deadline(what))?;
        let deadline = Deadline::new(what, limit);
        Ok(Conversation { link, deadline, answer: Vec::new(), is_over: false })
    }

    /// Waits for the end of the answer. Nothing at all is either the loss of the device or its silence: the server knows.
    fn answer(&self, mut conversation: Conversation) -> Result<String, DeviceError> {
        conversation.deadline =
            Deadline::new(conversation.deadline.what, self.server.limits().install);
        while !conversation.is_over {
            conversation.receive()?;
            conversation.deadline.check()?;
        }
        conversation.link.close();
        if conversation.answer.is_empty() && self.server.state(&self.serial)? != DeviceState::Device
        {
            return Err(conversation.link.gone(&conversation.deadline));
        }
        Ok(String::from_utf8_lossy(&conversation.answer).into_owned())
    }
}

/// A program on the device that takes a package and may say no before it has it.
#[derive(Debug)]
struct Conversation {
    link: Link,
    deadline: Deadline,
    answer: Vec<u8>,
    is_over: bool,
}

impl Conversation {
    /// Sends bytes while taking what it says.
    fn send(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_over {
            let mut said = [0; 4096];
            let found = self.link.poll(&mut said, &self.deadline)?;
            self.took(found, &said)?;
            match self.link.attempt_write(rest, &self.deadline)? {
                // It wants no more; its reason is still to be read.
                Ready::Bytes(0) => return self.receive_all(),
                Ready::Bytes(count) => {
                    rest = rest.get(count..).unwrap_or_default();
                    self.deadline.moved();
                }
                Ready::Nothing => self.deadline.check()?,
            }
        }
        Ok(())
    }

    fn receive_all(&mut self) -> Result<(), DeviceError> {
        while !self.is_over {
            self.receive()?;
            self.deadline.check()?;
        }
        Ok(())
    }

    /// Waits a little for words.
    fn receive(&mut self) -> Result<(), DeviceError> {
        let mut said = [0; 4096];
        let found = self.link.attempt_read(&mut said, &self.deadline)?;
        self.took(found, &said)
    }

    fn took(&mut self, found: Ready, said: &[u8]) -> Result<(), DeviceError> {
        match found {
            Ready::Nothing => {}
            Ready::Bytes(0) => self.is_over = true,
            Ready::Bytes(count) => {
                self.answer.extend_from_slice(said.get(..count).unwrap_or_default());
                if self.answer.len() > LONGEST_ANSWER {
                    return Err(DeviceError::TooLong {
                        what: format!("{}: the answer", self.deadline.what),
                        limit: LONGEST_ANSWER as u64,
                    });
                }
            }
        }
        Ok(())
    }
}
