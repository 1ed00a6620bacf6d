//! The JSON Schema of described tables.

use serde_json::{Map, Value, json};

use crate::{Definitions, Described, Key, Kind, Meta, PROVENANCES, Part, Sheet};

const INTERVAL: &str = "two-sided 90 % interval [low, high], joules";
const PROVENANCE: &str = "the weakest among the parts of the figure";

/// A reference to the definition of a table's rows.
pub fn reference_of<T: Described>(definitions: &mut Definitions) -> Value {
    definitions.reference(T::NAME, |definitions| object(T::DOC, T::sheet(), definitions))
}

/// The schema of a document whose root is a row of a table.
pub fn document<T: Described>(title: &str) -> Value {
    let mut definitions = Definitions::default();
    let Value::Object(mut root) = object(T::DOC, T::sheet(), &mut definitions) else {
        return Value::Null;
    };
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".to_owned(), json!(title));
    root.insert("$defs".to_owned(), definitions.into_value());
    Value::Object(root)
}

/// An object with the keys of a table and no others.
fn object(doc: &str, sheet: &Sheet, definitions: &mut Definitions) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in &sheet.keys {
        let meta = &sheet.leaves[key.leaf].meta;
        properties.insert(key.text.clone(), property(key, meta, definitions));
        if !meta.domain.is_optional {
            required.push(key.text.clone());
        }
    }
    json!({
        "type": "object",
        "description": doc,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(key: &Key, meta: &Meta, definitions: &mut Definitions) -> Value {
    match key.part {
        Part::Interval if !meta.domain.is_nullable => json!({
            "type": "array",
            "items": { "type": "number" },
            "minItems": 2,
            "maxItems": 2,
            "description": INTERVAL,
        }),
        Part::Provenance if !meta.domain.is_nullable => {
            json!({ "enum": PROVENANCES, "description": PROVENANCE })
        }
        Part::Joules if !meta.domain.is_nullable => {
            json!({ "type": "number", "description": format!("{}, joules", meta.doc) })
        }
        Part::Interval => definitions.reference("interval", |_| {
            json!({
                "type": ["array", "null"],
                "items": { "type": "number" },
                "minItems": 2,
                "maxItems": 2,
                "description": INTERVAL,
            })
        }),
        Part::Provenance => definitions.reference("provenance", |_| {
            json!({
                "enum": ["measured", "modelled", "assumed", null],
                "description": PROVENANCE,
            })
        }),
        Part::Joules => {
            let doc = format!("{}, joules; null when there is no data, never 0 for it", meta.doc);
            json!({ "type": ["number", "null"], "description": doc })
        }
        Part::Whole => whole(meta, definitions),
    }
}

fn whole(meta: &Meta, definitions: &mut Definitions) -> Value {
    let mut value = match meta.kind {
        Kind::Text if !meta.domain.words.is_empty() => {
            let mut words: Vec<Value> = meta.domain.words.iter().map(|word| json!(word)).collect();
            if meta.domain.is_nullable {
                words.push(Value::Null);
            }
            json!({ "enum": words })
        }
        Kind::Text => json!({ "type": "string" }),
        Kind::Id | Kind::Count => json!({ "type": "integer", "minimum": 0 }),
        Kind::Integer => json!({ "type": "integer" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Texts => json!({ "type": "array", "items": of_words(meta) }),
        Kind::Ids => json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } }),
        Kind::Numbers => json!({ "type": "array", "items": { "type": "number" } }),
        Kind::Pair => json!({
            "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2
        }),
        Kind::Tally => {
            json!({ "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } })
        }
        Kind::Free => json!({ "type": "object" }),
        Kind::Object => return row(meta, definitions),
        Kind::List => {
            let items = meta.domain.shape.map_or(Value::Null, |shape| shape(definitions));
            json!({ "type": "array", "items": items })
        }
        _ => json!({ "type": "number" }),
    };
    if let Value::Object(value) = &mut value {
        if meta.domain.is_nullable
            && let Some(kind) = value.get_mut("type")
        {
            *kind = json!([kind.take(), "null"]);
        }
        for (key, bound) in [("minimum", meta.domain.bounds[0]), ("maximum", meta.domain.bounds[1])]
        {
            if let Some(bound) = bound {
                value.insert(key.to_owned(), json!(bound));
            }
        }
        for (key, bound) in [("minItems", meta.domain.items[0]), ("maxItems", meta.domain.items[1])]
        {
            if let Some(bound) = bound {
                value.insert(key.to_owned(), json!(bound));
            }
        }
        value.insert("description".to_owned(), json!(meta.doc));
    }
    value
}

fn of_words(meta: &Meta) -> Value {
    if meta.domain.words.is_empty() {
        json!({ "type": "string" })
    } else {
        json!({ "enum": meta.domain.words })
    }
}

/// A row inside of the row, or `null`.
fn row(meta: &Meta, definitions: &mut Definitions) -> Value {
    let shape = meta.domain.shape.map_or(Value::Null, |shape| shape(definitions));
    if meta.domain.is_nullable {
        json!({ "oneOf": [shape, { "type": "null" }], "description": meta.doc })
    } else {
        let mut value = shape;
        if let Value::Object(value) = &mut value {
            value.insert("description".to_owned(), json!(meta.doc));
        }
        value
    }
}
