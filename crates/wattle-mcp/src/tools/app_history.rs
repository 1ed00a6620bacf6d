//! `history`: energy over versions.

use serde_json::Value;

use super::program_json::{energy, list, of_history, text};
use super::shared_parameters::{BRANCH, DEVICE, SCENARIO};
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, counted};

/// Rows of an answer: the latest versions.
const MOST_ROWS: usize = 15;

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "history",
    title: "Energy over versions",
    description: "The energy of an app, of a method or of a component over its versions, from the kept runs, with the changes that are no noise.",
    parameters: &[
        ToolParameter::new(
            "app",
            ParameterKind::Text,
            "Package name [default: the only one of the history]",
        ),
        ToolParameter::new(
            "method",
            ParameterKind::Text,
            "Methods whose names match this pattern with * and ?, with what they called",
        ),
        ToolParameter::new("component", ParameterKind::Text, "The app's use of this component"),
        DEVICE,
        SCENARIO,
        BRANCH,
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let flags = ["method", "component", "device", "scenario", "branch"];
    let found = of_history(context, (&["history"], arguments, &flags))?;
    let series = list(&found, "series");
    let longest = series.iter().max_by_key(|series| list(series, "versions").len());
    let Some(main) = longest else {
        let mut answer = ToolAnswer::new("No kept run has such a figure.");
        "no run, no figure".clone_into(&mut answer.coverage);
        answer.next.push(NextQuestion::new("runs", "which runs there are"));
        return Ok(answer);
    };
    let versions = list(main, "versions");
    let newest = versions.last();
    let figure = newest.and_then(|it| it.get("mean")).and_then(energy);
    let change = newest.and_then(|it| it.get("change")).and_then(Value::as_f64);
    let change =
        change.map(|change| format!(", {:+.1} % against the version before", change * 100.0));
    let what = match (text(&found, "quantity"), text(&found, "name")) {
        (quantity, "") => quantity.to_owned(),
        (quantity, name) => format!("{quantity} {}", clip(name, 80)),
    };
    let mut answer = ToolAnswer::new(format!(
        "{} of {} over {}: now {}{}.",
        what,
        clip(text(&found, "app"), 100),
        counted(versions.len() as u64, "version"),
        figure.map_or("no figure".to_owned(), |it| format!("{it} {}", it.provenance)),
        change.unwrap_or_default()
    ));
    answer.fact(format!(
        "Device {}, scenario {}",
        clip(text(main, "device"), 80),
        clip(text(main, "scenario"), 80)
    ));
    if series.len() > 1 {
        answer.fact(format!(
            "{} with other devices, scenarios or models are not shown: limit by device or scenario",
            counted((series.len() - 1) as u64, "more series").replace("seriess", "series")
        ));
    }
    for judged in list(main, "judged") {
        let changes = list(judged, "changes").len();
        let missing = judged.get("missing_versions").and_then(Value::as_u64).unwrap_or(0);
        answer.fact(if missing > 0 {
            format!("Too few versions to tell a change from noise: {missing} more are needed")
        } else {
            format!("{} found that are no noise", counted(changes as u64, "change"))
        });
    }
    let latest: Vec<&Value> = versions.iter().rev().collect();
    answer.total_rows = latest.len();
    answer.rows = latest.iter().take(MOST_ROWS).map(|version| row(version)).collect();
    answer.heading = String::from("Versions, latest first (mean of their runs):");
    answer.rest = "`wattle history --html FILE` shows all.";
    "runs are compared on one device and scenario, by one device model; each covers what its recording covers".clone_into(&mut answer.coverage);
    let runs =
        |version: &&&Value| list(version, "runs").last().map(|run| text(run, "run").to_owned());
    let mut last = latest.iter().filter_map(|it| runs(&it));
    if let (Some(after), Some(before)) = (last.next(), last.next()) {
        answer.next.push(
            NextQuestion::new("compare", "what changed between the latest two")
                .with("before", before)
                .with("after", after),
        );
    } else {
        answer.next.push(NextQuestion::new("runs", "which runs there are"));
    }
    Ok(answer)
}

fn row(version: &Value) -> AnswerRow {
    let commit: String = text(version, "commit").chars().take(9).collect();
    let name = match (text(version, "version_name"), commit.as_str()) {
        ("", "") => text(version, "first").to_owned(),
        ("", commit) => commit.to_owned(),
        (version, "") => version.to_owned(),
        (version, commit) => format!("{version} ({commit})"),
    };
    let runs = list(version, "runs");
    let names: Vec<&str> = runs.iter().take(4).map(|run| text(run, "run")).collect();
    let change = version.get("change").and_then(Value::as_f64);
    let change = change.map(|change| format!("; {:+.1} %", change * 100.0));
    let note = format!(
        "{}: {}{}",
        counted(runs.len() as u64, "run"),
        names.join(", "),
        change.unwrap_or_default()
    );
    AnswerRow::new("version", name)
        .with_energy(version.get("mean").and_then(energy))
        .with_note(note)
}
