//! SARIF 2.1.0.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::SourcePlaces;
use super::code_quality::{POLICY_FILE, fingerprint, place_of};
use crate::{CheckRow, CheckVerdict, GateReport};

/// The check as a SARIF 2.1.0 log: one rule a subject, one result for each rule that is not kept for sure.
pub fn sarif(report: &GateReport, places: &SourcePlaces, version: &str) -> String {
    let rules: Vec<Value> = report
        .rows
        .iter()
        .map(|row| {
            let subject = row.rule.subject.to_string();
            json!({
                "id": format!("energy/{subject}"),
                "shortDescription": { "text": format!("Energy of {subject}") },
            })
        })
        .collect();
    let result = |(index, row): (usize, &CheckRow)| -> Option<Value> {
        let level = match row.verdict {
            CheckVerdict::Passed => return None,
            CheckVerdict::Failed => "error",
            CheckVerdict::NotMeasured => "note",
            _ => "warning",
        };
        let place = place_of(row, places);
        let (file, line) = place.map_or((POLICY_FILE.to_owned(), 1), |it| (it.file, it.line));
        let subject = row.rule.subject.to_string();
        Some(json!({
            "ruleId": format!("energy/{subject}"),
            "ruleIndex": index,
            "level": level,
            "message": { "text": row.text },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": uri(&file) },
                    "region": { "startLine": line },
                },
                "logicalLocations": [{ "fullyQualifiedName": subject }],
            }],
            "partialFingerprints": { "rule/v1": fingerprint(&format!("{}\n{}", report.app, row.title())) },
        }))
    };
    let results: Vec<Value> = report.rows.iter().enumerate().filter_map(result).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "wattle check", "version": version, "rules": rules } },
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// A relative file as a URI.
fn uri(file: &str) -> String {
    let mut out = String::new();
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
