//! A socket that never waits without looking at the clock and at the request to stop.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::ServerAddress;
use super::adb_limits::Deadline;
use super::socket::Socket;
use crate::{Cancel, DeviceError};

/// Longest wait of one system call before the clock and the request to stop are checked.
const SLICE: Duration = Duration::from_millis(20);

/// A connection; who is at its other end changes when the server hands it over to a device.
#[derive(Debug)]
pub(super) struct Link {
    socket: Socket,
    cancel: Cancel,
    peer: String,
}

/// Result of a check without waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ready {
    /// Nothing yet.
    Nothing,
    /// So many bytes; 0 when the other end closed.
    Bytes(usize),
}

impl Link {
    /// Connects to a server.
    ///
    /// # Errors
    /// [`DeviceError::ServerUnreachable`] if nobody listens there.
    pub(super) fn to_server(
        address: &ServerAddress,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Self, DeviceError> {
        let peer = format!("the adb server at {address}");
        #[cfg(unix)]
        if let Some(path) = address.file() {
            // Who listens on a file is on this machine, and answers at once or not at all.
            let socket = UnixStream::connect(path).map_err(|source| {
                DeviceError::ServerUnreachable { address: address.to_string(), source }
            })?;
            return Self::over(Socket::File(socket), peer, cancel);
        }
        let deadline = Deadline::new(format!("connecting to {peer}"), limit);
        let place = address.clone();
        let socket = connect(move || place.resolve(), &deadline, cancel)?.map_err(|source| {
            DeviceError::ServerUnreachable { address: address.to_string(), source }
        })?;
        Self::over(Socket::Network(socket), peer, cancel)
    }

    /// Connects to a place of this machine.
    pub(super) fn to_local(
        peer: &str,
        address: SocketAddr,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Self, DeviceError> {
        let deadline = Deadline::new(format!("connecting to {peer}"), limit);
        let socket = connect(move || Ok(vec![address]), &deadline, cancel)?
            .map_err(|source| DeviceError::Copy { what: deadline.what.clone(), source })?;
        Self::over(Socket::Network(socket), peer.to_owned(), cancel)
    }

    fn over(socket: Socket, peer: String, cancel: &Cancel) -> Result<Self, DeviceError> {
        socket.prepare(SLICE).map_err(|source| DeviceError::Copy {
            what: format!("setting up the connection to {peer}"),
            source,
        })?;
        Ok(Self { socket, cancel: cancel.clone(), peer })
    }

    /// From now on a device is at the other end.
    pub(super) fn hand_over(&mut self, serial: &str) {
        serial.clone_into(&mut self.peer);
    }

    pub(super) fn peer(&self) -> &str {
        &self.peer
    }

    /// Waits for some bytes; 0 when the other end closed.
    pub(super) fn read(
        &mut self,
        into: &mut [u8],
        deadline: &Deadline,
    ) -> Result<usize, DeviceError> {
        loop {
            if let Ready::Bytes(count) = self.attempt_read(into, deadline)? {
                return Ok(count);
            }
            deadline.check()?;
        }
    }

    /// Waits until the whole is there.
    ///
    /// # Errors
    /// [`DeviceError::Disconnected`] if the other end closes before.
    pub(super) fn read_exact(
        &mut self,
        into: &mut [u8],
        deadline: &Deadline,
    ) -> Result<(), DeviceError> {
        let mut rest = into;
        while !rest.is_empty() {
            let count = self.read(rest, deadline)?;
            if count == 0 {
                return Err(self.gone(deadline));
            }
            rest = rest.get_mut(count..).unwrap_or_default();
        }
        Ok(())
    }

    /// Waits a little for some bytes, at most a slice of time.
    pub(super) fn attempt_read(
        &mut self,
        into: &mut [u8],
        deadline: &Deadline,
    ) -> Result<Ready, DeviceError> {
        self.cancel.check()?;
        match self.socket.read(into) {
            Ok(count) => Ok(Ready::Bytes(count)),
            Err(error) if is_a_pause(error.kind()) => Ok(Ready::Nothing),
            Err(error) if is_an_end(error.kind()) => Ok(Ready::Bytes(0)),
            Err(source) => Err(DeviceError::Copy { what: deadline.what.clone(), source }),
        }
    }

    /// Looks for bytes without waiting.
    pub(super) fn poll(
        &mut self,
        into: &mut [u8],
        deadline: &Deadline,
    ) -> Result<Ready, DeviceError> {
        let switch = |socket: &Socket, on: bool| {
            socket
                .set_nonblocking(on)
                .map_err(|source| DeviceError::Copy { what: deadline.what.clone(), source })
        };
        switch(&self.socket, true)?;
        let found = self.attempt_read(into, deadline);
        switch(&self.socket, false)?;
        found
    }

    /// Writes the whole.
    ///
    /// # Errors
    /// [`DeviceError::Disconnected`] if the other end closed.
    pub(super) fn write_all(
        &mut self,
        bytes: &[u8],
        deadline: &Deadline,
    ) -> Result<(), DeviceError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.attempt_write(rest, deadline)? {
                Ready::Bytes(0) => return Err(self.gone(deadline)),
                Ready::Bytes(count) => rest = rest.get(count..).unwrap_or_default(),
                Ready::Nothing => deadline.check()?,
            }
        }
        Ok(())
    }

    /// Writes some of it, waiting at most a slice of time; 0 when the other end closed.
    pub(super) fn attempt_write(
        &mut self,
        bytes: &[u8],
        deadline: &Deadline,
    ) -> Result<Ready, DeviceError> {
        self.cancel.check()?;
        match self.socket.write(bytes) {
            Ok(count) => Ok(Ready::Bytes(count)),
            Err(error) if is_a_pause(error.kind()) => Ok(Ready::Nothing),
            Err(error) if is_an_end(error.kind()) => Ok(Ready::Bytes(0)),
            Err(source) => Err(DeviceError::Copy { what: deadline.what.clone(), source }),
        }
    }

    /// Ends the conversation where the other end has ended it, before more is asked about it.
    pub(super) fn close(&self) {
        // That it is closed already is all the better.
        let _closed = self.socket.shutdown(Shutdown::Both);
    }

    /// The other end closed in the middle.
    pub(super) fn gone(&self, deadline: &Deadline) -> DeviceError {
        DeviceError::Disconnected { serial: self.peer.clone(), what: deadline.what.clone() }
    }
}

/// Connects in a thread of its own, because neither looking up a name nor connecting can be stopped; a thread that nobody
/// waits for any more ends by its own time limit.
fn connect(
    resolve: impl FnOnce() -> std::io::Result<Vec<SocketAddr>> + Send + 'static,
    deadline: &Deadline,
    cancel: &Cancel,
) -> Result<std::io::Result<TcpStream>, DeviceError> {
    cancel.check()?;
    let limit = deadline.left().max(Duration::from_millis(1));
    let (sender, receiver) = channel();
    let attempt = move || {
        let mut last = std::io::Error::new(ErrorKind::NotFound, "the name has no address");
        for address in resolve()? {
            match TcpStream::connect_timeout(&address, limit) {
                Ok(socket) => return Ok(socket),
                Err(error) => last = error,
            }
        }
        Err(last)
    };
    let thread = std::thread::Builder::new().name("adb connect".to_owned());
    let started = thread.spawn(move || {
        // Whoever waited may have given up; then the socket closes here.
        let _unwanted = sender.send(attempt());
    });
    if let Err(source) = started {
        return Err(DeviceError::Copy { what: deadline.what.clone(), source });
    }
    loop {
        match receiver.recv_timeout(SLICE) {
            Ok(Err(error)) if error.kind() == ErrorKind::TimedOut => {
                return Err(deadline.timed_out());
            }
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => return Err(deadline.timed_out()),
            Err(RecvTimeoutError::Timeout) => {
                cancel.check()?;
                deadline.check()?;
            }
        }
    }
}

fn is_a_pause(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn is_an_end(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::NotConnected
            | ErrorKind::UnexpectedEof
    )
}
