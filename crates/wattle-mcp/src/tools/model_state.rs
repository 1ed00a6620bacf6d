//! `model`: the device model behind the figures.

use wattle_report::Report;

use super::program_json::{json_of, list, text, words};
use super::recording_words::{answer_about, component_title};
use super::shared_parameters::RECORDING;
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, counted, seconds};
use crate::opened::OpenedRecording;

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "model",
    title: "Device model and calibration",
    description: "How far to trust the figures: which device model a recording's energy rests on, whether it was made for this device, how it agrees with power rails and battery, which components have no figures, how to calibrate. \
        With device instead of recording: the models that come with Wattle for such a device or SoC.",
    parameters: &[
        RECORDING,
        ToolParameter::new(
            "device",
            ParameterKind::Text,
            "A device, SoC or model name to look up in the library, such as oriole or Tensor",
        ),
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    if let Some(device) = arguments.text("device") {
        return library(context, device);
    }
    let opened = context.shelf.get(arguments.text("recording"), context.job)?;
    let report = opened.report(None);
    Ok(of_recording(&opened, &report))
}

fn of_recording(opened: &OpenedRecording, report: &Report) -> ToolAnswer {
    let rails = &report.hardware.rails;
    let text = match &report.recording.model {
        Some(model) => format!(
            "CPU figures rest on the model {} ({}, {}), chosen by {}{}.",
            clip(&model.name, 80),
            model.kind,
            model.provenance,
            clip(&model.chosen, 120),
            if rails.is_empty() {
                "; nothing was measured"
            } else {
                "; power rails measure the sums, the model splits them"
            }
        ),
        None => format!(
            "No device model was used: {}.",
            report
                .energy
                .no_energy_reason
                .as_deref()
                .unwrap_or("the input itself states its energies")
        ),
    };
    let mut answer = answer_about(opened, report, text);
    if let Some(model) = &report.recording.model {
        answer.fact(format!("Source: {}, version {}", clip(&model.source, 200), model.version));
    }
    for statement in report.energy.statements.iter().take(2) {
        answer.fact(format!("The input states: {}", statement.text()));
    }
    if let Some(battery) = &report.hardware.battery
        && let (Some(drained), Some(accounted)) = (battery.drained.0, battery.accounted.0)
    {
        answer.fact(format!(
            "Battery: {drained} drained in {}; components account for {accounted} of it",
            seconds(battery.discharging.seconds())
        ));
    }
    let missing =
        report.energy.coverage.as_ref().map(|it| it.missing.as_slice()).unwrap_or_default();
    let missing: Vec<String> = missing.iter().map(|name| component_title(name)).collect();
    if !missing.is_empty() {
        answer.fact(format!("Without a figure: {}; a device model or power_profile.xml with their figures would add them", missing.join(", ")));
    }
    let mut rows: Vec<AnswerRow> = rails
        .iter()
        .map(|rail| {
            let off = rail.disagreement.map(|off| format!(" ({:+.0} %)", off * 100.0));
            let model = rail
                .modelled
                .0
                .map(|it| format!("; the model alone: {}{}", it.joules, off.unwrap_or_default()));
            let note = format!(
                "supplies {}, {}{}",
                component_title(&rail.component),
                counted(rail.samples, "sample"),
                model.unwrap_or_default()
            );
            AnswerRow::new("rail", rail.title.as_str()).with_energy(rail.energy.0).with_note(note)
        })
        .collect();
    rows.extend(report.hardware.spread.iter().map(|row| {
        AnswerRow::new("model", row.model.name.as_str())
            .with_energy(row.cpu.0)
            .with_note("CPU energy under this model")
    }));
    answer.rows = rows;
    answer.heading = String::from("Rails, and other models that apply:");
    answer.fact(match report.recording.model.as_ref().map(|model| model.provenance) {
        Some(wattle_units::Provenance::Assumed) => "The model was made for another device: `wattle calibrate --help` fits one from recordings with measured power; --device-model and open's device_model use it",
        _ if rails.is_empty() => "To check the model on this device, record power rails (Pixel 6 and later) or use a power meter: `wattle calibrate --help`",
        _ => "`wattle calibrate --help` fits the model to these rails; recordings without rails then profit",
    });
    answer.next.push(
        NextQuestion::new("top", "where the energy went")
            .with("recording", opened.handle.as_str())
            .with("by", "component"),
    );
    answer
}

/// Models of the library.
fn library(context: &ToolContext<'_>, device: &str) -> Result<ToolAnswer, ToolError> {
    let found = json_of(context, words(&["model", "list", "--json", "-"]), &[0])?;
    let wanted = device.to_lowercase();
    let models = found.as_array().map_or(&[][..], Vec::as_slice);
    let names = |model: &serde_json::Value, key: &str| -> Vec<String> {
        list(model, key).iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
    };
    let of = |model: &serde_json::Value| -> Vec<String> {
        let lists = ["socs", "devices", "boards"].map(|key| names(model, key));
        lists.concat()
    };
    let matching: Vec<&serde_json::Value> = models
        .iter()
        .filter(|model| {
            text(model, "name").to_lowercase().contains(&wanted)
                || of(model).iter().any(|name| name.to_lowercase().contains(&wanted))
        })
        .collect();
    let mut answer = ToolAnswer::new(match matching.first() {
        Some(model) => format!(
            "{} in the library for {}: {}.",
            counted(matching.len() as u64, "model"),
            clip(device, 80),
            text(model, "name")
        ),
        None => format!(
            "No model in the library for {}: its figures would be assumed from another device. Give its power_profile.xml or a calibrated model to open (device_model).",
            clip(device, 80)
        ),
    });
    let shown = if matching.is_empty() { models.iter().collect() } else { matching };
    answer.total_rows = shown.len();
    answer.rows = shown
        .iter()
        .take(30)
        .map(|model| {
            let note = format!(
                "{}, version {}; for {}",
                text(model, "kind"),
                model["version"],
                clip(&of(model).join(", "), 120)
            );
            AnswerRow::new("model", text(model, "name")).with_note(note)
        })
        .collect();
    answer.heading = String::from("Models of the library:");
    answer.rest = "`wattle model list` shows all.";
    "models, not a recording: no energy figure".clone_into(&mut answer.coverage);
    answer.next.push(NextQuestion::new("runs", "kept runs, of which one may be of such a device"));
    Ok(answer)
}
