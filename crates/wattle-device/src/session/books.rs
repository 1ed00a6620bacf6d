//! The descriptions of a series and of the run that is being made.

use std::collections::BTreeSet;
use std::time::Instant;

use wattle_recording::{AppFacts, Iteration, Recording, SeriesFacts, Stage, StepFacts};

use crate::DeviceError;
use crate::session::recording_folder::{RecordingFolder, UNFINISHED};

/// The description of the whole and, in a series, that of the run that is being made. A single run is both.
#[derive(Debug)]
pub(super) struct Books {
    root: RecordingFolder,
    unit: Option<RecordingFolder>,
    is_series: bool,
    stage: Option<(String, Instant)>,
}

impl Books {
    pub(super) const fn new(root: RecordingFolder, is_series: bool) -> Self {
        Self { root, unit: None, is_series, stage: None }
    }

    /// Whether it is a series.
    pub(super) const fn is_series(&self) -> bool {
        self.is_series
    }

    /// The whole.
    pub(super) const fn root(&mut self) -> &mut RecordingFolder {
        &mut self.root
    }

    /// The run that is being made.
    pub(super) fn unit(&mut self) -> &mut RecordingFolder {
        self.unit.as_mut().unwrap_or(&mut self.root)
    }

    /// The whole, to keep.
    pub(super) fn into_root(self) -> Recording {
        self.root.recording
    }

    /// A part of the work begins; the one before has ended.
    pub(super) fn enter(&mut self, name: &str) {
        self.leave();
        self.stage = Some((name.to_owned(), Instant::now()));
    }

    /// The part of the work has ended.
    pub(super) fn leave(&mut self) {
        let Some((name, began)) = self.stage.take() else { return };
        let stage = Stage { name, seconds: began.elapsed().as_secs_f64() };
        if let Some(unit) = &mut self.unit {
            unit.recording.stages.push(stage.clone());
        }
        self.root.recording.stages.push(stage);
    }

    /// The series, as each of its runs names it.
    fn series(&self) -> SeriesFacts {
        let name = self.root.path.file_name().unwrap_or(self.root.path.as_os_str());
        SeriesFacts {
            name: name.to_string_lossy().into_owned(),
            created_host_ns: self.root.recording.created_host_ns,
        }
    }

    /// Begins a run.
    pub(super) fn begin_unit(
        &mut self,
        number: u32,
        app: Option<&AppFacts>,
        scenario: &wattle_recording::ScenarioFacts,
    ) -> Result<(), DeviceError> {
        if !self.is_series {
            self.root.recording.apps = app.cloned().into_iter().collect();
            self.root.recording.scenario = Some(scenario.clone());
            return self.root.save();
        }
        let whole = &self.root.recording;
        let recording = Recording {
            wattle_recording: wattle_recording::VERSION,
            tool: whole.tool.clone(),
            created_host_ns: Some(crate::host_clock::unix_nanos()),
            device: whole.device.clone(),
            apps: app.cloned().into_iter().collect(),
            series: Some(self.series()),
            scenario: Some(scenario.clone()),
            steps: whole.steps.clone(),
            notes: whole.notes.clone(),
            interrupted: Some(UNFINISHED.to_owned()),
            ..Recording::default()
        };
        let path = self.root.path.join(number.to_string());
        self.unit = Some(RecordingFolder::create(&path, recording)?);
        Ok(())
    }

    /// Writes down what the app of the run is, now that it is installed.
    pub(super) fn set_app(&mut self, app: Option<&AppFacts>) {
        let Some(app) = app else { return };
        self.unit().recording.apps = vec![app.clone()];
        if self.is_series {
            let apps = &mut self.root.recording.apps;
            let same = |known: &AppFacts| known.label == app.label && known.package == app.package;
            match apps.iter_mut().find(|known| same(known)) {
                Some(known) => *known = app.clone(),
                None => apps.push(app.clone()),
            }
        }
    }

    /// A summary of what the recording contains, for the user.
    pub(super) fn kept(&self) -> String {
        let (mut files, mut partial) = (0, 0);
        for artifact in &self.root.recording.artifacts {
            files += 1;
            partial += u32::from(artifact.partial);
        }
        let folder = self.root.path.display();
        match (files, partial) {
            (0, _) => format!("nothing was recorded, {folder} only says what was tried"),
            (files, 0) => format!("{files} files are kept in {folder}, all of them whole"),
            (files, partial) => {
                format!("{files} files are kept in {folder}, {partial} of them not whole")
            }
        }
    }

    /// Writes down how the run went.
    pub(super) fn add_iteration(&mut self, iteration: &Iteration) {
        if let Some(unit) = &mut self.unit {
            unit.recording.iterations = vec![iteration.clone()];
        }
        let all = &mut self.root.recording.iterations;
        all.retain(|known| known.number != iteration.number);
        all.push(iteration.clone());
        all.sort_by_key(|known| known.number);
    }

    /// Ends a run: complete, or broken off.
    pub(super) fn end_unit(
        &mut self,
        number: u32,
        interrupted: Option<&str>,
    ) -> Result<(), DeviceError> {
        self.leave();
        self.unit().recording.interrupted = interrupted.map(str::to_owned);
        self.unit().save()?;
        if let Some(unit) = self.unit.take() {
            self.take_over(number, &unit.recording);
        }
        // A series is not complete with one of its runs.
        if self.is_series {
            self.root.recording.interrupted = Some(UNFINISHED.to_owned());
        }
        self.root.save()
    }

    /// Lists the files of a run with those of the series.
    pub(super) fn take_over(&mut self, number: u32, of: &Recording) {
        let whole = &mut self.root.recording;
        whole.artifacts.retain(|artifact| artifact.iteration != Some(number));
        for artifact in &of.artifacts {
            let mut artifact = artifact.clone();
            artifact.file = format!("{number}/{}", artifact.file);
            artifact.iteration = Some(number);
            whole.artifacts.push(artifact);
        }
        for app in &of.apps {
            if !whole.apps.iter().any(|known| known.label == app.label) {
                whole.apps.push(app.clone());
            }
        }
        if whole.clocks_start.is_empty() {
            whole.clocks_start.clone_from(&of.clocks_start);
        }
        whole.clocks_end.clone_from(&of.clocks_end);
        whole.sources.clone_from(&of.sources);
        whole.scenario = whole.scenario.take().or_else(|| of.scenario.clone());
        for recorder in &of.recorders {
            if !whole.recorders.contains(recorder) {
                whole.recorders.push(recorder.clone());
            }
        }
        // A run's description begins with what was noted of the series so far.
        let of_series: BTreeSet<String> = whole.notes.iter().cloned().collect();
        for note in of.notes.iter().filter(|note| !of_series.contains(*note)) {
            let note = format!("run {number}: {note}");
            if !whole.notes.contains(&note) {
                whole.notes.push(note);
            }
        }
    }

    /// Writes down what was done to the device, everywhere.
    pub(super) fn set_steps(&mut self, steps: &[StepFacts]) {
        if let Some(unit) = &mut self.unit {
            unit.recording.steps = steps.to_vec();
        }
        self.root.recording.steps = steps.to_vec();
    }

    /// Writes everything.
    pub(super) fn save(&mut self) -> Result<(), DeviceError> {
        if let Some(unit) = &self.unit {
            unit.save()?;
        }
        self.root.save()
    }
}
