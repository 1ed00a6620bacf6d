//! The question that makes sense after an answer.

use serde_json::{Map, Value, json};

/// A call of a tool, and the reason for it.
#[derive(Clone, Debug, PartialEq)]
pub struct NextQuestion {
    tool: &'static str,
    arguments: Map<String, Value>,
    reason: String,
}

impl NextQuestion {
    /// A call of a tool for a reason, without arguments so far.
    pub fn new(tool: &'static str, reason: impl Into<String>) -> Self {
        Self { tool, arguments: Map::new(), reason: reason.into() }
    }

    /// The same with an argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// As a line: `explain {"method":"…"}: why it costs that much`.
    pub fn text(&self) -> String {
        let arguments = Value::Object(self.arguments.clone());
        if self.reason.is_empty() {
            return format!("{} {arguments}", self.tool);
        }
        format!("{} {arguments} ({})", self.tool, self.reason)
    }

    /// As a value that can be called.
    pub fn value(&self) -> Value {
        json!({ "tool": self.tool, "arguments": self.arguments })
    }
}
