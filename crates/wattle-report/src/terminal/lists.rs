//! Processes, threads and slices, most energy first.

use wattle_units::{Joules, Nanos};

use super::listing::Listing;
use super::terminal_page::Page;
use crate::cells::{joules, time};
use crate::{ConsumerRow, ProcessRow, SliceRow, ThreadRow};

/// The most columns of components besides the CPU.
const DEVICES: usize = 3;

impl Page<'_> {
    /// Whose rows are shown: the apps' where apps were asked for.
    pub(super) fn shown(&self) -> impl Iterator<Item = &ProcessRow> {
        let all = self.report.software.app.as_ref().is_none_or(|app| app.processes.is_empty());
        self.report.software.processes.iter().filter(move |process| all || process.in_app)
    }

    pub(super) fn consumers(&self, to: &mut String) {
        let mut rows: Vec<&ConsumerRow> = self.report.software.consumers.iter().collect();
        self.by_time_without_energy(&mut rows, |row| row.cpu);
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Apps and programs", rows.len());
        rows.truncate(self.top);
        self.table(&Listing::new(rows).table(), to);
    }

    pub(super) fn processes(&self, to: &mut String) {
        let mut rows: Vec<_> = self.shown().collect();
        self.by_time_without_energy(&mut rows, |row| row.cpu);
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Processes", rows.len());
        rows.truncate(self.top);
        self.table(&Listing::new(rows).table(), to);
    }

    pub(super) fn threads(&self, to: &mut String) {
        let is_shown = |thread: &&ThreadRow| self.report.software.app.is_none() || thread.in_app;
        let mut rows: Vec<&ThreadRow> =
            self.shown().flat_map(|process| &process.threads).filter(is_shown).collect();
        rows.sort_by(|a, b| b.energy.rank().total_cmp(&a.energy.rank()).then(a.tid.cmp(&b.tid)));
        self.by_time_without_energy(&mut rows, |row| row.cpu);
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Threads", rows.len());
        rows.truncate(self.top);
        self.table(&Listing::new(rows).table(), to);
    }

    pub(super) fn slices(&self, to: &mut String) {
        let all = self.report.software.app.as_ref().is_none_or(|app| app.processes.is_empty());
        let mut rows: Vec<&SliceRow> =
            self.report.software.slices.iter().filter(|slice| all || slice.in_app).collect();
        self.by_time_without_energy(&mut rows, |row| Some(row.cpu.unwrap_or(row.wall)));
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Slices", rows.len());
        rows.truncate(self.top);
        let devices: Vec<String> = devices(&rows).into_iter().map(str::to_owned).collect();
        let mut listing = Listing::new(rows);
        for device in &devices {
            listing.number_before("mean_mw", device, move |row| {
                let part = row.components.iter().find(|component| component.name == *device);
                part.map_or_else(String::new, |part| joules(part.total))
            });
        }
        let label = if self.report.recording.has_scheduler { "CPU time" } else { "wall time" };
        // Samples have no length.
        listing.number_before("", label, |row| {
            time(row.cpu.or(row.samples.is_none().then_some(row.wall)))
        });
        self.table(&listing.table(), to);
    }

    /// Without an energy, rows are listed by the time they had.
    pub(super) fn by_time_without_energy<T>(
        &self,
        rows: &mut [T],
        time: impl Fn(&T) -> Option<Nanos>,
    ) {
        if self.report.energy.total.0.is_none() {
            rows.sort_by_key(|row| std::cmp::Reverse(time(row)));
        }
    }

    pub(super) fn list_heading(&self, to: &mut String, text: &str, count: usize) {
        let shown = count.min(self.top);
        let text = if shown < count {
            format!("{text} ({shown} of {count})")
        } else {
            format!("{text} ({count})")
        };
        self.heading(to, &text);
    }
}

/// The components besides the CPU that these slices used, most energy first.
fn devices<'a>(rows: &[&'a SliceRow]) -> Vec<&'a str> {
    let mut most: Vec<(&str, f64)> = Vec::new();
    for part in rows.iter().flat_map(|row| &row.components) {
        let energy = part.total.joules().map_or(0.0, Joules::value);
        match most.iter_mut().find(|(name, _)| *name == part.name) {
            Some((_, most)) => *most = most.max(energy),
            None => most.push((&part.name, energy)),
        }
    }
    most.sort_by(|one, other| other.1.total_cmp(&one.1));
    most.into_iter().take(DEVICES).map(|(name, _)| name).collect()
}
