//! Annotations of GitHub Actions.

use super::SourcePlaces;
use super::code_quality::place_of;
use crate::{CheckVerdict, GateReport};

/// The check as workflow commands of GitHub Actions, one line for each rule that is not kept for sure: errors for broken rules, warnings for
/// open ones.
pub fn annotations(report: &GateReport, places: &SourcePlaces) -> String {
    let line = |row: &crate::CheckRow| {
        let level = match row.verdict {
            CheckVerdict::Passed => return None,
            CheckVerdict::Failed => "error",
            _ => "warning",
        };
        let place = place_of(row, places).map_or_else(String::new, |place| {
            format!(" file={},line={},", property(&place.file), place.line)
        });
        let place = if place.is_empty() { " ".to_owned() } else { place };
        Some(format!("::{level}{place}title=Energy::{}\n", data(&row.text)))
    };
    report.rows.iter().filter_map(line).collect()
}

/// Text of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
