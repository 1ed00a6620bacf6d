//! A row for each thread, and for what no thread drew.

use super::paths::Who;
use super::table_column::{ESTIMATE, nanos, number, text};
use super::{Cell, Column, Sink};
use crate::{ExportError, Extract, Payer, display_names};

/// Of what rows are, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Thread(u32),
    Account(u32),
}

pub fn columns() -> Vec<Column> {
    let mut columns = vec![
        text("kind", "thread, or the class of an account without a thread"),
        number("thread", "the thread's number"),
        text("process_name", "the process"),
        number("pid", "the kernel's number of the process"),
        text("thread_name", "the thread"),
        number("tid", "the kernel's number of the thread"),
        text("package", "the app's package"),
        number("uid", "the app's uid"),
        text("name", "which app, which interrupt handler, of accounts without a thread"),
        nanos("cpu_ns", "time on a CPU, interrupts and probes taken out"),
    ];
    columns.extend(ESTIMATE);
    columns
}

pub fn rows(extract: &Extract<'_>, to: Sink<'_>) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    let estimates = extract.grouped(|booking| {
        let payer = Payer::new(ledger, booking.account.0)?;
        Some(match payer {
            Payer::Account(account) => Of::Account(account),
            payer => Of::Thread(payer.thread(ledger)?),
        })
    });
    let mut of_threads = estimates.iter().peekable();
    for (number, thread) in (0..).zip(&ledger.rows.threads) {
        let estimate = of_threads.next_if(|(of, _)| *of == Of::Thread(number)).map(|(_, e)| *e);
        if extract.is_part() && estimate.is_none() && thread.cpu.value() == 0 {
            continue;
        }
        let who = Who::new(ledger, Some(number));
        let process = ledger.rows.processes.get(thread.process as usize);
        let [joules, low, high, provenance] = Cell::estimate(estimate);
        to(&[
            Cell::Text("thread"),
            Cell::Integer(number.into()),
            who.process(),
            Cell::number(who.pid),
            who.thread(),
            Cell::number(who.tid),
            Cell::text(process.and_then(|process| process.package.as_deref())),
            Cell::number(process.and_then(|process| process.uid)),
            Cell::Nothing,
            Cell::nanos(thread.cpu),
            joules,
            low,
            high,
            provenance,
        ])?;
    }
    for (of, estimate) in of_threads {
        let Of::Account(account) = of else { continue };
        let Some(account) = ledger.rows.accounts.get(*account as usize) else { continue };
        let name = display_names::account(ledger, account).into_iter().nth(1);
        let mut row = vec![Cell::Text(account.class())];
        row.extend([Cell::Nothing; 7]);
        row.extend([Cell::text(name.as_deref()), Cell::Nothing]);
        row.extend(Cell::estimate(Some(*estimate)));
        to(&row)?;
    }
    Ok(())
}
