//! Coverage of the probed code.

use super::style::Style::{Dim, Plain};
use super::terminal_page::Page;
use crate::cells::percent;

/// Classes that are named: JSON has more.
const MOST: usize = 3;

impl Page<'_> {
    pub(super) fn coverage(&self, to: &mut String) {
        let Some(coverage) = &self.report.tests.coverage else { return };
        let line = format!(
            "Scenario coverage: {} of {} probed methods ran ({})",
            coverage.executed,
            coverage.methods,
            percent(coverage.share)
        );
        self.paragraph(to, Plain, &line);
        let missed = coverage.classes.iter().filter(|row| row.executed < row.methods);
        let worst: Vec<String> = missed
            .take(MOST)
            .map(|row| format!("{} {} of {}", row.class, row.executed, row.methods))
            .collect();
        if !worst.is_empty() {
            self.line_indented(to, Dim, &format!("least: {}", worst.join(", ")));
        }
        to.push('\n');
    }
}
