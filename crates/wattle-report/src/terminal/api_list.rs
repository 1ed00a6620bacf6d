//! Methods of the framework that were called.

use wattle_power::ApiMatch;

use super::listing::Listing;
use super::style::Style::Dim;
use super::terminal_page::Page;
use crate::cells::{grouped, percent};
use crate::model::cases;
use crate::{ApiCoverage, ApiRow, CodeReport};

/// Callers of each.
const CALLERS: usize = 3;

impl Page<'_> {
    /// A short list for the page of everything, where tables of costs know something.
    pub(super) fn apis(&self, to: &mut String) {
        let Some(code) = &self.report.software.code else { return };
        if has_costs(code) {
            self.api_table(&code.apis, false, to);
        }
    }

    /// All of them, each with its callers.
    pub(super) fn all_apis(&self, to: &mut String) {
        let Some(code) = &self.report.software.code else { return };
        self.api_table(&code.apis, true, to);
    }

    fn api_table(&self, rows: &[ApiRow], with_callers: bool, to: &mut String) {
        self.code_heading(to, "APIs", rows.len());
        let shown: Vec<&ApiRow> = rows.iter().take(self.top).collect();
        let has_energy = shown.iter().any(|row| row.total.0.is_some());
        let listing = Listing::in_cases(shown, &cases(has_energy, false, false));
        let table = listing.table_with(|row, table| {
            if with_callers {
                table.paragraph(Dim, &behind(row));
            }
        });
        table.write(self.columns, self.painter, to);
        self.api_coverage(to);
        to.push('\n');
    }
}

/// Whether tables of costs know any of what was called.
pub fn has_costs(code: &CodeReport) -> bool {
    code.apis.iter().any(|row| row.matched.is_some())
}

/// The whole name, how its cost was found, and who calls it.
fn behind(row: &ApiRow) -> String {
    let mut words = vec![format!("{}{}", row.name, how(row.matched, false))];
    let caller = |caller: &crate::ApiCaller| format!("{} × {}", caller.name, grouped(caller.calls));
    let mut callers: Vec<_> = row.callers.iter().take(CALLERS).map(caller).collect();
    let others = row.callers.len() + row.callers_left_out - callers.len();
    if others > 0 {
        callers.push(format!("{others} more"));
    }
    if !callers.is_empty() {
        words.push(format!("in {}", callers.join(", ")));
    }
    words.join(" · ")
}

/// Describes the match that gave a cost, unless it is by the very signature, and says if the cost is greedy.
pub fn how(matched: Option<ApiMatch>, greedy: bool) -> String {
    let matched = match matched {
        None => ", no known cost",
        Some(ApiMatch::Exact) => "",
        Some(ApiMatch::Inherited) => ", cost of the class it inherits from",
        Some(ApiMatch::Overloads) => ", mean of overloads",
    };
    format!("{matched}{}", if greedy { ", energy-greedy" } else { "" })
}

/// Describes the energies and the part of the calls that they cover.
pub fn coverage_words(coverage: &ApiCoverage) -> Vec<String> {
    let (calls, methods) = (coverage.calls, coverage.methods);
    if calls.known == 0 {
        let text = format!("of none of {} API calls a cost is known", grouped(calls.all));
        return vec![text];
    }
    let tables: Vec<_> = coverage
        .tables
        .iter()
        .map(|table| format!("{} ({})", table.name, table.provenance))
        .collect();
    let share = |known: u64, all: u64| percent(Some(known as f64 / all.max(1) as f64));
    vec![
        format!(
            "API energy: calls into the framework × their cost by table {}; it stands beside the ledger, no total holds it",
            tables.join(", ")
        ),
        format!(
            "a cost is known for {} of {} calls ({}) and {} of {} APIs ({})",
            grouped(calls.known),
            grouped(calls.all),
            share(calls.known, calls.all),
            grouped(methods.known),
            grouped(methods.all),
            share(methods.known, methods.all)
        ),
    ]
}
