//! One row of an answer.

use serde_json::{Map, Number, Value, json};
use wattle_units::Estimate;

use super::{clip, clip_sentences, percent};

/// The most characters of a name and of a note.
const LONGEST_NAME: usize = 140;
const LONGEST_NOTE: usize = 560;

/// A consumer, a component, a finding, a run: whatever an answer lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerRow {
    /// The kind of thing: `method`, `thread`, `component` …
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its energy; `None` where nothing is known, which is not 0 J.
    pub energy: Option<Estimate>,
    /// The energy without what it called, where that is something else.
    pub own: Option<Estimate>,
    /// Its part of the whole.
    pub share: Option<f64>,
    /// Further facts in words.
    pub note: String,
}

impl AnswerRow {
    /// A row with a name, without figures.
    pub fn new(kind: &'static str, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), ..Self::default() }
    }

    /// The same with an energy.
    #[must_use]
    pub fn with_energy(mut self, energy: Option<Estimate>) -> Self {
        self.energy = energy;
        self
    }

    /// The same with a part of the whole.
    #[must_use]
    pub fn with_share(mut self, share: Option<f64>) -> Self {
        self.share = share.filter(|share| share.is_finite());
        self
    }

    /// The same with facts in words.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The row as a line of text.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        if let Some(energy) = &self.energy {
            let share = self.share.map(|share| format!(", {}", percent(share)));
            parts.push(format!("{energy} {}{}", energy.provenance, share.unwrap_or_default()));
        }
        if let Some(own) = &self.own {
            parts.push(format!("self {own}"));
        }
        if !self.note.is_empty() {
            parts.push(clip_sentences(&self.note, LONGEST_NOTE));
        }
        let name = clip(&self.name, LONGEST_NAME);
        if parts.is_empty() { name } else { format!("{name}: {}", parts.join("; ")) }
    }

    /// The row as a value.
    pub fn value(&self) -> Value {
        let mut row = Map::new();
        row.insert("kind".to_owned(), json!(self.kind));
        row.insert("name".to_owned(), json!(clip(&self.name, LONGEST_NAME)));
        if let Some(Estimate { joules, interval, provenance }) = self.energy {
            row.insert("joules".to_owned(), number(joules.value()));
            let ends = [interval.low, interval.high].map(|end| number(end.value()));
            row.insert("interval_joules".to_owned(), json!(ends));
            row.insert("provenance".to_owned(), json!(provenance.to_string()));
        }
        if let Some(own) = &self.own {
            row.insert("self_joules".to_owned(), number(own.joules.value()));
        }
        if let Some(share) = self.share {
            row.insert("share".to_owned(), number(share));
        }
        Value::Object(row)
    }
}

/// A number with five significant digits: more would be noise that costs tokens.
fn number(value: f64) -> Value {
    let rounded: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    Number::from_f64(rounded).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use wattle_units::{Interval, Joules, Provenance};

    use super::*;

    #[test]
    fn a_row_says_energy_interval_provenance_and_share() {
        let energy = Estimate {
            joules: Joules::new(0.012_345_678),
            interval: Interval { low: Joules::new(0.01), high: Joules::new(0.015) },
            provenance: Provenance::Modelled,
        };
        let row = AnswerRow::new("method", "a.B.c")
            .with_energy(Some(energy))
            .with_share(Some(0.25))
            .with_note("3 calls");
        assert_eq!(row.text(), "a.B.c: 12.3 mJ (10.0 mJ – 15.0 mJ) modelled, 25.0 %; 3 calls");
        assert_eq!(row.value()["joules"], 0.012_346);
        assert_eq!(row.value()["interval_joules"][1], 0.015);
        assert_eq!(AnswerRow::new("method", "a.B.c").value().get("joules"), None);
    }
}
