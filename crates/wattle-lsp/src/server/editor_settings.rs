//! Settings of the editor.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

/// Settings of the editor: `initializationOptions`, or the section `wattle` of its configuration. Unknown ones are passed over.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EditorSettings {
    /// Whether figures are shown behind declarations.
    pub hints: bool,
    /// Whether figures are shown behind lines that call something.
    pub line_hints: bool,
    /// Whether figures are shown above declarations.
    pub lenses: bool,
    /// The least share of the app's energy that a method or a line needs for a hint or a lens.
    pub minimum_share: f64,
    /// A part of the name of the device whose runs are shown; those of the newest run otherwise.
    pub device: Option<String>,
    /// A part of the scenario's.
    pub scenario: Option<String>,
    /// Files of `wattle diagnose --json`.
    pub findings: Vec<PathBuf>,
}

impl Default for EditorSettings {
    fn default() -> Self {
        Self {
            hints: true,
            line_hints: true,
            lenses: true,
            minimum_share: 0.0,
            device: None,
            scenario: None,
            findings: Vec::new(),
        }
    }
}

impl EditorSettings {
    /// The settings of a value, with or without a section `wattle` around them; `None` where it has none.
    pub fn from_value(value: &Value) -> Option<Self> {
        let own = value.get("wattle").unwrap_or(value);
        own.is_object().then(|| serde_json::from_value(own.clone()).ok()).flatten()
    }
}
