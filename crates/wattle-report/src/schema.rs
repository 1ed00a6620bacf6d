//! JSON Schemas and the list of keys, made from the descriptions of the tables.

use serde_json::Value;

use crate::{Report, SuspectsComparison};

/// The schemas of the JSON forms, with the names of their files.
pub fn schemas() -> [(&'static str, Value); 2] {
    [
        ("report-1", wattle_table::document::<Report>(crate::SCHEMA)),
        ("suspects-1", wattle_table::document::<SuspectsComparison>(crate::COMPARISON_SCHEMA)),
    ]
}

/// All keys of a report as a page of the documentation.
pub fn reference() -> String {
    wattle_table::reference::<Report>(crate::SCHEMA)
}
