//! What threads drew for the runtime and not for the app's own work.

use wattle_ledger::RuntimeClass;

use super::cells::{NO_DATA, bounds, joules, name, percent, range, time};
use super::page::Page;
use super::style::Style::{Dim, Plain, Strong, Warning};
use super::table::Align::{Left, Right};
use super::table::Table;
use crate::{RuntimeProcessRow, RuntimeTaxReport};

impl Page<'_> {
    pub(super) fn runtime_tax(&self, to: &mut String) {
        let Some(tax) = &self.report.runtime_tax else { return };
        let app = self.report.app.as_ref().filter(|app| !app.processes.is_empty());
        let of = app.map_or(String::new(), |app| format!(" of {}", app.packages.join(", ")));
        self.heading(to, &format!("Runtime tax{of}"));
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
        let columns = [
            ("class", Left, Plain),
            ("energy", Right, Strong),
            ("90 % interval", Left, Dim),
            ("share", Right, Plain),
            ("CPU time", Right, Plain),
            ("components", Left, Dim),
        ];
        let mut table = Table::new(&columns, &[5]);
        for row in &tax.classes {
            let part =
                |part: &crate::ComponentRow| format!("{} {}", part.name, joules(part.energy));
            let parts: Vec<_> = row.components.iter().map(part).collect();
            table.row([
                row.class.title().to_owned(),
                joules(row.energy),
                range(row.energy),
                percent(row.share),
                time(row.cpu),
                parts.join(", "),
            ]);
        }
        table.row([
            "the app's own".to_owned(),
            joules(tax.rest),
            range(tax.rest),
            String::new(),
            time(tax.rest_cpu),
            String::new(),
        ]);
        self.table(&table, to);
    }

    fn taxed_processes(&self, rows: &[RuntimeProcessRow], to: &mut String) {
        let mut columns =
            vec![("pid", Right, Dim), ("process", Left, Plain), ("runtime tax", Right, Strong)];
        columns.extend(RuntimeClass::ALL.map(|class| (short(class), Right, Plain)));
        columns.push(("its own", Right, Plain));
        let mut table = Table::new(&columns, &[1]);
        for row in rows.iter().take(self.top) {
            let of = |class: RuntimeClass| {
                let found = row.classes.iter().find(|it| it.class == class);
                found.map_or(String::new(), |row| match row.energy.0 {
                    Some(_) => joules(row.energy),
                    None => time(row.cpu),
                })
            };
            let mut cells = vec![
                row.pid.map_or(NO_DATA.into(), |pid| pid.to_string()),
                name(&row.name),
                joules(row.energy),
            ];
            cells.extend(RuntimeClass::ALL.map(of));
            cells.push(joules(row.rest));
            table.row(cells);
        }
        if let Some(more) = rows.len().checked_sub(self.top).filter(|more| *more > 0) {
            table.note(Dim, &format!("and {more} more processes"));
        }
        self.table(&table, to);
    }
}

/// The class in the head of a narrow column.
fn short(class: RuntimeClass) -> &'static str {
    match class {
        RuntimeClass::GarbageCollection => "GC",
        RuntimeClass::JitCompilation => "JIT",
        RuntimeClass::ClassLoading => "classes",
        RuntimeClass::AppStart => "app start",
    }
}
