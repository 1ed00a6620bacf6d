//! A row for each call path, and for what no path drew.

use wattle_ledger::{Ledger, PathEnergies, PathId};
use wattle_units::Estimate;

use super::table_column::{ESTIMATE, joules, nanos, number, text};
use super::{Cell, Column, Sink};
use crate::stack_frames::Frames;
use crate::{ExportError, Extract, Payer, display_names};

pub fn columns() -> Vec<Column> {
    let mut columns = vec![
        text(
            "kind",
            "path; probes: what the probes in a path drew; or the class of an account without a path",
        ),
        number("path", "the call path's number"),
        number("caller", "the number of the path that called it; empty for the root of a thread"),
        number("thread", "the thread's number in the table of threads"),
        text("process_name", "the process"),
        number("pid", "the kernel's number of the process"),
        text("thread_name", "the thread"),
        number("tid", "the kernel's number of the thread"),
        text("name", "what was called; empty for time outside of calls"),
        text(
            "frame_kind",
            "call: recorded from entry to exit; of samples java, jit, native, kernel, unknown, truncated, unsampled",
        ),
        text("mapping", "the file of code that it lies in"),
        text("file", "the source file"),
        number("line", "the line in it"),
        number("calls", "how often it was entered"),
        number("samples", "how many samples found it innermost"),
        nanos("self_cpu_ns", "time on a CPU while it was innermost"),
        nanos("wall_ns", "time from entry to exit, callees included"),
        nanos(
            "clock_cpu_ns",
            "time on a CPU from entry to exit by the thread's own clock; empty where nobody read it",
        ),
    ];
    columns.extend(ESTIMATE);
    columns.push(joules("total_joules", "energy with all that it called, probes included"));
    columns
}

pub fn rows(extract: &Extract<'_>, to: Sink<'_>) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    let estimates = extract.grouped(|booking| Payer::new(ledger, booking.account.0));
    let of_paths = estimates.partition_point(|(payer, _)| matches!(payer, Payer::Path(_)));
    let (mut own, others) = (estimates[..of_paths].iter().peekable(), &estimates[of_paths..]);
    let energies = PathEnergies::new(ledger);
    let has_energy = with_energy(ledger, &estimates);
    let frames = Frames::new(ledger);
    for (number, path) in (0..).zip(&ledger.rows.paths) {
        let estimate = own.next_if(|(payer, _)| *payer == Payer::Path(number)).map(|(_, e)| *e);
        let known = has_energy.get(number as usize).copied().unwrap_or(false);
        let ran = path.calls > 0 || path.samples > 0 || path.self_cpu.value() > 0;
        if extract.is_part() && !known && !ran {
            continue;
        }
        let total = known.then(|| energies.total(PathId(number)));
        let frame = frames.added(number).next_back().map(|frame| frames.get(frame));
        let who = Who::new(ledger, Some(path.thread));
        let [joules, low, high, provenance] = Cell::estimate(estimate);
        to(&[
            Cell::Text("path"),
            Cell::Integer(number.into()),
            Cell::number(path.caller.map(|caller| caller.0)),
            Cell::Integer(path.thread.into()),
            who.process(),
            Cell::number(who.pid),
            who.thread(),
            Cell::number(who.tid),
            frame.map_or(Cell::Nothing, |frame| Cell::Text(&frame.name)),
            frame.map_or(Cell::Nothing, |frame| Cell::Text(frame.kind.name())),
            Cell::text(frame.and_then(|frame| frame.mapping)),
            Cell::text(frame.and_then(|frame| frame.file)),
            Cell::number(frame.and_then(|frame| frame.line)),
            Cell::count(path.calls),
            Cell::count(path.samples),
            Cell::nanos(path.self_cpu),
            Cell::nanos(path.wall),
            path.clock_cpu.map_or(Cell::Nothing, Cell::nanos),
            joules,
            low,
            high,
            provenance,
            total.map_or(Cell::Nothing, Cell::joules),
        ])?;
    }
    others.iter().try_for_each(|(payer, estimate)| other(ledger, *payer, *estimate, to))
}

/// A row of what is no path's own.
fn other(
    ledger: &Ledger,
    payer: Payer,
    estimate: Estimate,
    to: Sink<'_>,
) -> Result<(), ExportError> {
    let thread = payer.thread(ledger);
    let who = Who::new(ledger, thread);
    let account = match payer {
        Payer::Account(account) => ledger.rows.accounts.get(account as usize),
        _ => None,
    };
    let name =
        account.and_then(|account| display_names::account(ledger, account).into_iter().nth(1));
    let mut row = vec![
        Cell::Text(account.map_or("probes", |account| account.class())),
        Cell::number(payer.path()),
        Cell::Nothing,
        Cell::number(thread),
        who.process(),
        Cell::number(who.pid),
        who.thread(),
        Cell::number(who.tid),
        Cell::text(name.as_deref()),
    ];
    // What paths alone have: frame, place, counts and times.
    row.extend([Cell::Nothing; 9]);
    row.extend(Cell::estimate(Some(estimate)));
    row.push(Cell::Nothing);
    to(&row)
}

/// Paths of which, or of whose callees, an energy is known.
fn with_energy(ledger: &Ledger, estimates: &[(Payer, Estimate)]) -> Vec<bool> {
    let mut known = vec![false; ledger.rows.paths.len()];
    for path in estimates.iter().filter_map(|(payer, _)| payer.path()) {
        if let Some(known) = known.get_mut(path as usize) {
            *known = true;
        }
    }
    for (index, path) in ledger.rows.paths.iter().enumerate().rev() {
        let caller = path.caller.map(|caller| caller.0 as usize).filter(|caller| *caller < index);
        if let Some(caller) = caller.filter(|_| known[index]) {
            known[caller] = true;
        }
    }
    known
}

/// A thread's names and numbers.
pub struct Who<'a> {
    process: Option<&'a str>,
    thread: Option<&'a str>,
    /// The kernel's number of the process.
    pub pid: Option<u32>,
    /// The kernel's number of the thread.
    pub tid: Option<u32>,
}

impl<'a> Who<'a> {
    pub fn new(ledger: &'a Ledger, thread: Option<u32>) -> Self {
        let named = |name: &'a str| Some(name).filter(|name| !name.is_empty());
        let entry = thread.and_then(|thread| ledger.rows.threads.get(thread as usize));
        let process = entry.and_then(|entry| ledger.rows.processes.get(entry.process as usize));
        Self {
            process: process.and_then(|process| named(&process.name)),
            thread: entry.and_then(|entry| named(&entry.name)),
            pid: process.and_then(|process| process.pid),
            tid: entry.map(|entry| entry.tid),
        }
    }

    /// The process's name.
    pub fn process(&self) -> Cell<'a> {
        Cell::text(self.process)
    }

    /// The thread's name.
    pub fn thread(&self) -> Cell<'a> {
        Cell::text(self.thread)
    }
}
