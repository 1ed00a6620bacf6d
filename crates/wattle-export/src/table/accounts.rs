//! A row for each account.

use wattle_ledger::Account;

use super::table_column::{ESTIMATE, number, text};
use super::{Cell, Column, Sink};
use crate::{ExportError, Extract};

pub fn columns() -> Vec<Column> {
    let mut columns = vec![
        number("account", "the account's number"),
        text(
            "class",
            "threads, apps, interrupts, idle floor, profiling overhead, unmetered, unattributed",
        ),
        number("path", "the call path that paid, in the table of paths"),
        number("uid", "the app that paid as a whole"),
        text("handler", "the interrupt handler"),
    ];
    columns.extend(ESTIMATE);
    columns
}

pub fn rows(extract: &Extract<'_>, to: Sink<'_>) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    let estimates = extract.grouped(|booking| Some(booking.account));
    let mut known = estimates.iter().peekable();
    for (number, account) in (0..).zip(&ledger.rows.accounts) {
        let estimate = known.next_if(|(id, _)| id.0 == number).map(|(_, estimate)| *estimate);
        if extract.is_part() && estimate.is_none() {
            continue;
        }
        let (uid, handler) = match account {
            Account::App { uid } => (Some(*uid), None),
            Account::Interrupts { handler } => (None, Some(handler.as_str())),
            _ => (None, None),
        };
        let [joules, low, high, provenance] = Cell::estimate(estimate);
        to(&[
            Cell::Integer(number.into()),
            Cell::Text(account.class()),
            Cell::number(account.path().map(|path| path.0)),
            Cell::number(uid),
            Cell::text(handler),
            joules,
            low,
            high,
            provenance,
        ])?;
    }
    Ok(())
}
