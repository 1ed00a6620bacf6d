//! Arguments of a call, after their check.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::ToolParameter;
use crate::answer::{ToolError, clip};

/// Arguments that have the types of their parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolArguments {
    values: JsonObject,
}

impl ToolArguments {
    /// Checks what was given; an argument that is `null` counts as left out.
    pub fn check(
        tool: &str,
        given: Option<JsonObject>,
        parameters: &[ToolParameter],
    ) -> Result<Self, ToolError> {
        let mut values = given.unwrap_or_default();
        values.retain(|_, value| !value.is_null());
        let known = || {
            let names: Vec<&str> = parameters.iter().map(|it| it.name).collect();
            if names.is_empty() { "no arguments".to_owned() } else { names.join(", ") }
        };
        for (name, value) in &values {
            let Some(parameter) = parameters.iter().find(|it| it.name == name) else {
                let name = clip(name, 60);
                return Err(ToolError::new(format!(
                    "{tool}: no argument {name}; expected {}",
                    known()
                )));
            };
            parameter.check(value).map_err(|error| ToolError::new(format!("{tool}: {error}")))?;
        }
        if let Some(missing) =
            parameters.iter().find(|it| it.is_required && !values.contains_key(it.name))
        {
            let text = format!("{tool}: {} is missing: {}", missing.name, missing.meaning);
            return Err(ToolError::new(text));
        }
        Ok(Self { values })
    }

    /// A text; `None` if it was left out.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str()
    }

    /// Texts; none if they were left out.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let list = self.values.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    }

    /// Seconds; `None` if they were left out.
    pub fn seconds(&self, name: &str) -> Option<f64> {
        self.values.get(name)?.as_f64()
    }

    /// A number; `None` if it was left out.
    pub fn count(&self, name: &str) -> Option<usize> {
        self.values.get(name)?.as_u64().and_then(|count| usize::try_from(count).ok())
    }

    /// Whether a flag was given and is true.
    pub fn flag(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The arguments as a value.
    pub fn value(&self) -> Value {
        Value::Object(self.values.clone())
    }
}
