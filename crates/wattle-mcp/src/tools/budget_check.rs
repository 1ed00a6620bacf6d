//! `check`: the budgets of `wattle.toml`.

use serde_json::Value;

use super::program_json::{json_of, list, text, words};
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{AnswerRow, NextQuestion, ToolAnswer, ToolError, clip};
use crate::opened::{is_run, private_folder};

/// Exit codes of a check that was made: passed, failed.
const CHECKED: [i32; 2] = [0, 1];

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "check",
    title: "Check budgets",
    description: "Whether runs keep the energy budgets and baselines of wattle.toml in the server's folder: passed, failed, inconclusive, flaky, not measured. \
        The gate of CI: `wattle check` gives the same verdicts. Without runs: the latest kept runs of one commit.",
    parameters: &[
        ToolParameter::new(
            "runs",
            ParameterKind::Texts,
            "Runs to check: run:N, handles (r1), saved ledgers, folders of `wattle run`",
        ),
        ToolParameter::new(
            "commit",
            ParameterKind::Text,
            "Check the kept runs of this commit, by the first digits of its name",
        ),
        ToolParameter::new("app", ParameterKind::Text, "Package name of the app"),
        ToolParameter::new(
            "strict",
            ParameterKind::Flag,
            "Fail unless every rule has passed: also where runs cannot tell",
        ),
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let mut command = words(&["check", "--json", "-"]);
    if let Some(commit) = arguments.text("commit") {
        command.push(format!("--commit={commit}").into());
    }
    if let Some(app) = arguments.text("app") {
        command.push(format!("--app={app}").into());
    }
    if arguments.flag("strict") {
        command.push("--strict".into());
    }
    command.extend(context.shelf.history_arguments());
    command.extend(context.setup.config_arguments.iter().cloned());
    let runs = arguments.texts("runs");
    if !runs.is_empty() {
        command.push("--".into());
    }
    // Ledgers of recordings that are only open; deleted when they were checked.
    let saved = private_folder().map_err(|error| ToolError::new(error.to_string()))?;
    let mut handles: Vec<(String, String)> = Vec::new();
    for run in &runs {
        let opened = context.shelf.all().into_iter().find(|it| it.handle == *run);
        command.push(match opened {
            // A kept run is judged as such, with the facts of the history.
            Some(opened) if is_run(&opened.name) => opened.name.clone().into(),
            Some(opened) => {
                let path = saved.path().join(format!("{run}.ledger.json.zst"));
                let bytes = opened.ledger.to_bytes();
                let bytes = bytes.map_err(|error| ToolError::new(error.to_string()))?;
                std::fs::write(&path, bytes).map_err(|error| ToolError::new(error.to_string()))?;
                handles.push((path.display().to_string(), run.clone()));
                path.into()
            }
            None if is_run(run) => run.into(),
            None => context.shelf.allowed(std::path::Path::new(run))?.into(),
        });
    }
    let mut found = json_of(context, command, &CHECKED)?;
    name_handles(&mut found, &handles);
    let mut answer = ToolAnswer::new(clip(text(&found, "headline"), 390));
    let baseline = found.get("baseline");
    if let Some(described) = baseline.map(|it| text(it, "described")).filter(|it| !it.is_empty()) {
        answer.fact(format!("Baseline: {}", clip(described, 200)));
    }
    let checked: Vec<&str> =
        list(&found, "runs").iter().filter_map(Value::as_str).take(8).collect();
    answer.fact(format!("Checked: {}", clip(&checked.join(", "), 200)));
    answer.rows = list(&found, "rules").iter().map(row).collect();
    answer.heading = String::from("Rules:");
    answer.rest = "`wattle check` shows all.";
    "each rule says what it measures; a figure that no run has is not measured, which is not 0 J"
        .clone_into(&mut answer.coverage);
    let run = checked.first().copied().unwrap_or_default();
    let failed = list(&found, "rules").iter().find(|rule| text(rule, "verdict") == "failed");
    answer.next.push(match failed {
        Some(_) if is_run(run) => {
            NextQuestion::new("open", "who spent the energy of the failed run").with("path", run)
        }
        // What was asked for, not what was used last.
        Some(_) => match runs.first() {
            Some(run) => NextQuestion::new("findings", "defects with the fix")
                .with("recording", run.as_str()),
            None => NextQuestion::new("runs", "which runs there are"),
        },
        None => NextQuestion::new("history", "how the energy developed over versions"),
    });
    Ok(answer)
}

/// Names recordings that are open by their handles: their files are of this check alone.
fn name_handles(value: &mut Value, handles: &[(String, String)]) {
    match value {
        Value::String(text) => {
            for (path, handle) in handles {
                if text.contains(path) {
                    *text = text.replace(path, handle);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|it| name_handles(it, handles)),
        Value::Object(values) => values.values_mut().for_each(|it| name_handles(it, handles)),
        _ => {}
    }
}

fn row(rule: &Value) -> AnswerRow {
    let name = format!("{}: {}", text(rule, "verdict"), text(rule, "subject"));
    let scenario = text(rule, "judged_scenario");
    let scenario = if scenario.is_empty() {
        String::new()
    } else {
        format!("; scenario {}", clip(scenario, 60))
    };
    let cause = text(rule, "cause");
    let cause = if cause.is_empty() { String::new() } else { format!("; {}", clip(cause, 100)) };
    AnswerRow::new("rule", name)
        .with_note(format!("{}{scenario}{cause}", clip(text(rule, "text"), 220)))
}
