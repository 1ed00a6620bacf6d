//! Single commands whose failure is an error.

use std::time::Duration;

use crate::questions::first_line;
use crate::{Cancel, Device, DeviceError};

/// Long enough for every command that only asks: before Android 8, `settings` and `pm` start a virtual machine each time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// Long enough for what works on files.
pub(crate) const LONG_PATIENCE: Duration = Duration::from_mins(2);

/// Runs a command and gives its standard output.
///
/// # Errors
/// [`DeviceError::Refused`] with its own words if it says no.
pub(crate) fn run(device: &dyn Device, command: &str) -> Result<String, DeviceError> {
    run_for(device, command, PATIENCE)
}

/// As [`run`], with more time.
pub(crate) fn run_for(
    device: &dyn Device,
    command: &str,
    limit: Duration,
) -> Result<String, DeviceError> {
    let output = device.shell(command, limit)?;
    if output.is_success() {
        return Ok(output.text().trim_end().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &output.text();
    Err(DeviceError::Refused { what: command.to_owned(), said: first_line(&said) })
}

/// Looks again and again until something is as it should be, for at most so many looks.
///
/// Gives the last state that was seen, whether or not it is the one.
pub(crate) fn settle<T>(
    looks: u32,
    pause: Duration,
    mut look: impl FnMut() -> Result<T, DeviceError>,
    is_it: impl Fn(&T) -> bool,
) -> Result<T, DeviceError> {
    let mut seen = look()?;
    for _ in 1..looks {
        if is_it(&seen) {
            break;
        }
        // The look itself, which goes to the device, is what notices a cancelled run.
        Cancel::new().sleep(pause)?;
        seen = look()?;
    }
    Ok(seen)
}
