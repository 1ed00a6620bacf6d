//! Processes, threads and slices, most energy first.

use wattle_units::{Joules, Nanos};

use super::cells::{NO_DATA, joules, milliwatts, name, percent, range, time};
use super::page::Page;
use super::style::Style::{Dim, Plain, Strong};
use super::table::Align::{Left, Right};
use super::table::Table;
use crate::{ProcessRow, SliceRow, ThreadRow};

/// The most columns of components besides the CPU.
const DEVICES: usize = 3;

impl Page<'_> {
    /// Whose rows are shown: the apps' where apps were asked for.
    pub(super) fn shown(&self) -> impl Iterator<Item = &ProcessRow> {
        let all = self.report.app.as_ref().is_none_or(|app| app.processes.is_empty());
        self.report.processes.iter().filter(move |process| all || process.in_app)
    }

    pub(super) fn processes(&self, to: &mut String) {
        let mut rows: Vec<_> = self.shown().collect();
        self.by_time_without_energy(&mut rows, |row| row.cpu);
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Processes", rows.len());
        let mut table = Table::new(
            &[
                ("pid", Right, Dim),
                ("process", Left, Plain),
                ("energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("mean", Right, Plain),
                ("share", Right, Plain),
                ("CPU time", Right, Plain),
            ],
            &[1],
        );
        for row in rows.into_iter().take(self.top) {
            table.row([
                row.pid.map_or(NO_DATA.into(), |pid| pid.to_string()),
                process_name(row),
                joules(row.energy),
                range(row.energy),
                row.mean_mw.map_or(NO_DATA.into(), milliwatts),
                percent(row.share),
                time(row.cpu),
            ]);
        }
        self.table(&table, to);
    }

    pub(super) fn threads(&self, to: &mut String) {
        let mut rows: Vec<(&ThreadRow, &ProcessRow)> = self
            .shown()
            .flat_map(|process| process.threads.iter().map(move |thread| (thread, process)))
            .collect();
        rows.sort_by(|a, b| {
            b.0.energy.rank().total_cmp(&a.0.energy.rank()).then(a.0.tid.cmp(&b.0.tid))
        });
        self.by_time_without_energy(&mut rows, |(thread, _)| thread.cpu);
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Threads", rows.len());
        let mut table = Table::new(
            &[
                ("tid", Right, Dim),
                ("thread", Left, Plain),
                ("process", Left, Dim),
                ("energy", Right, Strong),
                ("core", Right, Plain),
                ("shared", Right, Plain),
                ("wake", Right, Plain),
                ("mean", Right, Plain),
                ("CPU time", Right, Plain),
            ],
            &[1, 2],
        );
        for (thread, process) in rows.into_iter().take(self.top) {
            table.row([
                thread.tid.to_string(),
                name(&thread.name),
                process_name(process),
                joules(thread.energy),
                joules(thread.cpu_core),
                joules(thread.cpu_shared),
                joules(thread.wake_transition),
                thread.mean_mw.map_or(NO_DATA.into(), milliwatts),
                time(thread.cpu),
            ]);
        }
        self.table(&table, to);
    }

    pub(super) fn slices(&self, to: &mut String) {
        let all = self.report.app.as_ref().is_none_or(|app| app.processes.is_empty());
        let mut rows: Vec<&SliceRow> =
            self.report.slices.iter().filter(|slice| all || slice.in_app).collect();
        self.by_time_without_energy(&mut rows, |row| Some(row.cpu.unwrap_or(row.wall)));
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Slices", rows.len());
        rows.truncate(self.top);
        let mut columns = vec![
            ("slice", Left, Plain),
            ("thread", Left, Dim),
            ("self", Right, Strong),
            ("total", Right, Strong),
        ];
        let devices = devices(&rows);
        columns.extend(devices.iter().map(|device| (*device, Right, Plain)));
        columns.extend([("mean", Right, Plain), ("calls", Right, Plain)]);
        let sampled = rows.iter().any(|row| row.samples.is_some());
        if sampled {
            columns.push(("samples", Right, Plain));
        }
        columns.extend([(
            if self.report.has_scheduler { "CPU time" } else { "wall time" },
            Right,
            Plain,
        )]);
        let mut table = Table::new(&columns, &[0, 1]);
        for row in rows {
            let mut cells =
                vec![name(&row.name), name(&row.thread), joules(row.own), joules(row.total)];
            cells.extend(devices.iter().map(|device| {
                let part = row.components.iter().find(|component| component.name == *device);
                part.map_or_else(String::new, |part| joules(part.total))
            }));
            cells.extend([
                row.mean_mw.map_or(NO_DATA.into(), milliwatts),
                // Samples do not tell how often something was called.
                if row.calls == 0 && row.samples.is_some() {
                    NO_DATA.into()
                } else {
                    row.calls.to_string()
                },
            ]);
            if sampled {
                cells.push(row.samples.map_or(NO_DATA.into(), |samples| samples.to_string()));
            }
            // Samples have no length.
            cells.push(time(row.cpu.or(row.samples.is_none().then_some(row.wall))));
            table.row(cells);
        }
        self.table(&table, to);
    }

    /// Without an energy, rows are listed by the time they had.
    pub(super) fn by_time_without_energy<T>(
        &self,
        rows: &mut [T],
        time: impl Fn(&T) -> Option<Nanos>,
    ) {
        if self.report.total.0.is_none() {
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

/// Threads of which no process is known stand together.
fn process_name(process: &ProcessRow) -> String {
    match process.pid {
        None if process.name.is_empty() => "(unknown process)".to_owned(),
        _ => name(&process.name),
    }
}
