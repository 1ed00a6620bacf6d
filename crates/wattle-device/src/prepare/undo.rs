//! Ways to undo a change. These are data, not functions: they outlive the program in a file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::prepare::charge_switch::ChargeSwitch;
use crate::prepare::console_power::ConsolePower;
use crate::prepare::log_size::LogSize;
use crate::prepare::radio_kind::Radio;

/// The action that undoes a change.
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
    /// The phone charges again.
    Charging { switch: ChargeSwitch, before: String },
    /// The clocks are free again.
    FixedPerformance,
    /// An app is compiled as its installation does it.
    Compiled { package: String },
    /// Airplane mode or Wi-Fi.
    Radio { radio: Radio, before: bool },
    /// A recorder ends, and its files go.
    Recorder { name: String, files: Vec<String> },
    /// A system property gets its earlier value.
    Property { name: String, before: String },
    /// The files that probes have written in an app's folder go.
    ProbeFiles { package: String, command: String },
    /// The packages that were installed before; without any, the app goes.
    App { package: String, originals: Vec<PathBuf>, during: Vec<String> },
}
