//! `--strict`: errors of the quality section as exit code 1.

use crate::cli::Strictness;
use crate::exit::{Failure, Outcome};

/// Refuses a result with quality errors, after it was written.
pub fn judge(strictness: Strictness, errors: &[String]) -> Outcome {
    match errors {
        [first, rest @ ..] if strictness.strict => {
            let more = match rest.len() {
                0 => String::new(),
                count => format!(" (and {count} more)"),
            };
            Err(Failure::Refused(anyhow::anyhow!("--strict: {first}{more}")))
        }
        _ => Ok(()),
    }
}
