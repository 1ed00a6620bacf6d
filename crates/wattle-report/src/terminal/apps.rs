//! Apps of which only the uid is known, most energy first.

use super::cells::{joules, percent, range};
use super::page::Page;
use super::style::Style::{Dim, Plain, Strong};
use super::table::Align::{Left, Right};
use super::table::Table;

impl Page<'_> {
    pub(super) fn apps(&self, to: &mut String) {
        let rows = &self.report.apps;
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Apps", rows.len());
        let columns = [
            ("uid", Right, Dim),
            ("app", Left, Plain),
            ("energy", Right, Strong),
            ("90 % interval", Left, Dim),
            ("share", Right, Plain),
        ];
        let mut table = Table::new(&columns, &[1]);
        let total = self.report.total.joules().map(wattle_units::Joules::value);
        for row in rows.iter().take(self.top) {
            let share = row.energy.joules().zip(total).filter(|(_, total)| *total > 0.0);
            table.row([
                row.uid.to_string(),
                row.packages.join(", "),
                joules(row.energy),
                range(row.energy),
                percent(share.map(|(energy, total)| energy.value() / total)),
            ]);
        }
        self.table(&table, to);
    }
}
