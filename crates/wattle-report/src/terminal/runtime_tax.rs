//! Energy of threads for the runtime and not for the app's own work.

use super::listing::Listing;
use super::style::Style::{Dim, Strong, Warning};
use super::terminal_page::Page;
use crate::cells::{bounds, joules, percent};
use crate::model::{WITH_ENERGY, WITHOUT_ENERGY};
use crate::{RuntimeProcessRow, RuntimeTaxReport};

impl Page<'_> {
    pub(super) fn runtime_tax(&self, to: &mut String) {
        let Some(tax) = &self.report.software.runtime_tax else { return };
        let app = self.report.software.app.as_ref().filter(|app| !app.processes.is_empty());
        let of = app.map_or(String::new(), |app| format!(" of {}", app.packages.join(", ")));
        self.heading(to, &format!("ART overhead{of}: GC, JIT, class loading, startup"));
        if tax.classes.is_empty() {
            self.line_indented(to, Dim, tax.unknown.as_deref().unwrap_or_default());
            to.push('\n');
            return;
        }
        if tax.energy.0.is_some() {
            let line = format!(
                "{}{}, {} of {}",
                joules(tax.energy),
                bounds(tax.energy, ""),
                percent(tax.share),
                if app.is_some() { "the app's total" } else { "the total" }
            );
            self.line_indented(to, Strong, &line);
        }
        self.runtime_classes(tax, to);
        if app.is_none() || tax.processes.len() > 1 {
            self.taxed_processes(&tax.processes, to);
        }
        if let Some(unknown) = &tax.unknown {
            self.line_indented(to, Dim, unknown);
        }
        for advice in &tax.advice {
            self.line_indented(to, Warning, &advice.text);
        }
        if tax.unknown.is_some() || !tax.advice.is_empty() {
            to.push('\n');
        }
    }

    fn runtime_classes(&self, tax: &RuntimeTaxReport, to: &mut String) {
        self.table(&Listing::new(tax.shares().iter().collect()).table(), to);
    }

    fn taxed_processes(&self, rows: &[RuntimeProcessRow], to: &mut String) {
        let has_energy = rows.iter().any(|row| row.energy.0.is_some());
        let case = if has_energy { WITH_ENERGY } else { WITHOUT_ENERGY };
        let listing = Listing::in_cases(rows.iter().take(self.top).collect(), &[case]);
        let mut table = listing.table();
        if let Some(more) = rows.len().checked_sub(self.top).filter(|more| *more > 0) {
            table.note(Dim, &format!("and {more} more processes"));
        }
        self.table(&table, to);
    }
}
