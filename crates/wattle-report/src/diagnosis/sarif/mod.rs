//! A diagnosis in the Static Analysis Results Interchange Format, SARIF 2.1.0 (OASIS Standard), for editors and code hosts.
//!
//! Findings are results. Regions are results, too, one for all regions of a thread's name with one common stack, because a result
//! should be the same one after the next recording: its fingerprint is of rule, process, thread and stack, never of times, numbers of
//! processes, or joules.

mod fingerprint;
mod log;
mod place;
mod results;
mod rules;

use wattle_diagnose::Diagnosis;
use wattle_timeline::{Note, Severity};

use self::fingerprint::Fingerprints;
use self::log::{
    Artifact, Component, Invocation, Level, Log, Message, Notification, Properties, Run, Tool,
};
use crate::ReportError;
use crate::clean::clean_texts;

/// URL of the format's schema.
const SARIF_SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The rule under which regions stand.
pub const REGION_RULE: &str = "high-cpu-use-region";

/// The diagnosis as SARIF 2.1.0.
pub fn sarif(diagnosis: &Diagnosis) -> Result<serde_json::Value, ReportError> {
    let rules = rules::rules();
    let mut fingerprints = Fingerprints::default();
    let mut results = results::findings(diagnosis, &rules, &mut fingerprints)?;
    results.extend(results::regions(diagnosis, &rules, &mut fingerprints)?);
    let mut artifacts: Vec<Artifact> = Vec::new();
    for name in &diagnosis.artifacts {
        let artifact = Artifact::from_uri(place::uri(name));
        if !artifacts.contains(&artifact) {
            artifacts.push(artifact);
        }
    }
    let notes = diagnosis.notes.iter().map(notification).collect();
    let run = Run {
        tool: Tool { driver: Component::new(rules) },
        invocations: vec![Invocation {
            execution_successful: true,
            tool_execution_notifications: notes,
        }],
        artifacts,
        results,
        column_kind: "utf16CodeUnits",
        properties: properties(diagnosis)?,
    };
    let log = Log { schema: SARIF_SCHEMA, version: "2.1.0", runs: vec![run] };
    Ok(serde_json::to_value(log)?)
}

fn notification(note: &Note) -> Notification {
    let level = match note.severity {
        Severity::Info => Level::Note,
        Severity::Warning => Level::Warning,
        Severity::Error => Level::Error,
    };
    let times = if note.count > 1 { format!(" ({} times)", note.count) } else { String::new() };
    let message = Message::new(&format!("{}: {}{times}", note.code, note.text));
    Notification { level, message }
}

/// Returns the facts on which all results rest.
fn properties(diagnosis: &Diagnosis) -> Result<Properties, ReportError> {
    let device = &diagnosis.device;
    let mut properties = serde_json::json!({
        "device": device.model.as_deref().or(device.device_name()),
        "model": serde_json::to_value(&diagnosis.model)?,
        "window": serde_json::to_value(diagnosis.window)?,
        "idle": serde_json::to_value(&diagnosis.idle)?,
    });
    clean_texts(&mut properties);
    Ok(match properties {
        serde_json::Value::Object(properties) => properties,
        _ => Properties::new(),
    })
}
