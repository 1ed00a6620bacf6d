//! Components, accounts and entries of a ledger.

use wattle_power::SourceId;
use wattle_units::{Joules, Provenance};

use super::path_rows::PathRows;
use crate::attribution::bookings::Lines;
use crate::attribution::consumer::{Consumer, LineKey};
use crate::attribution::occupancy::Handlers;
use crate::{Account, AccountId, Booking, ComponentEntry, Ledger, LedgerError};

/// Writes components, accounts and bookings. The lines are sorted.
pub(super) fn fill(
    lines: &Lines,
    rows: &PathRows,
    handlers: &Handlers,
    ledger: &mut Ledger,
) -> Result<(), LedgerError> {
    let components = lines.components();
    let limit = LineKey::COMPONENTS;
    if components.len() > limit {
        let (what, count) = ("components", components.len());
        return Err(LedgerError::TooMany { what, count, limit });
    }
    let mut last = None;
    ledger.bookings.reserve_exact(lines.entries().len());
    for (key, sum) in lines.entries() {
        if last != Some(key.consumer()) {
            last = Some(key.consumer());
            ledger.rows.accounts.push(account(key.consumer(), rows, handlers));
        }
        ledger.bookings.push(Booking {
            account: AccountId((ledger.rows.accounts.len() - 1) as u32),
            component: key.component(),
            charge: key.charge(),
            source: key.source(),
            joules: Joules::new(sum.value()),
        });
    }
    let mut weakest = vec![(false, Provenance::Measured); components.len()];
    for booking in &ledger.bookings {
        let counts = booking.joules != Joules::ZERO;
        let Some(found) = weakest.get_mut(usize::from(booking.component.0)) else { continue };
        let provenance = provenance(ledger, booking.source);
        // A source without energy says nothing, unless there is no other.
        *found = match (found.0, counts) {
            (true, false) => *found,
            (false, true) => (true, provenance),
            _ => (counts, found.1.weakest(provenance)),
        };
    }
    ledger.rows.components = components
        .iter()
        .zip(weakest)
        .map(|(name, (_, provenance))| ComponentEntry { name: name.clone(), provenance })
        .collect();
    Ok(())
}

fn provenance(ledger: &Ledger, source: SourceId) -> Provenance {
    let source = ledger.power.errors.sources.get(usize::from(source.0));
    source.map_or(Provenance::Modelled, |source| source.provenance)
}

fn account(consumer: Consumer, rows: &PathRows, handlers: &Handlers) -> Account {
    match consumer {
        Consumer::Path(path) => Account::Path { path: rows.path(path) },
        Consumer::Recorder(path) => Account::Recorder { path: rows.path(path) },
        Consumer::Probes(path) => Account::ProfilingOverhead { path: Some(rows.path(path)) },
        Consumer::App(uid) => Account::App { uid },
        Consumer::Interrupts(handler) => {
            Account::Interrupts { handler: handlers.name(handler).to_owned() }
        }
        Consumer::IdleFloor => Account::IdleFloor,
        Consumer::Unmetered => Account::Unmetered,
        Consumer::Unattributed => Account::Unattributed,
    }
}
