//! Android's battery statistics.

use crate::command::{LONG_PATIENCE, run, run_for};
use crate::prepare::{Before, Change, Need, Undo, UndoOutcome};
use crate::questions::first_line;
use crate::{Device, DeviceError};

/// Puts the history of wakelocks back to its normal grain.
pub(crate) const DISABLE: &str = "dumpsys batterystats --disable full-wake-history";
const ENABLE: &str = "dumpsys batterystats --enable full-wake-history";
const RESET: &str = "dumpsys batterystats --reset";

/// The statistics begin anew.
#[derive(Clone, Debug)]
pub(crate) struct StatisticsReset;

impl Change for StatisticsReset {
    fn description(&self) -> String {
        "battery statistics reset".into()
    }

    fn look(&self, _device: &dyn Device) -> Result<Before, DeviceError> {
        Ok(Before::default())
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        let said = run_for(device, RESET, LONG_PATIENCE)?;
        // `dumpsys` ends well whatever the service thinks of its words. Its yes is `Battery stats reset.`, since Android 13
        // `Battery stats and history reset.`
        if said.lines().any(|line| line.starts_with("Battery stats") && line.contains("reset")) {
            return Ok(());
        }
        Err(DeviceError::Unexpected {
            what: RESET.into(),
            expected: "Battery stats reset".into(),
            found: first_line(&said),
        })
    }

    fn verify(
        &self,
        _device: &dyn Device,
        _undo: Option<&mut Undo>,
    ) -> Result<String, DeviceError> {
        Ok("from zero".into())
    }
}

/// The history keeps every wakelock, not only the first of those held at a time.
#[derive(Clone, Debug)]
pub(crate) struct FullWakeHistory;

impl Change for FullWakeHistory {
    fn description(&self) -> String {
        "all wakelocks kept in the battery history".into()
    }

    fn need(&self) -> Need {
        Need::Must
    }

    fn look(&self, _device: &dyn Device) -> Result<Before, DeviceError> {
        Ok(Before {
            state: Some(
                "cannot be read; off since the device was started unless somebody set it".into(),
            ),
            undo: Some(Undo::FullWakeHistory),
            as_wanted: false,
        })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        switch(device, ENABLE)
    }

    fn verify(
        &self,
        _device: &dyn Device,
        _undo: Option<&mut Undo>,
    ) -> Result<String, DeviceError> {
        Ok("on".into())
    }
}

/// Puts the history back.
pub(crate) fn restore_wake_history(device: &dyn Device) -> Result<UndoOutcome, DeviceError> {
    switch(device, DISABLE).map(|()| UndoOutcome::Back)
}

/// The service answers `Enabled: full-wake-history`, and explains itself where it does not know the word.
fn switch(device: &dyn Device, command: &str) -> Result<(), DeviceError> {
    let said = run(device, command)?;
    if said.contains("full-wake-history") && said.lines().count() <= 2 {
        return Ok(());
    }
    Err(DeviceError::Unexpected {
        what: command.into(),
        expected: "a yes".into(),
        found: first_line(&said),
    })
}
