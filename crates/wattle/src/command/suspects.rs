//! `wattle report` of several saved ledgers: suspicious methods over the tests of all of them.

use std::path::PathBuf;

use anyhow::Context as _;
use wattle_report::{SuspectsComparison, SuspectsSample};

use super::{input_names, kept_runs, output};
use crate::cli::Output;
use crate::exit::{Failure, Outcome};

/// Runs `wattle report` on several saved ledgers. Returns their quality errors.
pub fn run(paths: &[PathBuf], output: &Output) -> Result<Vec<String>, Failure> {
    let mut samples = Vec::with_capacity(paths.len());
    let mut errors = Vec::new();
    for path in paths {
        // One at a time: a sample is much smaller than its ledger.
        let ledger = kept_runs::load(path, &output.keeping.store)?;
        errors.extend(ledger.quality.errors());
        samples.push(SuspectsSample::new(&input_names::shown(path), &ledger));
    }
    write(&SuspectsComparison::new(&samples), output)?;
    Ok(errors)
}

fn write(comparison: &SuspectsComparison, results: &Output) -> Outcome {
    if let Some(path) = &results.html {
        let page = wattle_report::suspects_html(comparison)
            .context("HTML report")
            .map_err(Failure::Internal)?;
        output::write_file(path, page.as_bytes())?;
    }
    if let Some(path) = &results.json {
        output::write_json(path, comparison)?;
    }
    if !results.quiet && !results.is_json_on_stdout() {
        let text = wattle_report::suspects_terminal(comparison, &output::options(&[], results)?);
        output::print(text.as_bytes())?;
    }
    Ok(())
}
