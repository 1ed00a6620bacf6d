//! Descriptions: doc comments without Rust's notation.

use serde_json::Value;

/// Rewrites every description for readers of JSON.
pub(crate) fn rewrite(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let required = object.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = object.get_mut("properties") {
                for (key, property) in properties {
                    let is_required = required.as_array().is_some_and(|keys| {
                        keys.iter().any(|required| required.as_str() == Some(key))
                    });
                    // An `Option` that is `None` is null where its key is always written, and left out elsewhere.
                    let (first, none) =
                        if is_required { (". Null", "null") } else { (". Absent", "absent") };
                    if let Some(Value::String(text)) = property.get_mut("description") {
                        *text = joined(text).replace(". `None`", first).replace("`None`", none);
                    }
                }
            }
            // A property can have this name, too: its value is an object.
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = plain(text);
            }
            object.values_mut().for_each(rewrite);
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite),
        _ => {}
    }
}

/// One paragraph of several lines.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One paragraph, with the last name of a path in place of a link to it.
fn plain(text: &str) -> String {
    let joined = joined(text);
    let mut plain = String::new();
    let mut rest = joined.as_str();
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((path, after)) = link.split_once("`]") else { break };
        let name = path.rsplit("::").next().unwrap_or(path);
        plain.push_str(before);
        plain.push('`');
        plain.push_str(name);
        plain.push('`');
        rest = after;
    }
    plain.push_str(rest);
    let mut letters = plain.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn links_options_and_line_breaks_are_rewritten() {
        let text = "Index into [`crate::Rows::paths`];\n`None` for a root.";
        let mut schema = json!({
            "properties": { "a": { "description": text }, "b": { "description": text } },
            "required": ["a"],
        });
        rewrite(&mut schema);
        let description = |key: &str| schema["properties"][key]["description"].clone();
        assert_eq!(description("a"), "Index into `paths`; null for a root.");
        assert_eq!(description("b"), "Index into `paths`; absent for a root.");
    }
}
