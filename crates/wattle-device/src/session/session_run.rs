//! A session from its beginning to its end.

use std::collections::BTreeMap;

use wattle_recording::{DeviceFacts, Outcome};

use crate::session::broken_off::broken_off;
use crate::session::resume;
use crate::session::session_state::Work;
use crate::session::source_set::SourceSet;
use crate::session::waiting::boot_id;
use crate::session::{DEVICE_FOLDER, Environment, SessionPlan, SessionReport};
use crate::shell::run;
use crate::{Cancel, Device, DeviceError, Progress};

use std::time::Duration;

const SHORT: Duration = Duration::from_secs(20);

/// Makes a recording.
///
/// The device is looked at and prepared; for each run clocks are read, sources begin, the scenario runs, sources end and
/// what they made is brought home; then the device is put back. `recording.json` is written after each of these, so that
/// the folder can be analysed wherever it breaks off, and the device is put back whatever happened.
pub struct Session<'a> {
    /// The plan of a recording.
    pub plan: &'a SessionPlan,
    /// The device, which must stop when `cancel` says so.
    pub device: &'a dyn Device,
    /// Whether to stop: what is recorded by then is brought home, and the device is put back.
    pub cancel: &'a Cancel,
    /// Who prepares the device.
    pub environment: &'a mut dyn Environment,
    /// The observer of its progress.
    pub progress: &'a dyn Progress,
}

impl Session<'_> {
    /// Makes the recording.
    ///
    /// # Errors
    /// [`DeviceError::BrokenOff`] with the cause, what was kept, and whether the device is as it was;
    /// [`DeviceError::Plan`] if the plan cannot be followed, before the device is touched. A test that fails is no error:
    /// it is the [`SessionReport::outcome`].
    pub fn run(self) -> Result<SessionReport, DeviceError> {
        let runs = self.plan.runs()?;
        let begun = resume::begin(self.plan, runs)?;
        let mut work = Work {
            plan: self.plan,
            device: self.device,
            calm: self.device.with_cancel(self.plan.hurry.clone()),
            cancel: self.cancel,
            environment: self.environment,
            progress: self.progress,
            books: begun.books,
            kept: begun.kept,
            made_by: begun.device,
            to_fetch: begun.to_fetch,
            runs,
            outcome: begun.outcome,
            made: 0,
            facts: DeviceFacts::default(),
            files: Vec::new(),
            sources: SourceSet::default(),
            installed: BTreeMap::new(),
            boot: None,
            touched: false,
        };
        if u32::try_from(work.kept.len()).is_ok_and(|kept| kept >= runs) && work.to_fetch.is_empty()
        {
            return Ok(work.report());
        }
        let recorded = work.record();
        let put_back = work.put_back();
        work.conclude(recorded, put_back)
    }
}

impl Work<'_> {
    pub(super) fn enter(&mut self, name: &str, number: Option<u32>) {
        self.books.enter(name);
        self.progress.stage(name, number.map(|number| (number, self.runs)));
    }

    /// Everything but putting the device back.
    fn record(&mut self) -> Result<(), DeviceError> {
        self.cancel.check()?;
        self.enter("facts", None);
        let found = self.environment.inspect(self.device)?;
        let facts = &found.facts;
        let names = [facts.hardware.as_ref(), Some(&facts.serial)];
        if let Some(before) = self.made_by.as_ref().filter(|it| !names.contains(&Some(it))) {
            return Err(DeviceError::Plan(format!(
                "the runs in {} are of device {before}, but this is {}",
                self.plan.folder.display(),
                facts.hardware.as_ref().unwrap_or(&facts.serial)
            )));
        }
        self.fetch()?;
        if u32::try_from(self.kept.len()).is_ok_and(|kept| kept >= self.runs) {
            return Ok(());
        }
        self.facts = found.facts;
        self.files = found.files;
        let root = self.books.root();
        root.recording.device = Some(self.facts.clone());
        for note in &found.notes {
            root.note(note);
            self.progress.note(note);
        }
        for file in &self.files {
            root.write(file)?;
        }
        self.boot = boot_id(self.device)?;
        self.books.save()?;
        self.prepare()?;
        for number in 0..self.runs {
            if self.kept.contains(&number) {
                continue;
            }
            self.cancel.check()?;
            let outcome = self.iterate(number)?;
            self.made += 1;
            self.outcome = SessionReport::worse(self.outcome, outcome);
            let last = number + 1 == self.runs;
            if outcome != Outcome::Passed && !self.plan.keep_going && !last {
                let note = format!("the series ended with run {number}, which did not pass");
                self.progress.note(&note);
                self.books.root().note(&note);
                break;
            }
        }
        Ok(())
    }

    fn prepare(&mut self) -> Result<(), DeviceError> {
        self.enter("prepare", None);
        self.touched = true;
        // What another session left would be taken for ours.
        let folder = format!("rm -rf {DEVICE_FOLDER}; mkdir -p {DEVICE_FOLDER}");
        run(self.device, &folder, SHORT)?;
        let prepared = self.environment.prepare(self.device);
        let steps = self.environment.steps();
        self.books.set_steps(&steps);
        self.books.save()?;
        for note in prepared? {
            self.books.root().note(&note);
            self.progress.note(&note);
        }
        Ok(())
    }

    fn conclude(
        mut self,
        recorded: Result<(), DeviceError>,
        put_back: Result<(), DeviceError>,
    ) -> Result<SessionReport, DeviceError> {
        self.books.leave();
        let done = u32::try_from(self.kept.len()).unwrap_or(u32::MAX).saturating_add(self.made);
        let root = self.books.root();
        root.recording.interrupted = match &recorded {
            Err(error) => Some(error.to_string()),
            Ok(()) if done < self.runs => Some(format!("{done} of {} runs were made", self.runs)),
            Ok(()) => None,
        };
        if let Err(error) = &put_back {
            root.note(&format!("the device was not put back: {error}"));
        }
        let saved = self.books.save();
        // Of several errors the first is the cause.
        match recorded.and(put_back.as_ref().map_or(Ok(()), |()| saved)) {
            Ok(()) if put_back.is_ok() => Ok(self.report()),
            Ok(()) => Err(broken_off(None, put_back, &self)),
            Err(error) => Err(broken_off(Some(error), put_back, &self)),
        }
    }

    fn report(self) -> SessionReport {
        SessionReport {
            folder: self.plan.folder.clone(),
            outcome: self.outcome,
            made: self.made,
            kept: u32::try_from(self.kept.len()).unwrap_or(u32::MAX),
            recording: self.books.into_root(),
        }
    }
}
