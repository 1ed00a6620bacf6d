//! Camera: `camera.avg` while an app has it open.

use wattle_timeline::{Quantity, StateKind};

use super::draw::Rates;
use super::portion::{Rule, RuleId, RuleResult};
use super::timed;
use super::totals::Totals;
use crate::Component;

/// Milliamperes while it is on.
pub(super) const FIGURE: &str = "camera.avg";

pub(super) const RULE: Rule =
    Rule { id: RuleId::Camera, component: Component::Camera, shape: &[StateKind::Camera] };

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    timed::answer(&RULE, Quantity::Camera, FIGURE, totals, rates)
}
