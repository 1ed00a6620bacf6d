//! Recognition of results by their content.

use std::path::{Path, PathBuf};

use crate::file_listing::FileListing;
use crate::{
    ImportError, ImportPlan, PlannedSeries, Tool, flashlight_result, json_file, loose_traces,
    macrobenchmark, runner_output,
};

impl ImportPlan {
    /// Looks at a file or folder of another tool.
    ///
    /// # Errors
    /// If it cannot be read, is of no known tool, or holds nothing that energy could be estimated from.
    pub fn read(path: &Path) -> Result<Self, ImportError> {
        let mut plan = if path.is_dir() { folder(path)? } else { file(path)? };
        plan.series.retain(|series| !series.runs.is_empty());
        if plan.series.is_empty() {
            let notes = plan.notes.join("; ");
            let reason = if notes.is_empty() { "no run with a trace".to_owned() } else { notes };
            return Err(ImportError::malformed(path, reason));
        }
        distinguish(&mut plan.series);
        Ok(plan)
    }
}

fn file(path: &Path) -> Result<ImportPlan, ImportError> {
    let unknown = ImportError::Unknown { path: path.to_owned() };
    match json_file::read(path)? {
        Some(json) if macrobenchmark::is_data(&json) => macrobenchmark::plan(path, json),
        Some(json) => flashlight_result::refuse(path, &json).and(Err(unknown)),
        None if loose_traces::is_trace(path) => loose_traces::plan(&[path.to_owned()]),
        None => Err(unknown),
    }
}

fn folder(path: &Path) -> Result<ImportPlan, ImportError> {
    if let Some(data) = runner_output::data_folder(path) {
        return runner_output::plan(path, &data);
    }
    let data = macrobenchmark::find(path)?;
    if !data.is_empty() {
        let mut plan =
            ImportPlan { tool: Tool::Macrobenchmark, series: Vec::new(), notes: Vec::new() };
        for (file, json) in data {
            let ImportPlan { series, notes, .. } = macrobenchmark::plan(&file, json)?;
            plan.series.extend(series);
            plan.notes.extend(notes);
        }
        return Ok(plan);
    }
    let files = FileListing::read(path)?.files;
    for file in &files {
        if let Some(json) = json_file::read(file)? {
            flashlight_result::refuse(file, &json)?;
        }
    }
    let traces: Vec<PathBuf> =
        files.into_iter().filter(|file| loose_traces::is_trace(file)).collect();
    if traces.is_empty() {
        return Err(ImportError::Unknown { path: path.to_owned() });
    }
    loose_traces::plan(&traces)
}

/// Gives series of the same name different ones.
fn distinguish(series: &mut [PlannedSeries]) {
    let mut taken: Vec<String> = Vec::new();
    for each in series {
        let mut name = each.name.clone();
        let mut number = 1_u32;
        while taken.contains(&name) {
            number = number.saturating_add(1);
            name = format!("{}-{number}", each.name);
        }
        taken.push(name.clone());
        each.name = name;
    }
}
