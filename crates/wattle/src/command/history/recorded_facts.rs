//! Facts of a run, as its recording has them.

use std::path::Path;

use wattle_history::utc_time;
use wattle_recording::{Iteration, Outcome, Recording};
use wattle_store::{AppBuild, Circumstances, RunDevice, RunFacts, RunLabels};

/// Nanoseconds of a millisecond.
const NANOS: i64 = 1_000_000;

/// The facts of a recording's folder, or of nothing where it has no description.
pub fn facts_of_folder(path: &Path) -> RunFacts {
    let inside = wattle_ingest::only_recording(path);
    let folder = inside.as_deref().unwrap_or(path);
    let Ok(recording) = wattle_recording::load(folder) else { return RunFacts::default() };
    match recording.iterations.as_slice() {
        [run] => {
            let mut facts = facts_of_run(&recording, Some(run), None);
            if let Some(series) = &recording.series {
                facts.labels.series = Some(series_title(&series.name, series.created_host_ns));
                facts.labels.iteration = Some(run.number);
            }
            facts
        }
        _ => facts_of_run(&recording, None, None),
    }
}

/// The title of a series: the name of its folder and the time at which it began.
fn series_title(name: &str, created_host_ns: Option<i64>) -> String {
    match created_host_ns.map(|created| utc_time::seconds(created / NANOS)) {
        Some(created) => format!("{name} {created}"),
        None => name.to_owned(),
    }
}

/// The facts of a run of a recording; `series` is the name of the folder of several.
pub fn facts_of_run(
    recording: &Recording,
    run: Option<&Iteration>,
    series: Option<&str>,
) -> RunFacts {
    let label = run.and_then(|run| run.app.as_deref());
    let apps = &recording.apps;
    let app = apps.iter().find(|app| app.label.as_deref() == label).or_else(|| apps.first());
    let device = recording.device.as_ref();
    let started = run.map(|run| run.start_host_ns).or(recording.created_host_ns);
    let serial = device.map(|device| device.serial.clone()).filter(|serial| !serial.is_empty());
    RunFacts {
        app: app.map_or_else(AppBuild::default, |app| AppBuild {
            package: app.package.clone(),
            version_name: app.version_name.clone(),
            version_code: app.version_code,
            sha256: app.sha256.clone(),
        }),
        device: RunDevice {
            key: device.and_then(|device| device.hardware.clone()).or(serial),
            title: device.and_then(|device| device.product.model.clone()),
            ..RunDevice::default()
        },
        circumstances: Circumstances {
            scenario: recording.scenario.as_ref().map(|scenario| scenario.command.clone()),
            conditions: run
                .and_then(|run| run.conditions.as_ref())
                .and_then(|conditions| serde_json::to_value(conditions).ok()),
            tool: recording.tool.clone(),
            started_ms: started.map(|nanos| nanos / NANOS),
            duration_s: None,
            outcome: run.and_then(|run| outcome_word(run.outcome)),
        },
        labels: RunLabels {
            series: series.map(|name| series_title(name, recording.created_host_ns)),
            build: label.map(str::to_owned),
            iteration: run.map(|run| run.number).filter(|_| series.is_some()),
        },
        ..RunFacts::default()
    }
}

/// An outcome's word, as in `recording.json`.
fn outcome_word(outcome: Outcome) -> Option<String> {
    serde_json::to_value(outcome).ok()?.as_str().map(str::to_owned)
}
