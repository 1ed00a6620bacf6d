//! Tests, quality and where to go on, in a line each.

use super::super::style::Style::{self, Dim, Plain, Strong, Warning};
use super::super::text_columns::width;
use super::answer_lines::FAR;
use super::styled_line::StyledLine;
use super::summary_page::{LABEL, SummaryPage};
use crate::TestRow;
use crate::cells::{Seconds, grouped, percent};
use wattle_timeline::Severity;

/// The least part of the total for which recording is mentioned.
const WORTH_A_WORD: f64 = 0.01;
/// Two energies are the same within this part.
const SAME: f64 = 0.03;
/// Differences of attributed and integrated energy below this are rounding.
const ROUNDING: f64 = 1e-6;

impl SummaryPage<'_> {
    /// The number of tests that ran and passed, and the one with most energy.
    pub(super) fn tests_in_short(&self, to: &mut String) {
        let rows = &self.report.tests.rows;
        let Some(most) = rows.iter().max_by(|a, b| a.energy.rank().total_cmp(&b.energy.rank()))
        else {
            return;
        };
        let with = |outcome: &str| rows.iter().filter(|row| row.outcome == outcome).count();
        let mut line = StyledLine::default();
        line.add(Strong, "Tests").pad(LABEL);
        let passed = with("passed");
        let unknown = with("unknown");
        let style = if passed + unknown == rows.len() { Plain } else { Warning };
        let text = match rows.len() - unknown {
            0 => format!("{}, whether passed is not known", rows.len()),
            known => format!("{passed} of {known} passed"),
        };
        line.add(style, &text);
        let not_executed = with("not executed");
        if not_executed > 0 {
            line.add(style, &format!(", {not_executed} not executed"));
        }
        if let Some(energy) = most.energy.joules() {
            let name = short_name(most);
            line.add(Plain, &format!(" · most energy: {name} {}", self.words.text(energy)));
        }
        self.put(&line, to);
        let suspects = self.report.tests.suspects.as_ref();
        let first = suspects.and_then(|suspects| suspects.methods.first());
        if let Some(first) = first.filter(|row| row.rank == Some(1)) {
            let mut line = StyledLine::default();
            line.add(Strong, "").pad(LABEL);
            line.add(Plain, "most suspicious method: ");
            line.add(Strong, &format!("{}.{}", first.class, first.method));
            line.add(Dim, &format!(" (ran in {} of the expensive tests)", first.e_f));
            self.put(&line, to);
        }
        to.push('\n');
    }

    pub(super) fn closing(&self, to: &mut String) {
        let parts = self.quality_parts();
        let mut line = StyledLine::default();
        line.add(Strong, "Quality").pad(LABEL);
        for (at, (style, text)) in parts.iter().enumerate() {
            // What does not fit goes as a whole; warnings come first.
            if line.width() + 3 + width(text) > self.columns {
                break;
            }
            if at > 0 {
                line.add(Dim, " · ");
            }
            line.add(*style, text);
        }
        self.put(&line, to);
        if self.parts.next.is_empty() {
            return;
        }
        let mut line = StyledLine::default();
        line.add(Strong, "Next").pad(LABEL);
        for (at, next) in self.parts.next.iter().enumerate() {
            if at > 0 && line.width() + 3 + width(next) > self.columns {
                break;
            }
            line.add(Dim, if at > 0 { " · " } else { "" }).add(Plain, next);
        }
        self.put(&line, to);
    }

    fn quality_parts(&self) -> Vec<(Style, String)> {
        let quality = &self.report.trust.quality;
        let mut parts = Vec::new();
        match quality.lost_events {
            // What an error lost nobody counted.
            0 if quality.worst == Some(Severity::Error) => {}
            0 => parts.push((Dim, "no events dropped".to_owned())),
            1 => parts.push((Warning, "1 event dropped".to_owned())),
            lost => parts.push((Warning, format!("{} events dropped", grouped(lost)))),
        }
        match self.report.energy.closure_error {
            Some(error) if error < ROUNDING => parts.push((Dim, "totals reconcile".to_owned())),
            Some(error) => parts.push((Warning, format!("totals differ by {error:.1e}"))),
            None => {}
        }
        // The first is what was measured, if anything was. One that is farther off stands below the total.
        if let Some(row) = self.report.energy.statements.first() {
            let (by, joules) = (row.source.title(), self.words.text(row.joules));
            let stated = format!("{joules} in {}", Seconds(row.time));
            let estimate = row.estimate.joules();
            match (row.ratio, estimate) {
                (Some(ratio), _) if (ratio - 1.0).abs() <= SAME => {
                    parts.push((Dim, format!("agrees with {by} ({stated})")));
                }
                (Some(ratio), Some(estimate)) if (ratio - 1.0).abs() <= FAR => {
                    let estimate = self.words.text(estimate);
                    parts.push((Plain, format!("{by} {stated}: estimated {estimate}")));
                }
                _ => {}
            }
        }
        let overhead = self.report.trust.overhead.as_ref();
        if let Some(share) = overhead.and_then(|it| it.share).filter(|share| *share >= WORTH_A_WORD)
        {
            parts.push((Dim, format!("recording overhead {}", percent(Some(share)))));
        }
        let of = |severity| {
            let artifacts = &quality.quality.artifacts;
            let notes = artifacts.iter().flat_map(|it| &it.notes).chain(&quality.quality.notes);
            notes.filter(|note| note.severity == severity).count()
        };
        for (severity, one, style) in
            [(Severity::Error, "error", Style::Error), (Severity::Warning, "warning", Warning)]
        {
            match of(severity) {
                0 => {}
                1 => parts.push((style, format!("1 {one}"))),
                count => parts.push((style, format!("{count} {one}s"))),
            }
        }
        parts.sort_by_key(|(style, _)| *style == Dim);
        parts
    }
}

/// Class and method of a test without its package.
fn short_name(test: &TestRow) -> &str {
    let class = test.name.split('#').next().unwrap_or_default();
    let package = class.rfind('.').map_or(0, |dot| dot + 1);
    test.name.get(package..).unwrap_or(&test.name)
}
