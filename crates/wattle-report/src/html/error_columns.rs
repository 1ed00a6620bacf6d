//! The error model of a page, as columns.

use serde::Serialize;
use wattle_ledger::Ledger;
use wattle_power::{EVEN_POWER_ERROR, ErrorModel, Meter};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Provenance};

/// Sources, groups and meters of [`ErrorModel`], by number.
#[derive(Serialize)]
pub struct ErrorColumns {
    /// By source: its group.
    group: Vec<u16>,
    /// By source: relative standard deviation of its own error.
    own: Vec<f64>,
    /// By source: its meter, −1 without.
    meter: Vec<i32>,
    /// By source: 0 measured, 1 modelled, 2 assumed.
    provenance: Vec<u8>,
    /// By group: relative standard deviation of the common error.
    shared: Vec<f64>,
    /// By group: degrees of freedom; `null` for a judgement.
    freedom: Vec<Option<f64>>,
    /// By meter: its own relative standard deviation.
    meter_error: Vec<f64>,
    /// By meter: the group of what it has in common with others, −1 without.
    meter_group: Vec<i32>,
    /// By meter: the group of its own power, −1 without: what is not of a model that it scaled.
    meter_own: Vec<i32>,
    /// By meter: starts and ends of the intervals between its readings in turns, in milliseconds since the number before; the first
    /// since the start of the window.
    meter_times: Vec<Vec<f64>>,
    /// Relative standard deviation of a meter's own power in a part of an interval.
    part_error: f64,
}

impl ErrorColumns {
    /// The columns of a ledger's model.
    pub fn new(ledger: &Ledger) -> Self {
        let errors = &ledger.power.errors;
        let provenance = |provenance| match provenance {
            Provenance::Measured => 0,
            Provenance::Modelled => 1,
            Provenance::Assumed => 2,
        };
        Self {
            group: errors.sources.iter().map(|source| source.group.0).collect(),
            own: errors.sources.iter().map(|source| source.own).collect(),
            meter: errors
                .sources
                .iter()
                .map(|source| source.meter.map_or(-1, |meter| i32::from(meter.0)))
                .collect(),
            provenance: errors.sources.iter().map(|source| provenance(source.provenance)).collect(),
            shared: errors.groups.iter().map(|group| group.shared).collect(),
            freedom: errors.groups.iter().map(|group| group.freedom).collect(),
            meter_error: errors.meters.iter().map(|meter| meter.error).collect(),
            meter_group: errors
                .meters
                .iter()
                .map(|meter| meter.group.map_or(-1, |group| i32::from(group.0)))
                .collect(),
            meter_own: errors.meters.iter().map(|meter| own_group(errors, meter)).collect(),
            meter_times: meter_times(ledger),
            part_error: EVEN_POWER_ERROR,
        }
    }
}

/// The group of a meter's own power bears the meter's name.
fn own_group(errors: &ErrorModel, meter: &Meter) -> i32 {
    let own = errors.groups.iter().position(|group| group.name == meter.name);
    own.and_then(|group| i32::try_from(group).ok()).unwrap_or(-1)
}

/// The intervals of each meter inside the window, those that reach out of it whole.
fn meter_times(ledger: &Ledger) -> Vec<Vec<f64>> {
    let window = ledger.recording.window;
    let mut times = vec![Vec::new(); ledger.power.errors.meters.len()];
    for of in &ledger.over_time.meter_intervals {
        let Some(times) = times.get_mut(usize::from(of.meter.0)) else { continue };
        let mut last = window.start;
        let mut push = |time: BootNanos| {
            times.push((time - last).seconds() * 1e3);
            last = time;
        };
        let is_inside = |interval: &Window| !interval.intersect(window).is_empty();
        for interval in of.windows().filter(is_inside) {
            push(interval.start);
            push(interval.end);
        }
    }
    times
}
