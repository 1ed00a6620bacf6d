//! Hardware that draws one current while it is on: camera, flashlight, audio, video.
//!
//! AOSP: `CameraPowerCalculator`, `FlashlightPowerCalculator`, `AudioPowerCalculator`, `VideoPowerCalculator`: an app's
//! time × the current; what the device was on for longer than all apps is the device's.

use std::collections::BTreeMap;

use wattle_timeline::Quantity;

use super::draw::{Drawn, Rates};
use super::portion::{Rule, RuleResult};
use super::totals::Totals;

pub(super) fn answer(
    rule: &Rule,
    quantity: Quantity,
    figure: &'static str,
    totals: &Totals<'_>,
    rates: Rates<'_>,
) -> RuleResult {
    if !totals.has(&[quantity]) {
        return RuleResult::default();
    }
    let Some(rate) = rates.first(figure) else { return RuleResult::missing(&[figure]) };
    let apps: BTreeMap<_, Drawn> =
        totals.apps(quantity).into_iter().map(|(uid, s)| (uid, rate.over(s))).collect();
    let device = totals.device(quantity).map_or(Drawn::default(), |s| rate.over(s));
    rule.shared(apps, device, &[figure])
}
