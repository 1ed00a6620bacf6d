//! Asks every rule.

use std::cmp::Ordering;

use wattle_timeline::{Note, Severity};
use wattle_units::Nanos;

use super::look::Look;
use super::settings::Settings;
use super::{TABLE, rules};
use crate::{
    DiagnoseError, DiagnoseOptions, Diagnosis, Finding, FindingSeverity, Input, Rule, RuleCoverage,
};

/// The most findings of one rule that are kept; the rest is counted in a note.
const MOST: usize = 32;

/// Joules an hour that nobody notices: a tenth of a percent of a phone's battery (15 Wh) in a day.
const LITTLE: f64 = 15.0 * 3600.0 * 0.001 / 24.0;

/// The most kinds of missing data that are told one by one.
const MOST_REASONS: usize = 3;

/// Fills [`Diagnosis::findings`]: the gravest first, then those with most energy at stake. Regions, idle intervals and subjects are
/// taken from the diagnosis so far.
///
/// # Errors
///
/// [`DiagnoseError::NoSuchRule`] and [`DiagnoseError::BadOption`] where options name what there is not.
pub(crate) fn find(
    input: Input<'_>,
    options: &DiagnoseOptions,
    diagnosis: &mut Diagnosis,
) -> Result<(), DiagnoseError> {
    let settings = Settings::new(&options.rules, rules())?;
    let look = Look::new(input, options, diagnosis, &settings);
    let mut findings = Vec::new();
    let mut notes = Vec::new();
    let mut without: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    let mut without_idle = Vec::new();
    let mut coverage = RuleCoverage::default();
    for (rule, finder) in TABLE.iter().filter(|(rule, _)| settings.is_on(rule)) {
        let mut outcome = finder(&look);
        for finding in &mut outcome.findings {
            weigh(finding, rule, look.window.duration());
        }
        if outcome.needs_idle {
            coverage.without_idle += 1;
            without_idle.push(rule.id);
        } else if outcome.without.is_some() {
            coverage.without_data += 1;
        } else {
            coverage.looked += 1;
        }
        if let Some(what) = outcome.without {
            match without.iter_mut().find(|(known, _)| *known == what) {
                Some((_, rules)) => rules.push(rule.id),
                None => without.push((what, vec![rule.id])),
            }
        }
        outcome.findings.sort_by(graver);
        if outcome.findings.len() > MOST {
            let more = outcome.findings.len() - MOST;
            let text = format!("{}: more findings than are shown: the {MOST} gravest are", rule.id);
            notes.push(Note::new(Severity::Info, "rule-cut", text).times(more as u64));
            outcome.findings.truncate(MOST);
        }
        findings.append(&mut outcome.findings);
    }
    if without.len() > MOST_REASONS {
        // A trace of the scheduler has nothing for most rules: that is one thing to say, not fifteen.
        let rules: Vec<&str> = without.drain(..).flat_map(|(_, rules)| rules).collect();
        let text = format!(
            "{} could not look: the recording has no data for them; `wattle explain RULE` says what each looks for",
            list(&rules)
        );
        notes.push(without_data(text, rules.len()));
    }
    if !without_idle.is_empty() {
        let text = format!(
            "{} did not look: it is not known when nothing should have happened; give that time with --idle FROM..TO, or --idle whole for a \
             recording made at idle",
            list(&without_idle)
        );
        notes.push(
            Note::new(Severity::Info, "idle-not-known", text).times(without_idle.len() as u64),
        );
    }
    for (what, rules) in without {
        let text = format!("{} could not look: the recording has no {what}", list(&rules));
        notes.push(without_data(text, rules.len()));
    }
    findings.sort_by(graver);
    diagnosis.rules = coverage;
    diagnosis.findings = findings;
    diagnosis.notes.extend(notes);
    Ok(())
}

/// Sets the energy at stake for each hour, and lowers the severity where that is little: at stake is an upper bound, so that little
/// of it is certainly little, while much of it may be needed.
fn weigh(finding: &mut Finding, rule: &Rule, length: Nanos) {
    let Some(energy) = finding.at_stake.filter(|_| length.value() > 0) else { return };
    let rate = energy.interval.high.value() * 3600.0 / length.seconds();
    finding.joules_per_hour = Some(energy.joules.value() * 3600.0 / length.seconds());
    if rate < LITTLE && !rule.keeps_severity {
        finding.severity = finding.severity.min(FindingSeverity::Note);
    }
}

fn without_data(text: String, rules: usize) -> Note {
    Note::new(Severity::Info, "rule-without-data", text).times(rules as u64)
}

/// Names as a sentence has them.
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// Graver findings first, then more energy at stake; an unknown energy comes after any known one.
fn graver(one: &Finding, other: &Finding) -> Ordering {
    let joules = |finding: &Finding| finding.at_stake.map(|energy| energy.joules.value());
    other.severity.cmp(&one.severity).then_with(|| match (joules(one), joules(other)) {
        (Some(one), Some(other)) => other.total_cmp(&one),
        (one, other) => other.is_some().cmp(&one.is_some()),
    })
}
