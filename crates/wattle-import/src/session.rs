//! The state of reading one recording.
//!
//! Data already in boot time goes to the builder at once. Data in another clock (records of probes, lines of logs)
//! waits until all artifacts were read: any of them may hold readings of that clock.

use std::any::Any;

use wattle_recording::Recording;
use wattle_timeline::{ArtifactQuality, Note, Severity, Timeline, TimelineBuilder, Window};

use crate::recording::{self, DeviceOfRecording};
use crate::{Clock, ClockFacts, Derivation, Format, Reading, RunLog, Stage, UnpackBudget};

/// The most that a wall clock drifts against boot time between two readings, nanoseconds: 100 ppm over 100 s.
const DRIFT: u64 = 10_000_000;

/// Half a year: a log is at most as old as its file, so its year is searched around this before it.
const HALF_A_YEAR: i64 = 181 * 86_400 * 1_000_000_000;

/// Findings that wait in the session for clocks, one value a type: artifacts of one format add to the same value.
pub trait Pending: Any {
    /// When it is applied.
    fn stage(&self) -> Stage;

    /// Gives everything to the session's builder. All clocks are known.
    fn apply(self: Box<Self>, session: &mut Session);
}

/// The state of reading one recording: the timeline so far, what is known of clocks, and what waits for them.
#[derive(Default)]
pub struct Session {
    /// The timeline so far.
    pub builder: TimelineBuilder,
    /// Readings of clocks against boot time.
    pub clocks: ClockFacts,
    /// One an artifact, in the order of reading.
    pub qualities: Vec<ArtifactQuality>,
    /// `recording.json`, if there is one.
    pub recording: Option<Recording>,
    /// From the first to the last event of the traces.
    pub traced: Option<Window>,
    /// The time of the recording, nothing outside of which is used. Known from [`Stage::RecordedCalls`] on.
    pub window: Option<Window>,
    /// When the file that is read was last written, Unix nanoseconds.
    pub file_time: Option<i64>,
    /// Whether the device itself reported tests, which is better than what the host saw of them.
    pub has_tests: bool,
    /// Facts of each file about the run that it is of.
    pub runs: RunLog,
    /// The bytes that packed input may unpack to.
    pub unpacking: UnpackBudget,
    accessory: Option<&'static Format>,
    has_content: bool,
    options: Vec<Box<dyn Any>>,
    pending: Vec<Box<dyn Pending>>,
    derivations: Vec<Box<dyn Derivation>>,
}

impl Session {
    /// Takes in what a recording says of itself, before its artifacts are read. `name` is that of its folder or archive. Returns the
    /// recording's number.
    pub fn describe(&mut self, name: &str, recording: Recording) -> usize {
        let number = self.runs.describe(name, &recording);
        self.clocks.recording(&recording);
        recording::apply(&recording, &mut self.builder);
        self.derive(DeviceOfRecording(recording.clone()));
        self.recording = Some(recording);
        number
    }

    /// Sets an importer's options, which are a type of the importer's.
    pub fn set_option<T: Any>(&mut self, option: T) {
        self.options.push(Box::new(option));
    }

    /// An importer's options; their default where nobody set them.
    pub fn option<T: Any + Clone + Default>(&self) -> T {
        let set = self.options.iter().rev().find_map(|option| option.downcast_ref::<T>());
        set.cloned().unwrap_or_default()
    }

    /// The index that the next artifact's quality gets.
    pub fn next_artifact(&self) -> usize {
        self.qualities.len()
    }

    /// Adds an artifact that was read.
    pub fn add_artifact(&mut self, quality: ArtifactQuality) {
        self.qualities.push(quality);
    }

    /// Remembers that an artifact of a format was read.
    pub fn note_kind(&mut self, format: &'static Format) {
        if format.is_accessory {
            self.accessory = Some(format);
        } else {
            self.has_content = true;
        }
    }

    /// Whether something was read that is more than meaning for other artifacts.
    pub fn has_content(&self) -> bool {
        self.has_content
    }

    /// The format of which artifacts were read that are nothing alone.
    pub fn accessory(&self) -> Option<&'static Format> {
        self.accessory
    }

    /// A time that logs of the recording are near to, Unix nanoseconds.
    pub fn around(&self) -> Option<i64> {
        let recorded = self.recording.as_ref().and_then(|recording| {
            let clock = recording.clocks_start.first().map(|pair| pair.device_real_ns);
            clock.or(recording.created_host_ns)
        });
        let known = recorded.or_else(|| self.clocks.some_time(Clock::Real));
        known.or_else(|| Some(self.file_time?.saturating_sub(HALF_A_YEAR)))
    }

    /// Adds a trace of the kernel and the readings of clocks in it.
    pub fn add_trace(&mut self, quality: ArtifactQuality, readings: Vec<(Clock, Reading)>) {
        self.clocks.extend(readings);
        self.traced();
        self.qualities.push(quality);
    }

    /// Takes all times so far as the traced window.
    pub fn traced(&mut self) {
        self.traced = self.builder.span().map(|(first, last)| Window::new(first, last));
    }

    /// Takes the times of samples as the traced window, where nothing else has any.
    pub fn sampled(&mut self) {
        if self.traced.is_none() {
            self.traced();
        }
    }

    /// The pending work of a type, to which an artifact adds its findings.
    pub fn pending<T: Pending + Default>(&mut self) -> &mut T {
        let work = self.take_pending::<T>();
        self.pending.push(work);
        let last: &mut dyn Any = match self.pending.last_mut() {
            Some(last) => &mut **last,
            None => unreachable!("a value was pushed"),
        };
        match last.downcast_mut() {
            Some(work) => work,
            None => unreachable!("a value of this type was pushed"),
        }
    }

    /// Takes the pending work of a type out, to be put back with [`Self::put_pending`]: for importers that fill it while they use the
    /// builder.
    pub fn take_pending<T: Pending + Default>(&mut self) -> Box<T> {
        let at = self.pending.iter().position(|work| {
            let work: &dyn Any = &**work;
            work.is::<T>()
        });
        let Some(at) = at else { return Box::default() };
        let work: Box<dyn Any> = self.pending.remove(at);
        work.downcast().unwrap_or_default()
    }

    /// Puts pending work back.
    pub fn put_pending<T: Pending>(&mut self, work: Box<T>) {
        self.pending.push(work);
    }

    /// Queues something that follows from the finished timeline.
    pub fn derive(&mut self, derivation: impl Derivation + 'static) {
        self.derivations.push(Box::new(derivation));
    }

    /// The name of an artifact.
    pub fn artifact_name(&self, artifact: usize) -> &str {
        self.qualities.get(artifact).map_or("", |quality| quality.name.as_str())
    }

    /// Notes where clocks were set or stood still: times near such a place may be on the wrong side of it.
    fn note_jumps(&mut self) {
        let clocks = [
            (
                Clock::Monotonic,
                "clock-slept",
                "the monotonic clock stood still against boot time: the device slept",
            ),
            (Clock::Real, "clock-set", "the device's wall clock was set while it was recorded"),
        ];
        for (clock, code, text) in clocks {
            let least = if clock == Clock::Real { DRIFT } else { 0 };
            let jumps = self.clocks.fit(clock).map_or(0, |fit| fit.jumps_over(least));
            if jumps > 0 {
                self.builder.note(Note::new(Severity::Info, code, text).times(jumps));
            }
        }
    }

    /// Applies the pending work up to a stage, in order of stages.
    fn apply(&mut self, until: Stage) {
        let all = std::mem::take(&mut self.pending);
        let (mut due, later): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|work| work.stage() <= until);
        self.pending = later;
        due.sort_by_key(|work| work.stage());
        for work in due {
            self.builder.take_span();
            work.apply(self);
        }
    }

    /// Applies all pending work, after which every file has its place in the recording's clock, and gives the timeline.
    ///
    /// # Errors
    /// Those of `check`, which sees the session before the timeline is made.
    pub fn finish_checked<E>(
        mut self,
        check: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<Timeline, E> {
        self.apply_pending();
        check(&mut self)?;
        Ok(self.into_timeline())
    }

    /// Applies all pending work and derivations and gives the timeline.
    pub fn finish(mut self) -> Timeline {
        self.apply_pending();
        self.into_timeline()
    }

    fn apply_pending(&mut self) {
        // Traces may hold readings of clocks and say when the recording was; all later stages need both.
        self.apply(Stage::Traces);
        self.note_jumps();
        let recorded = self.recording.as_ref().and_then(|it| recording::window(it, &self.clocks));
        self.window = self.traced.or(recorded);
        self.apply(Stage::Totals);
    }

    fn into_timeline(mut self) -> Timeline {
        if let Some(it) = &self.recording {
            recording::tests(it, &self.clocks, self.has_tests, &mut self.builder);
        }
        for quality in self.qualities {
            self.builder.artifact(quality);
        }
        let mut timeline = self.builder.finish();
        let scenario = self.recording.as_ref().and_then(recording::scenario);
        let scenario = scenario.map(|scenario| scenario.intersect(timeline.window));
        timeline.scenario = scenario.filter(|scenario| !scenario.is_empty());
        self.derivations.sort_by_key(|derivation| derivation.stage());
        for derivation in self.derivations {
            derivation.derive(&mut timeline, &self.clocks);
        }
        timeline
    }
}
