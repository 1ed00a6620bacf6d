//! Methods.

use super::listing::Listing;
use super::style::Style::Dim;
use super::terminal_page::Page;
use crate::model::{API_QUANTILES, QUANTILES, TIMES};
use crate::{CodeReport, MethodRow};

/// Narrower terminals have no columns for quantiles.
const WIDE: usize = 100;

impl Page<'_> {
    /// A short list for the page of everything: methods only, without names of trace sections.
    pub(super) fn methods(&self, to: &mut String) {
        let Some(code) = &self.report.software.code else { return };
        let rows: Vec<&MethodRow> =
            code.methods.iter().filter(|row| row.place.class.is_some()).collect();
        if rows.is_empty() {
            return;
        }
        self.code_heading(to, "Methods", rows.len());
        self.method_table(code, &rows, false, to);
        // The list of APIs, which is next, says it.
        if !super::api_list::has_costs(code) {
            self.api_coverage(to);
        }
        to.push('\n');
    }

    /// All of them, each with what is behind it.
    pub(super) fn all_methods(&self, to: &mut String) {
        let Some(code) = &self.report.software.code else { return };
        let rows: Vec<&MethodRow> = code.methods.iter().collect();
        let what = match code.has_methods() {
            true => "Methods",
            false if self.is_sampled() => "Functions in sampled stacks",
            false => "Trace sections",
        };
        self.code_heading(to, what, rows.len());
        self.method_table(code, &rows, true, to);
        self.api_coverage(to);
        to.push('\n');
    }

    fn method_table(
        &self,
        code: &CodeReport,
        rows: &[&MethodRow],
        with_details: bool,
        to: &mut String,
    ) {
        let shown: Vec<&MethodRow> = rows.iter().take(self.top).copied().collect();
        let mut cases = code.cases(shown.iter().map(|row| &row.measures));
        if with_details && self.columns >= WIDE {
            cases.push(if code.api_leads { API_QUANTILES } else { QUANTILES });
        }
        // Energy leaves no room for them.
        if code.time_leads {
            cases.push(TIMES);
        }
        let mut listing = Listing::in_cases(shown.clone(), &cases);
        if shown.iter().all(|row| row.place.class.is_none()) {
            listing.head("short", if self.is_sampled() { "function" } else { "section" });
        }
        let table = listing.table_with(|row, table| {
            if with_details {
                super::method_details::add(row, code.api_leads, table);
            }
        });
        table.write(self.columns, self.painter, to);
        if shown.iter().any(|row| row.only_calls) {
            let text = "methods without a number of calls have no probes of their own: their energies are those of the calls in \
                        them";
            self.line_indented(to, Dim, text);
        }
    }
}
