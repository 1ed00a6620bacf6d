//! Waiting until a device is cool enough for the next run.

use std::time::{Duration, Instant};

use crate::prepare::{Condition, Conditions, Finding, Level, Limits};
use crate::{Cancel, Device, DeviceError};

/// Pause between two looks.
const LOOK: Duration = Duration::from_secs(5);

/// The rule by which a device cools down before a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoolDown {
    /// The battery may have this many degrees Celsius; `None`: it only must not be hot ([`Limits::hot_celsius`]).
    pub to_celsius: Option<f64>,
    /// Longest time to wait before each run. Default is 10 minutes.
    pub patience: Duration,
}

impl Default for CoolDown {
    fn default() -> Self {
        Self { to_celsius: None, patience: Duration::from_mins(10) }
    }
}

/// Conditions that a run can begin in, and how long they were waited for.
#[derive(Debug)]
pub(crate) struct Cooled {
    pub(crate) conditions: Conditions,
    pub(crate) findings: Vec<Finding>,
    pub(crate) waited: Duration,
}

impl CoolDown {
    /// Reads the conditions, and waits while the device is too warm.
    ///
    /// # Errors
    /// [`DeviceError::Unfit`] if it stays too warm, or is unfit in another way.
    pub(crate) fn wait(
        &self,
        device: &dyn Device,
        limits: &Limits,
        note: &mut dyn FnMut(String),
    ) -> Result<Cooled, DeviceError> {
        let began = Instant::now();
        let mut is_said = false;
        loop {
            let conditions = Conditions::read(device)?;
            let findings = conditions.check(limits);
            let refused = |hot: bool| {
                let texts = findings.iter().filter(move |finding| {
                    finding.level == Level::Refuse && (finding.condition == Condition::Hot) == hot
                });
                texts.map(|finding| finding.text.clone()).collect::<Vec<_>>()
            };
            let other = refused(false);
            if !other.is_empty() {
                return Err(DeviceError::Unfit(other.join("; ")));
            }
            let mut warm = refused(true);
            warm.extend(self.too_warm(&conditions));
            if warm.is_empty() {
                return Ok(Cooled { conditions, findings, waited: began.elapsed() });
            }
            let warm = warm.join("; ");
            if began.elapsed() >= self.patience {
                let minutes = self.patience.as_secs_f64() / 60.0;
                return Err(DeviceError::Unfit(format!(
                    "after {minutes:.0} min of cooling {warm}"
                )));
            }
            if !is_said {
                is_said = true;
                note(format!("waiting for the device to cool down: {warm}"));
            }
            // The look itself, which goes to the device, is what notices a cancelled run.
            Cancel::new().sleep(LOOK.min(self.patience))?;
        }
    }

    fn too_warm(&self, conditions: &Conditions) -> Option<String> {
        let limit = self.to_celsius?;
        let degrees = conditions.battery.as_ref()?.temperature?;
        (degrees > limit).then(|| {
            format!("the battery has {degrees:.1} °C ({limit:.1} °C is wanted for each run)")
        })
    }
}
