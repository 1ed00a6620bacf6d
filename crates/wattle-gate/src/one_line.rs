//! Text of a report: on one line, with energies in their units.

use wattle_units::Si;

/// Text on one line: names come from files, and a line of its own could be a command to a CI server.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// An energy with its unit.
pub(crate) fn si(joules: f64) -> String {
    Si { value: joules, unit: "J" }.to_string()
}
