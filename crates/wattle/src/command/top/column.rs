//! Columns beside the name.

use wattle_ledger::{ComponentId, Ledger};
use wattle_report::{EnergyPaths, ForestColumn};
use wattle_units::{Joules, Nanos};

/// Columns that every ledger can have: the word of `--sort`, the column, the heading.
pub const FIXED: [(&str, ForestColumn, &str); 7] = [
    ("name", ForestColumn::Name, "name"),
    ("total", ForestColumn::Total, "total"),
    ("self", ForestColumn::Own, "self"),
    ("share", ForestColumn::Share, "share"),
    ("cpu", ForestColumn::Cpu, "CPU time"),
    ("calls", ForestColumn::Calls, "calls"),
    ("samples", ForestColumn::Samples, "samples"),
];

/// Columns of components, by their names.
pub fn components(ledger: &Ledger) -> impl Iterator<Item = (&str, ForestColumn)> {
    let numbered = (0..).zip(&ledger.rows.components);
    numbered.map(|(at, entry)| (entry.name.name(), ForestColumn::Component(ComponentId(at))))
}

/// A column on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub of: ForestColumn,
    pub heading: String,
    pub width: u16,
}

/// Columns that have something to show for a ledger: first those that stay, then those of components.
pub fn shown(paths: &EnergyPaths<'_>) -> (Vec<Column>, Vec<Column>) {
    let ledger = paths.ledger();
    let has = |column: ForestColumn| match column {
        ForestColumn::Name => false,
        ForestColumn::Cpu => ledger.recording.has_scheduler,
        ForestColumn::Calls => ledger.rows.paths.iter().any(|path| path.calls > 0),
        ForestColumn::Samples => paths.has_samples(),
        _ => paths.has_energy(),
    };
    let fixed = FIXED.into_iter().filter(|(_, column, _)| has(*column));
    let stay = fixed.map(|(_, column, heading)| Column {
        of: column,
        heading: heading.to_owned(),
        width: match column {
            // With its interval.
            ForestColumn::Total => 30,
            ForestColumn::Share => 7,
            _ => 9,
        },
    });
    let components = components(ledger).map(|(name, column)| Column {
        of: column,
        heading: name.to_owned(),
        width: 9.max(name.chars().count().min(16) as u16),
    });
    (stay.collect(), components.collect())
}

/// A number as text; nothing where there is none, or where it says nothing.
pub fn text(column: ForestColumn, value: Option<f64>) -> String {
    let Some(value) = value else {
        let is_energy =
            matches!(column, ForestColumn::Total | ForestColumn::Own | ForestColumn::Cpu);
        return if is_energy { "–".to_owned() } else { String::new() };
    };
    let is_nothing = value == 0.0;
    match column {
        ForestColumn::Name => String::new(),
        ForestColumn::Component(_) | ForestColumn::Calls | ForestColumn::Samples if is_nothing => {
            String::new()
        }
        ForestColumn::Total | ForestColumn::Own | ForestColumn::Component(_) => {
            Joules::new(value).to_string()
        }
        ForestColumn::Share => format!("{:.1} %", value * 100.0),
        ForestColumn::Cpu => Nanos::from_seconds(value).to_string(),
        ForestColumn::Calls | ForestColumn::Samples => format!("{value:.0}"),
    }
}
