//! Strictness: keys that nothing describes are refused, and a key that may be left out is never null.

use serde_json::Value;

/// Closes every object with named keys, at any depth.
pub(crate) fn close_objects(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let required = object.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                for (key, property) in properties {
                    let is_required = required.as_array().is_some_and(|keys| {
                        keys.iter().any(|required| required.as_str() == Some(key))
                    });
                    if !is_required {
                        refuse_null(property);
                    }
                }
                object.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            object.values_mut().for_each(close_objects);
        }
        Value::Array(items) => items.iter_mut().for_each(close_objects),
        _ => {}
    }
}

/// Takes null out of what a property may be: serde leaves the key out instead.
fn refuse_null(property: &mut Value) {
    let Value::Object(property) = property else { return };
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            property.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            property.remove("anyOf");
            // The description of the property says more than that of its type.
            for (key, value) in only {
                property.entry(key).or_insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_refuse_unknown_keys_and_optional_nulls() {
        let mut schema = json!({
            "properties": {
                "a": { "type": ["integer", "null"] },
                "b": { "type": ["integer", "null"] },
                "c": { "anyOf": [{ "$ref": "#/$defs/C" }, { "type": "null" }], "description": "c" },
                "d": { "type": "object", "additionalProperties": { "type": "integer" } },
            },
            "required": ["a"],
        });
        close_objects(&mut schema);
        let expected = json!({
            "properties": {
                "a": { "type": ["integer", "null"] },
                "b": { "type": "integer" },
                "c": { "$ref": "#/$defs/C", "description": "c" },
                "d": { "type": "object", "additionalProperties": { "type": "integer" } },
            },
            "required": ["a"],
            "additionalProperties": false,
        });
        assert_eq!(schema, expected);
    }
}
