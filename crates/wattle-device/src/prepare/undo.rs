//! How a change is undone. These are data, not functions: they outlive the program in a file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::package::put_back;
use crate::prepare::console::{self, ConsolePower};
use crate::prepare::log_buffers::{self, LogSize};
use crate::prepare::{ConsoleAccess, plug_state, radio, screen, setting, statistics};
use crate::{Device, DeviceError, quote};

/// What is done to undo a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Undo {
    /// A setting gets its earlier value, or goes if there was none.
    Setting { namespace: String, key: String, before: Option<String>, during: String },
    /// The battery service shows the true state again; sources that somebody else had faked are faked again.
    PlugState { faked_before: Vec<String> },
    /// The emulator's charger and battery.
    ConsolePower { before: ConsolePower },
    /// Sizes of the log buffers.
    LogBuffers { before: BTreeMap<String, LogSize>, during: BTreeMap<String, LogSize> },
    /// The statistics stop keeping every wakelock.
    FullWakeHistory,
    /// The screen goes dark.
    Sleep,
    /// Airplane mode or Wi-Fi.
    Radio { radio: radio::Radio, before: bool },
    /// The packages that were installed before; without any, the app goes.
    App { package: String, originals: Vec<PathBuf>, during: Vec<String> },
}

/// How an undoing ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// What was there before is there again.
    Back,
    /// Somebody else has changed it in the meantime: this is what is there, and it stays.
    Changed(String),
}

impl Undo {
    /// Undoes it. Doing so twice, or when the change was never made, does no harm.
    pub(crate) fn restore(
        &self,
        device: &dyn Device,
        console: Option<&dyn ConsoleAccess>,
    ) -> Result<Outcome, DeviceError> {
        match self {
            Self::Setting { namespace, key, before, during } => {
                setting::restore(device, namespace, key, before.as_deref(), during)
            }
            Self::PlugState { faked_before } => plug_state::restore(device, faked_before),
            Self::ConsolePower { before } => console::restore(device, console, before),
            Self::LogBuffers { before, during } => log_buffers::restore(device, before, during),
            Self::FullWakeHistory => statistics::restore_wake_history(device),
            Self::Sleep => screen::sleep(device),
            Self::Radio { radio, before } => radio::restore(device, *radio, *before),
            Self::App { package, originals, during } => {
                put_back(device, package, originals, during)
            }
        }
    }

    /// The commands by which a person does the same.
    pub(crate) fn commands(&self, serial: &str) -> Vec<String> {
        let adb = format!("adb -s {}", quote(serial));
        let shell = |command: String| format!("{adb} shell {command}");
        match self {
            Self::Setting { namespace, key, before: Some(value), .. } => {
                // The word goes through two shells, the person's and the device's.
                let value = quote(&quote(value));
                vec![shell(format!("settings put {namespace} {key} {value}"))]
            }
            Self::Setting { namespace, key, before: None, .. } => {
                vec![shell(format!("settings delete {namespace} {key}"))]
            }
            Self::PlugState { .. } => vec![shell("dumpsys battery reset".into())],
            Self::ConsolePower { before } => {
                before.commands().map(|command| format!("{adb} emu {command}")).collect()
            }
            Self::LogBuffers { before, .. } => before
                .iter()
                .map(|(buffer, size)| shell(format!("logcat -b {buffer} -G {size}")))
                .collect(),
            Self::FullWakeHistory => vec![shell(statistics::DISABLE.into())],
            Self::Sleep => vec![shell(screen::SLEEP.into())],
            Self::Radio { radio, before } => vec![shell(radio.command(*before).into())],
            Self::App { package, originals, .. } => {
                let mut commands = vec![format!("{adb} uninstall {}", quote(package))];
                let files: Vec<String> =
                    originals.iter().map(|file| quote(&file.to_string_lossy())).collect();
                match files.as_slice() {
                    [] => {}
                    [file] => commands.push(format!("{adb} install {file}")),
                    _ => commands.push(format!("{adb} install-multiple {}", files.join(" "))),
                }
                commands
            }
        }
    }
}
