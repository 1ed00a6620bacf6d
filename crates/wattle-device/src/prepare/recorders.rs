//! Ending recorders that nobody waits for any more.

use std::time::Duration;

use crate::command::{LONG_PATIENCE, run, run_for};
use crate::device_folder::end_file;
use crate::prepare::UndoOutcome;
use crate::{Cancel, Device, DeviceError, quote};

/// Looks at a process that was asked to end, until it is killed.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(250);

/// Ends a recorder and removes its files. One that has ended is as good.
pub(crate) fn end(
    device: &dyn Device,
    name: &str,
    files: &[String],
) -> Result<UndoOutcome, DeviceError> {
    run_for(device, &command_to_end(name), LONG_PATIENCE)?;
    // One whose number was never written down is found by the file that it writes.
    for file in files.iter().filter(|file| file.starts_with("/data/misc/")) {
        end_writer(device, file)?;
    }
    run(device, &command_to_remove(files))?;
    Ok(UndoOutcome::Back)
}

/// Ends the processes that have a file in their command line.
fn end_writer(device: &dyn Device, file: &str) -> Result<(), DeviceError> {
    for look in 0..LOOKS {
        let signal = if look + 1 == LOOKS { "KILL" } else { "TERM" };
        let found = run(device, &command_to_signal(file, signal))?;
        if found.trim().is_empty() {
            return Ok(());
        }
        Cancel::new().sleep(PAUSE)?;
    }
    Ok(())
}

/// Signals the writers of a file, and prints their numbers.
fn command_to_signal(file: &str, signal: &str) -> String {
    // A letter in brackets keeps the search, whose own command line has it, from finding itself.
    let name = file.rsplit('/').next().unwrap_or(file);
    let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
    let pattern = quote(&format!("[{first}]{rest}"));
    format!(
        "for file in $(grep -l {pattern} /proc/[0-9]*/cmdline 2>/dev/null); do pid=${{file%/cmdline}}; \
         pid=${{pid##*/}}; kill -{signal} $pid 2>/dev/null && echo $pid; done; true"
    )
}

fn command_to_end(name: &str) -> String {
    let file = end_file(name);
    format!("if [ -e {file} ]; then sh {file} >/dev/null 2>&1; fi; true")
}

fn command_to_remove(files: &[String]) -> String {
    let files: Vec<String> = files.iter().map(|file| quote(file)).collect();
    format!("rm -f {}", files.join(" "))
}

/// The commands by which a person does the same as [`end`].
pub(crate) fn commands(name: &str, files: &[String]) -> Vec<String> {
    vec![command_to_end(name), command_to_remove(files)]
}

/// The command that sets a property.
pub(crate) fn property_command(name: &str, value: &str) -> String {
    format!("setprop {name} {}", quote(value))
}

/// Gives a property its earlier value.
pub(crate) fn set_property(
    device: &dyn Device,
    name: &str,
    before: &str,
) -> Result<UndoOutcome, DeviceError> {
    let found = run(device, &format!("getprop {name}"))?;
    if found.trim() != before {
        run(device, &property_command(name, before))?;
    }
    Ok(UndoOutcome::Back)
}

/// Removes the files that probes have written. An app that is gone took them with it.
pub(crate) fn remove_probe_files(
    device: &dyn Device,
    package: &str,
    command: &str,
) -> Result<UndoOutcome, DeviceError> {
    match run_for(device, command, LONG_PATIENCE) {
        Err(error @ DeviceError::Refused { .. }) => {
            let found = device.shell(&format!("pm path {}", quote(package)), LONG_PATIENCE)?;
            if found.text().contains("package:") { Err(error) } else { Ok(UndoOutcome::Back) }
        }
        done => done.map(|_| UndoOutcome::Back),
    }
}
