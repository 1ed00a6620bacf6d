//! The error model of a page, as columns.

use serde::Serialize;
use wattle_power::ErrorModel;
use wattle_units::Provenance;

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
    /// By meter: its name.
    meter_name: Vec<String>,
}

impl ErrorColumns {
    /// The columns of a model.
    pub fn new(errors: &ErrorModel) -> Self {
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
            meter_name: errors
                .meters
                .iter()
                .map(|meter| crate::clean::clean(&meter.name))
                .collect(),
        }
    }
}
