//! Energies as columns.

use sqlx::Row as _;
use sqlx::any::AnyRow;
use wattle_units::{Estimate, Interval, Joules};

use crate::method_block::{code, provenance};

/// The columns of an energy: joules, both ends of its interval, provenance.
pub(crate) type EnergyColumns = (Option<f64>, Option<f64>, Option<f64>, Option<i64>);

/// An energy as columns; NULL for no data.
pub(crate) fn columns(energy: Option<Estimate>) -> EnergyColumns {
    let part = |of: fn(&Estimate) -> Joules| energy.as_ref().map(|it| of(it).value());
    (
        part(|it| it.joules),
        part(|it| it.interval.low),
        part(|it| it.interval.high),
        energy.map(|it| i64::from(code(it.provenance))),
    )
}

/// An energy of four columns from `first` on; `None` where they are NULL.
pub(crate) fn energy(row: &AnyRow, first: usize) -> sqlx::Result<Option<Estimate>> {
    let number = |at: usize| row.try_get::<Option<f64>, _>(first + at);
    let (Some(joules), Some(low), Some(high)) = (number(0)?, number(1)?, number(2)?) else {
        return Ok(None);
    };
    let kind: Option<i64> = row.try_get(first + 3)?;
    Ok(Some(Estimate {
        joules: Joules::new(joules),
        interval: Interval { low: Joules::new(low), high: Joules::new(high) },
        provenance: provenance(kind.and_then(|kind| u8::try_from(kind).ok()).unwrap_or(2)),
    }))
}
