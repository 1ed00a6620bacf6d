//! Switches of phones that stop their charging.

use serde::{Deserialize, Serialize};

/// A file of the kernel that stops charging while a cable is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChargeSwitch {
    /// Its path.
    pub path: String,
    /// The value that stops charging.
    pub stop: String,
}

impl ChargeSwitch {
    /// Those of the drivers that are spread widely: Qualcomm's (also Xiaomi's), Samsung's, and others'. They are among those that Advanced Charging
    /// Controller collects (`acc/ctrl-files.sh`).
    pub fn known() -> Vec<Self> {
        let switches = [
            ("/sys/class/power_supply/battery/input_suspend", "1"),
            ("/sys/class/power_supply/battery/batt_slate_mode", "1"),
            ("/sys/class/power_supply/battery/charging_enabled", "0"),
        ];
        switches.map(|(path, stop)| Self { path: path.into(), stop: stop.into() }).into()
    }

    /// The command that gives it a value, as root.
    pub fn command(&self, value: &str) -> String {
        as_root(&format!("echo {value} > {}", self.path))
    }

    /// The command that prints its value, as root.
    pub fn ask(&self) -> String {
        as_root(&format!("cat {}", self.path))
    }
}

/// Runs a command as root, whether the shell is root or `su` makes it so. Programs named `su` differ: those of rooted phones take `-c`,
/// Android's own takes the user first.
fn as_root(command: &str) -> String {
    let quoted = crate::quote(command);
    format!(
        "if [ \"$(id -u)\" = 0 ]; then {command}; else su -c {quoted} || su 0 sh -c {quoted}; fi"
    )
}
