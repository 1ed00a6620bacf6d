//! One tool.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::Value;

use super::{ToolArguments, ToolContext, ToolParameter, input_schema};
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
    /// Its answers, and when to call it.
    pub description: &'static str,
    /// Its parameters.
    pub parameters: &'static [ToolParameter],
    /// Whether it changes a device, so that it needs the user's consent.
    pub uses_device: bool,
    /// Its implementation.
    pub function: ToolFunction,
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
