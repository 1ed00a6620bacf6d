//! Emissions of a kilowatt-hour of electricity.

use serde::Deserialize;
use wattle_table::{Column, describe};
use wattle_units::Joules;

use crate::ReportError;

const DATA: &str = include_str!("../../data/grid-carbon.toml");

/// The value of `format` in such a file.
pub const GRID_CARBON_FORMAT: &str = "wattle-grid-carbon/1";

const JOULES_PER_KILOWATT_HOUR: f64 = 3.6e6;

/// Emissions of the grid that a battery is charged from, by energy.
#[derive(Clone, Debug, PartialEq)]
pub struct GridCarbon {
    /// Grams of CO2 equivalents for each kilowatt-hour.
    pub grams_per_kwh: f64,
    /// Whose grid.
    pub region: Option<String>,
    /// Of which year.
    pub year: Option<u32>,
    /// Who says so.
    pub source: String,
}

describe!(
    GridCarbon,
    "carbon",
    "what electricity emits",
    [
        Column::number(
            "grams_per_kwh",
            "grams of CO2 equivalents for each kilowatt-hour",
            |row: &GridCarbon| { row.grams_per_kwh }
        ),
        Column::maybe_text("region", "whose grid", |row: &GridCarbon| row.region.as_deref()),
        Column::maybe_id("year", "of which year", |row: &GridCarbon| row.year),
        Column::text("source", "who says so", |row: &GridCarbon| &row.source),
    ]
);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    grams_per_kwh: f64,
    region: Option<String>,
    year: Option<u32>,
    source: String,
}

impl GridCarbon {
    /// The factor that comes with Wattle: the world's average.
    pub fn library() -> Self {
        Self::parse("grid-carbon.toml", DATA).unwrap_or_else(|_| Self::given(f64::NAN))
    }

    /// A factor that somebody gave without more words.
    pub fn given(grams_per_kwh: f64) -> Self {
        Self { grams_per_kwh, region: None, year: None, source: "given with --carbon".to_owned() }
    }

    /// From the text of a file; `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, ReportError> {
        let wrong = |reason: String| ReportError::Data { name: name.to_owned(), reason };
        let file: File = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if file.format != GRID_CARBON_FORMAT {
            return Err(wrong(format!(
                "expected format = {GRID_CARBON_FORMAT:?}, found {:?}",
                file.format
            )));
        }
        let File { grams_per_kwh, region, year, source, .. } = file;
        if !(grams_per_kwh.is_finite() && grams_per_kwh >= 0.0) {
            return Err(wrong(format!("grams_per_kwh = {grams_per_kwh}: expected 0 or more")));
        }
        if source.trim().is_empty() {
            return Err(wrong("source: a factor without one is not shown".to_owned()));
        }
        Ok(Self { grams_per_kwh, region, year, source })
    }

    /// Grams for each joule.
    pub(super) fn grams_per_joule(&self) -> f64 {
        self.grams_per_kwh / JOULES_PER_KILOWATT_HOUR
    }

    /// Grams that drawing this energy from the battery stands for, without losses of the charger.
    pub fn grams(&self, energy: Joules) -> f64 {
        energy.value() * self.grams_per_joule()
    }
}
