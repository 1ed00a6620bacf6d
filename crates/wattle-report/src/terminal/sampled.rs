//! What samples found, where no energy follows from them.

use super::cells::{grouped, name, percent};
use super::page::Page;
use super::style::Style::{Dim, Plain, Strong};
use super::table::Align::{Left, Right};
use super::table::Table;

impl Page<'_> {
    pub(super) fn sampled(&self, to: &mut String) {
        let Some(sampled) = &self.report.sampled else { return };
        let share = |count: u64| percent(Some(count as f64 / sampled.total as f64));
        self.list_heading(to, "Sampled threads", sampled.threads.len());
        let unit = sampled.unit.as_str();
        let mut table = Table::new(
            &[("thread", Left, Plain), (unit, Right, Strong), ("share", Right, Plain)],
            &[0],
        );
        for row in sampled.threads.iter().take(self.top) {
            table.row([name(&row.name), grouped(row.samples), share(row.samples)]);
        }
        self.table(&table, to);
        self.list_heading(to, "Sampled functions", sampled.functions.len());
        let mut table = Table::new(
            &[
                ("function", Left, Plain),
                ("file", Left, Dim),
                ("innermost", Right, Strong),
                ("share", Right, Plain),
                ("in stack", Right, Plain),
            ],
            &[0, 1],
        );
        for row in sampled.functions.iter().take(self.top) {
            table.row([
                row.name.clone(),
                row.mapping.clone(),
                grouped(row.own),
                share(row.own),
                grouped(row.total),
            ]);
        }
        self.table(&table, to);
    }
}
