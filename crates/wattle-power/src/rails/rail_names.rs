//! Which component a rail supplies.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::supply_tree::SupplyTree;
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
    /// All that the battery gives, beside rails of its parts.
    Whole,
}

/// The table of known rails.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RailNames {
    rail: Vec<RailName>,
    /// Words that descriptors of rails declare, by component.
    subsystems: BTreeMap<Component, Vec<String>>,
    /// The supply trees of families of devices.
    #[serde(rename = "family")]
    pub(super) families: Vec<SupplyTree>,
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

    /// The component that a rail's descriptor declares (`Display`, `CPU(BIG)`), in lower case where it is none of the known
    /// ones; `None` where the word says nothing.
    pub(crate) fn declared(&self, subsystem: &str) -> Option<Component> {
        let word = subsystem.split('(').next().unwrap_or_default().trim();
        if word.is_empty() || word.eq_ignore_ascii_case("spare") {
            return None;
        }
        let has = |words: &[String]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
        let known = self.subsystems.iter().find(|(_, words)| has(words));
        let other = || Component::Other(word.to_ascii_lowercase());
        Some(known.map_or_else(other, |(component, _)| component.clone()))
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
        check("S6S_LLDO2", "ldo.sub.b", &Component::Other("ldo.sub.b".to_owned()));
        assert_eq!(RailNames::built_in().find("S1M_VDD_SOMETHING"), None);
    }

    #[test]
    fn declared_subsystems_are_components() {
        let declared = |word: &str| RailNames::built_in().declared(word);
        assert_eq!(declared("MODEM"), Some(Component::Cellular));
        assert_eq!(declared("CPU(BIG)"), Some(Component::Cpu));
        assert_eq!(declared("PCIE"), Some(Component::Other("pcie".to_owned())));
        assert_eq!((declared(""), declared("Spare")), (None, None));
    }

    #[test]
    fn supply_trees_feed_every_regulator_once() {
        let names = RailNames::parse("rails.toml", DATA).unwrap();
        assert!(!names.families.is_empty());
        for tree in &names.families {
            assert!(!tree.source.is_empty(), "{}", tree.name);
            let mut fed: Vec<&String> = tree.feeds.values().flatten().collect();
            let count = fed.len();
            fed.sort();
            fed.dedup();
            assert_eq!(fed.len(), count, "{}: a regulator has two feeders", tree.name);
            for regulator in fed {
                let chain: Vec<&str> = tree.feeders(regulator).collect();
                assert!(chain.len() <= 2, "{}: {regulator} behind {chain:?}", tree.name);
            }
        }
    }
}
