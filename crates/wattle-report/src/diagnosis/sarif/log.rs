//! The objects of SARIF 2.1.0 that we write, by its names.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_diagnose::FindingSeverity;

use crate::clean::clean;

/// A property bag.
pub type Properties = serde_json::Map<String, serde_json::Value>;

#[derive(Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: Vec<Run>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub tool: Tool,
    pub invocations: Vec<Invocation>,
    pub artifacts: Vec<Artifact>,
    pub results: Vec<SarifResult>,
    pub column_kind: &'static str,
    pub properties: Properties,
}

#[derive(Serialize)]
pub struct Tool {
    pub driver: Component,
}

/// `toolComponent`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Component {
    pub name: &'static str,
    pub version: &'static str,
    pub semantic_version: &'static str,
    pub rules: Vec<Descriptor>,
}

impl Component {
    pub fn new(rules: Vec<Descriptor>) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        Self { name: "Wattle", version, semantic_version: version, rules }
    }
}

/// `reportingDescriptor`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    pub id: &'static str,
    pub short_description: Message,
    pub full_description: Message,
    pub help: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help_uri: Option<&'static str>,
    pub default_configuration: Configuration,
    pub properties: Properties,
}

/// `reportingConfiguration`.
#[derive(Serialize)]
pub struct Configuration {
    pub level: Level,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Note,
    Warning,
    Error,
}

impl From<FindingSeverity> for Level {
    fn from(severity: FindingSeverity) -> Self {
        match severity {
            FindingSeverity::Note => Self::Note,
            FindingSeverity::Warning => Self::Warning,
            FindingSeverity::Error => Self::Error,
        }
    }
}

/// `message`, and `multiformatMessageString`, which looks the same as far as we use them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    pub text: String,
}

impl Message {
    /// Text of others; a message is one for a person.
    pub fn new(text: &str) -> Self {
        Self { text: clean(text) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub execution_successful: bool,
    pub tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub struct Notification {
    pub level: Level,
    pub message: Message,
}

#[derive(PartialEq, Serialize)]
pub struct Artifact {
    location: ArtifactLocation,
    roles: [&'static str; 1],
}

impl Artifact {
    /// A file that was looked at.
    pub fn from_uri(uri: String) -> Self {
        Self { location: ArtifactLocation { uri }, roles: ["analysisTarget"] }
    }
}

#[derive(Clone, PartialEq, Serialize)]
pub struct ArtifactLocation {
    pub uri: String,
}

/// `result`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SarifResult {
    pub rule_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<usize>,
    pub level: Level,
    pub message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis_target: Option<ArtifactLocation>,
    pub locations: Vec<Location>,
    pub occurrence_count: usize,
    pub partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<Stack>,
    /// Importance, 0 to 100: confidence that the result is a defect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suppressions: Vec<Suppression>,
    pub properties: Properties,
}

/// `suppression`: somebody accepts the result, in a file beside the code.
#[derive(Serialize)]
pub struct Suppression {
    kind: &'static str,
    status: &'static str,
    justification: String,
}

impl Suppression {
    /// Accepted for this reason.
    pub fn accepted(reason: &str) -> Self {
        Self { kind: "external", status: "accepted", justification: clean(reason) }
    }
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalLocation {
    pub artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<TextRegion>,
}

/// `region`: lines of a source file, not ours of time.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextRegion {
    pub start_line: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogicalLocation {
    pub fully_qualified_name: String,
    pub kind: &'static str,
}

impl LogicalLocation {
    pub fn new(name: &str, kind: &'static str) -> Self {
        Self { fully_qualified_name: clean(name), kind }
    }
}

/// The innermost frame first, as the standard has it.
#[derive(Serialize)]
pub struct Stack {
    pub message: Message,
    pub frames: Vec<Frame>,
}

/// `stackFrame`.
#[derive(Serialize)]
pub struct Frame {
    pub location: Location,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
}
