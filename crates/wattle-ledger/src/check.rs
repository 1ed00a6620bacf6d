//! Whether a ledger that came from a file is one.

use wattle_units::CompensatedSum;

use crate::{Booking, Ledger, LedgerError, closure};

/// Refuses a row.
pub(crate) fn refuse(what: &'static str, index: usize, problem: String) -> Result<(), LedgerError> {
    Err(LedgerError::Inconsistent { what, index, problem })
}

/// Refuses a row that points past the end of others.
pub(crate) fn points(
    (what, index): (&'static str, usize),
    to: &str,
    target: usize,
    count: usize,
) -> Result<(), LedgerError> {
    if target < count {
        return Ok(());
    }
    refuse(what, index, format!("points to {to} {target}, there are {count}"))
}

impl Ledger {
    /// That every index points to a row, rows are in order, and every closure holds.
    pub(crate) fn check(&self) -> Result<(), LedgerError> {
        if self.recording.window.end < self.recording.window.start {
            refuse("window", 0, "ends before it starts".to_owned())?;
        }
        for (index, thread) in self.rows.threads.iter().enumerate() {
            points(
                ("thread", index),
                "process",
                thread.process as usize,
                self.rows.processes.len(),
            )?;
        }
        self.check_paths()?;
        for (index, account) in self.rows.accounts.iter().enumerate() {
            if let Some(path) = account.path() {
                points(("account", index), "path", path.0 as usize, self.rows.paths.len())?;
            }
        }
        self.check_errors()?;
        self.check_bookings()?;
        self.check_energy_bins()?;
        self.check_meter_intervals()?;
        self.check_tracks()?;
        self.check_tests()?;
        self.check_spans()?;
        self.check_waits()?;
        self.check_upper_bounds()?;
        self.check_code()?;
        self.check_samples()?;
        let sources = self.power.errors.sources.len();
        for (index, cpu) in self.rows.cpus.iter().enumerate() {
            for (source, _) in &cpu.joules_by_source {
                points(("cpu", index), "source", usize::from(source.0), sources)?;
            }
        }
        for (index, series) in self.over_time.series.iter().enumerate() {
            let (found, expected) = (series.power.len(), self.over_time.bins.count as usize);
            if found != expected {
                refuse("series", index, format!("has {found} values for {expected} bins"))?;
            }
        }
        self.check_closure()
    }

    fn check_paths(&self) -> Result<(), LedgerError> {
        for (index, path) in self.rows.paths.iter().enumerate() {
            points(("path", index), "thread", path.thread as usize, self.rows.threads.len())?;
            if let Some(caller) = path.caller {
                let caller = caller.0 as usize;
                match self.rows.paths.get(caller).filter(|_| caller < index) {
                    Some(found) if found.thread == path.thread => {}
                    Some(found) => {
                        let problem =
                            format!("is of thread {}, its caller of {}", path.thread, found.thread);
                        refuse("path", index, problem)?;
                    }
                    None => refuse("path", index, format!("comes before its caller {caller}"))?,
                }
            }
        }
        Ok(())
    }

    fn check_upper_bounds(&self) -> Result<(), LedgerError> {
        let Some(bounds) = &self.sheets.upper_bounds else { return Ok(()) };
        for (index, group) in bounds.groups.iter().enumerate() {
            points(("call tree", index), "test", group.test as usize, bounds.tests.len())?;
        }
        for (index, call) in bounds.calls.iter().enumerate() {
            points(("bounded call", index), "call tree", call.group as usize, bounds.groups.len())?;
            if let Some(caller) = call.caller {
                points(("bounded call", index), "caller", caller as usize, index)?;
            }
        }
        Ok(())
    }

    fn check_errors(&self) -> Result<(), LedgerError> {
        let (groups, meters) = (self.power.errors.groups.len(), self.power.errors.meters.len());
        for (index, source) in self.power.errors.sources.iter().enumerate() {
            points(("source", index), "group", usize::from(source.group.0), groups)?;
            if let Some(meter) = source.meter {
                points(("source", index), "meter", usize::from(meter.0), meters)?;
            }
        }
        for (index, meter) in self.power.errors.meters.iter().enumerate() {
            if let Some(group) = meter.group {
                points(("meter", index), "group", usize::from(group.0), groups)?;
            }
        }
        Ok(())
    }

    fn check_bookings(&self) -> Result<(), LedgerError> {
        let place = |booking: &Booking| {
            (booking.account, booking.component, booking.charge, booking.source)
        };
        let mut last = None;
        for (index, booking) in self.bookings.iter().enumerate() {
            let row = ("booking", index);
            points(row, "account", booking.account.0 as usize, self.rows.accounts.len())?;
            points(row, "component", usize::from(booking.component.0), self.rows.components.len())?;
            points(row, "source", usize::from(booking.source.0), self.power.errors.sources.len())?;
            if last >= Some(place(booking)) {
                refuse("booking", index, "is not in ascending order".to_owned())?;
            }
            last = Some(place(booking));
        }
        Ok(())
    }

    fn check_tests(&self) -> Result<(), LedgerError> {
        for (index, test) in self.test_runs.tests.iter().enumerate() {
            if test.window.end < test.window.start {
                refuse("test", index, "ends before it starts".to_owned())?;
            }
        }
        let mut last = None;
        for (index, booking) in self.test_runs.bookings.iter().enumerate() {
            let row = ("test booking", index);
            points(row, "test", booking.test as usize, self.test_runs.tests.len())?;
            points(row, "component", usize::from(booking.component.0), self.rows.components.len())?;
            points(row, "source", usize::from(booking.source.0), self.power.errors.sources.len())?;
            let place = (booking.test, booking.component, booking.source);
            if last >= Some(place) {
                refuse("test booking", index, "is not in ascending order".to_owned())?;
            }
            last = Some(place);
        }
        Ok(())
    }

    fn check_closure(&self) -> Result<(), LedgerError> {
        let mut booked = vec![CompensatedSum::default(); self.rows.components.len()];
        for booking in &self.bookings {
            if let Some(sum) = booked.get_mut(usize::from(booking.component.0)) {
                sum.add(booking.joules.value());
            }
        }
        for (index, entry) in self.closure.iter().enumerate() {
            let found = self.rows.components.iter().position(|known| known.name == entry.component);
            let Some(sum) = found.and_then(|component| booked.get(component)) else {
                refuse("closure", index, format!("is of {}, no component", entry.component))?;
                continue;
            };
            closure::compare(&entry.component, *sum, entry.integrated)?;
        }
        Ok(())
    }
}
