//! The screen is lit and unlocked.

use std::time::Duration;

use crate::command::{run, settle};
use crate::facts::is_awake;
use crate::prepare::{Before, Change, Undo, UndoOutcome};
use crate::questions::first_line;
use crate::{Device, DeviceError};

/// Puts the screen out; unlike the power key it does nothing to a dark one.
pub(crate) const SLEEP: &str = "input keyevent KEYCODE_SLEEP";
const WAKE: &str = "input keyevent KEYCODE_WAKEUP";
/// Keys are taken at once, screens follow with their own pace.
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(200);

/// The screen is lit.
#[derive(Clone, Debug)]
pub(crate) struct Woken;

impl Change for Woken {
    fn description(&self) -> String {
        "screen woken".into()
    }

    fn look(&self, device: &dyn Device) -> Result<Before, DeviceError> {
        let awake = awake(device)?;
        Ok(Before {
            state: Some(word(awake).into()),
            undo: (!awake).then_some(Undo::Sleep),
            as_wanted: awake,
        })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        run(device, WAKE).map(drop)
    }

    fn verify(&self, device: &dyn Device, _undo: Option<&mut Undo>) -> Result<String, DeviceError> {
        settled(device, true, WAKE).map(|()| word(true).into())
    }
}

/// The screen goes dark again.
pub(crate) fn sleep(device: &dyn Device) -> Result<UndoOutcome, DeviceError> {
    if awake(device)? {
        run(device, SLEEP)?;
        settled(device, false, SLEEP)?;
    }
    Ok(UndoOutcome::Back)
}

fn settled(device: &dyn Device, wanted: bool, what: &str) -> Result<(), DeviceError> {
    if settle(LOOKS, PAUSE, || awake(device), |found| *found == wanted)? == wanted {
        return Ok(());
    }
    Err(DeviceError::Unexpected {
        what: what.into(),
        expected: word(wanted).into(),
        found: word(!wanted).into(),
    })
}

fn awake(device: &dyn Device) -> Result<bool, DeviceError> {
    let dump = run(device, "dumpsys power")?;
    is_awake(&dump).ok_or_else(|| DeviceError::Unexpected {
        what: "dumpsys power".into(),
        expected: "mWakefulness".into(),
        found: first_line(&dump),
    })
}

fn word(awake: bool) -> &'static str {
    if awake { "lit" } else { "dark" }
}

/// No lock screen is before the app.
#[derive(Clone, Debug)]
pub(crate) struct Unlocked;

impl Change for Unlocked {
    fn description(&self) -> String {
        "lock screen dismissed".into()
    }

    fn look(&self, device: &dyn Device) -> Result<Before, DeviceError> {
        // The screen locks itself again when it goes dark, so there is nothing to put back.
        let locked = locked(device)?;
        Ok(Before {
            state: locked.map(|locked| if locked { "locked" } else { "unlocked" }.into()),
            undo: None,
            as_wanted: locked == Some(false),
        })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        run(device, "wm dismiss-keyguard").map(drop)
    }

    fn verify(&self, device: &dyn Device, _undo: Option<&mut Undo>) -> Result<String, DeviceError> {
        let unlocked = |found: &Option<bool>| *found != Some(true);
        if unlocked(&settle(LOOKS, PAUSE, || locked(device), unlocked)?) {
            return Ok("unlocked".into());
        }
        Err(DeviceError::Unexpected {
            what: "wm dismiss-keyguard".into(),
            expected: "an unlocked screen; with a PIN or pattern, unlock it by hand".into(),
            found: "the lock screen".into(),
        })
    }
}

/// `showing=` of the keyguard's part of the window policy (Android 5 and later); `None` where it does not say.
fn locked(device: &dyn Device) -> Result<Option<bool>, DeviceError> {
    let dump = run(device, "dumpsys window policy")?;
    Ok(dump.lines().find_map(|line| line.trim().strip_prefix("showing=")?.trim().parse().ok()))
}
