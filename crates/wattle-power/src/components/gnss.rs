//! Satellite positioning.
//!
//! AOSP `GnssPowerCalculator`: an app's time × `gps.on`, or, where a profile has none, × the mean of
//! `gps.signalqualitybased` weighted by the time in each quality.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind};

use super::draw::{Drawn, Rate, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::Component;

pub(super) const ON: &str = "gps.on";
pub(super) const BY_QUALITY: &str = "gps.signalqualitybased";
pub(super) const VOLTAGE: &str = "gps.voltage";

/// More than Android tells apart.
const QUALITIES: u8 = 8;

pub(super) const RULE: Rule =
    Rule { id: RuleId::Gnss, component: Component::Gnss, shape: &[StateKind::Gnss] };

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let times = (0..QUALITIES).filter_map(|level| totals.device(Quantity::GnssSignal(level)));
    let by_quality: f64 = times.sum();
    if !totals.has(&[Quantity::Gnss, Quantity::GnssCharge]) && by_quality == 0.0 {
        return RuleResult::default();
    }
    let Some(rate) = mean(totals, rates, by_quality) else {
        return RuleResult::missing(&[ON, BY_QUALITY]);
    };
    let apps: BTreeMap<_, Drawn> = totals
        .apps(Quantity::Gnss)
        .into_iter()
        .map(|(uid, seconds)| (uid, rate.over(seconds)))
        .collect();
    let counted = totals.device(Quantity::GnssCharge).filter(|charge| *charge > 0.0);
    let device = match counted {
        Some(charge) => rates.counted(charge, VOLTAGE),
        // Times of the device as a whole are used only where no app's are known, as in AOSP.
        None if apps.is_empty() => rate.over(totals.device(Quantity::Gnss).unwrap_or(by_quality)),
        None => Drawn::default(),
    };
    RULE.shared(apps, device, &[ON, BY_QUALITY])
}

fn mean(totals: &Totals<'_>, rates: Rates<'_>, seconds: f64) -> Option<Rate> {
    if let Some(on) = rates.first(ON) {
        return Some(on);
    }
    rates.first(BY_QUALITY)?;
    let mut all = Rate::default();
    for level in 0..QUALITIES {
        let Some(time) = totals.device(Quantity::GnssSignal(level)) else { continue };
        all = all + rates.radio(BY_QUALITY, usize::from(level), VOLTAGE)? * time;
    }
    if seconds > 0.0 {
        return Some(all * (1.0 / seconds));
    }
    // AOSP takes 0 where no quality was counted. Nothing is known of it, so: the better signal's, the last.
    rates.radio(BY_QUALITY, usize::MAX, VOLTAGE)
}
