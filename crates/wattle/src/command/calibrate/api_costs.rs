//! `wattle calibrate --api-costs`: calls into the framework beside measured power → joules a call.

use anyhow::Context as _;
use wattle_calibrate::{ApiCalibration, ApiCalls, LinearRequest};
use wattle_power::ApiTable;
use wattle_units::Volts;

use super::outcome::{Found, Outcome, SCHEMA};
use super::recordings::{each_recording, failure, missing};
use super::terminal::show;
use crate::cli::Calibrate;
use crate::command::output;
use crate::exit::{self, Failure};

/// Runs `wattle calibrate --api-costs`.
pub fn run(calibrate: &Calibrate, voltage: Option<Volts>, source: &str) -> exit::Outcome {
    if calibrate.traces.is_empty() {
        return Err(missing("--api-costs needs recordings with measured power"));
    }
    let mut calls = ApiCalls::default();
    each_recording(calibrate, None, voltage, |timeline, name, request| {
        calls.extend(ApiCalls::new(timeline, name, request)?);
        Ok(())
    })?;
    let request = LinearRequest {
        robust: calibrate.fit.robust,
        folds: calibrate.fit.folds.map(usize::from),
        ..LinearRequest::default()
    };
    let found = ApiCalibration::new(&calls, &request).map_err(failure)?;
    if let Some(path) = &calibrate.output {
        // A table without rows is none: the outcome says why, by method.
        let table = found
            .table(calibrate.new_name(), source)
            .context("no per-method cost is identifiable")
            .map_err(Failure::Input)?;
        let text = table.to_toml();
        // What cannot be read again must not be left behind: the library has a mistake then, not the user.
        ApiTable::parse(&path.display().to_string(), &text)
            .context("the calibrated table")
            .map_err(Failure::Internal)?;
        output::write_file(path, text.as_bytes())?;
    }
    let written = calibrate.output.as_ref().map(|path| path.display().to_string());
    let found = Found::ApiCosts(Box::new(found));
    show(calibrate, &Outcome { schema: SCHEMA, found, tested: None, merged: None, output: written })
}
