//! The definitions of a schema.

use serde_json::{Map, Value, json};

/// The definitions of a schema, by name.
#[derive(Debug, Default)]
pub struct Definitions(Map<String, Value>);

impl Definitions {
    /// A reference to a definition that is there already or that is made now.
    pub(crate) fn reference(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Value) -> Value {
        if !self.0.contains_key(name) {
            // A row that holds rows of its own type must find itself.
            self.0.insert(name.to_owned(), Value::Null);
            let definition = make(self);
            self.0.insert(name.to_owned(), definition);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    /// All of them as the value of `$defs`.
    pub(crate) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}
