//! The battery of an emulator, through its console.

use std::fmt;

use crate::adb::{EmulatorConsole, Environment, Limits};
use crate::prepare::console_power::ConsolePower;
use crate::prepare::{Before, Change, Undo, UndoOutcome};
use crate::{Cancel, Device, DeviceError};

/// A way to the console of an emulator, also long after the run has begun.
pub trait ConsoleAccess: Send + Sync + fmt::Debug {
    /// Gives it one command (`power ac off`) and gives its answer without the closing `OK`.
    ///
    /// # Errors
    /// If there is no console, or it says `KO`.
    fn command(&self, command: &str) -> Result<String, DeviceError>;
}

/// The console, connected to anew for each command: a run may last longer than a connection.
#[derive(Clone, Debug)]
pub struct ConsoleOnDemand {
    /// adb's name of the emulator.
    pub serial: String,
    /// The folder that contains the user's token.
    pub environment: Environment,
    /// Time limit of each step.
    pub limits: Limits,
}

impl ConsoleAccess for ConsoleOnDemand {
    fn command(&self, command: &str) -> Result<String, DeviceError> {
        // Putting back goes on after the run was cancelled; the limits end this in any case.
        let cancel = Cancel::new();
        let mut console =
            EmulatorConsole::connect(&self.serial, &self.environment, self.limits, &cancel)?;
        console.command(command).map(|lines| lines.join("\n"))
    }
}

/// The emulator's battery discharges: an emulator in its first state charges, and its statistics count nothing.
#[derive(Clone, Debug)]
pub(crate) struct Discharging<'c>(pub(crate) &'c dyn ConsoleAccess);

impl Change for Discharging<'_> {
    fn description(&self) -> String {
        "emulator's charger off".into()
    }

    fn look(&self, _device: &dyn Device) -> Result<Before, DeviceError> {
        let before = read(self.0)?;
        Ok(Before {
            state: Some(before.shown()),
            as_wanted: before == ConsolePower::discharging(),
            undo: Some(Undo::ConsolePower { before }),
        })
    }

    fn apply(&self, _device: &dyn Device) -> Result<(), DeviceError> {
        set(self.0, &ConsolePower::discharging())
    }

    fn verify(
        &self,
        _device: &dyn Device,
        _undo: Option<&mut Undo>,
    ) -> Result<String, DeviceError> {
        check(self.0, &ConsolePower::discharging())
    }
}

fn read(console: &dyn ConsoleAccess) -> Result<ConsolePower, DeviceError> {
    let display = console.command("power display")?;
    ConsolePower::parse(&display).ok_or_else(|| DeviceError::Unexpected {
        what: "power display".into(),
        expected: "lines AC and status".into(),
        found: crate::questions::first_line(&display),
    })
}

fn set(console: &dyn ConsoleAccess, wanted: &ConsolePower) -> Result<(), DeviceError> {
    wanted.commands().try_for_each(|command| console.command(&command).map(drop))
}

fn check(console: &dyn ConsoleAccess, wanted: &ConsolePower) -> Result<String, DeviceError> {
    let found = read(console)?;
    if found == *wanted {
        return Ok(found.shown());
    }
    Err(DeviceError::Unexpected {
        what: "power display".into(),
        expected: wanted.shown(),
        found: found.shown(),
    })
}

pub(crate) fn restore(
    device: &dyn Device,
    console: Option<&dyn ConsoleAccess>,
    before: &ConsolePower,
) -> Result<UndoOutcome, DeviceError> {
    let console = console.ok_or_else(|| DeviceError::Refused {
        what: format!("the console of {}", device.serial()),
        said: "it cannot be reached".into(),
    })?;
    let found = read(console)?;
    if found == *before {
        return Ok(UndoOutcome::Back);
    }
    // Half of our two commands may have been given.
    let ours = ConsolePower::discharging();
    let half = ConsolePower { ac: ours.ac.clone(), status: before.status.clone() };
    if found != ours && found != half {
        return Ok(UndoOutcome::Changed(found.shown()));
    }
    set(console, before)?;
    check(console, before).map(|_| UndoOutcome::Back)
}
