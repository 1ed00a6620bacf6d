//! Regions, a row each.

use wattle_diagnose::{IdleSource, Region, RegionKind};
use wattle_units::Si;

use super::wide_table::{Column, ColumnSet, write};
use super::{View, energy, interval};
use crate::cells::{NO_DATA, grouped, time};
use crate::diagnosis::label::{self, Labels};
use crate::terminal::style::Style::{Dim, Good, Plain, Strong};
use crate::terminal::text_table::Align::{Left, Right};

/// A region with its names.
struct Row<'a> {
    number: usize,
    process: String,
    thread: String,
    start: String,
    end: String,
    region: &'a Region,
}

const fn columns<'a>() -> [Column<Row<'a>>; 17] {
    [
        Column {
            heading: "no.",
            align: Right,
            style: Dim,
            rank: 9,
            cell: |row| row.number.to_string(),
        },
        Column {
            heading: "process (pid)",
            align: Left,
            style: Plain,
            rank: 3,
            cell: |row| row.process.clone(),
        },
        Column {
            heading: "thread (tid)",
            align: Left,
            style: Plain,
            rank: 0,
            cell: |row| row.thread.clone(),
        },
        Column {
            heading: "start",
            align: Right,
            style: Plain,
            rank: 0,
            cell: |row| row.start.clone(),
        },
        Column { heading: "end", align: Right, style: Plain, rank: 2, cell: |row| row.end.clone() },
        Column {
            heading: "CPU use",
            align: Right,
            style: Strong,
            rank: 0,
            cell: |row| View::share(row.region.cpu_use),
        },
        Column {
            heading: "events",
            align: Right,
            style: Plain,
            rank: 0,
            cell: |row| grouped(row.region.events),
        },
        Column {
            heading: "of process",
            align: Right,
            style: Plain,
            rank: 11,
            cell: |row| View::share(row.region.share_of_process),
        },
        Column {
            heading: "interval",
            align: Right,
            style: Plain,
            rank: 4,
            cell: |row| time(row.region.mean_interval),
        },
        Column {
            heading: "CV",
            align: Right,
            style: Plain,
            rank: 10,
            cell: |row| number(row.region.interval_variation),
        },
        Column {
            heading: "period",
            align: Right,
            style: Plain,
            rank: 6,
            cell: |row| time(row.region.period),
        },
        Column {
            heading: "wake-ups",
            align: Right,
            style: Plain,
            rank: 5,
            cell: |row| format!("{:.0}/s", row.region.wakeups_per_second),
        },
        Column {
            heading: "power",
            align: Right,
            style: Plain,
            rank: 7,
            cell: |row| row.region.watts.map_or(NO_DATA.into(), watts),
        },
        Column {
            heading: "energy",
            align: Right,
            style: Strong,
            rank: 0,
            cell: |row| energy(row.region.energy),
        },
        Column {
            heading: "90 % interval",
            align: Left,
            style: Dim,
            rank: 12,
            cell: |row| interval(row.region.energy),
        },
        Column {
            heading: "saved",
            align: Right,
            style: Plain,
            rank: 1,
            cell: |row| energy(row.region.saved),
        },
        Column {
            heading: "",
            align: Left,
            style: Dim,
            rank: 13,
            cell: |row| found_as(row.region.kind),
        },
    ]
}

impl View<'_> {
    pub(super) fn regions(&self, to: &mut String) {
        let diagnosis = self.diagnosis;
        self.heading(
            to,
            &format!(
                "Regions of high CPU use{} ({})",
                if diagnosis.idle.source == IdleSource::Unknown { "" } else { " at idle" },
                grouped(diagnosis.regions.len() as u64)
            ),
        );
        if diagnosis.regions.is_empty() {
            self.lines(to, Good, 2, "none");
            to.push('\n');
            return;
        }
        let rows: Vec<_> = (1..)
            .zip(&diagnosis.regions)
            .take(self.top)
            .map(|(number, region)| self.row(number, region))
            .collect();
        let set = ColumnSet { columns: &columns(), elastic: &["process (pid)", "thread (tid)"] };
        write(&set, &rows, self.columns, self.painter, to);
        self.more(to, diagnosis.regions.len());
        let text = "CPU use is of one core. “Saved” is what sleeping instead would have saved; events are times that the thread came to a CPU or was sampled.";
        self.lines(to, Dim, 2, text);
        to.push('\n');
    }

    fn row<'a>(&self, number: usize, region: &'a Region) -> Row<'a> {
        let thread = self.diagnosis.thread(region.thread);
        let owner = thread.and_then(|thread| self.diagnosis.owner(thread));
        Row {
            number,
            process: owner.map_or(NO_DATA.into(), label::process),
            thread: thread.map_or(NO_DATA.into(), label::thread),
            start: self.instant(region.window.start),
            end: self.instant(region.window.end),
            region,
        }
    }
}

fn watts(watts: f64) -> String {
    Si { value: watts, unit: "W" }.to_string()
}

fn number(number: Option<f64>) -> String {
    number.map_or(NO_DATA.into(), |number| format!("{number:.2}"))
}

/// Only what is unusual is said.
fn found_as(kind: RegionKind) -> String {
    match kind {
        RegionKind::Cluster => String::new(),
        RegionKind::SingleEvent => "one event".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_can_be_told_from_the_others() {
        let columns = columns();
        for (at, column) in columns.iter().enumerate() {
            assert!(columns[..at].iter().all(|other| other.heading != column.heading));
            assert!(columns[..at].iter().all(|other| other.rank == 0 || other.rank != column.rank));
        }
    }
}
