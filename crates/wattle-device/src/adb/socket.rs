//! A socket of either kind.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A connected socket of the network or of the file system.
#[derive(Debug)]
pub(super) enum Socket {
    Network(TcpStream),
    #[cfg(unix)]
    File(UnixStream),
}

/// Calls the same method of either.
macro_rules! either {
    ($socket:expr, $name:ident($($argument:expr),*)) => {
        match $socket {
            Self::Network(socket) => socket.$name($($argument),*),
            #[cfg(unix)]
            Self::File(socket) => socket.$name($($argument),*),
        }
    };
}

impl Socket {
    /// Sends small messages at once, and lets no call wait for longer than a slice of time.
    pub(super) fn prepare(&self, slice: Duration) -> io::Result<()> {
        if let Self::Network(socket) = self {
            socket.set_nodelay(true)?;
        }
        either!(self, set_read_timeout(Some(slice)))?;
        either!(self, set_write_timeout(Some(slice)))
    }

    pub(super) fn set_nonblocking(&self, on: bool) -> io::Result<()> {
        either!(self, set_nonblocking(on))
    }

    pub(super) fn shutdown(&self, which: Shutdown) -> io::Result<()> {
        either!(self, shutdown(which))
    }
}

impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        either!(self, read(into))
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        either!(self, flush())
    }
}
