//! One value of a table.

use wattle_units::{Estimate, Joules, Nanos, Provenance};

/// A value; which, the table's column says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// No data, which is not 0.
    Nothing,
    /// Text.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
}

impl<'a> Cell<'a> {
    /// Text that may be missing.
    pub fn text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Nothing, Self::Text)
    }

    /// A number of a row.
    pub fn number(number: Option<u32>) -> Self {
        number.map_or(Self::Nothing, |number| Self::Integer(number.into()))
    }

    /// A count.
    pub fn count(count: u64) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// Nanoseconds.
    pub fn nanos(time: Nanos) -> Self {
        Self::Integer(time.value())
    }

    /// Joules.
    pub fn joules(energy: Joules) -> Self {
        Self::Float(energy.value())
    }

    /// Joules, the ends of their interval, and where they come from: the columns of an estimate.
    pub fn estimate(estimate: Option<Estimate>) -> [Self; 4] {
        estimate.map_or([Self::Nothing; 4], |estimate| {
            [
                Self::joules(estimate.joules),
                Self::joules(estimate.interval.low),
                Self::joules(estimate.interval.high),
                Self::Text(provenance(estimate.provenance)),
            ]
        })
    }
}

/// The word for a provenance.
pub fn provenance(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Measured => "measured",
        Provenance::Modelled => "modelled",
        Provenance::Assumed => "assumed",
    }
}
