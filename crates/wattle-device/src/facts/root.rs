//! Whether a shell can be root.

use std::time::Duration;

use crate::questions::Questions;
use crate::{Device, DeviceError};

/// On a rooted phone, a person may have to allow it on the screen.
const LIMIT: Duration = Duration::from_secs(10);

/// Whether the shell is root, or `su` makes it so; else why not.
pub(crate) fn root(
    device: &dyn Device,
    id: &str,
    su: bool,
) -> Result<Result<(), String>, DeviceError> {
    if id.trim() == "0" {
        return Ok(Ok(()));
    }
    if !su {
        return Ok(Err("the shell is not root, and there is no su".into()));
    }
    // Programs named `su` differ: those of rooted phones take `-c`, Android's own takes the user first.
    let questions = Questions::new().ask("su", "su -c 'id -u' || su 0 id -u");
    let answers = questions.put(device, LIMIT)?;
    Ok(match answers.text("su") {
        Ok(text) if text.lines().any(|line| line.trim() == "0") => Ok(()),
        Ok(text) => Err(format!("su gave no root: {}", crate::questions::first_line(text))),
        Err(reason) => Err(format!("su gave no root: {reason}")),
    })
}
