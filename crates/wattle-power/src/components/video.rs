//! Video: `video` while an app decodes or encodes, beside the CPU's work.

use wattle_timeline::{Quantity, StateKind};

use super::draw::Rates;
use super::portion::{Rule, RuleId, RuleResult};
use super::timed;
use super::totals::Totals;
use crate::Component;

/// Milliamperes while it is on.
pub(super) const FIGURE: &str = "video";

pub(super) const RULE: Rule =
    Rule { id: RuleId::Video, component: Component::Video, shape: &[StateKind::Video] };

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    timed::answer(&RULE, Quantity::Video, FIGURE, totals, rates)
}
