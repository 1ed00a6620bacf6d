//! The plug state that Android's statistics see.

use crate::command::run;
use crate::facts::BatteryDump;
use crate::prepare::{Before, Change, Undo, UndoOutcome};
use crate::{Device, DeviceError};

/// The battery service says that nothing is plugged in, so that the statistics count.
///
/// No current stops by that: a phone on a cable goes on charging.
#[derive(Clone, Debug)]
pub(crate) struct FakedUnplug;

impl Change for FakedUnplug {
    fn description(&self) -> String {
        "plug state faked for the statistics (no current stops by that)".into()
    }

    fn look(&self, device: &dyn Device) -> Result<Before, DeviceError> {
        let dump = battery(device)?;
        let plugged = dump.facts.plugged;
        let mut state = match plugged.as_slice() {
            [] => "not plugged in".to_owned(),
            sources => format!("plugged into {}", sources.join(", ")),
        };
        if dump.frozen {
            state.push_str(", as somebody has faked before");
        }
        Ok(Before {
            state: Some(state),
            // Faking also freezes level and voltage, so it is not done without need.
            as_wanted: plugged.is_empty(),
            undo: Some(Undo::PlugState {
                faked_before: if dump.frozen { plugged } else { Vec::new() },
            }),
        })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        run(device, "dumpsys battery unplug").map(drop)
    }

    fn verify(&self, device: &dyn Device, _undo: Option<&mut Undo>) -> Result<String, DeviceError> {
        let plugged = battery(device)?.facts.plugged;
        if plugged.is_empty() {
            return Ok("not plugged in".into());
        }
        Err(DeviceError::Unexpected {
            what: "dumpsys battery unplug".into(),
            expected: "nothing plugged in".into(),
            found: plugged.join(", "),
        })
    }
}

pub(crate) fn restore(
    device: &dyn Device,
    faked_before: &[String],
) -> Result<UndoOutcome, DeviceError> {
    if faked_before.is_empty() {
        run(device, "dumpsys battery reset")?;
        if battery(device)?.frozen {
            return Err(DeviceError::Unexpected {
                what: "dumpsys battery reset".into(),
                expected: "the true state of the battery".into(),
                found: "UPDATES STOPPED".into(),
            });
        }
    } else {
        for source in faked_before {
            run(device, &format!("dumpsys battery set {source} 1"))?;
        }
    }
    Ok(UndoOutcome::Back)
}

/// Reads the battery service's state.
pub(crate) fn battery(device: &dyn Device) -> Result<BatteryDump, DeviceError> {
    let text = run(device, "dumpsys battery")?;
    BatteryDump::parse(&text).ok_or_else(|| DeviceError::Unexpected {
        what: "dumpsys battery".into(),
        expected: "the state of the battery".into(),
        found: crate::questions::first_line(&text),
    })
}
