//! Going on with a series that was interrupted.

use std::collections::BTreeSet;
use std::path::Path;

use wattle_recording::{Iteration, Outcome, Recording, ScenarioFacts};

use crate::DeviceError;
use crate::host_clock::unix_nanos;
use crate::session::SessionPlan;
use crate::session::books::Books;
use crate::session::recording_folder::{RecordingFolder, UNFINISHED};

/// The initial state of a session.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) books: Books,
    /// Runs that are complete.
    pub(super) kept: BTreeSet<u32>,
    /// The worst of their outcomes.
    pub(super) outcome: Outcome,
    /// Runs among them of which files are still on the device.
    pub(super) to_fetch: Vec<(u32, RecordingFolder)>,
    /// The device that made them.
    pub(super) device: Option<String>,
}

/// Begins a recording, or goes on with one.
///
/// # Errors
/// [`DeviceError::Plan`] if the folder holds something else.
pub(super) fn begin(plan: &SessionPlan, runs: u32) -> Result<Begun, DeviceError> {
    let scenario = plan.scenario_facts()?;
    let is_series = runs > 1;
    if !is_empty(&plan.folder)? {
        if !plan.resume {
            return Err(DeviceError::Plan(format!(
                "{} is not empty; choose another folder, or resume what is in it",
                plan.folder.display()
            )));
        }
        return resume(plan, runs, &scenario);
    }
    let recording = Recording {
        wattle_recording: wattle_recording::VERSION,
        tool: Some(plan.tool.clone()),
        created_host_ns: Some(unix_nanos()),
        scenario: Some(scenario),
        interrupted: Some(UNFINISHED.to_owned()),
        ..Recording::default()
    };
    let root = RecordingFolder::create(&plan.folder, recording)?;
    Ok(Begun {
        books: Books::new(root, is_series),
        kept: BTreeSet::new(),
        to_fetch: Vec::new(),
        outcome: Outcome::Passed,
        device: None,
    })
}

fn resume(plan: &SessionPlan, runs: u32, scenario: &ScenarioFacts) -> Result<Begun, DeviceError> {
    let recording = wattle_recording::load(&plan.folder)?;
    let other = |what: &str, there: &str, here: &str| {
        DeviceError::Plan(format!(
            "{} cannot be resumed: its {what} is {there:?}, but now it is {here:?}",
            plan.folder.display()
        ))
    };
    let before = recording.scenario.as_ref().map_or("", |facts| facts.command.as_str());
    if before != scenario.command {
        return Err(other("scenario", before, &scenario.command));
    }
    let order = |facts: &ScenarioFacts| facts.order.clone().unwrap_or_default();
    if let Some(before) = recording.scenario.as_ref().map(order)
        && !before.is_empty()
        && before != order(scenario)
    {
        return Err(other("order", &before, &order(scenario)));
    }
    let is_series = runs > 1;
    let device = recording.device.as_ref();
    let device = device.map(|device| device.hardware.clone().unwrap_or(device.serial.clone()));
    if !is_series {
        let complete = recording.interrupted.is_none();
        let outcome = recording.iterations.first().map(|iteration| iteration.outcome);
        if let (true, Some(outcome)) = (complete, outcome) {
            let root = RecordingFolder { path: plan.folder.clone(), recording };
            let kept = BTreeSet::from([0]);
            let books = Books::new(root, false);
            return Ok(Begun { books, kept, to_fetch: Vec::new(), outcome, device });
        }
        if let (false, Some(outcome)) = (recording.on_device.is_empty(), outcome) {
            let folder =
                || RecordingFolder { path: plan.folder.clone(), recording: recording.clone() };
            let to_fetch = vec![(0, folder())];
            let books = Books::new(folder(), false);
            return Ok(Begun { books, kept: BTreeSet::from([0]), to_fetch, outcome, device });
        }
        return Err(DeviceError::Plan(format!(
            "{} holds a single run that broke off; what it has can be reported, but a new run needs another folder",
            plan.folder.display()
        )));
    }
    let mut units = Vec::new();
    let mut to_fetch = Vec::new();
    for number in 0..runs {
        let path = plan.folder.join(number.to_string());
        match wattle_recording::load(&path) {
            Ok(unit) if is_complete(&unit, number) || is_on_device(&unit, number) => {
                let label = plan.build_of(number)?.1.label();
                let found = unit.iterations.first().and_then(|iteration| iteration.app.clone());
                if label != found {
                    let text = |label: Option<String>| label.unwrap_or_default();
                    return Err(other(&format!("run {number}"), &text(found), &text(label)));
                }
                if !unit.on_device.is_empty() {
                    to_fetch.push((number, RecordingFolder { path, recording: unit.clone() }));
                }
                units.push((number, unit));
            }
            _ if path.exists() => set_aside(&path)?,
            _ => {}
        }
    }
    let root = RecordingFolder { path: plan.folder.clone(), recording };
    let mut books = Books::new(root, true);
    // The runs say what they are; the list of the series may be from before the last of them.
    let whole = &mut books.root().recording;
    whole.iterations.clear();
    whole.artifacts.retain(|artifact| artifact.iteration.is_none());
    whole.interrupted = Some(UNFINISHED.to_owned());
    let mut outcome = Outcome::Passed;
    let mut kept = BTreeSet::new();
    for (number, unit) in &units {
        kept.insert(*number);
        for iteration in &unit.iterations {
            outcome = super::SessionReport::worse(outcome, iteration.outcome);
            books.add_iteration(iteration);
        }
        books.take_over(*number, unit);
    }
    books.save()?;
    Ok(Begun { books, kept, outcome, to_fetch, device })
}

fn is_complete(unit: &Recording, number: u32) -> bool {
    let whole = |iteration: &Iteration| {
        iteration.number == number && iteration.outcome != Outcome::Interrupted
    };
    unit.interrupted.is_none() && unit.iterations.len() == 1 && unit.iterations.iter().all(whole)
}

/// Whether nothing is missing but files that are still on the device.
fn is_on_device(unit: &Recording, number: u32) -> bool {
    let rest = Recording { interrupted: None, ..unit.clone() };
    !unit.on_device.is_empty() && is_complete(&rest, number)
}

/// Renames the folder of a run that broke off, to keep it.
fn set_aside(path: &Path) -> Result<(), DeviceError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = path.with_file_name(format!("{name}.interrupted-{}", unix_nanos() / 1_000_000));
    std::fs::rename(path, aside)
        .map_err(|source| DeviceError::File { path: path.to_owned(), source })
}

fn is_empty(folder: &Path) -> Result<bool, DeviceError> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(source) => Err(DeviceError::File { path: folder.to_owned(), source }),
    }
}
