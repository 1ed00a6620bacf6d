//! A row for each component and stretch of time.

use super::table_column::{joules, nanos, number, text, watts};
use super::{Cell, Column, Sink};
use crate::{ExportError, Extract, power_bins};

pub fn columns() -> Vec<Column> {
    vec![
        text("component", "which hardware"),
        number("bin", "which stretch of time, from 0"),
        nanos("start_ns", "its start in boot time"),
        nanos("end_ns", "its end in boot time"),
        watts("watts", "mean power"),
        joules("joules", "energy"),
    ]
}

pub fn rows(extract: &Extract<'_>, to: Sink<'_>) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    for series in &ledger.over_time.series {
        for (bin, (window, power, energy)) in (0..).zip(power_bins::bins(ledger, series)) {
            to(&[
                Cell::Text(series.component.name()),
                Cell::Integer(bin),
                Cell::Integer(window.start.value()),
                Cell::Integer(window.end.value()),
                Cell::Float(power.value()),
                Cell::joules(energy),
            ])?;
        }
    }
    Ok(())
}
