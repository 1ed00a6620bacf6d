//! `--strict`: errors of the quality section as exit code 1.

use wattle_timeline::first_error;

use crate::cli::Strictness;
use crate::exit::{Failure, Outcome};

/// Refuses a result with quality errors, after it was written.
pub fn judge(strictness: Strictness, errors: &[String]) -> Outcome {
    match first_error(errors).filter(|_| strictness.strict) {
        Some(error) => Err(Failure::Refused(anyhow::anyhow!("--strict: {error}"))),
        None => Ok(()),
    }
}
