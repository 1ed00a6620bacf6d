//! Commands that must do what they are for.

use std::time::Duration;

use crate::{Device, DeviceError, ShellOutput};

/// The number of bytes of a command's output that go into an error.
const SAID: usize = 400;

/// Runs a command and gives what it left, if it ended well.
///
/// # Errors
/// [`DeviceError::CommandFailed`] with what it said, or what the device does.
pub(crate) fn run(
    device: &dyn Device,
    command: &str,
    limit: Duration,
) -> Result<ShellOutput, DeviceError> {
    let output = device.shell(command, limit)?;
    if output.is_success() {
        return Ok(output);
    }
    Err(DeviceError::CommandFailed {
        command: command.to_owned(),
        status: output.status,
        said: text(&output),
    })
}

/// Everything that a command wrote, shortened for an error.
pub(crate) fn text(output: &ShellOutput) -> String {
    let mut bytes = output.stderr.clone();
    bytes.extend_from_slice(&output.stdout);
    shorten(&String::from_utf8_lossy(&bytes))
}

/// A text that fits into an error.
pub(crate) fn shorten(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return "(nothing was said)".to_owned();
    }
    match text.char_indices().nth(SAID) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
