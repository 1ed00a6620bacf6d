//! Values of files that are read as they are written, or refused.

/// Expected value, and value found.
pub(super) type Wrong = (&'static str, String);

pub(super) fn finite(values: &[f64]) -> Result<(), Wrong> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(("finite numbers", value.to_string())),
        None => Ok(()),
    }
}
