//! Energies of findings, from the JSON of `wattle diagnose`.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use serde::Deserialize;
use wattle_gate::{Energy, FindingEnergy, GateRun};

use crate::bounded_file;
use crate::exit::{Failure, Outcome};

/// The largest file that is read.
const LARGEST: u64 = 256 << 20;
/// The most that a diagnosis may be longer or shorter than its run, as a part of it: windows end at events.
const APART: f64 = 0.01;
/// The same of short runs, in seconds.
const LEAST_APART_S: f64 = 0.05;
/// The form that `wattle diagnose --json` writes.
const FORMAT: &str = "wattle-diagnosis/1";

/// The part of a diagnosis that is read.
#[derive(Deserialize)]
struct Diagnosis {
    schema: String,
    #[serde(default)]
    findings: Vec<Found>,
    #[serde(default)]
    window: Option<Stretch>,
    #[serde(default)]
    device: Device,
    #[serde(default)]
    artifacts: Vec<String>,
}

/// The time that was looked at, in nanoseconds.
#[derive(Deserialize)]
struct Stretch {
    start: i64,
    end: i64,
}

#[derive(Default, Deserialize)]
struct Device {
    #[serde(default)]
    model: Option<String>,
}

#[derive(Deserialize)]
struct Found {
    rule: String,
    #[serde(default)]
    at_stake: Option<AtStake>,
}

/// The energy that a finding could save.
#[derive(Deserialize)]
struct AtStake {
    joules: f64,
    interval_joules: [f64; 2],
}

/// Gives findings to the run that they are of: the one that lasts as long, on the same device. One without an energy counts as a finding
/// of 0 J.
pub(super) fn give(path: &Path, runs: &mut [&mut GateRun]) -> Outcome {
    let diagnosis = read(path)?;
    let seconds = diagnosis.window.as_ref().map(|it| (it.end - it.start) as f64 / 1e9);
    let distance = |run: &GateRun| {
        let apart = match (seconds, run.facts.circumstances.duration_s) {
            (Some(found), Some(run)) => (found - run).abs(),
            _ => 0.0,
        };
        let allowed = LEAST_APART_S.max(APART * seconds.unwrap_or_default());
        let device = diagnosis.device.model.as_ref().zip(run.facts.device.title.as_ref());
        let are_known = !run.files.is_empty() && !diagnosis.artifacts.is_empty();
        let shares_file = diagnosis.artifacts.iter().any(|file| run.files.contains(file));
        // A run is the time of its scenario; its findings may be of the whole recording.
        let is_longer = seconds > run.facts.circumstances.duration_s;
        let is_its = (apart <= allowed || (shares_file && is_longer))
            && (shares_file || !are_known)
            && device.is_none_or(|(found, run)| found == run);
        (is_its && run.findings.is_none()).then_some(apart)
    };
    let fitting = runs.iter().enumerate().filter_map(|(at, run)| Some((at, distance(run)?)));
    let Some((at, _)) = fitting.min_by(|(_, one), (_, other)| one.total_cmp(other)) else {
        let runs: Vec<String> = runs.iter().map(|run| described(run)).collect();
        return Err(Failure::Usage(anyhow!(
            "--findings {}: they are of another recording{}{}; the runs that are checked are {}",
            path.display(),
            match diagnosis.artifacts.as_slice() {
                [] => String::new(),
                files => format!(", {}", files.join(" and ")),
            },
            seconds.map_or_else(String::new, |it| format!(", of {it:.1} s")),
            runs.join(", ")
        )));
    };
    let energy = |found: Found| {
        let energy = found.at_stake.map_or_else(Energy::default, |it| {
            let [low, high] = it.interval_joules;
            Energy { joules: it.joules, low, high }
        });
        FindingEnergy { rule: found.rule, energy }
    };
    if let Some(run) = runs.get_mut(at) {
        run.findings = Some(diagnosis.findings.into_iter().map(energy).collect());
    }
    Ok(())
}

/// `run:12 (20.0 s, Pixel 6)`.
fn described(run: &GateRun) -> String {
    let seconds = run.facts.circumstances.duration_s.map(|it| format!("{it:.1} s"));
    let facts: Vec<String> = seconds.into_iter().chain(run.facts.device.title.clone()).collect();
    match facts.as_slice() {
        [] => run.name.clone(),
        facts => format!("{} ({})", run.name, facts.join(", ")),
    }
}

fn read(path: &Path) -> Result<Diagnosis, Failure> {
    let name = || format!("findings {}", path.display());
    let bytes = bounded_file::bytes(path, LARGEST).context("findings").map_err(Failure::Input)?;
    let diagnosis: Diagnosis =
        serde_json::from_slice(&bytes).with_context(name).map_err(Failure::Input)?;
    if diagnosis.schema != FORMAT {
        let text = format!("{}: expected {FORMAT}, found {:?}", name(), diagnosis.schema);
        return Err(Failure::Input(anyhow!(text)));
    }
    Ok(diagnosis)
}
