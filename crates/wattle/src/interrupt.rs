//! Ctrl-C: the first ends the run and puts the device back, the third ends at once.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context as _;
use wattle_device::Cancel;

use crate::exit::Failure;

/// Exit code of a program that a person ended.
const INTERRUPTED: i32 = 130;

/// Lets Ctrl-C (and `kill`, and a closed terminal) ask `cancel` to stop. Once a process.
pub fn cancels(cancel: &Cancel) -> Result<(), Failure> {
    let cancel = cancel.clone();
    let pressed = AtomicU32::new(0);
    ctrlc::set_handler(move || match pressed.fetch_add(1, Ordering::SeqCst) {
        0 => {
            cancel.cancel();
            say("stopping; the device is being put back");
        }
        1 => say("still putting the device back; once more ends at once and leaves it changed"),
        _ => std::process::exit(INTERRUPTED),
    })
    .context("handling of Ctrl-C")
    .map_err(Failure::Environment)
}

fn say(what: &str) {
    // Nothing is left to do if standard error is closed.
    let _ = writeln!(std::io::stderr(), "\nwattle: {what}");
}
