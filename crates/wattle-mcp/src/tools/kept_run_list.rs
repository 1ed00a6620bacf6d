//! `runs`: the runs that were kept.

use serde_json::Value;

use super::program_json::{energy, list, of_history, text};
use super::shared_parameters::{BRANCH, DEVICE, SCENARIO};
use super::{ParameterKind, ToolArguments, ToolContext, ToolEntry, ToolParameter};
use crate::answer::{AnswerRow, NextQuestion, ToolAnswer, ToolError, clip, counted, seconds};

/// Rows of an answer.
const MOST_ROWS: usize = 15;

pub(super) const TOOL: ToolEntry = ToolEntry {
    name: "runs",
    title: "List kept runs",
    description: "The runs of the history (`wattle run --keep`, `report --keep`), latest first, with energy, version, commit, device, scenario. Their names (run:12) can be opened, compared, checked.",
    parameters: &[
        ToolParameter::new("app", ParameterKind::Text, "Package name"),
        BRANCH,
        DEVICE,
        SCENARIO,
        ToolParameter::new(
            "last",
            ParameterKind::Count(10_000),
            "The latest N runs [default: 100]",
        ),
        ToolParameter::new(
            "offset",
            ParameterKind::Count(10_000),
            "Runs to leave out before the first",
        ),
    ],
    uses_device: false,
    function: run,
};

fn run(context: &ToolContext<'_>, arguments: &ToolArguments) -> Result<ToolAnswer, ToolError> {
    let last = format!("--last={}", arguments.count("last").unwrap_or(100).max(1));
    let flags = ["branch", "device", "scenario"];
    let found = of_history(context, (&["runs", &last], arguments, &flags))?;
    let mut runs: Vec<&Value> = list(&found, "runs").iter().collect();
    runs.sort_by_key(|run| std::cmp::Reverse(number(run)));
    let Some(latest) = runs.first() else {
        let mut answer = ToolAnswer::new(
            "No run was kept (with these limits). `wattle run app.apk --keep` or `wattle report TRACE --keep` keeps one.",
        );
        "no run, no figure".clone_into(&mut answer.coverage);
        answer.next.push(NextQuestion::new("devices", "what could be measured"));
        return Ok(answer);
    };
    let first = row(latest);
    let energy = first.energy.map(|it| format!(", {it} {}", it.provenance));
    let mut answer = ToolAnswer::new(format!(
        "{} kept; the latest is {} of {}{}.",
        counted(runs.len() as u64, "run"),
        first.name,
        clip(text(latest, "app"), 100),
        energy.unwrap_or_default()
    ));
    answer.total_rows = runs.len();
    answer.offset = arguments.count("offset").unwrap_or(0).min(runs.len());
    answer.rows = runs.iter().skip(answer.offset).take(MOST_ROWS).map(|run| row(run)).collect();
    answer.heading = String::from(
        "Runs, latest first (energy of the app; of the device where no app is known):",
    );
    answer.rest = "Ask again with offset {} for the rest.";
    "each run covers what its own recording covers: open it to see"
        .clone_into(&mut answer.coverage);
    let latest = first.name;
    let app = |run: &Value| text(run, "app").to_owned();
    let is_alike = |run: &&&Value| {
        let same = |key: &str| run.get(key) == runs[0].get(key);
        app(run) == app(runs[0]) && same("device") && same("scenario")
    };
    answer.next.push(match runs.iter().skip(1).find(is_alike) {
        Some(before) => {
            NextQuestion::new("compare", "the latest two of its app, device and scenario")
                .with("before", text(before, "run"))
                .with("after", latest)
        }
        None => NextQuestion::new("open", "who spent it").with("path", latest),
    });
    Ok(answer)
}

fn number(run: &Value) -> u64 {
    text(run, "run").strip_prefix("run:").and_then(|it| it.parse().ok()).unwrap_or(0)
}

fn row(run: &Value) -> AnswerRow {
    let of_app = run.get("app_energy").and_then(energy);
    let of_all = run.get("total").and_then(energy);
    let device = run.get("device").map_or("", |device| text(device, "title"));
    let commit: String = text(run, "commit").chars().take(9).collect();
    let length = run.get("duration_s").and_then(Value::as_f64).map(seconds).unwrap_or_default();
    let parts = [
        ("", text(run, "app")),
        ("version ", text(run, "version_name")),
        ("commit ", commit.as_str()),
        ("branch ", text(run, "branch")),
        ("on ", device),
        ("scenario ", text(run, "scenario")),
        ("kept ", text(run, "kept")),
        ("", length.as_str()),
    ];
    let parts = parts.iter().filter(|(_, value)| !value.is_empty());
    let note: Vec<String> =
        parts.map(|(word, value)| format!("{word}{}", clip(value, 60))).collect();
    AnswerRow::new("run", text(run, "run"))
        .with_energy(of_app.or(of_all))
        .with_note(note.join(", "))
}
