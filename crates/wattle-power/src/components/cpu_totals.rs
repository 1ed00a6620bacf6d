//! The CPU by its totals: where neither the scheduler nor clocks were recorded.
//!
//! AOSP `CpuPowerCalculator`, for each app: `cpu.active` × time in which any core was active + a cluster's current × time
//! in which any core of it was + a step's current × time at that step. Concurrent time is divided among the apps that
//! ran together before it is counted, so that sums do not count a current twice.

use std::collections::BTreeMap;

use wattle_timeline::{Quantity, StateKind, Uid};

use super::draw::{Drawn, Rate, Rates};
use super::portion::{Rule, RuleId, RuleResult};
use super::totals::Totals;
use crate::{
    Component, CpuProfile, DependsOn, DeviceModel, Figure, FigureUnit, Figures, Measure,
    PowerProfile,
};

pub(super) const ACTIVE: &str = "cpu.active";
const STEPS: &str = "cpu.core_power.cluster<n>";

pub(super) const RULE: Rule =
    Rule { id: RuleId::Cpu, component: Component::Cpu, shape: &[StateKind::CpuRunning] };

fn cluster_figure(cluster: u8) -> String {
    format!("cpu.cluster_power.cluster{cluster}")
}

fn step_figure(cluster: u8) -> String {
    format!("cpu.core_power.cluster{cluster}")
}

/// The CPU's tables of a device model as figures: a current (or power) for each step of each cluster, ascending.
pub(super) fn figures_of(model: &DeviceModel) -> Figures {
    let unit = match model.unit {
        FigureUnit::Power => Measure::Milliwatts,
        FigureUnit::Current => Measure::Milliamperes,
    };
    let figure = |values: Vec<f64>| Figure {
        values,
        unit,
        source: String::new(),
        provenance: wattle_units::Provenance::Modelled,
        error: model.error.as_ref().map(|error| error.shared),
    };
    let mut figures = Figures::default();
    if let Some(base) = model.base {
        let one = |power: wattle_units::Watts| figure(vec![power.milliwatts()]);
        figures.insert(super::awake::SUSPEND, one(base.suspend));
        figures.insert(super::awake::AWAKE, one(base.awake));
        figures.insert(ACTIVE, one(base.active));
    }
    for (cluster, policy) in (0..=u8::MAX).zip(&model.policies) {
        let powers: Vec<_> =
            policy.frequencies().map(|clock| policy.power(clock, DependsOn::default())).collect();
        // A cluster's own power does not depend on the clock in profiles; of curves, the lowest.
        let shared = powers.first().map_or(0.0, |power| power.shared.milliwatts());
        let steps = powers
            .iter()
            .map(|power| power.core[0].milliwatts() + power.shared.milliwatts() - shared);
        figures.insert(cluster_figure(cluster), figure(vec![shared]));
        figures.insert(step_figure(cluster), figure(steps.collect()));
    }
    figures
}

/// The same of a profile whose clocks are not known: a step is a number here.
pub(super) fn figures_of_profile(profile: &CpuProfile) -> Figures {
    let mut figures = Figures::default();
    let mut insert = |name: String, currents: Vec<wattle_units::Amperes>| {
        let values = currents.into_iter().map(wattle_units::Amperes::milliamperes).collect();
        let figure = Figure {
            values,
            unit: Measure::Milliamperes,
            source: String::new(),
            provenance: wattle_units::Provenance::Modelled,
            error: None,
        };
        figures.insert(name, figure);
    };
    insert(super::awake::SUSPEND.to_owned(), vec![profile.suspend]);
    insert(super::awake::AWAKE.to_owned(), vec![profile.awake]);
    insert(ACTIVE.to_owned(), vec![profile.active]);
    for (cluster, of) in (0..=u8::MAX).zip(&profile.clusters) {
        let descending = of.frequencies.first() > of.frequencies.last();
        let mut steps = of.core.clone();
        if descending {
            steps.reverse();
        }
        insert(cluster_figure(cluster), vec![of.power]);
        insert(step_figure(cluster), steps);
    }
    figures
}

/// The CPU's tables of a power profile as figures, in milliamperes: `cpu.active`, `cpu.cluster_power.cluster0` …,
/// `cpu.core_power.cluster0` … (one number for each step of the clock, ascending). Empty where the profile has none.
pub fn cpu_figures(profile: &PowerProfile) -> Figures {
    profile.cpu.as_ref().map(figures_of_profile).unwrap_or_default()
}

pub(super) fn answer(totals: &Totals<'_>, rates: Rates<'_>) -> RuleResult {
    let steps: Vec<(u8, u8)> = totals
        .quantities()
        .filter_map(|quantity| match quantity {
            Quantity::CpuAt { cluster, step } => Some((cluster, step)),
            _ => None,
        })
        .collect();
    let clusters: Vec<u8> = totals
        .quantities()
        .filter_map(|quantity| match quantity {
            Quantity::CpuCluster(cluster) => Some(cluster),
            _ => None,
        })
        .collect();
    if steps.is_empty() && !totals.has(&[Quantity::Cpu, Quantity::CpuActive]) {
        return RuleResult::default();
    }
    let known = |cluster: u8| rates.figures.get(&step_figure(cluster)).map(|f| f.values.len());
    if known(0).is_none() {
        return RuleResult::missing(&[STEPS]);
    }
    // As in AOSP: where a profile has other steps than the kernel counts, nothing is said of steps.
    let fits = steps
        .iter()
        .all(|(cluster, step)| known(*cluster).is_some_and(|count| usize::from(*step) < count));
    let mut apps: BTreeMap<Uid, Drawn> = BTreeMap::new();
    let mut add = |quantity: Quantity, rate: Option<Rate>| {
        let Some(rate) = rate else { return };
        for (uid, seconds) in totals.apps(quantity) {
            *apps.entry(uid).or_default() += rate.over(seconds);
        }
    };
    add(Quantity::CpuActive, rates.first(ACTIVE));
    for cluster in clusters {
        add(Quantity::CpuCluster(cluster), rates.first(&cluster_figure(cluster)));
    }
    let of_step = |cluster, step| rates.get(&step_figure(cluster), usize::from(step));
    if fits {
        for (cluster, step) in &steps {
            let quantity = Quantity::CpuAt { cluster: *cluster, step: *step };
            add(quantity, of_step(*cluster, *step));
        }
    }
    let by_step: std::collections::BTreeSet<Uid> = steps
        .iter()
        .flat_map(|(cluster, step)| {
            totals.apps(Quantity::CpuAt { cluster: *cluster, step: *step }).into_keys()
        })
        .collect();
    let mut answer = RuleResult::default();
    // Apps of which only the CPU time is known: at the clocks of the device as a whole.
    match mean(totals, &steps, &of_step).filter(|_| fits) {
        Some(rate) => {
            for (uid, seconds) in totals.apps(Quantity::Cpu) {
                if !by_step.contains(&uid) {
                    *apps.entry(uid).or_default() += rate.over(seconds);
                }
            }
        }
        None if by_step.is_empty() => answer.missing.push("time at each step of the CPU's clock"),
        None => {}
    }
    if !fits {
        answer.missing.push(STEPS);
    }
    let missing = answer.missing;
    let mut answer = RULE.shared(apps, Drawn::default(), &[ACTIVE, STEPS]);
    answer.missing = missing;
    answer
}

/// A core's mean draw, by the device's own time at each step.
fn mean(
    totals: &Totals<'_>,
    steps: &[(u8, u8)],
    of_step: &dyn Fn(u8, u8) -> Option<Rate>,
) -> Option<Rate> {
    let mut sum = Rate::default();
    let mut time = 0.0;
    for (cluster, step) in steps {
        let quantity = Quantity::CpuAt { cluster: *cluster, step: *step };
        let Some(seconds) = totals.device(quantity) else { continue };
        sum = sum + of_step(*cluster, *step)? * seconds;
        time += seconds;
    }
    (time > 0.0).then(|| sum * (1.0 / time))
}
