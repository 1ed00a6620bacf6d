//! A row for each component.

use super::table_column::{ESTIMATE, joules, number, text};
use super::{Cell, Column, Sink};
use crate::{ExportError, Extract};

pub fn columns() -> Vec<Column> {
    let mut columns =
        vec![number("component", "the component's number"), text("name", "which hardware")];
    columns.extend(ESTIMATE);
    columns.push(joules(
        "integrated_joules",
        "the integral of its power, computed apart from the bookings; empty for a part of a ledger",
    ));
    columns
}

pub fn rows(extract: &Extract<'_>, to: Sink<'_>) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    let estimates = extract.grouped(|booking| Some(booking.component));
    let mut known = estimates.iter().peekable();
    for (number, component) in (0_u16..).zip(&ledger.rows.components) {
        let estimate = known.next_if(|(id, _)| id.0 == number).map(|(_, estimate)| *estimate);
        let closure = ledger.closure.iter().find(|closure| closure.component == component.name);
        let [joules, low, high, provenance] = Cell::estimate(estimate);
        to(&[
            Cell::Integer(number.into()),
            Cell::Text(component.name.name()),
            joules,
            low,
            high,
            provenance,
            closure.map_or(Cell::Nothing, |closure| Cell::joules(closure.integrated)),
        ])?;
    }
    Ok(())
}
