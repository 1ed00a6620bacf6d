//! A phone on a cable that does not charge.

use std::time::Duration;

use crate::command::{PATIENCE, run, settle};
use crate::facts::BatteryDump;
use crate::prepare::charge_switch::ChargeSwitch;
use crate::prepare::plug_state::battery;
use crate::prepare::{Before, Change, Need, Undo, UndoOutcome};
use crate::{Device, DeviceError};

/// Drivers follow within seconds.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);

/// The phone runs on its battery: nothing is plugged in, or its charging is stopped for the run.
#[derive(Clone, Debug)]
pub(crate) struct HaltedCharging;

impl Change for HaltedCharging {
    fn description(&self) -> String {
        "charging stopped".into()
    }

    fn need(&self) -> Need {
        Need::Must
    }

    fn look(&self, device: &dyn Device) -> Result<Before, DeviceError> {
        let found = battery(device)?;
        if found.frozen {
            return Err(DeviceError::Refused {
                what: "measuring on the battery".into(),
                said: "somebody has set the battery's state by hand: `adb shell dumpsys battery reset` shows the true one".into(),
            });
        }
        if found.facts.plugged.is_empty() {
            let state = Some("not plugged in".to_owned());
            return Ok(Before { state, undo: None, as_wanted: true });
        }
        let plugged = found.facts.plugged.join(", ");
        let Some((switch, before)) = switch(device)? else {
            return Err(DeviceError::Refused {
                what: "measuring on the battery".into(),
                said: format!(
                    "the phone is plugged in ({plugged}), and this phone's shell cannot stop its charging (that takes root and a driver with \
                     a switch for it); use adb over Wi-Fi (`adb tcpip 5555`, `adb connect ADDRESS:5555`) and pull the cable out"
                ),
            });
        };
        Ok(Before {
            state: Some(format!("plugged in ({plugged}), {} {before}", switch.path)),
            undo: Some(Undo::Charging { switch, before }),
            as_wanted: false,
        })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        match switch(device)? {
            Some((switch, _)) => run(device, &switch.command(&switch.stop)).map(drop),
            None => Ok(()),
        }
    }

    fn verify(&self, device: &dyn Device, _undo: Option<&mut Undo>) -> Result<String, DeviceError> {
        let is_still = |found: &BatteryDump| found.facts.status.as_deref() != Some("charging");
        let found = settle(LOOKS, PAUSE, || battery(device), is_still)?;
        if is_still(&found) {
            return Ok(found.facts.status.unwrap_or_else(|| "stopped".into()));
        }
        Err(DeviceError::Unexpected {
            what: "stopping the phone's charging".into(),
            expected: "a battery that does not charge".into(),
            found: "charging".into(),
        })
    }
}

/// The first switch that the phone has and lets root read, and its value.
fn switch(device: &dyn Device) -> Result<Option<(ChargeSwitch, String)>, DeviceError> {
    for switch in ChargeSwitch::known() {
        let output = device.shell(&switch.ask(), PATIENCE)?;
        let value = output.text().trim().to_owned();
        // Values are numbers; Samsung's may be several digits.
        if output.is_success() && value.parse::<u32>().is_ok() {
            return Ok(Some((switch, value)));
        }
    }
    Ok(None)
}

pub(crate) fn restore(
    device: &dyn Device,
    switch: &ChargeSwitch,
    before: &str,
) -> Result<UndoOutcome, DeviceError> {
    run(device, &switch.command(before))?;
    let found = run(device, &switch.ask())?;
    if found.trim() == before {
        return Ok(UndoOutcome::Back);
    }
    Err(DeviceError::Unexpected {
        what: switch.path.clone(),
        expected: before.to_owned(),
        found: crate::questions::first_line(&found),
    })
}
