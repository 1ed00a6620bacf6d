//! Ambient display.
//!
//! AOSP `AmbientDisplayPowerCalculator`: for each display, `ambient.on` × the time it dozed. The device's.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind};

use super::draw::{Drawn, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::Component;

pub(super) const ON: &str = "ambient.on.display0";
const DISPLAYS: u8 = 8;

pub(super) const RULE: Rule =
    Rule { id: RuleId::Ambient, component: Component::Display, shape: &[StateKind::Screen] };

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let mut all = Drawn::default();
    let mut counted = false;
    for display in 0..DISPLAYS {
        let name = format!("display{display}");
        let tagged = totals.device_tagged(Quantity::ScreenDoze, &name);
        let untagged = || totals.device(Quantity::ScreenDoze).filter(|_| display == 0);
        let Some(seconds) = tagged.or_else(untagged).filter(|seconds| *seconds > 0.0) else {
            continue;
        };
        counted = true;
        if let Some(rate) = rates.first(&format!("ambient.on.{name}")) {
            all += rate.over(seconds);
        }
    }
    if !counted {
        return RuleResult::default();
    }
    if rates.first(ON).is_none() {
        return RuleResult::missing(&[ON]);
    }
    RULE.shared(BTreeMap::new(), all, &[ON])
}
