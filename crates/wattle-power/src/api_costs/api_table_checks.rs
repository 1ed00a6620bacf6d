//! Checks for invalid and for suspicious contents of a table.

use rustc_hash::FxHashMap;
use wattle_timeline::Severity;
use wattle_units::Joules;

use super::{ApiRow, ApiTable};
use crate::ModelDefect;

/// More than the battery of any phone holds, in joules.
const MOST_JOULES: f64 = 1e5;
/// An error of more says that nothing is known.
const MOST_ERROR: f64 = 10.0;
/// Many times what all of Android's public methods are.
const MOST_ROWS: usize = 500_000;

/// Returns the problem with a table, if there is one.
pub(super) fn check(name: &str, error: f64, rows: &[ApiRow]) -> Result<(), String> {
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(format!("expected a name, found {name:?}"));
    }
    if rows.is_empty() || rows.len() > MOST_ROWS {
        return Err(format!("expected 1 to {MOST_ROWS} methods in [costs], found {}", rows.len()));
    }
    let is_error = |error: f64| (0.0..=MOST_ERROR).contains(&error);
    if !is_error(error) {
        return Err(format!("expected a relative error from 0 to {MOST_ERROR}, found {error}"));
    }
    let mut seen = FxHashMap::default();
    for row in rows {
        let (signature, joules) = (&row.signature, row.joules.value());
        if !(0.0..=MOST_JOULES).contains(&joules) {
            return Err(format!(
                "{signature}: expected joules a call from 0 to {MOST_JOULES}, found {joules}"
            ));
        }
        if let Some(error) = row.error.filter(|error| !is_error(*error)) {
            return Err(format!(
                "{signature}: expected a relative error from 0 to {MOST_ERROR}, found {error}"
            ));
        }
        if let Some(other) = seen.insert(signature.key(), signature) {
            return Err(format!("expected each method once, found two of {other}"));
        }
    }
    Ok(())
}

/// A call that costs more, in joules, is a unit's mistake: a phone that draws 10 W would work on it for ten seconds.
const MUCH: f64 = 100.0;

impl ApiTable {
    /// All that looks wrong, or that a reader should know.
    pub fn defects(&self) -> Vec<ModelDefect> {
        let mut defects = Vec::new();
        let mut say = |severity, place: &str, text: String| {
            defects.push(ModelDefect { severity, place: place.to_owned(), text });
        };
        if self.source.is_empty() {
            say(Severity::Info, "table", "no source is named".to_owned());
        }
        if self.error_source.is_empty() && self.rows().iter().any(|row| row.error.is_none()) {
            say(Severity::Info, "table", "nothing says where its error comes from".to_owned());
        }
        if self.greedy_above.is_none() {
            let text = "too few methods to call any energy-greedy".to_owned();
            say(Severity::Info, "table", text);
        }
        for row in self.rows() {
            let place = row.signature.to_string();
            let joules = row.joules.value();
            if joules > MUCH {
                let text = format!("{joules} J a call: is it in millijoules?");
                say(Severity::Warning, &place, text);
            }
            if row.error.is_some_and(|error| error > 1.0) {
                let text = "its standard error is larger than itself: it is not known".to_owned();
                say(Severity::Warning, &place, text);
            }
        }
        let zeros = self.rows().iter().filter(|row| row.joules == Joules::ZERO).count();
        if zeros > 0 {
            say(Severity::Info, "table", format!("{zeros} methods cost nothing at all"));
        }
        defects
    }
}
