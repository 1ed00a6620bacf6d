//! For a terminal.

use std::fmt::Write as _;

use crate::{CheckVerdict, GateReport};

/// The check as lines for a terminal: the verdict first, then each rule, the gravest first.
pub fn terminal(report: &GateReport) -> String {
    let mut text = format!("{}\n", report.headline());
    let app = if report.app.is_empty() { "whole device" } else { &report.app };
    // Writing to a String does not fail.
    let _ = writeln!(text, "{app}: {}", report.runs.join(", "));
    let mut rows: Vec<_> = report.rows.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.verdict));
    if !rows.is_empty() {
        text.push('\n');
    }
    for row in rows {
        let mark = match row.verdict {
            CheckVerdict::Passed => "✓",
            CheckVerdict::Failed => "✗",
            CheckVerdict::Flaky => "~",
            CheckVerdict::Inconclusive | CheckVerdict::NotMeasured => "?",
        };
        let _ = writeln!(text, "  {mark} {:<12} {}", row.verdict.name(), row.text);
    }
    if !report.baseline.refused.is_empty() {
        text.push_str("\nleft out of the baseline\n");
        for (run, reason) in &report.baseline.refused {
            let _ = writeln!(text, "  {run}: {reason}");
        }
    }
    text
}
