//! `wattle import`: results of other tools become recordings.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;
use wattle_tool_results::{ImportError, ImportPlan};

use super::output;
use crate::cli::Import;
use crate::exit::{Failure, Outcome};

/// The form of the JSON.
const SCHEMA: &str = "wattle-import/1";

#[derive(Debug, Serialize)]
struct Imported {
    schema: &'static str,
    tool: String,
    recordings: Vec<ImportedRecording>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ImportedRecording {
    folder: PathBuf,
    runs: usize,
}

/// Runs `wattle import`.
pub fn run(flags: &Import) -> Outcome {
    let plan = ImportPlan::read(&flags.results).map_err(failure)?;
    let folder = flags.output.clone().unwrap_or_else(|| beside(&flags.results));
    let written = plan.write(&folder).map_err(failure)?;
    let runs = plan.series.iter().map(|series| series.runs.len());
    let recordings = written.into_iter().zip(runs);
    let imported = Imported {
        schema: SCHEMA,
        tool: plan.tool.to_string(),
        recordings: recordings.map(|(folder, runs)| ImportedRecording { folder, runs }).collect(),
        notes: plan.notes,
    };
    if let Some(path) = &flags.json {
        let mut text =
            serde_json::to_vec_pretty(&imported).context("JSON").map_err(Failure::Internal)?;
        text.push(b'\n');
        if output::is_stdout(Some(path)) {
            return output::print(&text);
        }
        output::write_file(path, &text)?;
    }
    if flags.quiet { Ok(()) } else { output::print(text(&imported).as_bytes()) }
}

/// The folder in the working folder that is named after the results.
fn beside(results: &Path) -> PathBuf {
    let name = results.canonicalize().ok();
    let name = name.as_deref().unwrap_or(results).file_stem();
    let mut name = name.unwrap_or_default().to_os_string();
    name.push("-recordings");
    name.into()
}

fn failure(error: ImportError) -> Failure {
    match error {
        ImportError::NotEmpty { .. } => {
            Failure::Usage(anyhow::Error::new(error).context("--output names another folder"))
        }
        ImportError::Recording(_) | ImportError::NotWritten { .. } => {
            Failure::Environment(error.into())
        }
        _ => Failure::Input(error.into()),
    }
}

fn text(imported: &Imported) -> String {
    let mut text = String::new();
    for ImportedRecording { folder, runs } in &imported.recordings {
        let runs = if *runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
        // Writing to a String does not fail.
        let _ = writeln!(text, "{}: {runs}", folder.display());
    }
    for note in &imported.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if let Some(first) = imported.recordings.first() {
        let _ = writeln!(text, "\nwattle report {}", first.folder.display());
    }
    text
}
