//! The data of an app.

use crate::command::{LONG_PATIENCE, run_for};
use crate::prepare::{Before, Change, Need, Undo};
use crate::questions::first_line;
use crate::{Device, DeviceError, quote};

/// Deletes the data of an app permanently.
#[derive(Clone, Debug)]
pub(crate) struct ClearedData(pub(crate) String);

impl Change for ClearedData {
    fn description(&self) -> String {
        format!("data of {} deleted", self.0)
    }

    fn need(&self) -> Need {
        Need::Must
    }

    fn look(&self, _device: &dyn Device) -> Result<Before, DeviceError> {
        Ok(Before::default())
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        let command = format!("pm clear {}", quote(&self.0));
        let said = run_for(device, &command, LONG_PATIENCE)?;
        if said.lines().any(|line| line.trim() == "Success") {
            return Ok(());
        }
        Err(DeviceError::Refused { what: command, said: first_line(&said) })
    }

    fn verify(
        &self,
        _device: &dyn Device,
        _undo: Option<&mut Undo>,
    ) -> Result<String, DeviceError> {
        Ok("as after installing".into())
    }
}
