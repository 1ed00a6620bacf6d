//! Clocks that do not move.

use crate::command::run;
use crate::prepare::{Before, Change, Need, Undo, UndoOutcome};
use crate::{Device, DeviceError};

/// The command that ends it.
pub(crate) const END: &str = "cmd power set-fixed-performance-mode-enabled false";
const BEGIN: &str = "cmd power set-fixed-performance-mode-enabled true";

/// CPU and GPU clocks stay at or near one point that the vendor chose, below the highest (fixed performance mode of Android 11 and later,
/// as far as the vendor has it). The phone can still become hot.
#[derive(Clone, Debug)]
pub(crate) struct FixedPerformance;

impl Change for FixedPerformance {
    fn description(&self) -> String {
        "fixed performance mode".into()
    }

    fn need(&self) -> Need {
        Need::Must
    }

    fn look(&self, _device: &dyn Device) -> Result<Before, DeviceError> {
        // Android tells nobody whether it is on. It is off unless somebody asks for it, and after every start of the phone.
        Ok(Before { state: None, undo: Some(Undo::FixedPerformance), as_wanted: false })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        match run(device, BEGIN) {
            Err(DeviceError::Refused { said, .. }) => Err(DeviceError::Refused {
                what: "fixed performance mode".into(),
                said: format!("{said}; this phone has none: leave --fixed-performance out"),
            }),
            other => other.map(drop),
        }
    }

    fn verify(
        &self,
        _device: &dyn Device,
        _undo: Option<&mut Undo>,
    ) -> Result<String, DeviceError> {
        Ok("on".into())
    }
}

pub(crate) fn restore(device: &dyn Device) -> Result<UndoOutcome, DeviceError> {
    match run(device, END) {
        // A phone without it was not changed either (`PowerManagerShellCommand`; before Android 11 there is no such command).
        Err(DeviceError::Refused { said, .. })
            if said.contains("FIXED_PERFORMANCE") || said.contains("Unknown command") =>
        {
            Ok(UndoOutcome::Back)
        }
        other => other.map(|_| UndoOutcome::Back),
    }
}
