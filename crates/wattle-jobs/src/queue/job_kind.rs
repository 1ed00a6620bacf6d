//! The work of a job, as data.

use wattle_store::RunId;
use wattle_units::BootNanos;

use crate::base::ServerError;

/// The work of a job. Workers make a command line of it; nothing here is ever part of a shell's.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum JobKind {
    /// Analyse recordings, traces, logs or saved ledgers: `wattle report`. All files of the job are one recording.
    Analyse(AnalysisOptions),
    /// Say of a package whether it is sound, put probes around its methods and calls, and check the result: `wattle verify`,
    /// `wattle instrument`, `wattle verify`. The job has one file, or a base and its splits.
    Package,
    /// Run a package on a device and analyse the recording: `wattle run`. The job's files are the package, unless the scenario names them.
    Run(RunOptions),
    /// Report on a part of a run's recording with all its detail: `wattle report --from --to`. The files are those that the run was made of. It
    /// makes no run.
    Range(RangeOptions),
}

/// Options of a report on a part of a run's recording.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RangeOptions {
    /// The run in its project's history.
    pub run: RunId,
    /// The first instant, on the boot clock of the device.
    pub from: BootNanos,
    /// The instant after the last.
    pub to: BootNanos,
    /// Options of the analysis that the run was made by.
    #[serde(default)]
    pub analysis: AnalysisOptions,
}

/// Options of an analysis. Facts that the files state need not be given.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct AnalysisOptions {
    /// The package name of the app whose energy the history is of.
    pub app: Option<String>,
    /// The app's version.
    pub app_version: Option<String>,
    /// The commit that the app was built from.
    pub commit: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// The name of the scenario.
    pub scenario: Option<String>,
    /// Whether the report is also made as one HTML page.
    pub html: bool,
}

/// Options of a run on a device.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RunOptions {
    /// The scenario.
    pub scenario: RunScenario,
    /// The simulated phone to use instead of a device, such as `pixel`.
    #[serde(default)]
    pub simulate: Option<String>,
    /// Options of the analysis.
    #[serde(default)]
    pub analysis: AnalysisOptions,
}

/// The scenario of a run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "scenario", rename_all = "lowercase")]
pub enum RunScenario {
    /// Start the app and record.
    Start {
        /// Seconds of the recording.
        seconds: u32,
    },
    /// Random events.
    Monkey {
        /// Their number.
        events: u32,
        /// The seed.
        seed: u64,
    },
    /// A shell script that runs on the device.
    Script {
        /// The place of the script among the job's files, from 0.
        file: usize,
    },
    /// An instrumented test.
    Test {
        /// The place of the test package among the job's files, from 0.
        file: usize,
        /// The class, or class and method; all without it.
        class: Option<String>,
    },
}

impl RunScenario {
    /// The place of its own file among the job's files.
    pub(crate) const fn file(&self) -> Option<usize> {
        match self {
            Self::Script { file } | Self::Test { file, .. } => Some(*file),
            Self::Start { .. } | Self::Monkey { .. } => None,
        }
    }
}

/// Characters of one value of a command line.
const MOST: usize = 200;
/// Seconds of a recording.
const MOST_SECONDS: u32 = 3600;
/// Events of a monkey.
const MOST_EVENTS: u32 = 1_000_000;

impl JobKind {
    /// The word that names it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Analyse(_) => "analyse",
            Self::Package => "package",
            Self::Run(_) => "run",
            Self::Range(_) => "range",
        }
    }

    /// The run that it is about; `None` of work that makes its own.
    pub(crate) const fn of_run(&self) -> Option<RunId> {
        match self {
            Self::Range(options) => Some(options.run),
            Self::Analyse(_) | Self::Package | Self::Run(_) => None,
        }
    }

    /// Whether a device has to be leased.
    pub(crate) fn needs_device(&self) -> bool {
        matches!(self, Self::Run(options) if options.simulate.is_none())
    }

    /// Refuses values that no such job can have.
    pub(crate) fn check(&self, files: usize) -> Result<(), ServerError> {
        match self {
            Self::Analyse(options) => options.check(),
            Self::Package => Ok(()),
            Self::Range(options) => {
                if options.to <= options.from {
                    return Err(ServerError::invalid(
                        "range",
                        "expected an end after its beginning",
                    ));
                }
                options.analysis.check()
            }
            Self::Run(options) => {
                options.analysis.check()?;
                if let Some(phone) = &options.simulate {
                    let is_phone = |it: char| it.is_ascii_alphanumeric() || "-.,".contains(it);
                    check_value("simulate", phone, is_phone)?;
                }
                match &options.scenario {
                    RunScenario::Start { seconds } => {
                        check_number("seconds", *seconds, MOST_SECONDS)?;
                    }
                    RunScenario::Monkey { events, .. } => {
                        check_number("events", *events, MOST_EVENTS)?;
                    }
                    RunScenario::Script { .. } => {}
                    RunScenario::Test { class, .. } => {
                        let is_name = |it: char| it.is_ascii_alphanumeric() || "._$#".contains(it);
                        check_optional("class", class.as_deref(), is_name)?;
                    }
                }
                match options.scenario.file() {
                    Some(file) if file >= files || files < 2 => {
                        let reason = "expected the place of one file beside the package";
                        Err(ServerError::invalid("scenario", reason))
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

impl AnalysisOptions {
    fn check(&self) -> Result<(), ServerError> {
        let is_package = |it: char| it.is_ascii_alphanumeric() || "._".contains(it);
        let is_text = |it: char| !it.is_control();
        check_optional("app", self.app.as_deref(), is_package)?;
        check_optional("app_version", self.app_version.as_deref(), is_text)?;
        check_optional("commit", self.commit.as_deref(), is_text)?;
        check_optional("branch", self.branch.as_deref(), is_text)?;
        check_optional("scenario", self.scenario.as_deref(), is_text)
    }
}

fn check_optional(
    what: &'static str,
    text: Option<&str>,
    is_allowed: impl Fn(char) -> bool,
) -> Result<(), ServerError> {
    text.map_or(Ok(()), |text| check_value(what, text, is_allowed))
}

fn check_value(
    what: &'static str,
    text: &str,
    is_allowed: impl Fn(char) -> bool,
) -> Result<(), ServerError> {
    if text.is_empty() || text.chars().count() > MOST {
        return Err(ServerError::invalid(what, format!("expected 1 to {MOST} characters")));
    }
    match text.chars().find(|it| !is_allowed(*it)) {
        Some(other) => Err(ServerError::invalid(what, format!("{other:?} is not allowed in it"))),
        None => Ok(()),
    }
}

fn check_number(what: &'static str, number: u32, most: u32) -> Result<(), ServerError> {
    if (1..=most).contains(&number) {
        return Ok(());
    }
    Err(ServerError::invalid(what, format!("expected 1 to {most}, found {number}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_json_that_survives() {
        let kinds = [
            JobKind::Package,
            JobKind::Analyse(AnalysisOptions {
                app: Some("com.example".into()),
                ..Default::default()
            }),
            JobKind::Run(RunOptions {
                scenario: RunScenario::Monkey { events: 5, seed: 1 },
                simulate: Some("pixel".into()),
                analysis: AnalysisOptions::default(),
            }),
            JobKind::Range(RangeOptions {
                run: RunId(7),
                from: BootNanos::new(1_500_000_000),
                to: BootNanos::new(1_500_000_001),
                analysis: AnalysisOptions::default(),
            }),
        ];
        for kind in kinds {
            let text = serde_json::to_string(&kind).expect("written");
            assert_eq!(serde_json::from_str::<JobKind>(&text).expect("read"), kind, "{text}");
            assert!(kind.check(1).is_ok(), "{text}");
        }
        let short: JobKind = serde_json::from_str(r#"{"kind":"analyse"}"#).expect("read");
        assert_eq!(short, JobKind::Analyse(AnalysisOptions::default()));
    }

    #[test]
    fn values_that_no_command_line_should_have_are_refused() {
        let app = |app: &str| {
            JobKind::Analyse(AnalysisOptions { app: Some(app.into()), ..Default::default() })
        };
        for text in ["", "a b", "a;b", "--store", "a\n", &"x".repeat(201)] {
            assert!(app(text).check(1).is_err(), "{text}");
        }
        let run = |scenario| {
            JobKind::Run(RunOptions {
                scenario,
                simulate: None,
                analysis: AnalysisOptions::default(),
            })
        };
        assert!(run(RunScenario::Start { seconds: 0 }).check(1).is_err());
        assert!(run(RunScenario::Script { file: 1 }).check(2).is_ok());
        assert!(run(RunScenario::Script { file: 2 }).check(2).is_err());
        assert!(run(RunScenario::Script { file: 0 }).check(1).is_err());
    }
}
