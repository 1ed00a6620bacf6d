//! The cable: how fast it is, and when it breaks.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// State shared by all connections to a phone.
#[derive(Debug, Default)]
pub(crate) struct Link {
    state: Mutex<LinkState>,
}

#[derive(Debug, Default)]
struct LinkState {
    /// Bytes a second, both directions together.
    rate: Option<u64>,
    /// Bytes that still go through before it breaks.
    left: Option<u64>,
    /// Until when nobody can connect; `None` with `broken`: for good.
    back_at: Option<Instant>,
    broken: bool,
    /// The time that it stays broken after `left` bytes; `None`: forever.
    away: Option<Duration>,
    carried: u64,
    sockets: Vec<TcpStream>,
}

impl Link {
    fn state(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets how many bytes go through in a second; `None`: as many as can.
    pub(crate) fn limit(&self, bytes_per_second: Option<u64>) {
        self.state().rate = bytes_per_second.map(|rate| rate.max(1));
    }

    /// Breaks after some more bytes.
    pub(crate) fn break_after(&self, bytes: u64, away: Option<Duration>) {
        let mut state = self.state();
        state.left = Some(bytes);
        state.away = away;
    }

    /// Breaks now, for some time or for good.
    pub(crate) fn break_now(&self, away: Option<Duration>) {
        Self::cut(&mut self.state(), away);
    }

    /// Can be connected to again.
    pub(crate) fn repair(&self) {
        let mut state = self.state();
        state.broken = false;
        state.back_at = None;
        state.left = None;
    }

    fn cut(state: &mut LinkState, away: Option<Duration>) {
        state.broken = true;
        state.left = None;
        state.back_at = away.and_then(|away| Instant::now().checked_add(away));
        for socket in state.sockets.drain(..) {
            // One that is closed already needs no closing.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// Takes a new connection, unless it is broken.
    pub(crate) fn admit(&self, socket: &TcpStream) -> bool {
        let mut state = self.state();
        if state.broken {
            if state.back_at.is_none_or(|back| back > Instant::now()) {
                return false;
            }
            state.broken = false;
        }
        state.sockets.retain(|socket| socket.peer_addr().is_ok());
        match socket.try_clone() {
            Ok(clone) => state.sockets.push(clone),
            Err(_) => return false,
        }
        true
    }

    /// Bytes carried since the phone was started.
    pub(crate) fn carried(&self) -> u64 {
        self.state().carried
    }

    /// Sends as much as goes through.
    pub(crate) fn send(&self, socket: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
        let through = self.carry(bytes.len());
        let part = bytes.get(..through).unwrap_or(bytes);
        socket.write_all(part)?;
        if through < bytes.len() {
            let away = self.state().away;
            self.break_now(away);
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }

    /// Counts what has come in. Breaks when it was more than goes through.
    pub(crate) fn received(&self, bytes: usize) -> io::Result<()> {
        if self.carry(bytes) < bytes {
            let away = self.state().away;
            self.break_now(away);
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }

    /// Waits as long as the bytes take, and tells how many of them go through.
    fn carry(&self, bytes: usize) -> usize {
        let (through, rate) = {
            let mut state = self.state();
            let through = match &mut state.left {
                Some(left) => {
                    let through = (*left).min(bytes as u64);
                    *left -= through;
                    through as usize
                }
                None => bytes,
            };
            state.carried += through as u64;
            (through, state.rate)
        };
        if let Some(rate) = rate {
            std::thread::sleep(Duration::from_secs_f64(through as f64 / rate as f64));
        }
        through
    }
}
