//! The plan of a recording.

use std::path::PathBuf;
use std::time::Duration;

use wattle_recording::{AppFacts, ScenarioFacts};

use crate::scenario::Scenario;
use crate::session::RunOrder;
use crate::source::SourcePlan;
use crate::{Cancel, DeviceError};

/// Most runs of one series: their folders are named by number, and nobody waits for more.
const MOST_RUNS: u32 = 10_000;

/// One of the things that are compared: what is installed and what runs.
#[derive(Clone, Debug)]
pub struct Build {
    /// The app; `None`: the device as a whole is looked at.
    pub app: Option<AppFacts>,
    /// The packages to install, each a base package with its splits: the app, its tests. Empty if already installed.
    pub packages: Vec<Vec<PathBuf>>,
    /// The scenario.
    pub scenario: Scenario,
}

impl Build {
    /// The label of the build.
    pub fn label(&self) -> Option<String> {
        let app = self.app.as_ref()?;
        Some(app.label.clone().unwrap_or_else(|| app.package.clone()))
    }
}

/// The plan of a session: what is recorded, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionPlan {
    /// The folder of the recording. It is made; something in it is an error, unless it is resumed.
    pub folder: PathBuf,
    /// The program that records, with its version.
    pub tool: String,
    /// The builds. Several take turns, so that slow changes (heat, charge) affect all of them.
    pub builds: Vec<Build>,
    /// The order in which they do. Default is mirrored.
    pub order: RunOrder,
    /// The number of runs of each build that count. Default is 1.
    pub repeat: u32,
    /// The number of runs of each build before them that do not: caches fill and code is compiled. Default is none.
    pub warm_up: u32,
    /// Pause before each run but the first. Default is none.
    pub cool_down: Duration,
    /// Whether runs that are complete in the folder are kept, and only the others made. Default is no.
    pub resume: bool,
    /// Whether the series goes on after a run that failed. Default is no.
    pub keep_going: bool,
    /// The sources.
    pub sources: SourcePlan,
    /// Time limit of the scenario. Default is one hour.
    pub scenario_limit: Duration,
    /// Time to wait for a disconnected device. Default is 30 s.
    pub come_back: Duration,
    /// When this is asked to stop, nothing more is pulled and the device is put back at once: for a second Ctrl-C.
    pub hurry: Cancel,
}

impl SessionPlan {
    /// One run of one build, with everything else as it is by default.
    pub fn new(folder: impl Into<PathBuf>, tool: impl Into<String>, build: Build) -> Self {
        Self {
            folder: folder.into(),
            tool: tool.into(),
            builds: vec![build],
            order: RunOrder::default(),
            repeat: 1,
            warm_up: 0,
            cool_down: Duration::ZERO,
            resume: false,
            keep_going: false,
            sources: SourcePlan::default(),
            scenario_limit: Duration::from_hours(1),
            come_back: Duration::from_secs(30),
            hurry: Cancel::new(),
        }
    }

    /// The total number of runs.
    ///
    /// # Errors
    /// [`DeviceError::Plan`] if there are none, or too many.
    pub fn runs(&self) -> Result<u32, DeviceError> {
        let builds = u32::try_from(self.builds.len()).unwrap_or(u32::MAX);
        let rounds = self.repeat.checked_add(self.warm_up).filter(|_| self.repeat > 0);
        match rounds.and_then(|rounds| rounds.checked_mul(builds)) {
            Some(runs @ 1..=MOST_RUNS) => Ok(runs),
            _ => Err(DeviceError::Plan(format!(
                "expected 1 to {MOST_RUNS} runs, but {} builds are to run {} times each",
                self.builds.len(),
                self.repeat.saturating_add(self.warm_up)
            ))),
        }
    }

    /// The build of the run with this number, and its index.
    pub(super) fn build_of(&self, number: u32) -> Result<(usize, &Build), DeviceError> {
        let count = u32::try_from(self.builds.len()).unwrap_or(u32::MAX);
        let round = number.checked_div(count).zip(number.checked_rem(count));
        let index = round.map(|(round, place)| self.order.build(round, place, count));
        index
            .and_then(|index| usize::try_from(index).ok())
            .and_then(|index| self.builds.get(index).map(|build| (index, build)))
            .ok_or_else(|| DeviceError::Plan("there is nothing to run".to_owned()))
    }

    /// Whether no other build is of this app.
    pub(super) fn is_only_build_of(&self, package: &str) -> bool {
        let same = |build: &&Build| build.app.as_ref().is_some_and(|app| app.package == package);
        self.builds.iter().filter(same).count() < 2
    }

    /// Whether the run with this number only warms up.
    pub(super) fn is_warm_up(&self, number: u32) -> bool {
        let builds = u32::try_from(self.builds.len()).unwrap_or(u32::MAX);
        number < self.warm_up.saturating_mul(builds)
    }

    /// The scenario as the description of the whole has it.
    pub(super) fn scenario_facts(&self) -> Result<ScenarioFacts, DeviceError> {
        Ok(self.scenario_facts_of(self.build_of(0)?.1))
    }

    /// The scenario of a build.
    pub(super) fn scenario_facts_of(&self, build: &Build) -> ScenarioFacts {
        let order = (self.builds.len() > 1).then(|| self.order.to_string());
        ScenarioFacts { order, ..build.scenario.facts() }
    }
}
