//! Audio: `audio` while an app plays, beside the CPU's work.

use wattle_timeline::{Quantity, StateKind};

use super::draw::Rates;
use super::portion::{Rule, RuleId, RuleResult};
use super::timed;
use super::totals::Totals;
use crate::Component;

/// Milliamperes while it is on.
pub(super) const FIGURE: &str = "audio";

pub(super) const RULE: Rule =
    Rule { id: RuleId::Audio, component: Component::Audio, shape: &[StateKind::Audio] };

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    timed::answer(&RULE, Quantity::Audio, FIGURE, totals, rates)
}
