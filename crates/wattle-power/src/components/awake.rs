//! Awake without work, and asleep: what the CPU draws for being switched on.
//!
//! AOSP `WakelockPowerCalculator`: an app's time with a partial wakelock × `cpu.idle`, and what the device was awake for
//! longer, screen off, is the system's. AOSP `IdlePowerCalculator`: `cpu.suspend` × all time + `cpu.idle` × time awake.
//! AOSP adds both up, so that a second awake under a wakelock counts twice. Here the current flows once: what holders
//! pay is taken off the idle floor, and where holders overlapped they share the time that the device was awake.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind};

use super::draw::{Drawn, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::{Component, Scope};

pub(super) const AWAKE: &str = "cpu.idle";
pub(super) const SUSPEND: &str = "cpu.suspend";

pub(super) const WAKELOCK: Rule = Rule {
    id: RuleId::Wakelock,
    component: Component::Cpu,
    shape: &[StateKind::Wakelock, StateKind::CpuRunning],
};

pub(super) const IDLE: Rule =
    Rule { id: RuleId::Idle, component: Component::Cpu, shape: &[StateKind::CpuRunning] };
const SUSPENDED: Rule = Rule { id: RuleId::Idle, component: Component::Cpu, shape: &[] };

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let held = totals.apps(Quantity::Wakelock);
    let uptime = totals.device(Quantity::OnBatteryAwake);
    let time = totals.device(Quantity::OnBattery);
    if held.is_empty() && uptime.is_none() && time.is_none() {
        return RuleResult::default();
    }
    let mut answer = RuleResult::default();
    match rates.first(AWAKE) {
        None => answer.missing.push(AWAKE),
        Some(rate) => {
            answer.used.push(AWAKE);
            let sum: f64 = held.values().sum();
            let awake = uptime.unwrap_or(sum);
            let part = if sum > awake { awake / sum } else { 1.0 };
            let apps: BTreeMap<_, Drawn> =
                held.into_iter().map(|(uid, seconds)| (uid, rate.over(seconds * part))).collect();
            // Without a word on the screen nothing is known of what is left to the system.
            let screen = totals.device(Quantity::Screen).unwrap_or(0.0);
            let off = uptime.map_or(0.0, |uptime| (uptime - screen).max(0.0));
            let paid = (sum * part).max(off);
            answer.portions = WAKELOCK.shared(apps, rate.over(paid), &[]).portions;
            let floor = rate.over((awake - paid).max(0.0));
            answer.portions.push(IDLE.portion(Scope::Floor, floor));
        }
    }
    match (rates.first(SUSPEND), time) {
        (Some(rate), Some(time)) => {
            answer.used.push(SUSPEND);
            answer.portions.push(SUSPENDED.portion(Scope::Floor, rate.over(time)));
        }
        (None, Some(_)) => answer.missing.push(SUSPEND),
        _ => {}
    }
    answer.portions.retain(|portion| !portion.drawn.is_zero());
    answer
}
