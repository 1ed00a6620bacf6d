//! Source lines of all methods.

use super::listing::Listing;
use super::method_details::callees;
use super::style::Style::Dim;
use super::terminal_page::Page;
use crate::{LineKind, LineRow};

impl Page<'_> {
    pub(super) fn lines(&self, to: &mut String) {
        let Some(code) = &self.report.software.code else { return };
        self.code_heading(to, "Lines", code.lines().len());
        let rows: Vec<&LineRow> = code.lines().iter().take(self.top).collect();
        let listing = Listing::in_cases(rows.clone(), &code.line_cases(rows.into_iter()));
        let table = listing.table_with(|row, table| {
            if row.line.kind != LineKind::Itself {
                table.note(Dim, &format!("calls {}", callees(&row.line)));
            }
        });
        table.write(self.columns, self.painter, to);
        let text = "a line holds what it calls, and so what other lines of the methods that it calls hold: they do not add up";
        self.line_indented(to, Dim, text);
        self.api_coverage(to);
        to.push('\n');
    }
}
