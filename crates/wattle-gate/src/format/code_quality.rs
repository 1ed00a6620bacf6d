//! GitLab's code quality report.

use serde_json::{Value, json};

use super::{SourcePlace, SourcePlaces};
use crate::{CheckRow, CheckVerdict, GateReport, Subject};

/// File of a finding that has no place in the code: the policy says what is wrong.
pub(super) const POLICY_FILE: &str = "wattle.toml";

/// The check as a report of GitLab's code quality: an array of the rules that are not kept for sure.
pub fn code_quality(report: &GateReport, places: &SourcePlaces) -> String {
    let issue = |row: &CheckRow| -> Option<Value> {
        let severity = match row.verdict {
            CheckVerdict::Passed | CheckVerdict::NotMeasured => return None,
            CheckVerdict::Failed => "major",
            _ => "info",
        };
        let place = place_of(row, places);
        let (file, line) = place.map_or((POLICY_FILE.to_owned(), 1), |it| (it.file, it.line));
        let subject = row.rule.subject.to_string();
        Some(json!({
            "description": row.text,
            "check_name": format!("energy/{subject}"),
            // The same rule is the same issue, whatever its figures are.
            "fingerprint": fingerprint(&format!("{}\n{}\n{file}", report.app, row.title())),
            "severity": severity,
            "location": { "path": file, "lines": { "begin": line } },
        }))
    };
    let issues: Vec<Value> = report.rows.iter().filter_map(issue).collect();
    format!("{:#}\n", Value::Array(issues))
}

/// The place in the code of a rule about one method.
pub(super) fn place_of(row: &CheckRow, places: &SourcePlaces) -> Option<SourcePlace> {
    match &row.rule.subject {
        Subject::Method(pattern) => places.of_method(&pattern.to_string()),
        _ => None,
    }
}

/// Sixteen hexadecimal digits of FNV-1a.
pub(super) fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    format!("{hash:016x}")
}
