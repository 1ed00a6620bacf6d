//! The part of an app that is compiled before it runs.

use std::fmt;
use std::time::Duration;

use crate::command::{LONG_PATIENCE, run_for};
use crate::prepare::{Before, Change, Need, Undo, UndoOutcome};
use crate::{Device, DeviceError, quote};

/// The longest that compiling a large app takes.
const COMPILING: Duration = Duration::from_mins(10);
/// `ProfileInstaller.RESULT_INSTALL_SUCCESS` and `RESULT_ALREADY_INSTALLED`.
const INSTALLED: [&str; 2] = ["result=1", "result=2"];

/// The part of an app's code that is compiled before it runs, as Macrobenchmark names it (`CompilationMode`). What is not compiled is
/// interpreted, and compiled while it runs: runs of one app differ by that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compilation {
    /// None (`verify`): as after an installation without profiles.
    None,
    /// That which the app's baseline profile names (`speed-profile`): as after an installation from a store.
    Baseline,
    /// Everything (`speed`).
    Full,
}

impl Compilation {
    /// Its name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Baseline => "baseline",
            Self::Full => "full",
        }
    }

    /// The filter of the compiler (`CompilerFilter` of ART).
    const fn filter(self) -> &'static str {
        match self {
            Self::None => "verify",
            Self::Baseline => "speed-profile",
            Self::Full => "speed",
        }
    }
}

impl fmt::Display for Compilation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An app is compiled in one way for the run.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub package: String,
    pub how: Compilation,
}

impl Compiled {
    /// Asks the app's own profile installer (`androidx.profileinstaller`) to hand its profile to the runtime.
    fn hand_over_profile(&self, device: &dyn Device) -> Result<(), DeviceError> {
        let receiver = format!("{}/androidx.profileinstaller.ProfileInstallReceiver", self.package);
        let command = format!(
            "am broadcast --include-stopped-packages -a androidx.profileinstaller.action.INSTALL_PROFILE {}",
            quote(&receiver)
        );
        let said = run_for(device, &command, LONG_PATIENCE)?;
        if INSTALLED.iter().any(|result| said.contains(result)) {
            return Ok(());
        }
        Err(DeviceError::Refused {
            what: format!("the baseline profile of {}", self.package),
            said: format!(
                "the app's profile installer gave none ({}): it needs a profile in its APK and androidx.profileinstaller 1.1 or later; \
                 or choose --compilation none or full",
                crate::questions::first_line(said.lines().last().unwrap_or_default())
            ),
        })
    }
}

impl Change for Compiled {
    fn description(&self) -> String {
        format!("{} compiled: {} ({})", self.package, self.how, self.how.filter())
    }

    fn need(&self) -> Need {
        Need::Must
    }

    fn look(&self, _device: &dyn Device) -> Result<Before, DeviceError> {
        let undo = Some(Undo::Compiled { package: self.package.clone() });
        Ok(Before { state: None, undo, as_wanted: false })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        if self.how == Compilation::Baseline {
            self.hand_over_profile(device)?;
        }
        let filter = self.how.filter();
        let command = format!("cmd package compile -f -m {filter} {}", quote(&self.package));
        let said = run_for(device, &command, COMPILING)?;
        if said.lines().any(|line| line.trim() == "Success") {
            return Ok(());
        }
        Err(DeviceError::Refused { what: command, said: crate::questions::first_line(&said) })
    }

    fn verify(
        &self,
        _device: &dyn Device,
        _undo: Option<&mut Undo>,
    ) -> Result<String, DeviceError> {
        Ok(self.how.filter().into())
    }
}

/// The command that compiles an app as an installation does.
pub(crate) fn reset_command(package: &str) -> String {
    format!("cmd package compile --reset {}", quote(package))
}

/// Back to what an installation makes. An app that has gone needs nothing.
pub(crate) fn restore(device: &dyn Device, package: &str) -> Result<UndoOutcome, DeviceError> {
    let output = device.shell(&reset_command(package), COMPILING)?;
    let said = [output.text(), String::from_utf8_lossy(&output.stderr)].concat();
    let is_gone = said.contains("not found") || said.contains("Unknown package");
    if said.contains("Success") || is_gone {
        return Ok(UndoOutcome::Back);
    }
    Err(DeviceError::Refused {
        what: reset_command(package),
        said: crate::questions::first_line(&said),
    })
}
