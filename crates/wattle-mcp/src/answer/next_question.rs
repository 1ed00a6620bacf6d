//! The question that makes sense after an answer.

use serde_json::{Map, Value, json};

use super::clip;

/// The most characters of a text in a call: what answers show of a name, which tools take for the name.
const LONGEST_TEXT: usize = 140;

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

    /// The same with an argument. Names are as answers show them: so they can be asked for.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = match value.into() {
            Value::String(text) => Value::String(clip(&text, LONGEST_TEXT)),
            other => other,
        };
        self.arguments.insert(name.to_owned(), value);
        self
    }

    /// As a line of at most that weight: `explain {"method":"…"} (why it costs that much)`. The call is whole in any case.
    pub fn text(&self, most: usize) -> String {
        let call = format!("{} {}", self.tool, Value::Object(self.arguments.clone()));
        let room = most.saturating_sub(super::weight(&call) + 3);
        if self.reason.is_empty() || room < 20 {
            return call;
        }
        format!("{call} ({})", clip(&self.reason, room))
    }

    /// As a value that can be called.
    pub fn value(&self) -> Value {
        json!({ "tool": self.tool, "arguments": self.arguments })
    }
}
