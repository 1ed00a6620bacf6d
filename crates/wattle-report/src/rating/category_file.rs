//! Categories in a file: `wattle-category/1`, TOML or JSON.

use serde::Deserialize;
use wattle_units::Provenance;

use super::{Category, CategoryReference, RatedEnergy, RatedMeasure, RatedPer, Rule};
use crate::ReportError;

/// The value of `format` in such a file.
pub const CATEGORY_FORMAT: &str = "wattle-category/1";

/// Categories that come with Wattle, as examples: Aeon's two baselines.
const LIBRARY: [(&str, &str); 2] = [
    ("aeon-reddit-browsers", include_str!("../../data/categories/aeon-reddit-browsers.toml")),
    ("aeon-web-browsers", include_str!("../../data/categories/aeon-web-browsers.toml")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    name: String,
    of: RatedEnergy,
    #[serde(default)]
    per: RatedPer,
    source: String,
    provenance: Option<Provenance>,
    device: Option<String>,
    #[serde(default)]
    joules: Vec<f64>,
    #[serde(default)]
    reference: Vec<FileReference>,
    baseline: Option<FileBaseline>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileReference {
    name: String,
    joules: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileBaseline {
    joules: f64,
    width: f64,
}

impl Category {
    /// Names of the categories that come with Wattle.
    pub fn library() -> impl Iterator<Item = &'static str> {
        LIBRARY.iter().map(|(name, _)| *name)
    }

    /// One of those that come with Wattle.
    pub fn of_library(name: &str) -> Option<Self> {
        let (name, text) = LIBRARY.iter().find(|(known, _)| *known == name)?;
        Self::parse(name, text).ok()
    }

    /// From the text of a file; `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, ReportError> {
        let wrong = |reason: String| ReportError::Data { name: name.to_owned(), reason };
        let file: File = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?
        } else {
            toml::from_str(text).map_err(|error| wrong(error.to_string()))?
        };
        if file.format != CATEGORY_FORMAT {
            let reason = format!("expected format = {CATEGORY_FORMAT:?}, found {:?}", file.format);
            return Err(wrong(reason));
        }
        let mut category = Self::new(&file.name, RatedMeasure { energy: file.of, per: file.per });
        category.source = Some(file.source);
        category.provenance = file.provenance;
        category.device.clone_from(&file.device);
        if let Some(FileBaseline { joules, width }) = file.baseline {
            if !(joules.is_finite() && joules > 0.0 && width.is_finite() && width > 0.0) {
                return Err(wrong("baseline: expected joules and width above 0".to_owned()));
            }
            category.rule = Rule::Baseline { joules, width };
        }
        let unnamed = file.joules.into_iter().enumerate();
        let unnamed = unnamed.map(|(nth, joules)| (format!("{} {}", file.name, nth + 1), joules));
        let named = file.reference.into_iter().map(|reference| (reference.name, reference.joules));
        for (name, value) in unnamed.chain(named) {
            if !(value.is_finite() && value >= 0.0) {
                return Err(wrong(format!("{name}: {value} J: expected 0 or more")));
            }
            category.references.push(CategoryReference {
                name,
                value,
                provenance: file.provenance,
                device: file.device.clone(),
                components: Vec::new(),
            });
        }
        if category.references.is_empty() && category.rule == Rule::Quartiles {
            return Err(wrong("neither joules, references nor a baseline".to_owned()));
        }
        Ok(category)
    }
}
