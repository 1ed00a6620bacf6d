//! What a table must not say.

use rustc_hash::FxHashMap;

use super::ApiRow;

/// More than the battery of any phone holds, in joules.
const MOST_JOULES: f64 = 1e5;
/// An error of more says that nothing is known.
const MOST_ERROR: f64 = 10.0;
/// Many times what all of Android's public methods are.
const MOST_ROWS: usize = 500_000;

/// What is wrong with a table, if something is.
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
