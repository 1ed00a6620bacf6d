//! A row for each line of the ledger.

use super::cell::provenance;
use super::table_column::{joules, number, text};
use super::{Cell, Column, Sink};
use crate::{ExportError, Extract, Payer};

pub fn columns() -> Vec<Column> {
    vec![
        number("account", "who pays, in the table of accounts"),
        text("class", "the account's class"),
        number("path", "the call path that pays, in the table of paths"),
        number("thread", "its thread, in the table of threads"),
        text("component", "for which hardware"),
        text("charge", "what for: core, shared, wake-transition, device, tail"),
        number("source", "which number of the model it rests on"),
        text("source_name", "what that number is"),
        text("source_provenance", "where that number comes from: measured, modelled, assumed"),
        joules("joules", "how much"),
    ]
}

pub fn rows(extract: &Extract<'_>, to: Sink<'_>) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    for booking in &ledger.bookings {
        let account = ledger.rows.accounts.get(booking.account.0 as usize);
        let payer = Payer::new(ledger, booking.account.0);
        let component = ledger.rows.components.get(usize::from(booking.component.0));
        let source = ledger.power.errors.sources.get(usize::from(booking.source.0));
        to(&[
            Cell::Integer(booking.account.0.into()),
            Cell::text(account.map(wattle_ledger::Account::class)),
            Cell::number(payer.and_then(Payer::path)),
            Cell::number(payer.and_then(|payer| payer.thread(ledger))),
            Cell::text(component.map(|component| component.name.name())),
            Cell::Text(booking.charge.name()),
            Cell::Integer(booking.source.0.into()),
            Cell::text(source.map(|source| source.name.as_str())),
            Cell::text(source.map(|source| provenance(source.provenance))),
            Cell::joules(booking.joules),
        ])?;
    }
    Ok(())
}
