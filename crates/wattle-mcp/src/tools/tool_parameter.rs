//! Parameters of tools: their JSON Schema, and the check of what was given.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The longest text of an argument, in characters.
const LONGEST_TEXT: usize = 1024;
/// The most texts of a list.
const MOST_TEXTS: usize = 20;
/// The longest time, in seconds: a year.
const MOST_SECONDS: f64 = 366.0 * 86_400.0;

/// The kind of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A text.
    Text,
    /// Several texts.
    Texts,
    /// A time in seconds, 0 or more.
    Seconds,
    /// A whole number up to this one.
    Count(u64),
    /// Yes or no.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// A parameter of a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolParameter {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: ParameterKind,
    /// Its meaning.
    pub meaning: &'static str,
    /// Whether it must be given.
    pub is_required: bool,
}

impl ToolParameter {
    /// A parameter that may be left out.
    pub const fn new(name: &'static str, kind: ParameterKind, meaning: &'static str) -> Self {
        Self { name, kind, meaning, is_required: false }
    }

    /// The same, which must be given.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    /// Its JSON Schema.
    pub fn schema(&self) -> Value {
        let text = json!({ "type": "string", "maxLength": LONGEST_TEXT });
        let mut schema = match self.kind {
            ParameterKind::Text => text,
            ParameterKind::Texts => {
                json!({ "type": "array", "items": text, "maxItems": MOST_TEXTS })
            }
            ParameterKind::Seconds => json!({ "type": "number", "minimum": 0 }),
            ParameterKind::Count(most) => {
                json!({ "type": "integer", "minimum": 0, "maximum": most })
            }
            ParameterKind::Flag => json!({ "type": "boolean" }),
            ParameterKind::Choice(words) => json!({ "type": "string", "enum": words }),
        };
        if let Value::Object(schema) = &mut schema {
            schema.insert("description".to_owned(), json!(self.meaning));
        }
        schema
    }

    /// Says what is wrong with a value; `Ok` where nothing is.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let name = self.name;
        let wrong =
            |expected: &str| Err(format!("{name}: expected {expected}, found {}", shown(value)));
        match self.kind {
            ParameterKind::Text => match value {
                Value::String(text) => check_text(name, text),
                _ => wrong("a text"),
            },
            ParameterKind::Texts => match value {
                Value::Array(texts) if texts.len() > MOST_TEXTS => Err(format!(
                    "{name}: expected at most {MOST_TEXTS} texts, found {}",
                    texts.len()
                )),
                Value::Array(texts) => texts.iter().try_for_each(|text| match text {
                    Value::String(text) => check_text(name, text),
                    _ => wrong("a list of texts"),
                }),
                _ => wrong("a list of texts"),
            },
            ParameterKind::Seconds => match value.as_f64() {
                Some(seconds) if (0.0..=MOST_SECONDS).contains(&seconds) => Ok(()),
                _ => wrong("seconds from the start of the recording, 0 or more"),
            },
            ParameterKind::Count(most) => match value.as_u64() {
                Some(count) if count <= most => Ok(()),
                _ => wrong(&format!("a whole number from 0 to {most}")),
            },
            ParameterKind::Flag => match value {
                Value::Bool(_) => Ok(()),
                _ => wrong("true or false"),
            },
            ParameterKind::Choice(words) => match value.as_str() {
                Some(word) if words.contains(&word) => Ok(()),
                _ => wrong(&format!("one of {}", words.join(", "))),
            },
        }
    }
}

fn check_text(name: &str, text: &str) -> Result<(), String> {
    let length = text.chars().count();
    if length > LONGEST_TEXT {
        return Err(format!("{name}: expected at most {LONGEST_TEXT} characters, found {length}"));
    }
    if text.chars().any(char::is_control) {
        return Err(format!("{name}: expected a text without control characters"));
    }
    if text.trim().is_empty() {
        return Err(format!("{name}: expected a text, found an empty one; leave the argument out"));
    }
    Ok(())
}

/// A value, short enough for a message.
fn shown(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(it) => return it.to_string(),
        Value::Number(it) => return it.to_string(),
        Value::String(_) => "the text",
        Value::Array(_) => return "a list".to_owned(),
        Value::Object(_) => return "an object".to_owned(),
    };
    format!("{kind} {}", crate::answer::clip(&value.to_string(), 60))
}

/// The JSON Schema of the arguments of a tool.
pub fn input_schema(parameters: &[ToolParameter]) -> JsonObject {
    let properties: JsonObject =
        parameters.iter().map(|it| (it.name.to_owned(), it.schema())).collect();
    let required: Vec<&str> =
        parameters.iter().filter(|it| it.is_required).map(|it| it.name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}
