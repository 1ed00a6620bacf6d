//! Traces on their own: exports of Android Studio's profiler and of other programs.

use std::path::{Path, PathBuf};

use wattle_recording::Recording;

use crate::file_listing::{folder_name, name};
use crate::{ImportError, ImportPlan, PlannedFile, PlannedRun, PlannedSeries, Tool};

/// Ends of names of traces. Android Studio exports CPU recordings of all its kinds as `.trace`.
const ENDINGS: [&str; 8] = [
    ".trace",
    ".perfetto-trace",
    ".perfetto_trace",
    ".pftrace",
    ".perfetto",
    ".systrace",
    ".ctrace",
    "perf.data",
];

/// Whether a file of a folder is one by its name.
pub(crate) fn is_trace(file: &Path) -> bool {
    let name = name(file).to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// A recording for each of the files.
pub(crate) fn plan(files: &[PathBuf]) -> Result<ImportPlan, ImportError> {
    let mut series = Vec::new();
    for file in files {
        let facts = std::fs::metadata(file).map_err(ImportError::io(file))?;
        if facts.len() == 0 {
            return Err(ImportError::malformed(file, "an empty file"));
        }
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let run = PlannedRun {
            recording: Recording::default(),
            files: vec![PlannedFile { source: file.clone(), kind: None }],
        };
        series
            .push(PlannedSeries { name: folder_name(&stem.unwrap_or_default()), runs: vec![run] });
    }
    Ok(ImportPlan { tool: Tool::Traces, series, notes: Vec::new() })
}
