//! Devices that runs are of.

use serde::Serialize;
use wattle_store::KeptRun;

/// A device that runs of a project are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeenDevice {
    /// Its name for people; `unknown device` where a recording does not say.
    pub title: String,
    /// The device models behind the figures of its runs, with their versions, the newest first.
    pub models: Vec<String>,
    /// Runs of it.
    pub runs: usize,
    /// Its newest run.
    pub last_run: i64,
    /// The time of that, Unix milliseconds.
    pub last_ms: i64,
    /// Digits that tell devices of one name apart, made of its identity.
    pub device: Option<String>,
}

impl SeenDevice {
    /// The devices of runs, that of the newest run first.
    pub fn of_runs(runs: &[KeptRun]) -> Vec<Self> {
        let mut devices: Vec<Self> = Vec::new();
        for run in runs.iter().rev() {
            let device = &run.facts.device;
            let title = device.title.clone().unwrap_or_else(|| "unknown device".to_owned());
            let model = device.model_name.as_ref().map(|name| match device.model_version {
                Some(version) => format!("{name} (version {version})"),
                None => name.clone(),
            });
            let is_same = |seen: &&mut Self| seen.device == device.key && seen.title == title;
            match devices.iter_mut().find(is_same) {
                Some(seen) => {
                    seen.runs += 1;
                    seen.models.extend(model.filter(|model| !seen.models.contains(model)));
                }
                None => devices.push(Self {
                    title,
                    models: model.into_iter().collect(),
                    runs: 1,
                    last_run: run.id.0,
                    last_ms: run.time_ms(),
                    device: device.key.clone(),
                }),
            }
        }
        devices
    }
}
