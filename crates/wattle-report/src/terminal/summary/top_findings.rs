//! The most severe findings with their potential saving.

use wattle_diagnose::{Finding, FindingSeverity};
use wattle_units::Joules;

use super::super::style::Style::{Dim, Plain, Strong, Warning};
use super::super::text_columns::{fit, width};
use super::styled_line::StyledLine;
use super::summary_page::{LABEL, SummaryPage};
use crate::model::no_finding;

/// Findings that have a line.
const SHOWN: usize = 2;

impl SummaryPage<'_> {
    /// The number of lines of findings, the blank one among them.
    pub(super) fn lines_of_findings(&self) -> usize {
        match self.parts.diagnosis.map(|it| it.findings.len()) {
            None => 0,
            Some(0) => 2,
            Some(count) => 2 + count.min(SHOWN),
        }
    }

    pub(super) fn findings(&self, to: &mut String) {
        let Some(diagnosis) = self.parts.diagnosis else { return };
        let mut findings: Vec<&Finding> = diagnosis.findings.iter().collect();
        let mut line = StyledLine::default();
        if findings.is_empty() && self.report.energy.total.0.is_none() {
            return;
        }
        if findings.is_empty() {
            let none = match diagnosis.accepted.len() {
                0 => no_finding(diagnosis.rules),
                accepted => format!("none but {accepted} accepted"),
            };
            line.add(Strong, "Findings")
                .pad(LABEL)
                .add(Dim, &fit(&none, self.columns.saturating_sub(LABEL)));
            self.put(&line, to);
            to.push('\n');
            return;
        }
        let stake = |finding: &Finding| {
            finding.at_stake.map_or(f64::NEG_INFINITY, |estimate| estimate.joules.value())
        };
        // The gravest first, and of these where most can be saved; of the same, what one program does.
        findings.sort_by(|a, b| {
            let by_severity = b.severity.cmp(&a.severity);
            by_severity
                .then(stake(b).total_cmp(&stake(a)))
                .then(a.who.is_none().cmp(&b.who.is_none()))
        });
        line.add(Strong, &format!("Findings ({})", findings.len()));
        if !diagnosis.accepted.is_empty() {
            line.add(Dim, &format!(" and {} accepted", diagnosis.accepted.len()));
        }
        if findings.iter().any(|finding| finding.at_stake.is_some()) {
            line.add_right(Dim, "potential saving", self.columns);
        }
        self.put(&line, to);
        for finding in findings.into_iter().take(SHOWN) {
            self.finding(finding, to);
        }
        to.push('\n');
    }

    fn finding(&self, finding: &Finding, to: &mut String) {
        let saving = finding.at_stake.map(|stake| stake.joules).filter(|it| *it > Joules::ZERO);
        let saving =
            saving.map(|joules| format!("up to {}", self.words.text(joules))).unwrap_or_default();
        let room = self.columns.saturating_sub(6 + width(&saving));
        let mut line = StyledLine::default();
        let is_note = finding.severity == FindingSeverity::Note;
        line.add(if is_note { Dim } else { Warning }, if is_note { "  · " } else { "  ! " })
            .add(Plain, &fit(&crate::clean(&finding.title), room));
        line.add_right(Strong, &saving, self.columns);
        self.put(&line, to);
    }
}
