//! Each name once.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_units::Nanos;

use crate::clean::clean;

/// Names are cut to this many characters in HTML; JSON has them whole.
const LONGEST: usize = 240;

/// A table of names; rows hold indices into it.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub struct Strings {
    texts: Vec<String>,
    #[serde(skip)]
    ids: BTreeMap<String, usize>,
}

impl Strings {
    /// The index of a name.
    pub fn id(&mut self, text: &str) -> usize {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = self.texts.len();
        let seen = clean(text);
        let short = match seen.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &seen[..end]),
            None => seen,
        };
        self.texts.push(short);
        self.ids.insert(text.to_owned(), id);
        id
    }
}

/// A number with five significant digits, the shortest text that still looks exact.
pub fn five_digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// An instant in seconds, to the microsecond: five digits would move what happens late in a long recording.
pub fn microseconds(instant: Nanos) -> f64 {
    (instant.seconds() * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_digits_are_kept() {
        assert_eq!(five_digits(0.123_456_789), 0.12346);
        assert_eq!(five_digits(0.0), 0.0);
        assert_eq!(five_digits(-1_234_567.0), -1_234_600.0);
        assert!(five_digits(f64::NAN).is_nan());
    }

    #[test]
    fn instants_keep_their_microseconds() {
        assert_eq!(microseconds(Nanos::new(3_600_123_456_789)), 3_600.123_457);
        assert_eq!(microseconds(Nanos::new(-1_500)), -2e-6);
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        let mut strings = Strings::default();
        strings.id(&"電".repeat(1000));
        assert_eq!(strings.texts[0].chars().count(), LONGEST + 1);
    }
}
