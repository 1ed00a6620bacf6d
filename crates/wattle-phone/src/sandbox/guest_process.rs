//! One command in the sandbox, as the phone holds it.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;

/// The first byte of what asks for the end of a command.
const END: u8 = b'E';

/// A shell that runs in the sandbox.
#[derive(Debug)]
pub(crate) struct GuestProcess {
    session: UnixStream,
    pid: u32,
}

impl GuestProcess {
    /// Waits until the command runs.
    pub(super) fn started(mut session: UnixStream) -> io::Result<Self> {
        let mut bytes = [0; 4];
        session.read_exact(&mut bytes)?;
        match u32::from_le_bytes(bytes) {
            0 => Err(io::Error::other("the shell cannot be started")),
            pid => Ok(Self { session, pid }),
        }
    }

    /// Its number in the phone.
    pub(crate) const fn pid(&self) -> u32 {
        self.pid
    }

    /// Asks to end it with everything that it has started and that has not left its group.
    pub(crate) fn end(&self) {
        // A sandbox that is gone has ended it.
        let _ = (&self.session).write_all(&[END]);
    }

    /// Waits for its end; the status is that of a shell (128 and the signal's number).
    pub(crate) fn wait(&self) -> u8 {
        let mut status = [0];
        match (&self.session).read_exact(&mut status) {
            Ok(()) => status[0],
            // Killed with the sandbox.
            Err(_) => 137,
        }
    }
}
