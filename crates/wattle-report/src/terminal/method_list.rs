//! Methods.

use super::cells::{NO_DATA, joules, time};
use super::measures::{Measured, Measures, short};
use super::page::Page;
use super::style::Style::{Dim, Plain, Strong};
use super::table::Align::{Left, Right};
use super::table::Table;
use crate::{Figure, MethodRow};

/// Narrower terminals have no columns for quantiles.
const WIDE: usize = 100;

impl Page<'_> {
    /// A short list for the page of everything: methods only, without names of trace sections.
    pub(super) fn methods(&self, to: &mut String) {
        let Some(code) = &self.report.code else { return };
        let rows: Vec<&MethodRow> = code.methods.iter().filter(|row| row.class.is_some()).collect();
        if rows.is_empty() {
            return;
        }
        self.code_heading(to, "Methods", rows.len());
        self.method_table(&rows, false, to);
        // The list of APIs, which is next, says it.
        if !super::api_list::has_costs(code) {
            self.api_coverage(to);
        }
        to.push('\n');
    }

    /// All of them, each with what is behind it.
    pub(super) fn all_methods(&self, to: &mut String) {
        let Some(code) = &self.report.code else { return };
        let rows: Vec<&MethodRow> = code.methods.iter().collect();
        let what = if code.has_methods() { "Methods" } else { "Trace sections" };
        self.code_heading(to, what, rows.len());
        self.method_table(&rows, true, to);
        self.api_coverage(to);
        to.push('\n');
    }

    fn method_table(&self, rows: &[&MethodRow], with_details: bool, to: &mut String) {
        let api_leads = self.report.code.as_ref().is_some_and(|code| code.api_leads);
        let shown = &rows[..rows.len().min(self.top)];
        let measured: Vec<Measured> = shown.iter().map(|row| measured(row)).collect();
        let measures = Measures::of(&measured, api_leads);
        let quantiles = |row: &MethodRow| if api_leads { row.api_per_call } else { row.per_call };
        let has_quantiles = with_details
            && self.columns >= WIDE
            && shown.iter().any(|row| quantiles(row).is_some());
        let has_methods = shown.iter().any(|row| row.class.is_some());
        let mut columns = vec![(if has_methods { "method" } else { "section" }, Left, Plain)];
        // Energy leaves no room for them.
        let has_times = self.report.code.as_ref().is_some_and(|code| code.time_leads);
        if has_times {
            columns.extend([
                ("self CPU", Right, Strong),
                ("CPU time", Right, Strong),
                ("self wall", Right, Plain),
                ("wall time", Right, Plain),
            ]);
        }
        columns.extend(measures.columns());
        if has_quantiles {
            columns.extend([("p50", Right, Dim), ("p95", Right, Dim)]);
        }
        let mut table = Table::new(&columns, &[0]);
        for (row, measured) in shown.iter().zip(&measured) {
            let mut cells = vec![short(&row.name, row.package.as_deref())];
            if has_times {
                let times = [row.own_clock_cpu, row.clock_cpu, row.own_wall, row.wall];
                cells.extend(times.map(time));
            }
            cells.extend(measures.cells(measured));
            if has_quantiles {
                let found = quantiles(row);
                let cell = |of: Option<wattle_units::Joules>| {
                    of.map_or(NO_DATA.into(), |joules| joules.to_string())
                };
                cells.extend([
                    cell(found.map(|of| of.p50_joules)),
                    cell(found.map(|of| of.p95_joules)),
                ]);
            }
            table.row(cells);
            if with_details {
                super::method_details::add(row, api_leads, &mut table);
            }
        }
        table.write(self.columns, self.painter, to);
        if shown.iter().any(|row| row.only_calls) {
            let text = "methods without a number of calls have no probes of their own: their energies are those of the calls in \
                        them";
            self.line_indented(to, Dim, text);
        }
    }
}

fn measured(row: &MethodRow) -> Measured {
    Measured {
        ledger: [row.own, row.total, row.mean],
        share: row.share,
        api: [row.api_own, row.api_total, row.api_mean],
        api_share: row.api_share,
        calls: row.calls,
    }
}

/// An energy of the ledger, or that by tables where that leads.
pub(super) fn leading(ledger: Figure, api: Figure, api_leads: bool) -> String {
    joules(if api_leads { api } else { ledger })
}
