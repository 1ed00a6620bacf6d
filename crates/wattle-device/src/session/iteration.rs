//! One run of the scenario, with everything that is recorded of it.

use std::path::Path;
use std::time::Duration;

use wattle_recording::{AppFacts, ArtifactKind, Iteration, Outcome};

use crate::host_clock::unix_nanos;
use crate::scenario::{OutputFile, Scenario, ScenarioEnd, ScenarioRun};
use crate::session::app_life::{AppState, Fate, LogFindings};
use crate::session::put_back::is_gone;
use crate::session::scenario_mark::{End, Mark, mark};
use crate::session::scheduler_data::has_scheduler;
use crate::session::session_state::Work;
use crate::session::source_set::{SourceSet, is_fatal};
use crate::session::waiting::comes_back;
use crate::session::{Build, HostFile};
use crate::source::{SourceGround, SourceName};
use crate::{Cancel, Device, DeviceError, quote};

/// Time after the scenario's limit until recorders on the device end by themselves.
const AFTER: Duration = Duration::from_mins(5);
/// Time around a scenario of known length, in which the recorders start and its marks are set.
const AROUND: Duration = Duration::from_secs(20);
const STOP: Duration = Duration::from_secs(20);
/// Time limit of listing tests.
const LISTING: Duration = Duration::from_mins(5);

/// A scenario that was run, and what is needed to judge it.
struct Played {
    iteration: Iteration,
    error: Option<DeviceError>,
    /// The app when it had ended.
    state: Option<AppState>,
    /// When it began, by the device's wall clock: Unix seconds.
    since: Option<i64>,
}

impl Work<'_> {
    /// Makes a run. Gives how it ended.
    pub(super) fn iterate(&mut self, number: u32) -> Result<Outcome, DeviceError> {
        let (index, build) = self.plan.build_of(number)?;
        let mut app = build.app.clone();
        self.books.begin_unit(number, app.as_ref(), &self.plan.scenario_facts_of(build))?;
        let mut outcome = Outcome::Interrupted;
        let mut played = None;
        let broke = match self.begin_run(number, index, build, &mut app) {
            Ok(scenario) => {
                let mut end = self.play(number, build, &scenario, app.as_ref());
                outcome = end.iteration.outcome;
                let error = end.error.take().filter(is_fatal);
                played = Some(end);
                error
            }
            Err(error) => Some(error),
        };
        let finished = self.finish_run(number, app.as_ref(), broke.as_ref());
        if let Some(played) = played.filter(|_| broke.is_none() && finished.is_ok()) {
            outcome = self.judge(played, app.as_ref(), &build.scenario);
        }
        // What ended the run is the cause of what could not be finished then.
        let broke = broke.or(finished.err());
        self.books.end_unit(number, broke.as_ref().map(ToString::to_string).as_deref())?;
        broke.map_or(Ok(outcome), Err)
    }

    /// Everything up to the moment when the scenario can run. Gives the scenario with the names of its tests.
    fn begin_run(
        &mut self,
        number: u32,
        index: usize,
        build: &Build,
        app: &mut Option<AppFacts>,
    ) -> Result<Scenario, DeviceError> {
        let files: Vec<HostFile> = self.files.clone();
        for file in &files {
            self.books.unit().write(file)?;
        }
        let scenario = self.install(number, index, build, app)?;
        if number > 0 && !self.plan.cool_down.is_zero() {
            self.enter("cool-down", Some(number));
            self.cancel.sleep(self.plan.cool_down)?;
        }
        self.enter("start", Some(number));
        self.environment.before_iteration(self.device, app.as_ref())?;
        self.stop_app(scenario_needs_fresh_app(&scenario), app.as_ref())?;
        let scenario = scenario.ready(self.device, self.cancel)?;
        let facts = self.facts.clone();
        let ground = SourceGround {
            device: self.device,
            cancel: self.cancel,
            facts: &facts,
            app: app.as_ref(),
            limit: self.recording_limit(&scenario),
        };
        // Those of the run before have been cleaned by its end.
        let (sources, about) = SourceSet::choose(&self.plan.sources, &ground)?;
        self.sources = sources;
        self.books.unit().recording.sources = about;
        self.books.save()?;
        self.books.unit().recording.clocks_start = self.environment.clocks(self.device)?;
        self.pass_notes_on();
        self.books.save()?;
        let environment = &mut *self.environment;
        let started = self.sources.start(&ground, self.books.unit(), self.progress, environment);
        let unit = self.books.unit();
        unit.recording.recorders = self.sources.recorders();
        for about in &mut unit.recording.sources {
            about.recorded = about.reason.is_none();
        }
        self.books.save()?;
        started.map(|()| scenario)
    }

    /// The time after which recorders on the device end by themselves. Where nothing else ends them, it is that of the scenario.
    fn recording_limit(&self, scenario: &Scenario) -> Duration {
        let has_no_end = self.facts.sdk.is_some_and(|sdk| sdk < crate::source::PERFETTO_ENDS_SDK);
        match scenario.length().filter(|_| has_no_end) {
            Some(length) => length + AROUND,
            None => self.plan.scenario_limit + AFTER,
        }
    }

    /// Ends the app, so that each run begins with a process of its own.
    fn stop_app(&mut self, wanted: bool, app: Option<&AppFacts>) -> Result<(), DeviceError> {
        if let Some(app) = app.filter(|_| wanted) {
            let stop = format!("am force-stop {}", quote(&app.package));
            self.device.shell(&stop, STOP)?;
        }
        Ok(())
    }

    /// Passes notes of the environment on to the run and to the observer.
    fn pass_notes_on(&mut self) {
        for note in self.environment.take_notes() {
            self.progress.note(&note);
            self.books.unit().note(&note);
        }
    }

    fn install(
        &mut self,
        number: u32,
        index: usize,
        build: &Build,
        app: &mut Option<AppFacts>,
    ) -> Result<Scenario, DeviceError> {
        self.enter("install", Some(number));
        if let Some(wanted) = app {
            // Also where it is there: its uid is what the recording is read by.
            // Builds of one app are each installed anew at every turn: else every second one would find its code compiled.
            let is_only = self.plan.is_only_build_of(&wanted.package);
            if is_only && self.installed.get(&wanted.package) == Some(&index) {
                let mut known = self.books.root().recording.apps.iter();
                if let Some(known) = known.find(|known| known.label == wanted.label) {
                    *wanted = known.clone();
                }
            } else {
                self.installed.remove(&wanted.package);
                let found = self.environment.install(self.device, build)?;
                self.installed.insert(found.package.clone(), index);
                *wanted = found;
            }
        } else if !build.packages.is_empty() {
            self.environment.install(self.device, build)?;
        }
        self.books.set_app(app.as_ref());
        let scenario = match &build.scenario {
            Scenario::Instrument(tests) => {
                Scenario::Instrument(tests.resolve(self.device, LISTING)?)
            }
            other => other.clone(),
        };
        self.books.save()?;
        Ok(scenario)
    }

    /// Runs the scenario and writes down how it went.
    fn play(
        &mut self,
        number: u32,
        build: &Build,
        scenario: &Scenario,
        app: Option<&AppFacts>,
    ) -> Played {
        self.enter("scenario", Some(number));
        let start_host_ns = unix_nanos();
        let start = self.mark(End::Start);
        let mut end = self.scenario_end(scenario);
        let stop = self.mark(End::Stop);
        if end.outcome == Outcome::Passed && self.restarted() {
            end.outcome = Outcome::Interrupted;
            end.message = Some("the device started anew in the middle of the scenario".to_owned());
        }
        let iteration = Iteration {
            number,
            app: app.and(build.label()),
            start_host_ns,
            end_host_ns: unix_nanos(),
            start_boot_ns: start.boot_ns,
            // In another boot, time begins anew.
            end_boot_ns: stop.boot_ns.filter(|stop| start.boot_ns.is_some_and(|it| it <= *stop)),
            warm_up: self.plan.is_warm_up(number),
            conditions: self.environment.conditions(),
            outcome: end.outcome,
            message: end.message.clone(),
            tests: end.tests.clone(),
            start: end.start.clone(),
        };
        self.books.add_iteration(&iteration);
        if let (Some(_), Some(app)) = (&end.error, app) {
            // Tests go on in the app's process when nobody listens any more. If the device cannot be asked, it is gone.
            let stop = format!("am force-stop {}", quote(&app.package));
            let _ = self.calm.shell(&stop, STOP);
        }
        if let Some(message) = &end.message {
            self.progress.note(message);
        }
        // Before anything is ended: recorders leave the app alone, and so far nobody else has been there.
        let is_well = end.outcome == Outcome::Passed;
        let state = app.filter(|_| is_well).and_then(|app| {
            // A device that does not answer is noticed by whoever ends the sources.
            AppState::read(&*self.calm, &app.package).ok()
        });
        Played { iteration, error: end.error, state, since: start.real_s }
    }

    /// A mark of the scenario. A device that is gone has none, which the scenario itself finds out.
    fn mark(&self, end: End) -> Mark {
        mark(&*self.calm, end).unwrap_or_default()
    }

    /// Judges a scenario that passed by what was recorded meanwhile: an app that died or a trace without a scheduler is no
    /// measurement.
    fn judge(&mut self, played: Played, app: Option<&AppFacts>, scenario: &Scenario) -> Outcome {
        let Played { mut iteration, state, since, .. } = played;
        if iteration.outcome != Outcome::Passed {
            return iteration.outcome;
        }
        let folder = self.books.unit().path.clone();
        let fate = app.zip(state).and_then(|(app, state)| {
            let log = folder.join(crate::source::LOG_FILE);
            let found = LogFindings::in_file(&log, &app.package, since);
            state.fate(&app.package, scenario, &found)
        });
        let fate = fate.or_else(|| self.without_scheduler(&folder));
        if let Some(Fate { outcome, message }) = fate {
            self.progress.note(&message);
            iteration.outcome = outcome;
            iteration.message = Some(message);
            self.books.add_iteration(&iteration);
        }
        iteration.outcome
    }

    /// Whether the scheduler was to be recorded and was not. Whoever leaves Perfetto out knows what they do.
    fn without_scheduler(&self, folder: &Path) -> Option<Fate> {
        let is_wanted = self.plan.sources.wants(SourceName::Perfetto);
        let can_be = self.facts.sdk.is_none_or(|sdk| sdk >= crate::source::PERFETTO_SDK);
        if !is_wanted || !can_be {
            return None;
        }
        let trace = folder.join(crate::source::TRACE_FILE);
        let why = if !trace.exists() {
            "no trace was recorded"
        } else if has_scheduler(&trace) == Some(false) {
            "the trace has no scheduling events"
        } else {
            return None;
        };
        let message = format!(
            "no scheduler data: {why}, so the energy of threads and methods cannot be estimated; --without perfetto records \
             without it"
        );
        Some(Fate { outcome: Outcome::Failed, message })
    }

    fn scenario_end(&mut self, scenario: &Scenario) -> ScenarioEnd {
        let folder = self.books.unit().path.clone();
        let mut output = match OutputFile::create(&folder) {
            Ok(output) => output,
            Err(error) => return ScenarioEnd::broken(error),
        };
        let end = scenario.run(&mut ScenarioRun {
            device: self.device,
            cancel: self.cancel,
            output: &mut output,
            folder: &folder,
            limit: self.plan.scenario_limit,
            progress: self.progress,
        });
        let unit = self.books.unit();
        if output.bytes() > 0 {
            unit.add(crate::scenario::OUTPUT_FILE, ArtifactKind::ScenarioOutput, false);
        } else {
            let _ = std::fs::remove_file(folder.join(crate::scenario::OUTPUT_FILE));
        }
        if output.dropped() > 0 {
            let dropped = output.dropped();
            unit.note(&format!("{dropped} bytes of the scenario's output were not kept"));
        }
        end
    }

    /// Ends the sources and brings home what they made, also of a run that broke off.
    fn finish_run(
        &mut self,
        number: u32,
        app: Option<&AppFacts>,
        broke: Option<&DeviceError>,
    ) -> Result<(), DeviceError> {
        self.books.save()?;
        self.enter("pull", Some(number));
        let hurry = self.plan.hurry.clone();
        let calm = self.calm.with_cancel(hurry.clone());
        let gone = broke.is_some_and(is_gone);
        let mut done = if gone && !self.wait_for(&*calm, &hurry) {
            Err(DeviceError::Disconnected {
                serial: self.device.serial().to_owned(),
                what: "it was waited for".to_owned(),
            })
        } else {
            self.wind_up(&*calm, &hurry, app, false)
        };
        if !gone && done.as_ref().is_err_and(is_gone) && self.wait_for(&*calm, &hurry) {
            done = self.wind_up(&*calm, &hurry, app, false);
        }
        if done.is_err() {
            // Of what nobody can be asked for any more the part that is here is kept; the error stays the one above.
            let _ = self.wind_up(&*calm, &hurry, app, true);
            self.keep_on_device();
        }
        done
    }

    /// Writes down which outputs stay on the device because this machine has no room.
    fn keep_on_device(&mut self) {
        let kept = self.sources.kept_on_device();
        for file in &kept {
            let note = format!(
                "this machine has no room for {}: it stays on the device as {} until --resume fetches it",
                file.file, file.path
            );
            self.progress.note(&note);
            self.books.unit().note(&note);
        }
        self.books.unit().recording.on_device = kept;
    }

    fn wait_for(&mut self, device: &dyn Device, hurry: &Cancel) -> bool {
        self.progress.note("the device does not answer; waiting for it");
        let back = comes_back(device, hurry, self.plan.come_back);
        if back {
            self.look_for_restart(device);
        }
        back
    }

    fn wind_up(
        &mut self,
        device: &dyn Device,
        cancel: &Cancel,
        app: Option<&AppFacts>,
        give_up: bool,
    ) -> Result<(), DeviceError> {
        let facts = self.facts.clone();
        let limit = self.plan.scenario_limit;
        let ground = SourceGround { device, cancel, facts: &facts, app, limit };
        let stopped = if give_up { Ok(()) } else { self.sources.stop(&ground, self.books.unit()) };
        stopped?;
        // Read before anything is pulled: what is long ago is known less well.
        if !give_up && self.books.unit().recording.clocks_end.is_empty() {
            match self.environment.clocks(device) {
                Ok(clocks) => self.books.unit().recording.clocks_end = clocks,
                Err(error) if is_fatal(&error) => return Err(error),
                Err(error) => self.books.unit().note(&format!("clocks at the end: {error}")),
            }
        }
        self.books.save()?;
        self.sources.collect(&ground, self.books.unit(), self.progress, give_up)?;
        self.books.save()?;
        if !give_up {
            self.sources.clean(device)?;
            self.environment.settle();
        }
        Ok(())
    }
}

/// Whether a scenario starts the app itself and would find the process of the run before.
const fn scenario_needs_fresh_app(scenario: &Scenario) -> bool {
    matches!(scenario, Scenario::Launch(_) | Scenario::Monkey(_))
}
