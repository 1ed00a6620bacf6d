//! JSON Schemas and the list of keys, made from the descriptions of the tables.

use serde_json::Value;
use wattle_diagnose::Diagnosis;
use wattle_table::document;

use crate::{DiffReport, Report, SuspectsComparison, TopReport};

/// The schemas of the JSON forms, with the names of their files.
pub fn schemas() -> [(&'static str, Value); 5] {
    [
        ("report-1", document::<Report>(crate::SCHEMA)),
        ("suspects-1", document::<SuspectsComparison>(crate::COMPARISON_SCHEMA)),
        ("diff-1", document::<DiffReport>(crate::DIFF_SCHEMA)),
        ("top-1", document::<TopReport>(crate::TOP_SCHEMA)),
        ("diagnosis-1", document::<Diagnosis>(wattle_diagnose::SCHEMA)),
    ]
}

/// All keys of a report as a page of the documentation.
pub fn reference() -> String {
    wattle_table::reference::<Report>(crate::SCHEMA)
}
