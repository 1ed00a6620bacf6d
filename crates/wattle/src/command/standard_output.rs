//! Text for standard output.

use std::io::Write as _;

use anyhow::Context as _;

use crate::exit::{Failure, Outcome};

/// Prints to standard output; a closed pipe is not an error, see [`crate::exit`].
pub fn print(content: &[u8]) -> Outcome {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(content)
        .and_then(|()| stdout.flush())
        .context("standard output")
        .map_err(Failure::Environment)
}
