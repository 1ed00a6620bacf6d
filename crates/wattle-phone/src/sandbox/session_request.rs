//! Messages from the phone to the first process of its sandbox.

use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// The exit status of a sandbox that was told to end.
pub(super) const FAREWELL: u8 = 3;
/// Largest command. That of a host is smaller.
const MOST_BYTES: u32 = 4 << 20;

const RUN: u8 = b'R';
const SIGNAL: u8 = b'S';
const END: u8 = b'E';

/// A message.
#[derive(Debug)]
pub(super) enum Request {
    /// Start a shell: search path and arguments; the session's socket, standard input, output and error.
    Run(Vec<String>, [OwnedFd; 4]),
    /// Send a signal to a process.
    Signal(u32, i32),
    /// End everything.
    End,
}

/// Asks for a shell.
pub(super) fn send_run(
    to: &mut UnixStream,
    words: &[String],
    files: [BorrowedFd<'_>; 4],
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let text = words.join("\0");
    if text.len() > MOST_BYTES as usize {
        return Err(io::Error::from(io::ErrorKind::ArgumentListTooLong));
    }
    sendmsg(to.as_fd(), &[IoSlice::new(&[RUN])], &mut ancillary, SendFlags::NOSIGNAL)?;
    to.write_all(&(text.len() as u32).to_le_bytes())?;
    to.write_all(text.as_bytes())
}

/// Asks to send a signal.
pub(super) fn send_signal(to: &mut UnixStream, pid: u32, signal: i32) -> io::Result<()> {
    let mut message = vec![SIGNAL];
    message.extend(pid.to_le_bytes());
    message.extend(signal.to_le_bytes());
    to.write_all(&message)
}

/// Says farewell.
pub(super) fn send_end(to: &mut UnixStream) -> io::Result<()> {
    to.write_all(&[END])
}

/// The next message; `None` when the phone is gone.
pub(super) fn receive(from: &mut UnixStream) -> io::Result<Option<Request>> {
    let mut kind = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut kind)];
    let received = recvmsg(from.as_fd(), &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let mut files = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            files.extend(rights);
        }
    }
    let mut number = || -> io::Result<u32> {
        let mut bytes = [0; 4];
        from.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    };
    let [kind] = kind;
    let request = match kind {
        RUN => {
            let length = number()?;
            if length > MOST_BYTES {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let mut text = vec![0; length as usize];
            from.read_exact(&mut text)?;
            let text = String::from_utf8_lossy(&text).into_owned();
            let files = files.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
            Request::Run(text.split('\0').map(str::to_owned).collect(), files)
        }
        SIGNAL => Request::Signal(number()?, number()? as i32),
        END => Request::End,
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    Ok(Some(request))
}
