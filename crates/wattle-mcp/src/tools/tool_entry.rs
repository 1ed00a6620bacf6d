//! The list of tools.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::Value;

use super::{
    ToolArguments, ToolContext, ToolParameter, app_history, budget_check, compare_recordings,
    device_list, device_model, device_run, explanation, finding_list, input_schema, kept_run_list,
    open_recording, recording_summary, top_consumers,
};
use crate::answer::{ToolAnswer, ToolError, output_schema};

/// The implementation of a tool.
type ToolFunction = fn(&ToolContext<'_>, &ToolArguments) -> Result<ToolAnswer, ToolError>;

/// A tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolEntry {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it answers, and when to call it.
    pub description: &'static str,
    /// Its parameters.
    pub parameters: &'static [ToolParameter],
    /// Whether it changes a device, so that it needs the user's consent.
    pub uses_device: bool,
    /// Its implementation.
    pub function: ToolFunction,
}

/// All tools.
pub const fn tools() -> &'static [ToolEntry] {
    &[
        open_recording::TOOL,
        recording_summary::TOOL,
        top_consumers::TOOL,
        explanation::TOOL,
        finding_list::TOOL,
        compare_recordings::TOOL,
        budget_check::TOOL,
        kept_run_list::TOOL,
        app_history::TOOL,
        device_model::TOOL,
        device_list::TOOL,
        device_run::TOOL,
    ]
}

impl ToolEntry {
    /// The tool as the protocol lists it.
    pub fn listed(&self) -> Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(!self.uses_device)
            .destructive(self.uses_device)
            .idempotent(!self.uses_device)
            .open_world(false);
        let mut tool =
            Tool::new(self.name, self.description, Arc::new(input_schema(self.parameters)))
                .with_title(self.title)
                .with_annotations(annotations);
        if let Value::Object(schema) = output_schema() {
            tool = tool.with_raw_output_schema(Arc::new(schema));
        }
        tool
    }
}
