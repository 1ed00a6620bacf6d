//! The schema of one kind of file.

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::{description, strict};

/// The schema of one kind of file, as `docs/schema` keeps it.
pub struct SchemaFile {
    name: &'static str,
    schema: Value,
}

impl SchemaFile {
    /// The schema of what serde writes for `T`. The name is that of the file (`ledger-1`).
    pub fn new<T: JsonSchema>(name: &'static str, title: &str, description: &str) -> Self {
        let mut schema = schema_of::<T>(SchemaSettings::draft2020_12().for_serialize());
        strict::close_objects(&mut schema);
        Self::titled(name, title, description, schema)
    }

    /// The schema of what serde accepts for `T`: unknown keys are allowed, and so is null where a key may be left out.
    pub fn for_reading<T: JsonSchema>(name: &'static str, title: &str, description: &str) -> Self {
        let mut schema = schema_of::<T>(SchemaSettings::draft2020_12().for_deserialize());
        drop_defaults(&mut schema);
        Self::titled(name, title, description, schema)
    }

    fn titled(name: &'static str, title: &str, description: &str, mut schema: Value) -> Self {
        description::rewrite(&mut schema);
        schema["$id"] = format!("{name}.schema.json").into();
        schema["title"] = title.into();
        schema["description"] = description.into();
        Self { name, schema }
    }

    /// The schema.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Compares the committed file with the generated one; writes it first if `WATTLE_WRITE_DOCS` is set.
    pub fn check(&self, folder: &Path) -> Result<(), String> {
        let file = folder.join(format!("{}.schema.json", self.name));
        let in_file = |error| format!("{}: {error}", file.display());
        let text = format!("{:#}\n", self.schema);
        if std::env::var_os("WATTLE_WRITE_DOCS").is_some() {
            std::fs::write(&file, &text).map_err(in_file)?;
        }
        let committed = std::fs::read_to_string(&file).map_err(in_file)?;
        if committed == text {
            return Ok(());
        }
        Err(format!("{} is out of date: run the test with WATTLE_WRITE_DOCS=1", file.display()))
    }
}

fn schema_of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Removes the values of absent keys: that a key is not required says as much.
fn drop_defaults(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("type")
                || object.contains_key("$ref")
                || object.contains_key("anyOf")
            {
                object.remove("default");
            }
            object.values_mut().for_each(drop_defaults);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_defaults),
        _ => {}
    }
}
