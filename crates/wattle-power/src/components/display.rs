//! The panel.
//!
//! AOSP `ScreenPowerCalculator`: for each display, `screen.on` while it is on, and `screen.full` × (class + ½) / 5 while
//! it is in one of five classes of brightness. Shared out by the time apps were in front, if that is ten minutes in
//! all; else it is the device's.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind, Uid};

use super::draw::{Drawn, Rate, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::Component;

pub(super) const ON: &str = "screen.on.display0";
pub(super) const FULL: &str = "screen.full.display0";

/// Classes of brightness.
pub(super) const CLASSES: u8 = 5;

/// Less time in front than this says too little of who used the panel.
const LEAST_FOREGROUND: f64 = 600.0;

/// The process state of the app in front, see [`Quantity::ProcessState`].
const TOP: u8 = 0;

/// Android counts up to so many displays.
const DISPLAYS: u8 = 8;

pub(super) const RULE: Rule =
    Rule { id: RuleId::Screen, component: Component::Display, shape: &[StateKind::Screen] };

/// The part of `screen.full` that is drawn in a class.
pub(super) fn share_of_class(class: u8) -> f64 {
    (f64::from(class.min(CLASSES - 1)) + 0.5) / f64::from(CLASSES)
}

/// On, and at full brightness beyond that.
pub(super) fn rates_of(rates: Rates<'_>, display: u8) -> (Option<Rate>, Option<Rate>) {
    let of = |what: &str| rates.first(&format!("screen.{what}.display{display}"));
    (of("on"), of("full"))
}

/// Seconds that each app was in front: the lesser of the time of its activities and of its processes in the state *top*.
///
/// Each has errors of its own: an activity that never ended is in front for days. Source: AOSP
/// `PowerCalculator.getProcessForegroundTimeMs`.
fn in_front(totals: &Totals<'_>) -> BTreeMap<Uid, f64> {
    let mut seconds = totals.apps(Quantity::Foreground);
    if totals.has(&[Quantity::ProcessState(TOP)]) {
        let top = totals.apps(Quantity::ProcessState(TOP));
        for (uid, seconds) in &mut seconds {
            *seconds = seconds.min(top.get(uid).copied().unwrap_or(0.0));
        }
    }
    seconds.retain(|_, seconds| *seconds > 0.0);
    seconds
}

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let mut all = Drawn::default();
    let mut counted = false;
    let mut modelled = false;
    for display in 0..DISPLAYS {
        let seconds = |quantity| {
            let tagged = totals.device_tagged(quantity, &format!("display{display}"));
            tagged.or_else(|| totals.device(quantity).filter(|_| display == 0))
        };
        let classes: Vec<(u8, f64)> = (0..CLASSES)
            .filter_map(|class| Some((class, seconds(Quantity::ScreenClass(class))?)))
            .collect();
        let lit = classes.iter().map(|(_, seconds)| seconds).sum();
        let on = seconds(Quantity::Screen).unwrap_or(lit);
        counted |= seconds(Quantity::Screen).is_some() || !classes.is_empty();
        if let (Some(base), Some(full)) = rates_of(rates, display) {
            modelled = true;
            all += base.over(on);
            for (class, seconds) in classes {
                all += (full * share_of_class(class)).over(seconds);
            }
        }
    }
    if !counted {
        return RuleResult::default();
    }
    if !modelled {
        return RuleResult::missing(&[ON, FULL]);
    }
    let foreground = in_front(totals);
    let whole: f64 = foreground.values().sum();
    let apps: BTreeMap<_, Drawn> = if whole >= LEAST_FOREGROUND {
        foreground.into_iter().map(|(uid, seconds)| (uid, all * (seconds / whole))).collect()
    } else {
        BTreeMap::new()
    };
    // All or nothing is left to the device: no rounding of shares may look like a remainder.
    let device = if apps.is_empty() { all } else { Drawn::default() };
    RULE.shared(apps, device, &[ON, FULL])
}
