//! Regulators of power-management chips, and which of them feeds which.

use std::collections::BTreeMap;

use serde::Deserialize;
use wattle_timeline::Timeline;

use crate::ModelMatch;

/// Longest chain of regulators that is followed; real ones have two.
const LONGEST_CHAIN: usize = 8;

/// The regulators of one family of devices, as its device tree connects them.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct SupplyTree {
    /// The family's name (`gs101`).
    pub(super) name: String,
    /// The devices of the family.
    #[serde(rename = "match")]
    matching: ModelMatch,
    /// The public files or the measurement that state the connections.
    pub(super) source: String,
    /// The regulators that each regulator feeds.
    #[serde(default)]
    pub(super) feeds: BTreeMap<String, Vec<String>>,
    /// The regulators that are known not to feed a regulator, by that one.
    #[serde(default)]
    pub(super) apart: BTreeMap<String, Vec<String>>,
}

impl SupplyTree {
    /// Whether it is that of the recorded device.
    pub(super) fn is_for(&self, timeline: &Timeline) -> bool {
        self.matching.reason(timeline).is_some()
    }

    /// Whether it states what feeds a regulator.
    pub(super) fn has(&self, regulator: &str) -> bool {
        self.feeder(regulator).is_some()
    }

    /// Whether it is known that a regulator does not feed another.
    pub(super) fn is_apart(&self, regulator: &str, feeder: &str) -> bool {
        self.apart.get(regulator).is_some_and(|apart| apart.iter().any(|name| name == feeder))
    }

    /// The regulators that feed one, the nearest first.
    pub(super) fn feeders<'a>(&'a self, regulator: &str) -> impl Iterator<Item = &'a str> {
        let next = |of: &&'a str| self.feeder(of);
        std::iter::successors(self.feeder(regulator), next).take(LONGEST_CHAIN)
    }

    fn feeder(&self, regulator: &str) -> Option<&str> {
        let feeds = |(_, fed): &(&String, &Vec<String>)| fed.iter().any(|name| name == regulator);
        self.feeds.iter().find(feeds).map(|(name, _)| name.as_str())
    }
}

/// The regulator in the monitor's name of a rail: `L2S` of `L2S_VDD_AOC_RET`. `None` for rails that are measured elsewhere
/// (`VSYS_PWR_MODEM`).
pub(super) fn regulator(rail: &str) -> Option<&str> {
    let raw = rail.strip_prefix("power.").and_then(|n| n.strip_suffix("_uws")).unwrap_or(rail);
    let first = raw.split('_').next()?;
    let numbered = || {
        let digits = first.strip_prefix(['S', 'L'])?.strip_suffix(['M', 'S'])?;
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(first)
    };
    if matches!(first, "SA" | "SD" | "BB") { Some(first) } else { numbered() }
}

/// Whether it is a linear regulator, which a buck converter may feed.
pub(super) fn is_linear(regulator: &str) -> bool {
    regulator.starts_with('L')
}

/// Whether the monitor's name of a rail says that the rail feeds linear regulators (`S6M_LLDO1`, `S7S_MLDO`).
pub(super) fn feeds_linear(rail: &str) -> bool {
    regulator(rail).is_some_and(|regulator| !is_linear(regulator)) && rail.contains("LDO")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regulators_are_in_the_names_of_rails() {
        let cases = [
            ("L2S_VDD_AOC_RET", Some("L2S")),
            ("power.S10M_VDD_TPU_uws", Some("S10M")),
            ("SA", Some("SA")),
            ("BB_HLDO", Some("BB")),
            ("VSYS_PWR_MODEM", None),
            ("SM_X", None),
            ("power.rails.gpu", None),
            ("", None),
        ];
        for (rail, expected) in cases {
            assert_eq!(regulator(rail), expected, "{rail}");
        }
        assert!(feeds_linear("S7S_MLDO") && feeds_linear("BB_HLDO") && !feeds_linear("L2S_LDO"));
    }
}
