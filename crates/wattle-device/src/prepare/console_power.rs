//! The emulator's charger and battery.

use serde::{Deserialize, Serialize};

/// The state of the battery that is changed, as in the console's `power display`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConsolePower {
    /// `on` or `off`.
    pub(super) ac: String,
    /// `unknown`, `charging`, `discharging`, `not-charging`, `full`.
    pub(super) status: String,
}

impl ConsolePower {
    /// The state for the run.
    pub(super) fn discharging() -> Self {
        Self { ac: "off".into(), status: "discharging".into() }
    }

    /// Lines `AC: online`, `status: Charging`.
    pub(super) fn parse(display: &str) -> Option<Self> {
        let field = |name: &str| {
            display.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_ascii_lowercase())
            })
        };
        let ac = if field("AC")? == "online" { "on" } else { "off" };
        Some(Self { ac: ac.into(), status: field("status")?.replace(' ', "-") })
    }

    /// The commands that make it so.
    pub(crate) fn commands(&self) -> impl Iterator<Item = String> {
        [format!("power ac {}", self.ac), format!("power status {}", self.status)].into_iter()
    }

    /// The state as text.
    pub(super) fn shown(&self) -> String {
        format!("ac {}, {}", self.ac, self.status)
    }
}
