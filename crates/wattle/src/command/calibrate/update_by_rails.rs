//! `wattle calibrate --update`: curves that learn from power rails.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_calibrate::RailUpdate;
use wattle_ledger::AttributionOptions;
use wattle_power::{DeviceModel, PowerOptions, RailCurve, library};
use wattle_timeline::Timeline;

use super::model_output::write;
use super::outcome::{Found, Outcome, SCHEMA};
use super::recordings::{failure, file_name, missing};
use super::terminal::show;
use crate::cli::Calibrate;
use crate::command::{analysis, inputs, output};
use crate::exit::{self, Failure};

/// Corrects the model by the rails of all recordings, and writes it where that changes anything.
pub(super) fn run(calibrate: &Calibrate, path: &Path) -> exit::Outcome {
    if output::is_stdout(Some(path)) {
        return Err(missing(
            "--update -: expected the name of a device model, found standard input; \
             to leave the model as it is, name another file for the result: --output FILE",
        ));
    }
    let before = std::fs::read(path).ok();
    let mut model = if path.exists() {
        // A recording with a model of its own is no file to write a model into.
        Some(inputs::device_model_only(path).map_err(Failure::Input)?)
    } else {
        None
    };
    let mut told = Vec::new();
    for trace in &calibrate.traces {
        let timeline = analysis::read(std::slice::from_ref(trace), calibrate.quiet)?;
        let lacking = lacking(&timeline);
        if let Some(lacking) = lacking {
            return Err(Failure::Input(anyhow::anyhow!("{}: {lacking}", trace.display())));
        }
        let model = match &mut model {
            Some(model) => model,
            None => model.insert(of_library(&timeline, trace)?),
        };
        let found = curves(&timeline, model)
            .with_context(|| trace.display().to_string())
            .map_err(Failure::Input)?;
        if found.is_empty() {
            return Err(Failure::Input(anyhow::anyhow!(
                "{}: expected 8 periods or more between samples of power rails of the CPU, all rails counted, found fewer; record for longer",
                trace.display()
            )));
        }
        let name = name(trace, &calibrate.traces);
        told.extend(found.into_iter().map(|mut curve| {
            curve.recording.name.clone_from(&name);
            curve
        }));
    }
    let Some(model) = model else { return Ok(()) };
    let mut found = RailUpdate::new(&model, &told).map_err(failure)?;
    if let Some(name) = &calibrate.name {
        found.changed |= *name != found.model.name;
        found.model.name.clone_from(name);
    }
    if std::fs::read(path).ok() != before {
        return Err(Failure::Environment(anyhow::anyhow!(
            "{} was changed meanwhile: run it again",
            path.display()
        )));
    }
    // What was asked for with --output is written in any case.
    let output = match &calibrate.output {
        Some(output) => Some(output.as_path()),
        None => found.changed.then_some(path),
    };
    if let Some(output) = output {
        write(output, &found.model)?;
    }
    let output = output.map(|output| output.display().to_string());
    let found = Found::Rails(Box::new(found));
    show(calibrate, &Outcome { schema: SCHEMA, found, tested: None, merged: None, output })
}

/// The name of a recording: that of its file, with its folders where another file has the same.
fn name(trace: &Path, all: &[PathBuf]) -> String {
    let name = file_name(trace);
    let alike = all.iter().filter(|other| file_name(other) == name).count();
    if alike > 1 { trace.display().to_string() } else { name }
}

/// Says which of the things that are needed a recording does not have.
fn lacking(timeline: &Timeline) -> Option<String> {
    if timeline.device.virtual_device().is_some() {
        return Some("expected a recording of a phone, found one of an emulator".to_owned());
    }
    let rails = timeline.energy.rails.len();
    let has_scheduler = timeline.cpus.iter().any(|cpu| !cpu.sched.is_empty());
    let expected = "expected power rails of the CPU and events of the scheduler";
    match (rails, has_scheduler) {
        (0, true) => Some(format!("{expected}, found no power rails")),
        (0, false) => Some(format!("{expected}, found neither")),
        (_, false) => Some(format!("{expected}, found {rails} power rails and no scheduler")),
        (_, true) => None,
    }
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
