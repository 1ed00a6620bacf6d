//! Output folders of Android Runner.
//!
//! `data/DEVICE/SUBJECT/PLUGIN/FILE`, with a folder of the browser between subject and plugin for web experiments. Each run adds a file to
//! the folder of each plugin, with the time in its name, so that the n-th file of each kind is of the n-th run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wattle_recording::{ArtifactKind, DeviceFacts, Recording, ScenarioFacts};

use crate::file_listing::{FileListing, folder_name, name};
use crate::{ImportError, ImportPlan, PlannedFile, PlannedRun, PlannedSeries, Tool};

/// Files that a recording can hold: plugin, beginning and end of the name, content.
const FILES: [(&str, &str, &str, ArtifactKind); 5] = [
    ("perfetto", "", ".perfetto_trace", ArtifactKind::Perfetto),
    ("perfetto", "", ".perfetto-trace", ArtifactKind::Perfetto),
    ("batterystats", "systrace_", ".html", ArtifactKind::Ftrace),
    ("batterystats", "batterystats_history_", ".txt", ArtifactKind::BatterystatsText),
    ("batterystats", "logcat_", ".txt", ArtifactKind::Logcat),
];

/// The folder with the data of an output folder, or that itself.
pub(crate) fn data_folder(path: &Path) -> Option<PathBuf> {
    let data = path.join("data");
    let data = if data.is_dir() { data } else { path.to_owned() };
    // Device, subject, perhaps browser, plugin.
    let is_plugin = |folder: &PathBuf| FILES.iter().any(|(plugin, ..)| name(folder) == *plugin);
    let below = |folder: &PathBuf| {
        FileListing::read(folder).map_or_else(|_| Vec::new(), |found| found.folders)
    };
    let subjects: Vec<PathBuf> = below(&data).iter().flat_map(below).collect();
    let plugins = subjects.iter().flat_map(|subject| {
        let direct = below(subject);
        let in_browsers: Vec<PathBuf> = direct.iter().flat_map(below).collect();
        direct.into_iter().chain(in_browsers)
    });
    plugins.into_iter().any(|folder| is_plugin(&folder)).then_some(data)
}

/// The recordings of an output folder.
pub(crate) fn plan(path: &Path, data: &Path) -> Result<ImportPlan, ImportError> {
    let mut plan = ImportPlan { tool: Tool::AndroidRunner, series: Vec::new(), notes: Vec::new() };
    for device in FileListing::read(data)?.folders {
        for subject in FileListing::read(&device)?.folders {
            let folders = FileListing::read(&subject)?.folders;
            let is_plugin =
                |folder: &&PathBuf| FILES.iter().any(|(plugin, ..)| name(folder) == *plugin);
            let what = [name(&device), name(&subject)];
            if folders.iter().any(|folder| is_plugin(&folder)) {
                add(&mut plan, &what, &folders)?;
            } else {
                for browser in folders {
                    let inside = FileListing::read(&browser)?.folders;
                    let [device, subject] = &what;
                    add(&mut plan, &[device.clone(), subject.clone(), name(&browser)], &inside)?;
                }
            }
        }
    }
    if plan.series.is_empty() {
        return Err(ImportError::malformed(path, "no traces, battery statistics or logs of a run"));
    }
    Ok(plan)
}

/// Adds the runs of one subject.
fn add(plan: &mut ImportPlan, what: &[String], plugins: &[PathBuf]) -> Result<(), ImportError> {
    let mut kinds: BTreeMap<usize, Vec<PathBuf>> = BTreeMap::new();
    for folder in plugins {
        for file in FileListing::read(folder)?.files {
            let matches = |(plugin, start, end, _): &(&str, &str, &str, ArtifactKind)| {
                let file = name(&file);
                name(folder) == *plugin && file.starts_with(start) && file.ends_with(end)
            };
            if let Some(index) = FILES.iter().position(matches) {
                kinds.entry(index).or_default().push(file);
            }
        }
    }
    let subject = what.join(" ");
    let Some(count) = kinds.values().map(Vec::len).max() else {
        if !plugins.is_empty() {
            plan.notes.push(format!("{subject}: nothing that a recording holds; left out"));
        }
        return Ok(());
    };
    let mut runs: Vec<PlannedRun> = (0..count).map(|number| described(what, number)).collect();
    for (index, files) in kinds {
        let Some((plugin, start, _, kind)) = FILES.get(index) else { continue };
        if files.len() != count {
            // Which of the runs has none cannot be known.
            let of = if start.is_empty() { *plugin } else { start.trim_end_matches('_') };
            plan.notes.push(format!(
                "{subject}: {} of {of} for {count} runs; left out, since it is not known whose they are",
                if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) }
            ));
            continue;
        }
        for (run, source) in runs.iter_mut().zip(files) {
            run.files.push(PlannedFile { source, kind: Some(*kind) });
        }
    }
    plan.series.push(PlannedSeries { name: folder_name(&what.join("-")), runs });
    Ok(())
}

fn described(what: &[String], number: usize) -> PlannedRun {
    let recording = Recording {
        tool: Some("Android Runner".to_owned()),
        // Android Runner names devices as its configuration does; of the phone itself it keeps nothing.
        device: what
            .first()
            .map(|serial| DeviceFacts { serial: serial.clone(), ..DeviceFacts::default() }),
        scenario: Some(ScenarioFacts {
            order: None,
            kind: "host".to_owned(),
            command: format!("{}, run {number}", what.join(" ")),
            seed: None,
        }),
        ..Recording::default()
    };
    PlannedRun { recording, files: Vec::new() }
}
