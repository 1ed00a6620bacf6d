//! Energy by hardware and by consumer class.

use std::collections::BTreeMap;

use wattle_ledger::{Charge, Ledger};
use wattle_timeline::Uid;
use wattle_units::{Estimate, Interval, Nanos, Provenance};

use super::basis::Basis;
use super::covered_energy::covered_time;
use super::gathered::{CLASSES, Gathered};
use super::order::by_energy;
use super::uid_names;
use super::watched::Watched;
use super::{
    AccountRow, AppUidRow, BatteryReport, ComponentRow, CpuRow, Estimator, HardwareReport,
    InterruptRow, RailRow, SpreadRow, Tally,
};
use crate::Figure;

/// The normal quantile of a two-sided 90 % interval.
const NORMAL_90: f64 = 1.644_853_626_951_472_2;

/// All tables of the hardware.
pub fn report(basis: Basis<'_>) -> HardwareReport {
    let Basis { ledger, gathered, estimator, watched, total, .. } = basis;
    let spread = |spread: &wattle_power::ModelSpread| SpreadRow {
        model: spread.model.clone(),
        cpu: Figure(Some(spread.cpu)),
    };
    HardwareReport {
        components: components(ledger, gathered, estimator, total),
        accounts: accounts(gathered, estimator, total),
        interrupts: interrupts(gathered, estimator),
        apps: apps(basis),
        cpus: cpus(ledger, estimator, watched),
        cpu_shared: estimator.figure(&gathered.cpu_shared, watched.shared),
        rails: ledger.power.rails.iter().map(|rail| rail_row(ledger, rail)).collect(),
        spread: ledger.power.spread.iter().map(spread).collect(),
        battery: battery(ledger),
        transfers: ledger.sheets.transfers.clone(),
    }
}

fn components(
    ledger: &Ledger,
    gathered: &Gathered,
    estimator: &Estimator<'_>,
    total: Figure,
) -> Vec<ComponentRow> {
    let row = |(component, tally): (&wattle_ledger::ComponentEntry, &Tally)| {
        let energy = estimator.figure(tally, Some(component.provenance));
        ComponentRow {
            name: component.name.to_string(),
            energy,
            share: energy.share_of(total),
            mean_mw: energy.mean_milliwatts(covered_time(ledger, Some(&component.name))),
        }
    };
    let mut rows: Vec<_> =
        ledger.rows.components.iter().zip(&gathered.components).map(row).collect();
    rows.sort_by(|a, b| by_energy(a.energy, b.energy).then_with(|| a.name.cmp(&b.name)));
    rows
}

fn accounts(gathered: &Gathered, estimator: &Estimator<'_>, total: Figure) -> Vec<AccountRow> {
    let row = |((class, charge), tally): (&(usize, Charge), &Tally)| {
        let energy = estimator.figure(tally, None);
        AccountRow {
            name: CLASSES[*class].to_owned(),
            charge: charge.name().to_owned(),
            energy,
            share: energy.share_of(total),
        }
    };
    gathered.accounts.iter().map(row).collect()
}

fn interrupts(gathered: &Gathered, estimator: &Estimator<'_>) -> Vec<InterruptRow> {
    let row = |(name, tally): (&String, &Tally)| InterruptRow {
        name: name.clone(),
        energy: estimator.figure(tally, None),
    };
    let mut rows: Vec<_> = gathered.interrupts.iter().map(row).collect();
    rows.sort_by(|a, b| by_energy(a.energy, b.energy).then_with(|| a.name.cmp(&b.name)));
    rows
}

fn apps(basis: Basis<'_>) -> Vec<AppUidRow> {
    let Basis { ledger, gathered, estimator, total, .. } = basis;
    let row = |(uid, components): (&u32, &BTreeMap<usize, Tally>)| {
        let mut tally = Tally::default();
        for component in components.values() {
            tally.merge(component);
        }
        let energy = estimator.figure(&tally, None);
        // No share of a total that is nothing or negative.
        let is_positive = total.joules().is_some_and(|total| total.value() > 0.0);
        let share = energy.share_of(total).filter(|_| is_positive);
        let uid = Uid(*uid);
        let (name, packages) = (uid_names::name(ledger, uid), uid_names::packages(ledger, uid));
        AppUidRow { uid, name, packages, energy, share }
    };
    let mut rows: Vec<_> = gathered.uids.iter().map(row).collect();
    rows.sort_by(|a, b| by_energy(a.energy, b.energy).then(a.uid.cmp(&b.uid)));
    rows
}

fn cpus(ledger: &Ledger, estimator: &Estimator<'_>, watched: Watched) -> Vec<CpuRow> {
    let duration = ledger.recording.window.duration();
    let row = |entry: &wattle_ledger::CpuEntry| {
        let mut tally = Tally::default();
        for (source, joules) in &entry.joules_by_source {
            tally.add(*source, *joules);
        }
        let watched = watched.cores.filter(|_| !entry.joules_by_source.is_empty());
        CpuRow {
            cpu: entry.cpu,
            core: estimator.figure(&tally, watched),
            busy: entry.busy,
            is_virtual: entry.is_virtual,
            busy_share: entry
                .busy
                .filter(|_| duration > Nanos::ZERO)
                .map(|busy| busy.seconds() / duration.seconds()),
        }
    };
    ledger.rows.cpus.iter().map(row).collect()
}

fn rail_row(ledger: &Ledger, rail: &wattle_power::RailSummary) -> RailRow {
    let joules = rail.joules;
    let errors = &ledger.power.errors;
    let meter = errors.meters.iter().find(|meter| meter.name == rail.name);
    let half = joules * (meter.map_or(0.0, |meter| errors.deviation(meter)) * NORMAL_90);
    let interval = Interval { low: joules - half.abs(), high: joules + half.abs() };
    let readable = rail.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
    RailRow {
        title: format!("{}{readable}", rail.name),
        name: rail.name.clone(),
        label: rail.label.clone(),
        component: rail.component.to_string(),
        energy: Figure(Some(Estimate { joules, interval, provenance: Provenance::Measured })),
        modelled: Figure(rail.modelled),
        disagreement: rail
            .modelled
            .filter(|_| joules.value() != 0.0)
            .map(|modelled| (modelled.joules - joules) / joules),
        covered_s: rail.covered_s,
        samples: rail.samples,
        mended: rail.mended,
        booked: rail.booked,
    }
}

fn battery(ledger: &Ledger) -> Option<BatteryReport> {
    let battery = ledger.power.battery.as_ref()?;
    // Nothing is known of a battery that was never seen to discharge.
    let known = battery.discharging > Nanos::ZERO;
    let drained = battery.drained.joules;
    Some(BatteryReport {
        by: battery.by,
        drained: Figure(known.then_some(battery.drained)),
        accounted: Figure(known.then_some(battery.accounted)),
        disagreement: (known && drained.value() != 0.0)
            .then(|| (battery.accounted.joules - drained) / drained),
        discharging: battery.discharging,
        covered: battery.covered,
        reading: battery.reading.clone(),
    })
}
