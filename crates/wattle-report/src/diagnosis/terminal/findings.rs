//! Findings: what is wrong, how one knows, what is at stake, what to do.

use wattle_diagnose::{CodePlace, Finding, FindingSeverity};
use wattle_units::Joules;

use super::{View, energy, interval};
use crate::model::no_finding;
use crate::terminal::style::Style::{Dim, Error, Good, Plain, Strong, Warning};

/// Evidence shown of each finding.
const EVIDENCE: usize = 4;

impl View<'_> {
    pub(super) fn findings(&self, to: &mut String) {
        let findings = &self.diagnosis.findings;
        self.heading(to, &format!("Findings ({})", findings.len()));
        if findings.is_empty() {
            let rules = self.diagnosis.rules;
            let style = if rules.looked > 0 { Good } else { Warning };
            self.lines(to, style, 2, &no_finding(rules));
        }
        for finding in findings.iter().take(self.top) {
            self.finding(finding, to);
        }
        self.more(to, findings.len());
        self.accepted(to);
        if findings.len() > 1 && findings.iter().any(|finding| finding.at_stake.is_some()) {
            let line = "Findings can be of the same energy: what is at stake does not add up.";
            self.lines(to, Dim, 2, line);
        }
        to.push('\n');
    }

    /// Findings that somebody accepts, a line each.
    fn accepted(&self, to: &mut String) {
        let accepted = &self.diagnosis.accepted;
        if accepted.is_empty() {
            return;
        }
        self.lines(to, Strong, 2, &format!("Accepted, not counted ({})", accepted.len()));
        for it in accepted.iter().take(self.top) {
            let until = it.until.as_deref().map_or(String::new(), |day| format!(", until {day}"));
            let line = format!("[{}] {} ({}{until})", it.finding.rule, it.finding.title, it.reason);
            self.lines(to, Dim, 4, &line);
        }
        self.more(to, accepted.len());
    }

    fn finding(&self, finding: &Finding, to: &mut String) {
        let (word, style) = match finding.severity {
            FindingSeverity::Note => ("note", Plain),
            FindingSeverity::Warning => ("warning", Warning),
            FindingSeverity::Error => ("error", Error),
        };
        let style = if style == Plain { Strong } else { style };
        self.lines(to, style, 2, &format!("{word} [{}] {}", finding.rule, finding.title));
        let who: Vec<_> =
            [finding.who.as_deref(), finding.thread.as_deref()].into_iter().flatten().collect();
        if !who.is_empty() {
            self.lines(to, Plain, 4, &who.join(", "));
        }
        let stake = match finding.at_stake {
            Some(estimate) => {
                let range = match interval(Some(estimate)) {
                    range if range.is_empty() => range,
                    range => format!(" [{range}, 90 % interval]"),
                };
                format!(
                    "potential saving: up to {}{range}, {}{}",
                    energy(Some(estimate)),
                    estimate.provenance,
                    per_hour(finding)
                )
            }
            None => "potential saving: unknown, no energy figure".to_owned(),
        };
        self.lines(to, Strong, 4, &stake);
        if !finding.confidence.reason.is_empty() {
            let (level, reason) = (finding.confidence.level.name(), &finding.confidence.reason);
            self.lines(to, Plain, 4, &format!("confidence: {level} ({reason})"));
        }
        for evidence in finding.evidence.iter().take(EVIDENCE) {
            let when = evidence.window.map_or(String::new(), |window| self.stretch(window) + ": ");
            self.lines(to, Plain, 4, &format!("• {when}{}", evidence.text));
        }
        if finding.evidence.len() > EVIDENCE {
            let more = finding.evidence.len() - EVIDENCE;
            self.lines(to, Dim, 4, &format!("and {more} more like it"));
        }
        if let Some(place) = &finding.place {
            self.lines(to, Plain, 4, &format!("at {}", code(place)));
        }
        self.lines(to, Plain, 4, &format!("→ {}", finding.remedy));
    }
}

/// `, 25.3 J per hour`; nothing where it is not known.
fn per_hour(finding: &Finding) -> String {
    let joules = finding.joules_per_hour.map(Joules::new);
    joules.map_or(String::new(), |joules| format!(", {joules} per hour"))
}

/// `function (file:line)`.
fn code(place: &CodePlace) -> String {
    match (&place.file, place.line) {
        (Some(file), Some(line)) => format!("{} ({file}:{line})", place.function),
        (Some(file), None) => format!("{} ({file})", place.function),
        (None, _) => place.function.clone(),
    }
}
