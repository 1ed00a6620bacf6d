//! Classes and packages.

use super::cells::grouped;
use super::measures::{Measured, Measures};
use super::page::Page;
use super::style::Style::Plain;
use super::table::Align::{Left, Right};
use super::table::Table;
use crate::GroupSums;

/// A row: its name, the words before its measures, and what it sums up.
type Row<'a> = (String, Vec<String>, &'a GroupSums);

impl Page<'_> {
    pub(super) fn classes(&self, to: &mut String) {
        let Some(code) = &self.report.code else { return };
        let row =
            |row: &'_ crate::ClassRow| row.name.clone().unwrap_or_else(|| "(no class)".to_owned());
        let rows: Vec<Row<'_>> = code
            .classes
            .iter()
            .map(|class| (row(class), vec![grouped(class.sums.methods as u64)], &class.sums))
            .collect();
        self.code_heading(to, "Classes", rows.len());
        self.groups(("class", &["methods"]), &rows, to);
    }

    pub(super) fn packages(&self, to: &mut String) {
        let Some(code) = &self.report.code else { return };
        let name = |name: Option<&str>| match name {
            None => "(no class)".to_owned(),
            Some("") => "(default package)".to_owned(),
            Some(name) => name.to_owned(),
        };
        let rows: Vec<Row<'_>> = code
            .packages
            .iter()
            .map(|row| {
                let counts = [row.classes, row.sums.methods];
                let counts = counts.map(|count| grouped(count as u64)).to_vec();
                (name(row.name.as_deref()), counts, &row.sums)
            })
            .collect();
        self.code_heading(to, "Packages", rows.len());
        self.groups(("package", &["classes", "methods"]), &rows, to);
    }

    fn groups(&self, (what, counts): (&str, &[&str]), rows: &[Row<'_>], to: &mut String) {
        let rows = &rows[..rows.len().min(self.top)];
        let measured: Vec<Measured> = rows.iter().map(|(_, _, sums)| measured(sums)).collect();
        let api_leads = self.report.code.as_ref().is_some_and(|code| code.api_leads);
        let measures = Measures::of(&measured, api_leads);
        let mut columns = vec![(what, Left, Plain)];
        columns.extend(counts.iter().map(|count| (*count, Right, Plain)));
        columns.extend(measures.columns());
        let mut table = Table::new(&columns, &[0]);
        for ((name, counts, _), measured) in rows.iter().zip(&measured) {
            let mut cells = vec![name.clone()];
            cells.extend(counts.iter().cloned());
            cells.extend(measures.cells(measured));
            table.row(cells);
        }
        table.write(self.columns, self.painter, to);
        self.api_coverage(to);
        to.push('\n');
    }
}

fn measured(sums: &GroupSums) -> Measured {
    Measured {
        ledger: [sums.own, sums.total, sums.mean],
        share: sums.share,
        api: [sums.api_own, sums.api_total, sums.api_mean],
        api_share: sums.api_share,
        calls: sums.calls,
    }
}
