//! Bytes of interfaces and disks, and what calls were given of them.

use wattle_units::Si;

use super::cells::{NO_DATA, percent};
use super::page::Page;
use super::style::Style::{Dim, Plain, Strong};
use super::table::Align::{Left, Right};
use super::table::Table;

impl Page<'_> {
    pub(super) fn transfers(&self, to: &mut String) {
        let rows = &self.report.transfers;
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Bytes", rows.len());
        let columns = [
            ("device", Left, Plain),
            ("component", Left, Dim),
            ("counted", Right, Strong),
            ("by time", Right, Plain),
            ("error", Right, Dim),
            ("by probes", Right, Plain),
            ("error", Right, Dim),
            ("apart a call", Right, Plain),
            ("calls", Right, Plain),
        ];
        let mut table = Table::new(&columns, &[0]);
        for row in rows.iter().take(self.top) {
            let error = |error: Option<f64>| error.map_or(NO_DATA.into(), |it| percent(Some(it)));
            let apart = row.allocation_error.map(f64::sqrt);
            table.row([
                row.device.clone(),
                row.component.name().to_owned(),
                bytes(row.counted),
                bytes(row.shared),
                error(row.shared_error),
                row.hooked.map_or(NO_DATA.into(), bytes),
                error(row.hooked_error),
                apart.map_or(NO_DATA.into(), bytes),
                row.calls.to_string(),
            ]);
        }
        self.table(&table, to);
    }
}

fn bytes(value: f64) -> String {
    Si { value, unit: "B" }.to_string()
}
