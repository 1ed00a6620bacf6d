//! Memory.
//!
//! AOSP `MemoryPowerCalculator`: the time in each state of its clock × `memory.bandwidths` of that state.

use std::collections::BTreeMap;

use wattle_timeline::Quantity;

use super::draw::{Drawn, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::Component;

const BANDWIDTHS: &str = "memory.bandwidths";

pub(super) const RULE: Rule = Rule { id: RuleId::Memory, component: Component::Memory, shape: &[] };

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let states = rates.figures.get(BANDWIDTHS).map_or(0, |figure| figure.values.len());
    let mut device = Drawn::default();
    let mut counted = false;
    for quantity in totals.quantities() {
        let Quantity::MemoryAt(state) = quantity else { continue };
        counted = true;
        // A state beyond the profile's is not counted by AOSP either.
        if usize::from(state) < states
            && let Some(rate) = rates.get(BANDWIDTHS, usize::from(state))
        {
            device += rate.over(totals.device(quantity).unwrap_or(0.0));
        }
    }
    if !counted {
        return RuleResult::default();
    }
    if states == 0 {
        return RuleResult::missing(&[BANDWIDTHS]);
    }
    RULE.shared(BTreeMap::new(), device, &[BANDWIDTHS])
}
