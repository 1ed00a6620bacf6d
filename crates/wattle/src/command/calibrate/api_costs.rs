//! `wattle calibrate --api-costs`: calls into the framework beside measured power → joules a call.

use std::fmt::Write as _;

use anyhow::Context as _;
use wattle_calibrate::{ApiCalibration, ApiCalls, LinearRequest};
use wattle_power::ApiTable;
use wattle_units::Volts;

use super::outcome::{Found, Outcome, SCHEMA};
use super::request::{each_recording, failure, missing, show};
use super::terminal::plain;
use crate::cli::Calibrate;
use crate::command::output;
use crate::exit::{self, Failure};

/// Does it.
pub fn run(calibrate: &Calibrate, voltage: Option<Volts>, source: &str) -> exit::Outcome {
    if calibrate.traces.is_empty() {
        return Err(missing("--api-costs needs recordings with measured power"));
    }
    let mut calls = ApiCalls::default();
    each_recording(calibrate, None, voltage, |timeline, name, request| {
        calls.extend(ApiCalls::of(timeline, name, request)?);
        Ok(())
    })?;
    let request = LinearRequest {
        robust: calibrate.robust,
        folds: calibrate.folds.map(usize::from),
        unconstrained: false,
    };
    let found = ApiCalibration::of(&calls, &request).map_err(failure)?;
    if let Some(path) = &calibrate.output {
        // A table without rows is none: the outcome says why, by method.
        let table = found
            .table(&calibrate.name, source)
            .context("no method has a cost that could be told from nothing")
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
    show(calibrate, &Outcome { schema: SCHEMA, found, merged: None, output: written })
}

/// As tables: methods with a cost, and those without.
pub fn text(found: &ApiCalibration) -> String {
    let mut text = format!(
        "power of {}, mean {:.1} mW: {} stretches in {} recording{}\n",
        plain(&found.what),
        found.mean_mw,
        found.rows,
        found.groups,
        if found.groups == 1 { "" } else { "s" }
    );
    let error = found.constant_error_mw.map_or_else(|| "-".to_owned(), |of| format!("{of:.1}"));
    let _ = writeln!(text, "without calls {:.1} mW ± {error}\n", found.constant_mw);
    let _ = writeln!(
        text,
        "{:>12} {:>24} {:>8} {:>6} method",
        "mJ a call", "90 % interval", "calls", "share"
    );
    for api in &found.costs {
        let [low, high] = api.interval.map(|joules| joules * 1e3);
        let _ = writeln!(
            text,
            "{:>12.4} {:>24} {:>8} {:>5.1}% {}{}",
            api.joules * 1e3,
            format!("{low:.4} … {high:.4}"),
            api.calls,
            api.share * 100.0,
            plain(&api.signature),
            if api.together_with.is_empty() { "" } else { " (together)" }
        );
    }
    if !found.left_out.is_empty() {
        let _ = writeln!(text, "\nwithout a cost:");
    }
    for api in &found.left_out {
        let _ = writeln!(text, "{:>46} {}: {}", api.calls, plain(&api.signature), api.why);
    }
    if let Some(deviation) = found.residual_deviation_mw {
        let _ = writeln!(
            text,
            "\nresiduals: {deviation:.1} mW with {} degrees of freedom",
            found.freedom
        );
    }
    text
}
