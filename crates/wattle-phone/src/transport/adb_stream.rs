//! One stream: what the host opened, its flow control, and its end.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::adb_packet::{Command, Packet};
use super::sender::Sender;

/// The received data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// Bytes.
    Bytes(Vec<u8>),
    /// Nothing within the time.
    Nothing,
    /// The host has closed the stream, or is gone.
    Closed,
}

#[derive(Debug, Default)]
struct State {
    /// Received data that was not taken yet. The host may not send more before it is acknowledged.
    input: VecDeque<Vec<u8>>,
    /// Whether the host waits for the next write.
    ready: bool,
    closed: bool,
}

/// A stream. Clones are one.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    ours: u32,
    theirs: u32,
    sender: Arc<Sender>,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Stream {
    pub(crate) fn new(ours: u32, theirs: u32, sender: Arc<Sender>) -> Self {
        let state = State { ready: true, ..State::default() };
        Self { ours, theirs, sender, shared: Arc::new((Mutex::new(state), Condvar::new())) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) const fn theirs(&self) -> u32 {
        self.theirs
    }

    /// Takes bytes of the host. `false` if it was not allowed to send any.
    pub(crate) fn deliver(&self, bytes: Vec<u8>) -> bool {
        let mut state = self.state();
        if !state.input.is_empty() {
            return false;
        }
        if !bytes.is_empty() {
            state.input.push_back(bytes);
        }
        self.shared.1.notify_all();
        true
    }

    pub(crate) fn acknowledge(&self) {
        self.state().ready = true;
        self.shared.1.notify_all();
    }

    /// The host has closed it, or the connection is gone.
    pub(crate) fn closed_by_host(&self) {
        self.state().closed = true;
        self.shared.1.notify_all();
    }

    /// Whether the host still listens.
    pub(crate) fn is_open(&self) -> bool {
        !self.state().closed
    }

    /// The next bytes of the host.
    pub(crate) fn receive(&self, patience: Option<Duration>) -> Received {
        let mut state = self.state();
        loop {
            if let Some(bytes) = state.input.pop_front() {
                drop(state);
                self.send(Command::OKAY, Vec::new());
                return Received::Bytes(bytes);
            }
            if state.closed {
                return Received::Closed;
            }
            let waiting = &self.shared.1;
            match patience {
                None => state = waiting.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(patience) => {
                    let (back, timeout) = waiting
                        .wait_timeout(state, patience)
                        .unwrap_or_else(PoisonError::into_inner);
                    state = back;
                    if timeout.timed_out() && state.input.is_empty() && !state.closed {
                        return Received::Nothing;
                    }
                }
            }
        }
    }

    /// Sends bytes, in as many messages as it takes, each after the host has taken the one before.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.chunks(self.sender.most_payload()) {
            let mut state = self.state();
            while !state.ready && !state.closed {
                state = self.shared.1.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closed {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            state.ready = false;
            drop(state);
            self.send(Command::WRITE, chunk.to_vec());
        }
        Ok(())
    }

    /// Ends it, once the host has taken everything.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        let mut rounds = 0;
        // A host that does not take the last message does not keep the phone.
        while !state.ready && !state.closed && rounds < 100 {
            let waited = self.shared.1.wait_timeout(state, Duration::from_millis(100));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            rounds += 1;
        }
        let was_open = !std::mem::replace(&mut state.closed, true);
        drop(state);
        self.shared.1.notify_all();
        if was_open {
            self.send(Command::CLOSE, Vec::new());
        }
    }

    fn send(&self, command: Command, payload: Vec<u8>) {
        let packet = Packet { command, first: self.ours, second: self.theirs, payload };
        if self.sender.send(&packet).is_err() {
            self.closed_by_host();
        }
    }
}
