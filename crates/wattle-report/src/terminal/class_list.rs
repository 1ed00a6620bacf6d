//! Classes and packages.

use wattle_table::Described;

use super::listing::Listing;
use super::terminal_page::Page;
use crate::{CodeMeasures, CodeReport};

impl Page<'_> {
    pub(super) fn classes(&self, to: &mut String) {
        let Some(code) = &self.report.software.code else { return };
        self.code_heading(to, "Classes", code.classes.len());
        self.groups(code, &code.classes, |row| &row.sums.measures, to);
    }

    pub(super) fn packages(&self, to: &mut String) {
        let Some(code) = &self.report.software.code else { return };
        self.code_heading(to, "Packages", code.packages.len());
        self.groups(code, &code.packages, |row| &row.sums.measures, to);
    }

    fn groups<R: Described>(
        &self,
        code: &CodeReport,
        rows: &[R],
        measures: fn(&R) -> &CodeMeasures,
        to: &mut String,
    ) {
        let rows: Vec<&R> = rows.iter().take(self.top).collect();
        let cases = code.cases(rows.iter().map(|row| measures(row)));
        Listing::in_cases(rows, &cases).table().write(self.columns, self.painter, to);
        self.api_coverage(to);
        to.push('\n');
    }
}
