//! `wattle calibrate --update`: curves that learn from power rails.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use wattle_calibrate::{RailUpdate, UpdatedNumber};
use wattle_ledger::AttributionOptions;
use wattle_power::{DeviceModel, PowerOptions, RailCorrection, RailCurve, library};
use wattle_report::clean;
use wattle_timeline::Timeline;

use super::outcome::{Found, Outcome, SCHEMA};
use super::recordings::{failure, file_name};
use super::request::write;
use super::terminal::show;
use crate::cli::Calibrate;
use crate::command::{analysis, inputs};
use crate::exit::{self, Failure};

/// Corrects the model by the rails of all recordings and writes it.
pub(super) fn run(calibrate: &Calibrate, path: &Path) -> exit::Outcome {
    let mut model = if path.exists() {
        Some(inputs::device_model(path).map_err(Failure::Input)?)
    } else {
        None
    };
    let mut told = Vec::new();
    for trace in &calibrate.traces {
        let timeline = analysis::read(std::slice::from_ref(trace), calibrate.quiet)?;
        let model = match &mut model {
            Some(model) => model,
            None => model.insert(of_library(&timeline, trace)?),
        };
        let found = curves(&timeline, model)
            .with_context(|| trace.display().to_string())
            .map_err(Failure::Input)?;
        if found.is_empty() {
            return Err(Failure::Input(anyhow::anyhow!(
                "{}: expected power rails of the CPU with 8 samples or more beside the scheduler's events, found none",
                trace.display()
            )));
        }
        let name = file_name(trace);
        told.extend(found.into_iter().map(|mut curve| {
            curve.recording.name.clone_from(&name);
            curve
        }));
    }
    let Some(model) = model else { return Ok(()) };
    let found = RailUpdate::new(&model, &told).map_err(failure)?;
    let output = calibrate.output.as_deref().unwrap_or(path);
    write(output, &found.model)?;
    let output = Some(output.display().to_string());
    let found = Found::Rails(Box::new(found));
    show(calibrate, &Outcome { schema: SCHEMA, found, tested: None, merged: None, output })
}

/// The rails of one recording beside the curves as they were published.
pub fn curves(timeline: &Timeline, model: &DeviceModel) -> anyhow::Result<Vec<RailCurve>> {
    let mut options = PowerOptions::default();
    options.device_models = vec![DeviceModel { rails: Vec::new(), ..model.clone() }];
    let estimate = wattle_power::estimate(timeline, &options)?;
    Ok(wattle_ledger::rail_curves(timeline, &estimate, &AttributionOptions::default())?)
}

/// The model that a report would use.
fn of_library(timeline: &Timeline, trace: &Path) -> Result<DeviceModel, Failure> {
    let estimate = wattle_power::estimate(timeline, &PowerOptions::default())
        .with_context(|| trace.display().to_string())
        .map_err(Failure::Input)?;
    let used = estimate.model.iter().find(|model| model.kind == "curves");
    let found = used.and_then(|used| library().iter().find(|model| model.name == used.name));
    found.cloned().ok_or_else(|| {
        Failure::Input(anyhow::anyhow!(
            "{}: no curves come with Wattle for this device; give a device model with curves to --update",
            trace.display()
        ))
    })
}

/// The numbers of all rails.
pub(super) fn text(text: &mut String, found: &RailUpdate) {
    let recordings = found.rails.iter().map(|rail| rail.recordings).max().unwrap_or(0);
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "{}, by power rails of {recordings} recording{}: measured over curve, and what curves lack; ± one standard deviation of a\n\
         further recording of this device\n",
        clean(&found.model.name),
        if recordings == 1 { "" } else { "s" }
    );
    let _ = writeln!(
        text,
        "{:<24} {:<9} {:>7} {:>14} {:>14} {:>14} {:>17} {:>17}",
        "rail", "policies", "periods", "executing", "idle", "shared", "always", "executing, more"
    );
    for rail in &found.rails {
        let policies: Vec<String> = rail.policies.iter().map(u32::to_string).collect();
        let _ = write!(
            text,
            "{:<24} {:<9} {:>7}",
            clean(&rail.rail),
            policies.join(", "),
            rail.periods
        );
        for (place, UpdatedNumber { value, deviation, .. }) in rail.numbers.iter().enumerate() {
            let _ = if RailCorrection::is_power(place) {
                write!(text, " {:>17}", format!("{value:.1} ± {deviation:.1} mW"))
            } else {
                write!(text, " {:>14}", format!("{value:.2} ± {deviation:.2}"))
            };
        }
        let _ = writeln!(text);
    }
}
