//! The measured, modelled and assumed parts of an energy.

use wattle_power::{ErrorModel, SourceTotals};
use wattle_table::{Column, describe};
use wattle_units::Provenance;

/// The parts of an energy by their provenance, each from 0 to 1. They add up to 1.
///
/// Rails, batteries and power meters measure sums; what they measured counts as measured here, however a model divides it among
/// cores and code.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProvenanceShares {
    /// Counted by a rail, a battery or a power meter.
    pub measured: f64,
    /// Computed by a model of this device.
    pub modelled: f64,
    /// Computed from an assumption.
    pub assumed: f64,
}

describe!(
    ProvenanceShares,
    "provenance_shares",
    "the parts of an energy by their provenance, each from 0 to 1",
    [
        Column::share(
            "measured",
            "counted by a rail, a battery or a power meter",
            |row: &ProvenanceShares| Some(row.measured)
        ),
        Column::share(
            "modelled",
            "computed by a model of this device",
            |row: &ProvenanceShares| { Some(row.modelled) }
        ),
        Column::share("assumed", "computed from an assumption", |row: &ProvenanceShares| {
            Some(row.assumed)
        }),
    ]
);

impl ProvenanceShares {
    /// The shares of these energies; `None` without energy.
    pub(super) fn new(errors: &ErrorModel, totals: &SourceTotals) -> Option<Self> {
        let mut sums = Self::default();
        for (source, joules) in totals.iter() {
            let size = joules.value().abs();
            match errors.measured_provenance(source) {
                Some(Provenance::Measured) => sums.measured += size,
                Some(Provenance::Modelled) => sums.modelled += size,
                Some(Provenance::Assumed) | None => sums.assumed += size,
            }
        }
        let all = sums.measured + sums.modelled + sums.assumed;
        (all > 0.0).then(|| Self {
            measured: sums.measured / all,
            modelled: sums.modelled / all,
            assumed: sums.assumed / all,
        })
    }
}
