//! Watching a command until it ends.

use std::time::{Duration, Instant};

use crate::{Device, DeviceError, ShellEvent};

/// Time limit of one read: output is passed on at once, this only bounds how late a limit is noticed.
const LOOK: Duration = Duration::from_millis(200);

/// Takes a piece of output, and whether it is standard error.
type Each<'a> = dyn FnMut(&[u8], bool) -> Result<(), DeviceError> + 'a;

/// Runs a command to its end and gives each piece of its output (and whether it is standard error) to `each`. Gives its
/// exit status, where the device tells it.
///
/// # Errors
/// [`DeviceError::TimedOut`] after `limit`; the command is ended then. What `each` or the device says.
pub(crate) fn follow(
    device: &dyn Device,
    command: &str,
    limit: Duration,
    each: &mut Each<'_>,
) -> Result<Option<u8>, DeviceError> {
    let began = Instant::now();
    let mut stream = device.stream(command)?;
    stream.close_input()?;
    loop {
        match stream.next(LOOK.min(limit))? {
            Some(ShellEvent::Stdout(bytes)) => each(&bytes, false)?,
            Some(ShellEvent::Stderr(bytes)) => each(&bytes, true)?,
            Some(ShellEvent::Exit(status)) => return Ok(status),
            None => {}
        }
        if began.elapsed() >= limit {
            return Err(DeviceError::TimedOut { what: command.to_owned(), limit });
        }
    }
}
