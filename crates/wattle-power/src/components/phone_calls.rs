//! Phone calls.
//!
//! AOSP `PhonePowerCalculator`: `radio.active` × the time of calls. The device's.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind};

use super::cellular;
use super::draw::Rates;
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::Component;

pub(super) const RULE: Rule =
    Rule { id: RuleId::Phone, component: Component::Cellular, shape: &[StateKind::PhoneCall] };

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let Some(seconds) = totals.device(Quantity::PhoneCall).filter(|seconds| *seconds > 0.0) else {
        return RuleResult::default();
    };
    // AOSP takes 0 where a profile has no `radio.active`; the mean of the modem's states stands in, as for data.
    match cellular::active(rates) {
        Some(rate) => RULE.shared(BTreeMap::new(), rate.over(seconds), &[cellular::ACTIVE]),
        None => RuleResult::missing(&[cellular::ACTIVE]),
    }
}
