//! Emulators and other virtual devices.

use serde::{Deserialize, Serialize};

/// A virtual Android device: its energy is that of the computer under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Emulator {
    /// Android's emulator (`goldfish`, `ranchu`).
    Android,
    /// Cuttlefish (`vsoc`, `cutf`).
    Cuttlefish,
    /// Android in VirtualBox, or in Genymotion, which is made of it (`vbox86`).
    Genymotion,
    /// Android in a container of a Linux computer.
    Waydroid,
    /// Android in a container of a server.
    Redroid,
}

/// Beginnings of names that only virtual devices have, in lower case: of boards, hardware, code names, models and SoCs.
const BEGINNINGS: [(&str, Emulator); 19] = [
    ("goldfish", Emulator::Android),
    ("ranchu", Emulator::Android),
    ("emu64", Emulator::Android),
    ("emulator", Emulator::Android),
    ("sdk_", Emulator::Android),
    ("android sdk built", Emulator::Android),
    ("sdk gphone", Emulator::Android),
    ("generic_x86", Emulator::Android),
    ("cutf", Emulator::Cuttlefish),
    ("vsoc", Emulator::Cuttlefish),
    ("cf_x86", Emulator::Cuttlefish),
    ("cf_arm", Emulator::Cuttlefish),
    ("aosp_cf", Emulator::Cuttlefish),
    ("cuttlefish", Emulator::Cuttlefish),
    ("vbox", Emulator::Genymotion),
    ("genymotion", Emulator::Genymotion),
    ("waydroid", Emulator::Waydroid),
    ("lineage_waydroid", Emulator::Waydroid),
    ("redroid", Emulator::Redroid),
];

impl Emulator {
    /// All of them, as words of files and JSON.
    pub const WORDS: &'static [&'static str] =
        &["android", "cuttlefish", "genymotion", "waydroid", "redroid"];

    /// From the name of a board, of hardware, of a device, a model or a SoC; `None` where it may be a real device's.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        let known = BEGINNINGS.iter().find(|(beginning, _)| name.starts_with(beginning));
        known.map(|(_, emulator)| *emulator)
    }

    /// The name in a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Android => "Android's emulator",
            Self::Cuttlefish => "Cuttlefish",
            Self::Genymotion => "Genymotion or VirtualBox",
            Self::Waydroid => "Waydroid",
            Self::Redroid => "redroid",
        }
    }
}
