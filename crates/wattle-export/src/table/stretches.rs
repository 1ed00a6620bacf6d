//! A row for each stretch of time in which a call path drew something.

use super::table_column::{joules, nanos, number, text};
use super::{Cell, Column, Sink};
use crate::{ExportError, Extract};

pub fn columns() -> Vec<Column> {
    vec![
        number("path", "the call path, in the table of paths"),
        number("thread", "its thread, in the table of threads"),
        text("component", "through which hardware"),
        nanos("start_ns", "since when, in boot time"),
        nanos("end_ns", "until when, in boot time"),
        joules("joules", "how much; part of the path's energy"),
    ]
}

pub fn rows(extract: &Extract<'_>, to: Sink<'_>) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    for stretch in &ledger.over_time.stretches {
        let path = ledger.rows.paths.get(stretch.path.0 as usize);
        let component = ledger.rows.components.get(usize::from(stretch.component.0));
        to(&[
            Cell::Integer(stretch.path.0.into()),
            Cell::number(path.map(|path| path.thread)),
            Cell::text(component.map(|component| component.name.name())),
            Cell::Integer(stretch.window.start.value()),
            Cell::Integer(stretch.window.end.value()),
            Cell::joules(stretch.joules),
        ])?;
    }
    Ok(())
}
