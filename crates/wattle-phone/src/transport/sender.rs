//! The way out of a connection.

use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::adb_packet::{LEAST_PAYLOAD, Packet};
use crate::core::Core;

/// The way out, shared by all streams of a connection.
#[derive(Debug)]
pub(crate) struct Sender {
    socket: Mutex<TcpStream>,
    most_payload: AtomicU32,
    core: Arc<Core>,
}

impl Sender {
    /// The way out over a socket, with the payload that every version of the protocol takes.
    pub(crate) fn new(core: &Arc<Core>, socket: TcpStream) -> Self {
        Self {
            socket: Mutex::new(socket),
            most_payload: AtomicU32::new(LEAST_PAYLOAD),
            core: Arc::clone(core),
        }
    }

    pub(super) fn most_payload(&self) -> usize {
        self.most_payload.load(Ordering::SeqCst) as usize
    }

    /// Sets the most bytes of payload that the host takes.
    pub(crate) fn set_most_payload(&self, bytes: u32) {
        self.most_payload.store(bytes, Ordering::SeqCst);
    }

    pub(crate) fn send(&self, packet: &Packet) -> io::Result<()> {
        let mut socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        self.core.link.send(&mut socket, &packet.encode())
    }
}
