//! Which component a rail supplies.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{Component, PowerError};

const DATA: &str = include_str!("../../data/rails.toml");

static BUILT_IN: LazyLock<RailNames> =
    LazyLock::new(|| RailNames::parse("rails.toml", DATA).unwrap_or_default());

/// Hardware that a rail of a known name supplies.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct RailName {
    names: Vec<String>,
    pub(crate) label: String,
    pub(crate) component: Component,
    #[serde(default)]
    pub(crate) cluster: Option<usize>,
    #[serde(default)]
    pub(crate) role: Option<Role>,
    /// Label of the metered rail that feeds it.
    #[serde(default)]
    pub(crate) behind: Option<String>,
}

/// Role of a rail beside its component's own.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Supplies memories beside the component's own rail.
    Memory,
}

/// The table of known rails.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct RailNames {
    #[serde(default)]
    rail: Vec<RailName>,
}

impl RailNames {
    /// The table that comes with Wattle.
    pub(crate) fn built_in() -> &'static Self {
        &BUILT_IN
    }

    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, PowerError> {
        toml::from_str(text).map_err(|error| PowerError::DeviceModelSyntax {
            name: name.to_owned(),
            reason: error.to_string(),
        })
    }

    /// By the monitor's own name (`S4M_VDD_CPUCL0`), or by Perfetto's (`power.rails.cpu.little`).
    pub(crate) fn find(&self, name: &str) -> Option<&RailName> {
        let label = name.strip_prefix("power.rails.").unwrap_or(name);
        let raw = name.strip_prefix("power.").and_then(|n| n.strip_suffix("_uws")).unwrap_or(name);
        self.rail.iter().find(|rail| {
            rail.label == label || rail.names.iter().any(|end| raw.ends_with(end.as_str()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, label: &str, component: &Component) {
        let found = RailNames::built_in().find(name).unwrap();
        assert_eq!((found.label.as_str(), &found.component), (label, component));
    }

    #[test]
    fn raw_and_friendly_names_are_known() {
        check("S4M_VDD_CPUCL0", "cpu.little", &Component::Cpu);
        check("power.rails.cpu.little", "cpu.little", &Component::Cpu);
        check("S9M_VDD_CPUCL0_M", "cpu.little.mem", &Component::Cpu);
        check("S3M_VDD_CPU1", "cpu.mid", &Component::Cpu);
        check("S2S_VDD_G3D", "gpu", &Component::Gpu);
        check("PPVAR_VSYS_PWR_DISP", "display", &Component::Display);
        check("power.VSYS_PWR_MMWAVE_uws", "mmwave", &Component::Cellular);
        check("L9S_GNSS_CORE", "gps", &Component::Gnss);
        check("L8S_UFS_VCCQ", "ufs", &Component::Storage);
        assert_eq!(RailNames::built_in().find("S1M_VDD_SOMETHING"), None);
    }
}
