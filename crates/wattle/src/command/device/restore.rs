//! Putting back what earlier runs have left on devices.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use wattle_device::adb::{AdbDevice, AttachedDevice, DeviceState};
use wattle_device::lease::{Lease, LeaseOptions};
use wattle_device::prepare::{ConsoleAccess, JournalFolder};
use wattle_device::{Cancel, Device as _, Progress as _};

use super::connection::{self, Devices};
use super::failure::failure;
use super::watcher::Watcher;
use crate::cli;
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Words of the command line that others who want the device see. Flags are left out: some have secrets.
const WORDS: usize = 3;

/// The outcome of putting back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutBack {
    /// Journals of earlier runs.
    pub runs: usize,
    /// Changes that were undone.
    pub changes: usize,
    /// Changes that could not be undone.
    pub left: Vec<String>,
}

/// Takes the lease of a device for this process.
pub fn lease(
    device: &AdbDevice,
    folder: &Path,
    wait: Option<f64>,
    cancel: &Cancel,
    watcher: &Watcher,
) -> Result<Lease, Failure> {
    let wait = Duration::try_from_secs_f64(wait.unwrap_or(0.0))
        .map_err(|_| Failure::Usage(anyhow!("--wait: expected seconds, 0 or more")))?;
    let words = std::env::args().skip(1).take_while(|word| !word.starts_with('-')).take(WORDS);
    let command = std::iter::once("wattle".to_owned()).chain(words).collect::<Vec<_>>().join(" ");
    let options = LeaseOptions { folder: folder.to_owned(), command, wait };
    Lease::take(device, &options, cancel, watcher).map_err(failure)
}

/// Puts back what earlier runs have left changed on a device because they were killed, whatever adb called it then.
pub fn put_back_earlier(
    device: &AdbDevice,
    console: Option<&Arc<dyn ConsoleAccess>>,
    folder: &Path,
    lease: &Lease,
    watcher: &Watcher,
) -> PutBack {
    let mut done = PutBack::default();
    let journals = JournalFolder::find(folder);
    for damaged in &journals.damaged {
        watcher.note(&damaged_journal(damaged));
    }
    for unfinished in journals.unfinished {
        if !unfinished.is_of(device, lease.identity()) {
            continue;
        }
        done.runs += 1;
        let unread = unfinished.unread_lines();
        if unread > 0 {
            let lines = if unread == 1 { "1 line".to_owned() } else { format!("{unread} lines") };
            done.left.push(format!(
                "{lines} of the journal of an earlier run cannot be read: what they changed stays as it is; compare the device's \
                 settings by hand"
            ));
        }
        watcher.note("an earlier run was killed before it restored this device; restoring it now");
        let restored = unfinished.resume_restore(device, console.cloned(), &Cancel::new());
        done.changes += restored.put_back;
        for left in &restored.left {
            watcher.note(&left.to_string());
            if !left.changed_by_others {
                done.left.push(left.to_string());
            }
        }
    }
    done
}

/// Runs `wattle devices --restore`.
pub fn run(flags: &cli::Devices, devices: &Devices, cancel: &Cancel) -> Outcome {
    let watcher = Watcher::new(flags.quiet);
    let folder = devices.journals()?;
    let attached = devices.server.devices().map_err(failure)?;
    let wanted = |device: &&AttachedDevice| {
        flags.choice.serial.as_ref().is_none_or(|serial| *serial == device.serial)
    };
    let mut text = String::new();
    let mut wrong = Vec::new();
    for found in attached.iter().filter(wanted) {
        let serial = &found.serial;
        if found.state != DeviceState::Device {
            // Writing to a String does not fail.
            let _ =
                writeln!(text, "{serial}: {}, not restored: {}", found.state, found.state.advice());
            continue;
        }
        let device = devices.server.device(serial).map_err(failure)?;
        let lease = match lease(&device, &folder, flags.choice.wait, cancel, &watcher) {
            Ok(lease) => lease,
            Err(Failure::Environment(error)) => {
                wrong.push(format!("{error:#}"));
                continue;
            }
            Err(other) => return Err(other),
        };
        let console = connection::console(device.serial());
        let done = put_back_earlier(&device, console.as_ref(), &folder, &lease, &watcher);
        let _ = writeln!(text, "{serial}: {}", summary(&done));
        wrong.extend(done.left.iter().map(|left| format!("{serial}: {left}")));
    }
    if text.is_empty() && wrong.is_empty() {
        text.push_str("no device is attached\n");
    }
    let journals = JournalFolder::find(&folder);
    for damaged in &journals.damaged {
        let _ = writeln!(text, "{}", damaged_journal(damaged));
    }
    let absent: Vec<String> = journals
        .unfinished
        .iter()
        .filter(|left| !wrong.iter().any(|said| said.contains(left.serial())))
        .map(|left| left.serial().to_owned())
        .collect();
    if !absent.is_empty() {
        let names = absent.join(", ");
        let _ = writeln!(
            text,
            "changes are still to be undone on devices that are not attached: {names}"
        );
    }
    if !flags.quiet {
        output::print(text.as_bytes())?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Environment(anyhow!(wrong.join("\n")))) }
}

/// The state of a journal of no device.
fn damaged_journal(path: &Path) -> String {
    format!(
        "{} is damaged: it does not say of which device it is, so what that run changed cannot be restored; delete the file \
         once the device is as it should be",
        path.display()
    )
}

fn summary(done: &PutBack) -> String {
    match (done.runs, done.changes) {
        (0, _) => "nothing to restore".to_owned(),
        (1, 1) => "1 change of 1 earlier run undone".to_owned(),
        (1, changes) => format!("{changes} changes of 1 earlier run undone"),
        (runs, changes) => format!("{changes} changes of {runs} earlier runs undone"),
    }
}
