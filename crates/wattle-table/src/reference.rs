//! The keys of a document as a page of documentation.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{Described, document};

/// All keys of a document as Markdown: a section for its root and each kind of row, in alphabetical order.
pub fn reference<T: Described>(title: &str) -> String {
    let schema = document::<T>(title);
    let mut text = format!(
        "# Keys of `{title}`\n\nMade from the descriptions of the tables; do not edit. Energies are three keys: `…joules`, \
         `…interval_joules` and `…provenance`.\n"
    );
    section(&mut text, "Top level", &schema);
    for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
        if definition.get("properties").is_some() {
            section(&mut text, &format!("`{name}`"), definition);
        }
    }
    text
}

fn section(text: &mut String, heading: &str, object: &Value) {
    let doc = object["description"].as_str().unwrap_or_default();
    let _ = write!(text, "\n## {heading}\n\n{doc}\n\n| key | value | meaning |\n|---|---|---|\n");
    let required: Vec<&str> =
        object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (key, property) in object["properties"].as_object().into_iter().flatten() {
        if key.ends_with("interval_joules") || key.ends_with("provenance") {
            continue;
        }
        let optional = if required.contains(&key.as_str()) { "" } else { ", may be absent" };
        let meaning = property["description"].as_str().unwrap_or_default().replace('|', "\\|");
        let _ = writeln!(text, "| `{key}` | {}{optional} | {meaning} |", value(property));
    }
}

/// Describes the value of a key, in a few words.
fn value(property: &Value) -> String {
    if let Some(target) = property["$ref"].as_str() {
        return format!("`{}`", target.trim_start_matches("#/$defs/"));
    }
    if let Some(words) = property["enum"].as_array() {
        return words
            .iter()
            .map(|word| format!("`{}`", word.as_str().unwrap_or("null")))
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(kinds) = property["oneOf"].as_array() {
        return kinds.iter().map(value).collect::<Vec<_>>().join(" or ");
    }
    if let Some(items) = property.get("items") {
        let null = if property["type"].is_array() { " or null" } else { "" };
        return format!("list of {}{null}", value(items));
    }
    match &property["type"] {
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        kind => kind.as_str().unwrap_or_default().to_owned(),
    }
}
