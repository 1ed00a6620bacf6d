//! `wattle report` of several saved ledgers: suspicious methods over the tests of all of them.

use std::path::PathBuf;

use anyhow::Context as _;
use wattle_ledger::Ledger;
use wattle_report::{SuspectsComparison, SuspectsSample};

use super::output;
use crate::cli::{Output, Report};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Does it.
pub fn run(paths: &[PathBuf], report: &Report, config: &Config) -> Outcome {
    let is_for_one = report.output.save.is_some()
        || report.output.views.by.is_some()
        || !report.category.is_empty();
    if !report.app.is_empty() || is_for_one {
        return Err(Failure::Usage(anyhow::anyhow!(
            "--app, --by, --save and --category are for one ledger: several are compared by the app that each was recorded for"
        )));
    }
    let mut samples = Vec::with_capacity(paths.len());
    for path in paths {
        // One at a time: a sample is much smaller than its ledger.
        let ledger = Ledger::load(path)
            .with_context(|| format!("ledger {}", path.display()))
            .map_err(Failure::Input)?;
        samples.push(SuspectsSample::new(&path.display().to_string(), &ledger));
    }
    let mut results = report.output.clone();
    results.top = results.top.or(config.top());
    write(&SuspectsComparison::new(&samples), &results)
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
