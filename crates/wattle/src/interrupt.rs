//! Ctrl-C: the first ends the run, the second does without what is not saved yet, the third ends at once.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context as _;
use wattle_device::Cancel;

use crate::exit::{Failure, INTERRUPTED};

/// The effect of Ctrl-C on a session.
#[derive(Clone, Debug, Default)]
pub struct Interrupts {
    /// The run ends, what is recorded is saved, the device is put back.
    pub cancel: Cancel,
    /// Nothing more is saved, the device is put back at once.
    pub hurry: Cancel,
    /// The device is as it was, or was never touched: there is nothing to wait for.
    pub is_over: Cancel,
}

/// Messages for the first, the second and the third Ctrl-C.
#[derive(Clone, Copy, Debug)]
struct Said {
    first: &'static str,
    second: &'static str,
    third: &'static str,
}

/// While a device is used.
const WITH_DEVICE: Said = Said {
    first: "stopping; what is recorded is saved and the device put back",
    second: "saving nothing more; once more ends at once and leaves the device changed",
    third: "the device is left changed: wattle devices --restore puts it back",
};

/// While a command of the user runs, in a working folder of git. The command gets the same signal.
const IN_SEARCH: Said = Said {
    first: "stopping when the command ends; the working folder of the search is deleted then",
    second: "waiting for the command; once more ends at once and leaves the working folder of the search",
    third: "the working folder of the search is left: git worktree prune forgets it when it is deleted",
};

/// While clients are served.
const IN_SERVER: Said = Said {
    first: "stopping",
    second: "waiting for the last answer; once more ends at once",
    third: "ended",
};

/// Lets Ctrl-C (and `kill`, and a closed terminal) end what runs on a device. Once a process.
pub fn handle() -> Result<Interrupts, Failure> {
    handle_saying(WITH_DEVICE)
}

/// The same for a search, which itself uses no device.
pub fn handle_search() -> Result<Interrupts, Failure> {
    handle_saying(IN_SEARCH)
}

/// The same for a server.
pub fn handle_server() -> Result<Interrupts, Failure> {
    handle_saying(IN_SERVER)
}

fn handle_saying(said: Said) -> Result<Interrupts, Failure> {
    let interrupts = Interrupts::default();
    let asked = interrupts.clone();
    let pressed = AtomicU32::new(0);
    ctrlc::set_handler(move || {
        if asked.is_over.is_cancelled() {
            std::process::exit(INTERRUPTED);
        }
        match pressed.fetch_add(1, Ordering::SeqCst) {
            0 => {
                asked.cancel.cancel();
                say(said.first);
            }
            1 => {
                asked.hurry.cancel();
                say(said.second);
            }
            _ => {
                say(said.third);
                std::process::exit(INTERRUPTED)
            }
        }
    })
    .context("handling of Ctrl-C")
    .map_err(Failure::Environment)?;
    Ok(interrupts)
}

fn say(what: &str) {
    // Nothing is left to do if standard error is closed.
    let _ = writeln!(std::io::stderr(), "\nwattle: {what}");
}
