//! Tests, most energy first.

use wattle_units::Nanos;

use super::human::sentence;
use super::listing::Listing;
use super::style::Style::Dim;
use super::terminal_page::Page;
use crate::cells::{Seconds, name};
use crate::{Sort, TestRow};

impl Page<'_> {
    pub(super) fn tests(&self, to: &mut String) {
        let mut rows: Vec<&TestRow> = self.report.tests.rows.iter().collect();
        if rows.is_empty() {
            return;
        }
        // Stable: without energies they stay in order of time.
        rows.sort_by(|a, b| b.energy.rank().total_cmp(&a.energy.rank()));
        match self.sort {
            Sort::Total => {}
            Sort::Own => rows.sort_by(|a, b| b.app.rank().total_cmp(&a.app.rank())),
            Sort::Mean => {
                let mean = |row: &TestRow| row.mean_mw.unwrap_or(f64::NEG_INFINITY);
                rows.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
            }
            Sort::Calls => rows.sort_by_key(|row| std::cmp::Reverse(row.duration)),
        }
        self.list_heading(to, "Tests", rows.len());
        // The table has no room for all of them: JSON and HTML have.
        let costliest = rows.first().and_then(|row| Some((row.name.clone(), row.human.as_ref()?)));
        rows.truncate(self.top);
        Listing::new(rows).table().write(self.columns, self.painter, to);
        if let (Some((test, human)), Some(units)) = (costliest, &self.report.energy.human_units) {
            self.line_indented(to, Dim, &format!("{} {}", name(&test), sentence(human, units)));
        }
        let off = self.report.tests.rows.iter().map(|row| row.uncertainty).max();
        if let Some(off) = off.filter(|off| *off > Nanos::ZERO) {
            let line = format!("their ends may be off by up to {}", Seconds(off));
            self.line_indented(to, Dim, &line);
        }
        to.push('\n');
    }
}
