//! Frames on the socket: a kind, a length, bytes.

use std::io::{self, Read, Write};

/// The largest frame. Arguments of a program are smaller on any host.
const MOST_BYTES: u32 = 4 << 20;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Program to phone: its number, its parent's, its name, its arguments, with a NUL between.
    Hello,
    /// Program to phone: standard input. Empty: its end.
    Input,
    /// Phone to program: it wants standard input.
    WantInput,
    /// Phone to program: standard output.
    Output,
    /// Phone to program: standard error.
    Error,
    /// Phone to program: end with this status.
    Exit,
}

const KINDS: [Kind; 6] =
    [Kind::Hello, Kind::Input, Kind::WantInput, Kind::Output, Kind::Error, Kind::Exit];

/// Sends a frame.
pub(crate) fn send(to: &mut impl Write, kind: Kind, bytes: &[u8]) -> io::Result<()> {
    let number = KINDS.iter().position(|other| *other == kind).unwrap_or_default();
    let mut frame = Vec::with_capacity(bytes.len() + 5);
    frame.push(number as u8);
    frame.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    frame.extend_from_slice(bytes);
    to.write_all(&frame)
}

/// Receives a frame.
pub(crate) fn receive(from: &mut impl Read) -> io::Result<(Kind, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let [number, length @ ..] = head;
    let length = u32::from_le_bytes(length);
    let kind = KINDS.get(usize::from(number)).filter(|_| length <= MOST_BYTES);
    let Some(kind) = kind else { return Err(io::ErrorKind::InvalidData.into()) };
    let mut bytes = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() != length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((*kind, bytes))
}
