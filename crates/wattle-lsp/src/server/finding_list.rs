//! Findings of diagnoses, and the diagnostics that editors show of them.

use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use wattle_units::Estimate;

use super::document_state::DocumentState;
use super::figure_text;
use crate::energy::MethodName;
use crate::source::Declaration;

/// The largest file that is read.
const LARGEST: u64 = 64 << 20;
/// The form that `wattle diagnose --json` writes.
const FORMAT: &str = "wattle-diagnosis/1";

/// The part of a diagnosis that is read.
#[derive(Deserialize)]
struct Diagnosis {
    schema: String,
    #[serde(default)]
    findings: Vec<Finding>,
}

/// A finding.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Finding {
    pub rule: String,
    pub severity: String,
    pub title: String,
    #[serde(default)]
    pub remedy: String,
    #[serde(default)]
    pub place: Option<FindingPlace>,
    #[serde(default)]
    pub at_stake: Option<Estimate>,
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

/// The function of a finding, with its callers.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct FindingPlace {
    pub function: String,
    /// Outermost first.
    #[serde(default)]
    pub stack: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Evidence {
    pub text: String,
}

/// Reads the findings of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Finding>, String> {
    let name = path.display();
    let failed = |error: std::io::Error| format!("{name}: {error}");
    // Pipes and devices have no end, and opening one may wait for ever.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("{name}: expected a file"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{name}: expected at most {LARGEST} bytes, found more"));
    }
    let diagnosis: Diagnosis =
        serde_json::from_slice(&bytes).map_err(|error| format!("{name}: {error}"))?;
    if diagnosis.schema != FORMAT {
        return Err(format!("{name}: expected {FORMAT}, found {:?}", diagnosis.schema));
    }
    Ok(diagnosis.findings)
}

/// The diagnostics of a file: findings whose function, or whose innermost caller in the app's code, is in it.
pub(super) fn diagnostics(state: &DocumentState, findings: &[Finding]) -> Vec<Value> {
    if state.is_elsewhere() == Some(true) {
        return Vec::new();
    }
    findings.iter().filter_map(|finding| diagnostic(state, finding)).collect()
}

fn diagnostic(state: &DocumentState, finding: &Finding) -> Option<Value> {
    let place = finding.place.as_ref()?;
    let mut innermost = std::iter::once(&place.function).chain(place.stack.iter().rev());
    let (method, freshness) = innermost.find_map(|name| find(state, name))?;
    let start = method.name_start;
    let rest = state.document.text().get(start..)?;
    let length = rest.split(|it: char| !it.is_alphanumeric() && it != '_').next()?.len();
    let saving = finding
        .at_stake
        .as_ref()
        .map(|it| format!("; potential saving {}, {}", figure_text::energy(it), it.provenance));
    let evidence = finding.evidence.first().map(|it| format!("\n{}", it.text));
    let stale = freshness.explanation().map(|it| format!("\n{it}"));
    let message = format!(
        "{}{}\n{}{}{}",
        finding.title,
        saving.unwrap_or_default(),
        finding.remedy,
        evidence.unwrap_or_default(),
        stale.unwrap_or_default()
    );
    let severity = match finding.severity.as_str() {
        "error" => 1,
        "warning" => 2,
        _ => 3,
    };
    Some(json!({
        "range": state.document.range(start..start + length),
        "severity": severity,
        "code": finding.rule,
        "source": "wattle",
        "message": message,
        "data": { "rule": finding.rule, "method": place.function },
    }))
}

/// The method of a name as it is now; `None` where several have it.
fn find<'s>(
    state: &'s DocumentState,
    name: &str,
) -> Option<(&'s Declaration, crate::tracking::Freshness)> {
    let name = MethodName::new(name).filter(|name| !name.method.is_empty())?;
    state.versions().find(name.class, name.method)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_files_are_read() {
        for path in ["/dev/zero", "/dev", "/nothing/here"] {
            assert!(read(Path::new(path)).is_err(), "{path}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        let problem = read(&pipe).expect_err("no file");
        assert!(problem.ends_with("pipe: expected a file"), "{problem}");
    }
}
