//! Flashlight: `camera.flashlight` while it shines. Part of the camera's hardware.

use wattle_timeline::{Quantity, StateKind};

use super::draw::Rates;
use super::portion::{Rule, RuleId, RuleResult};
use super::timed;
use super::totals::Totals;
use crate::Component;

/// Milliamperes while it is on.
pub(super) const FIGURE: &str = "camera.flashlight";

pub(super) const RULE: Rule =
    Rule { id: RuleId::Flashlight, component: Component::Camera, shape: &[StateKind::Flashlight] };

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    timed::answer(&RULE, Quantity::Flashlight, FIGURE, totals, rates)
}
