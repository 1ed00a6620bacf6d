//! Disk operations: the files and the threads that took longest.

use std::collections::BTreeMap;

use wattle_diagnose::DiskRow;
use wattle_units::{Nanos, Si};

use super::View;
use super::wide_table::{Column, ColumnSet, write};
use crate::cells::{NO_DATA, grouped, time};
use crate::diagnosis::disk_times::DiskTimes;
use crate::diagnosis::label::{self, Labels};
use crate::terminal::style::Style::{Dim, Plain, Strong};
use crate::terminal::text_table::Align::{Left, Right};

/// Operations of one file or thread together.
struct Sum {
    name: String,
    count: u64,
    /// Of those whose times are known.
    time: Option<Nanos>,
    bytes: Option<u64>,
}

impl View<'_> {
    pub(super) fn disk(&self, to: &mut String) {
        let rows = &self.diagnosis.disk;
        if rows.is_empty() {
            return;
        }
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        for row in rows {
            *kinds.entry(row.kind.as_str()).or_default() += 1;
        }
        let kinds: Vec<_> =
            kinds.iter().map(|(kind, count)| format!("{kind} {}", grouped(*count))).collect();
        self.heading(to, &format!("Disk operations ({})", grouped(rows.len() as u64)));
        self.lines(to, Plain, 2, &kinds.join(", "));
        let untimed = rows.iter().filter(|row| DiskTimes::from_row(row).length.is_none()).count();
        if untimed > 0 {
            let line = format!(
                "{} of them have no time: beginning or completion was not recorded",
                grouped(untimed as u64)
            );
            self.lines(to, Dim, 2, &line);
        }
        let path = |row: &DiskRow| row.path.clone().unwrap_or_else(|| "(unknown file)".to_owned());
        self.sums("file", &self.by(path), to);
        let thread = |row: &DiskRow| {
            let thread = self.diagnosis.thread(row.thread);
            let owner = thread.and_then(|thread| self.diagnosis.owner(thread));
            let process = owner.map_or(NO_DATA.into(), label::process);
            format!("{process}, {}", thread.map_or(NO_DATA.into(), label::thread))
        };
        self.sums("thread", &self.by(thread), to);
        to.push('\n');
    }

    /// Sums by name, the longest time first.
    fn by(&self, name: impl Fn(&DiskRow) -> String) -> Vec<Sum> {
        let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
        for row in &self.diagnosis.disk {
            let sum = sums.entry(name(row)).or_insert_with_key(|name| Sum {
                name: name.clone(),
                count: 0,
                time: None,
                bytes: None,
            });
            sum.count += 1;
            if let Some(length) = DiskTimes::from_row(row).length {
                let time = sum.time.unwrap_or_default().value();
                sum.time = Some(Nanos::new(time.saturating_add(length.value())));
            }
            if let Some(bytes) = row.bytes {
                sum.bytes = Some(sum.bytes.unwrap_or_default().saturating_add(bytes));
            }
        }
        let mut sums: Vec<_> = sums.into_values().collect();
        sums.sort_by(|a, b| {
            (b.time, b.count).cmp(&(a.time, a.count)).then_with(|| a.name.cmp(&b.name))
        });
        sums
    }

    fn sums(&self, what: &'static str, sums: &[Sum], to: &mut String) {
        let rows = &sums[..sums.len().min(self.top)];
        let columns: [Column<Sum>; 4] = [
            Column {
                heading: "time",
                align: Right,
                style: Strong,
                rank: 0,
                cell: |sum| time(sum.time),
            },
            Column {
                heading: "operations",
                align: Right,
                style: Plain,
                rank: 0,
                cell: |sum| grouped(sum.count),
            },
            Column {
                heading: "size",
                align: Right,
                style: Plain,
                rank: 0,
                cell: |sum| sum.bytes.map_or(NO_DATA.into(), size),
            },
            Column {
                heading: what,
                align: Left,
                style: Plain,
                rank: 0,
                cell: |sum| sum.name.clone(),
            },
        ];
        let set = ColumnSet { columns: &columns, elastic: &[what] };
        write(&set, rows, self.columns, self.painter, to);
        self.more(to, sums.len());
    }
}

fn size(bytes: u64) -> String {
    Si { value: bytes as f64, unit: "B" }.to_string()
}
