//! Faults on demand.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wattle_device::{Cancel, DeviceError};

/// Fault to inject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The device goes away and stays away.
    Gone,
    /// It goes away and comes back soon.
    AwayFor(Duration),
    /// It goes away, and comes back after a reboot.
    Reboot(Duration),
    /// One command is never answered.
    Hangs,
    /// One command says no.
    Refuses,
    /// Somebody presses Ctrl-C.
    CtrlC,
}

/// Counts what is asked of the device, and strikes once.
#[derive(Debug, Default)]
pub struct Faulty {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    asked: u64,
    at: Option<(u64, Fault)>,
    away: bool,
    until: Option<Instant>,
    rebooted: bool,
    pub user: Cancel,
    last: String,
}

/// Effect of a fault on the requested command.
pub enum Strike {
    None,
    Refuse,
    Error(DeviceError),
}

impl Faulty {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn plan(&self, at: u64, fault: Fault, user: &Cancel) {
        let mut state = self.state();
        state.at = Some((at, fault));
        state.user = user.clone();
    }

    /// The device goes away for ever, now.
    pub fn go_away(&self) {
        self.state().away = true;
    }

    /// Returns the number of requests so far.
    pub fn asked(&self) -> u64 {
        self.state().asked
    }

    /// The command that the fault struck.
    pub fn struck(&self) -> String {
        self.state().last.clone()
    }

    /// Whether a reboot has happened that nobody has been told of.
    pub fn take_reboot(&self) -> bool {
        std::mem::take(&mut self.state().rebooted)
    }

    pub fn is_away(&self) -> bool {
        let mut state = self.state();
        if state.until.is_some_and(|until| Instant::now() >= until) {
            state.until = None;
            state.away = false;
        }
        state.away
    }

    /// Something is asked.
    pub fn strike(&self, what: &str) -> Strike {
        let gone = |what: &str| {
            Strike::Error(DeviceError::Disconnected { serial: "X1".into(), what: what.into() })
        };
        if self.is_away() {
            return gone(what);
        }
        let mut state = self.state();
        state.asked += 1;
        let Some((at, fault)) = state.at else { return Strike::None };
        if state.asked != at {
            return Strike::None;
        }
        what.clone_into(&mut state.last);
        match fault {
            Fault::Gone => {
                state.away = true;
                gone(what)
            }
            Fault::AwayFor(length) | Fault::Reboot(length) => {
                state.away = true;
                state.until = Some(Instant::now() + length);
                state.rebooted = matches!(fault, Fault::Reboot(_));
                gone(what)
            }
            Fault::Hangs => {
                let limit = Duration::from_secs(1);
                Strike::Error(DeviceError::TimedOut { what: what.into(), limit })
            }
            Fault::Refuses => Strike::Refuse,
            Fault::CtrlC => {
                state.user.cancel();
                Strike::None
            }
        }
    }
}
